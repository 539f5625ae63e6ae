package lists

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// notices are about lists that editors arrange. The form that undoes a move or a removal names no version, because it names the entry that
// followed: it is right also if others have changed the list since.
var notices = web.Notices{
	"list_moved":    {One: "The entry was moved.", Undo: listsPath + "/%s/place"},
	"list_added":    {One: "The entry was added to the list.", Undo: listsPath + "/%s/remove"},
	"list_removed":  {One: "The entry was removed from the list.", Undo: listsPath + "/%s/place"},
	"list_changed":  {One: "The list was saved.", Undo: listsPath + "/%s/change"},
	"list_created":  {One: "The list was created.", Undo: listsPath + "/%s/delete"},
	"list_deleted":  {One: "The list was deleted.", Undo: listsPath + "/%s/restore"},
	"list_restored": {One: "The list was restored."},
}

// placeByForm serves POST /lists/{list}/place.
func (ls *Lists) placeByForm(r *http.Request) (web.Next, error) {
	list, number := r.PathValue("list"), entryOf(r)
	to := feed.ListTarget{Before: r.PostForm.Get("before")}
	if position := r.PostForm.Get("position"); position != "" {
		n, err := strconv.Atoi(position)
		if err != nil {
			return web.Next{}, feed.Invalid("position", "use a number")
		}
		to.Position = n
	}
	listed, back, err := ls.wayBack(r.Context(), list, number)
	if err != nil {
		return web.Next{}, err
	}
	changed, err := ls.place(r, number, to, r.PostForm.Get("version"))
	switch {
	case !changed:
		return web.Next{Page: arrangePath(list)}, err
	case listed:
		return web.Next{Page: arrangePath(list), Did: "list_moved", To: list, Undo: back}, err
	}
	return web.Next{Page: arrangePath(list), Did: "list_added", To: list, Undo: url.Values{"entry": {number}}}, err
}

// removeByForm serves POST /lists/{list}/remove.
func (ls *Lists) removeByForm(r *http.Request) (web.Next, error) {
	list, number := r.PathValue("list"), entryOf(r)
	_, back, err := ls.wayBack(r.Context(), list, number)
	if err != nil {
		return web.Next{}, err
	}
	removed, err := ls.unlist(r, number, r.PostForm.Get("version"))
	if !removed {
		return web.Next{Page: arrangePath(list)}, err
	}
	return web.Next{Page: arrangePath(list), Did: "list_removed", To: list, Undo: back}, err
}

// entryOf returns the number of the entry that a form names, also as "Entry:5".
func entryOf(r *http.Request) string {
	return strings.TrimPrefix(strings.TrimSpace(r.PostForm.Get("entry")), "Entry:")
}

// wayBack reports whether an entry is in a list, and returns the fields of a form that places it where it is now.
func (ls *Lists) wayBack(ctx context.Context, list, number string) (listed bool, fields url.Values, err error) {
	_, numbers, err := ls.arrangement(ctx, list)
	switch at := slices.Index(numbers, number); {
	case err != nil || at < 0:
		return false, nil, err
	case at == len(numbers)-1:
		return true, url.Values{"entry": {number}, "position": {strconv.Itoa(feed.MaxListed)}}, nil
	default:
		return true, url.Values{"entry": {number}, "before": {numbers[at+1]}}, nil
	}
}

// createByForm serves POST /lists. Without a name, the list is named after its title.
func (ls *Lists) createByForm(r *http.Request) (web.Next, error) {
	list := calledBy(r)
	list.Name, list.Version = cmp.Or(strings.TrimSpace(r.PostForm.Get("name")), nameFrom(list.Title)), feed.ListNew
	if list.Name == "" && list.Title != "" {
		return web.Next{}, feed.Invalid("name", "enter a name of lower-case letters and digits: it is part of addresses")
	}
	if err := list.CheckArranged(); err != nil {
		return web.Next{}, err
	}
	if err := ls.save(r, list); err != nil {
		if found, other := ls.store.List(r.Context(), list.Name); other == nil && found.Editable() {
			err = fmt.Errorf("there is a list with the name %s; use another one: %w", list.Name, feed.ErrConflict)
		}
		return web.Next{}, err
	}
	created, err := ls.store.List(r.Context(), list.Name)
	return web.Next{Page: arrangePath(list.Name), Did: "list_created", To: list.Name, Undo: url.Values{"version": {created.Version}}}, err
}

// calledBy returns the list of a form.
func calledBy(r *http.Request) feed.EntryList {
	list := feed.EntryList{
		Kind: feed.ListArranged, Title: strings.TrimSpace(r.PostForm.Get("title")), Description: strings.TrimSpace(r.PostForm.Get("description")),
		Query: strings.TrimSpace(r.PostForm.Get("query")),
	}
	if list.Query != "" {
		list.Kind = feed.ListSearch
	}
	return list
}

// nameFrom returns the name of a list with a title: its letters and digits with dashes in between.
func nameFrom(title string) string {
	name := strings.Join(strings.FieldsFunc(strings.ToLower(title), func(c rune) bool { return (c < 'a' || c > 'z') && (c < '0' || c > '9') }), "-")
	return strings.TrimRight(name[:min(len(name), feed.MaxGroupName)], "-")
}

// changeByForm serves POST /lists/{list}/change. It replaces the title and the description that the form has seen: moves since do not matter.
func (ls *Lists) changeByForm(r *http.Request) (web.Next, error) {
	before, err := ls.arranged(r.Context(), r.PathValue("list"))
	if err != nil {
		return web.Next{}, err
	}
	list := calledBy(r)
	list.Name, list.Version = before.Name, before.Version
	next := web.Next{Page: arrangePath(list.Name), At: "about"}
	switch called := calledOf(&before); {
	case r.PostForm.Get("seen") != called:
		return next, fmt.Errorf("list %s: %w", list.Name, feed.ErrChanged)
	case calledOf(&list) == called:
		web.NothingChanged(r)
		return next, nil
	}
	next = web.Next{Page: next.Page, Did: "list_changed", To: list.Name, Undo: url.Values{
		"title": {before.Title}, "description": {before.Description}, "query": {before.Query}, "seen": {calledOf(&list)},
	}}
	return next, ls.save(r, list)
}
