package lists

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// expected returns the version of the list in the path of a request that a change replaces; empty: any. feed.ErrChanged: the condition of the request does
// not hold.
func (ls *Lists) expected(r *http.Request) (string, error) {
	list, err := ls.store.List(r.Context(), r.PathValue("list"))
	if err != nil && !errors.Is(err, feed.ErrNotFound) {
		return "", err
	}
	if err := web.CheckCondition(r, list.Version); err != nil {
		return "", err
	}
	switch {
	case web.HasCondition(r):
		return list.Version, nil
	case r.Header.Get("If-None-Match") != "":
		return cmp.Or(list.Version, feed.ListNew), nil
	}
	return "", nil
}

// saveList serves PUT /api/v1/lists/{list}.
func (ls *Lists) saveList(r *http.Request) (feed.EntryList, error) {
	var body struct {
		Title       string `json:"title"`
		Description string `json:"description"`
		Query       string `json:"query"`
	}
	if err := web.Decode(r, &body); err != nil {
		return feed.EntryList{}, err
	}
	version, err := ls.expected(r)
	if err != nil {
		return feed.EntryList{}, err
	}
	list := feed.EntryList{
		Name: r.PathValue("list"), Kind: feed.ListArranged, Title: cmp.Or(body.Title, r.PathValue("list")), Description: body.Description,
		Query: strings.TrimSpace(body.Query), Version: version,
	}
	if list.Query != "" {
		list.Kind = feed.ListSearch
	}
	return list, ls.save(r, list)
}

// save creates or changes a list, unless a rule of the configuration makes a group of its name.
func (ls *Lists) save(r *http.Request, list feed.EntryList) error {
	if ls.rules.Load().Has(list.Name) {
		return fmt.Errorf("the configuration has rules for a group with this name; use another one: %w", feed.ErrConflict)
	}
	changed, err := ls.store.SaveList(r.Context(), list)
	if web.Changed(r, feed.ListObject(list.Name), "", list.Title); !changed {
		web.NothingChanged(r)
	}
	return err
}

// deleteList serves DELETE /api/v1/lists/{list}.
func (ls *Lists) deleteList(r *http.Request) error {
	version, err := ls.expected(r)
	if err != nil {
		return err
	}
	web.Changed(r, feed.ListObject(r.PathValue("list")), "", "")
	return ls.store.DeleteList(r.Context(), r.PathValue("list"), version)
}

// placeEntry serves PUT /api/v1/lists/{list}/entries/{n}.
func (ls *Lists) placeEntry(r *http.Request) error {
	var to feed.ListTarget
	if err := web.Decode(r, &to); err != nil {
		return err
	}
	version, err := ls.expected(r)
	if err != nil {
		return err
	}
	_, err = ls.place(r, r.PathValue("n"), to, version)
	return err
}

// place places the entry with a number in the list in the path of a request, and reports whether that changed something.
func (ls *Lists) place(r *http.Request, number string, to feed.ListTarget, version string) (bool, error) {
	e, err := ls.entry(r.Context(), number)
	if err != nil {
		return false, err
	}
	changed, err := ls.store.PlaceInList(r.Context(), r.PathValue("list"), &e, to, version)
	if web.Changed(r, feed.EntryObject(&e), "", r.PathValue("list")); !changed {
		web.NothingChanged(r)
	}
	return changed, err
}

// removeEntry serves DELETE /api/v1/lists/{list}/entries/{n}.
func (ls *Lists) removeEntry(r *http.Request) error {
	version, err := ls.expected(r)
	if err != nil {
		return err
	}
	_, err = ls.unlist(r, r.PathValue("n"), version)
	return err
}

// unlist removes the entry with a number from the list in the path of a request, and reports whether it was in it.
func (ls *Lists) unlist(r *http.Request, number, version string) (bool, error) {
	e, err := ls.entry(r.Context(), number)
	if err != nil {
		return false, err
	}
	removed, err := ls.store.RemoveFromList(r.Context(), r.PathValue("list"), e.ID, version)
	if web.Changed(r, feed.EntryObject(&e), r.PathValue("list"), ""); !removed {
		web.NothingChanged(r)
	}
	return removed, err
}
