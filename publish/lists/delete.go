package lists

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// mostRestored is how many entries a list has at most whose deletion can be undone: the address of the notice has their numbers.
const mostRestored = 300

// deletePage is the data of delete.html.
type deletePage struct {
	web.Frame
	About   feed.EntryList
	Entries int
	Undone  bool   // the deletion can be undone
	Feeds   []link // none
}

// showDelete serves GET /lists/{list}/delete, and again after its form failed.
func (ls *Lists) showDelete(w http.ResponseWriter, r *http.Request) error {
	list, numbers, err := ls.arrangement(r.Context(), r.PathValue("list"))
	if err != nil {
		return err
	}
	return ls.web.Render(w, r, "delete.html", &deletePage{
		Frame: web.Frame{Title: "Delete " + list.Title}, About: list, Entries: len(numbers), Undone: len(numbers) <= mostRestored,
	})
}

// deleteByForm serves POST /lists/{list}/delete.
func (ls *Lists) deleteByForm(r *http.Request) (web.Next, error) {
	list, numbers, err := ls.arrangement(r.Context(), r.PathValue("list"))
	if err != nil {
		return web.Next{}, err
	}
	web.Changed(r, feed.ListObject(list.Name), list.Title, "")
	r.PostForm.Del("back") // the page that the form was on ends with the list
	next := web.Next{Page: listsPath, Did: "list_deleted"}
	if len(numbers) <= mostRestored {
		next.To = list.Name
		next.Undo = url.Values{"title": {list.Title}, "description": {list.Description}, "query": {list.Query}, "entries": {strings.Join(numbers, ",")}}
	}
	return next, ls.store.DeleteList(r.Context(), list.Name, r.PostForm.Get("version"))
}

// restoreByForm serves POST /lists/{list}/restore, which undoes the deletion of a list. It can be repeated.
func (ls *Lists) restoreByForm(r *http.Request) (web.Next, error) {
	list := calledBy(r)
	list.Name, list.Version = r.PathValue("list"), feed.ListNew
	numbers := strings.Split(r.PostForm.Get("entries"), ",")
	if len(numbers) > mostRestored {
		return web.Next{}, feed.Invalid("entries", fmt.Sprintf("name up to %d entries", mostRestored))
	}
	err := ls.save(r, list)
	if found, other := ls.store.List(r.Context(), list.Name); errors.Is(err, feed.ErrChanged) && other == nil {
		if calledOf(&found) != calledOf(&list) {
			return web.Next{}, fmt.Errorf("there is another list with the name %s by now: %w", list.Name, feed.ErrConflict)
		}
		err = nil // an attempt before was cut short
	}
	if err != nil {
		return web.Next{}, err
	}
	ids := make([]string, 0, len(numbers))
	for _, n := range numbers {
		if isNumber(n) {
			ids = append(ids, "Entry:"+n)
		}
	}
	found, err := ls.store.HeadlinesByID(r.Context(), ids)
	for _, id := range ids {
		if e, ok := found[id]; ok && err == nil {
			_, err = ls.store.PlaceInList(r.Context(), list.Name, &e, feed.ListTarget{Position: feed.MaxListed}, "")
		}
	}
	return web.Next{Page: arrangePath(list.Name), Did: "list_restored"}, err
}
