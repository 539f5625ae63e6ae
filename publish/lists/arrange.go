package lists

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"

	"github.com/feedwire/feedwire/publish/body"
	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// arrangePage is the data of arrange.html.
type arrangePage struct {
	web.Frame
	About   feed.EntryList
	Feeds   []link
	Rows    []arrangedRow
	Most    int        // entries that a list can have
	Form    url.Values // title and description
	Seen    string     // digest of what the form replaces
	Pending *pending   // nil: nothing is
}

// arrangedRow is an entry of a list that editors arrange.
type arrangedRow struct {
	row
	First, Last bool   // of the list
	Up, Down    string // number of the entry that follows after a move up or down; empty: none does
	Hidden      string // why the public page leaves the entry out; empty: it does not
}

// pending is a change that was refused because someone else changed the list. Its form repeats it on the current list.
type pending struct {
	Path, Verb string
	Fields     map[string]string
}

// arrangePath returns the page on which editors arrange a list.
func arrangePath(list string) string { return listsPath + "/" + list + "/arrange" }

// arranged returns a list of editors: one that they arrange, or a saved search. feed.ErrNotFound: there is none with this name.
func (ls *Lists) arranged(ctx context.Context, name string) (feed.EntryList, error) {
	list, err := ls.store.List(ctx, name)
	if err == nil && !list.Editable() {
		err = feed.ErrNotFound
	}
	return list, err
}

// arrangement returns a list that editors arrange, with the numbers of its entries.
func (ls *Lists) arrangement(ctx context.Context, name string) (list feed.EntryList, numbers []string, err error) {
	if list, err = ls.arranged(ctx, name); err != nil {
		return list, nil, err
	}
	places, _, err := ls.store.ListPlaces(ctx, name, feed.Cursor{}, feed.MaxListed)
	for _, p := range places {
		numbers = append(numbers, p.Member)
	}
	return list, numbers, err
}

// showArrange serves GET /lists/{list}/arrange, and again after a form of it failed.
func (ls *Lists) showArrange(w http.ResponseWriter, r *http.Request) error {
	list, numbers, err := ls.arrangement(r.Context(), r.PathValue("list"))
	if err != nil {
		return err
	}
	page := arrangePage{
		About: list, Feeds: feedsOf(list.Name), Most: feed.MaxListed, Seen: calledOf(&list),
		Form: url.Values{"title": {list.Title}, "description": {list.Description}, "query": {list.Query}},
	}
	if page.Title = "Arrange " + list.Title; list.Kind == feed.ListSearch {
		page.Title = "Change " + list.Title
	}
	if web.FailedWith(r) != 0 && r.PostForm.Has("title") {
		page.Form = r.PostForm
	}
	if page.Rows, err = ls.arrangedRows(r.Context(), numbers); err != nil {
		return err
	}
	page.Pending = pendingOf(r, list.Version, page.Rows)
	return ls.web.Render(w, r, "arrange.html", &page)
}

// calledOf returns a digest of what a list is called and searches for.
func calledOf(list *feed.EntryList) string {
	return web.Hash(list.Title + "\n" + list.Description + "\n" + list.Query)
}

// arrangedRows returns those of the entries of a list that exist. The others have expired, and leave it later.
func (ls *Lists) arrangedRows(ctx context.Context, numbers []string) ([]arrangedRow, error) {
	ids := make([]string, len(numbers))
	for i, n := range numbers {
		ids[i] = "Entry:" + n
	}
	found, err := ls.store.HeadlinesByID(ctx, ids)
	if err != nil {
		return nil, err
	}
	sources, err := ls.sourcesOf(ctx, found)
	if err != nil {
		return nil, err
	}
	ids = slices.DeleteFunc(ids, func(id string) bool { return found[id].ID == "" })
	rows := make([]arrangedRow, len(ids))
	for i, id := range ids {
		e := found[id]
		source := sources[e.FeedURL]
		one := arrangedRow{row: row{Entry: e, Source: cmp.Or(source.Label, source.About.Title, e.FeedURL), Link: body.Address(e.Link, e.FeedURL)}}
		if one.First, one.Last = i == 0, i == len(ids)-1; i > 0 {
			one.Up = rows[i-1].Number()
		}
		if i >= 2 {
			rows[i-2].Down = e.Number()
		}
		switch {
		case source.URL == "":
			one.Hidden = "not on the public page: its source was removed"
		case source.Private():
			one.Hidden = "not on the public page: its source is private"
		}
		rows[i] = one
	}
	return rows, nil
}

// sourcesOf returns the sources of entries by URL.
func (ls *Lists) sourcesOf(ctx context.Context, entries map[string]feed.Entry) (map[string]feed.Source, error) {
	all, urls := make(map[string]feed.Source), make([]string, 0, len(entries))
	for _, e := range entries {
		if _, known := all[e.FeedURL]; !known {
			all[e.FeedURL] = feed.Source{}
			urls = append(urls, e.FeedURL)
		}
	}
	found, err := ls.store.SourcesByURL(ctx, urls)
	for i := range found {
		all[found[i].URL] = found[i]
	}
	return all, err
}

// pendingOf returns the change of a form that failed because it did not know the current version of its list, which has these rows.
func pendingOf(r *http.Request, version string, rows []arrangedRow) *pending {
	if web.FailedWith(r) != http.StatusConflict || r.PostForm.Get("version") == "" || r.PostForm.Get("version") == version {
		return nil
	}
	number := entryOf(r)
	name := "Entry " + number
	if i := slices.IndexFunc(rows, func(row arrangedRow) bool { return row.Number() == number }); i >= 0 {
		name = web.Shorten(rows[i].Name(), shortTitle)
	}
	p := &pending{Path: r.URL.Path, Verb: "Move “" + name + "” in the current list", Fields: map[string]string{"entry": number, "version": version}}
	if r.Pattern == "POST "+listsPath+"/{list}/remove" {
		p.Verb = "Remove “" + name + "” from the current list"
	}
	for _, field := range []string{"before", "position"} {
		if value := r.PostForm.Get(field); value != "" {
			p.Fields[field] = value
		}
	}
	return p
}

// shortTitle bounds a title on a button, in bytes.
const shortTitle = 60

// followList serves GET /lists/{list}/arrange/live: an event whenever the list changes.
func (ls *Lists) followList(w http.ResponseWriter, r *http.Request) error {
	return ls.web.Follow(w, r, func() ([]any, error) {
		list, err := ls.arranged(r.Context(), r.PathValue("list"))
		return []any{list.Version}, err
	})
}
