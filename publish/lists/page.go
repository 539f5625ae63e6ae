package lists

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"

	"github.com/feedwire/feedwire/publish/body"
	"github.com/feedwire/feedwire/publish/hypertext"
	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

const listsPath = "/lists"

// formats are the formats of the feeds of a list.
var formats = []struct{ Suffix, Type, Text string }{
	{".rss", "application/rss+xml", "RSS"}, {".atom", "application/atom+xml", "Atom"}, {".json", "application/feed+json", "JSON Feed"},
}

// link is a feed of a list.
type link struct{ Path, Type, Text string }

// feedsOf returns the feeds of a list.
func feedsOf(list string) (all []link) {
	for _, f := range formats {
		all = append(all, link{listsPath + "/" + list + f.Suffix, f.Type, f.Text})
	}
	return all
}

// indexPage is the data of lists.html.
type indexPage struct {
	web.Frame
	Feeds []link // none
	Rows  []indexRow
	Form  url.Values // of a list that was not created
}

// indexRow is a list.
type indexRow struct {
	feed.EntryList
	Feeds   []link
	Arrange string // page on which the visitor arranges the list; empty: none
}

// showLists serves GET /lists, and again after its form failed.
func (ls *Lists) showLists(w http.ResponseWriter, r *http.Request) error {
	all, err := ls.store.Lists(r.Context())
	if err != nil {
		return err
	}
	page := indexPage{Frame: web.Frame{Title: "Lists"}, Form: r.PostForm}
	for _, list := range all {
		page.Rows = append(page.Rows, indexRow{list, feedsOf(list.Name), arrangeLink(r, &list)})
	}
	return ls.web.Render(w, r, "lists.html", &page)
}

// arrangeLink returns the page on which the visitor arranges a list; empty: there is none.
func arrangeLink(r *http.Request, list *feed.EntryList) string {
	if v := web.VisitorOf(r); list.Editable() && v.May(feed.ScopePublish) {
		return arrangePath(list.Name)
	}
	return ""
}

// listPage is the data of list.html.
type listPage struct {
	web.ListPage[row]
	About   feed.EntryList
	Feeds   []link
	Arrange string // page on which the visitor arranges the list; empty: none
	Unseen  bool   // the account cannot vote on entries of the page, because it does not follow their sources
}

// row is an entry of a list.
type row struct {
	feed.Entry
	Source string
	Link   string // to the original; empty: it has none
	Ballot web.Ballot

	Anonymous int  // votes without an account
	Asked     bool // the visitor can vote without one
}

// Name returns what the entry is called.
func (r row) Name() string {
	return hypertext.Cut(cmp.Or(strings.TrimSpace(r.Title), r.Link, "Entry "+r.Number()), maxTitle)
}

// maxTitle bounds what a page shows of a title, in bytes; some feeds have whole texts as titles.
const maxTitle = 300

// showList serves GET /lists/{list}: the entries that anyone may see.
func (ls *Lists) showList(w http.ResponseWriter, r *http.Request) error {
	list, query := r.PathValue("list"), web.QueryOf(r)
	after := query.Position()
	if query.Err != nil {
		return query.Err
	}
	found, err := ls.store.PublicEntries(r.Context(), list, after, pageSize)
	if err != nil {
		return err
	}
	ids := make([]string, len(found.Entries))
	for i := range found.Entries {
		ids[i] = found.Entries[i].ID
	}
	user := web.VisitorOf(r).Account.ID
	scores, err := ls.store.Scores(r.Context(), user, ids)
	if err != nil {
		return err
	}
	see, err := ls.visible(r, user)
	if err != nil {
		return err
	}
	page := listPage{About: found.List, Feeds: feedsOf(list), Arrange: arrangeLink(r, &found.List)}
	page.Title, page.Pager = found.List.Title, web.PagerOf(r, found.Next.String())
	for _, e := range found.Entries {
		open := found.List.Kind != feed.ListNews && ls.store.VotingOpen(&e) // members vote on submissions with karma
		one := row{Entry: e, Source: found.SourceTitle(e.FeedURL), Link: body.Address(e.Link, e.FeedURL), Anonymous: scores[e.ID].Anonymous}
		one.Ballot = web.Ballot{Number: e.Number(), Name: one.Name(), Score: scores[e.ID], Open: open && user != 0 && see(&e)}
		page.Unseen = page.Unseen || open && user != 0 && !see(&e)
		one.Asked = open && user == 0 && ls.opts.Anonymous()
		page.Rows = append(page.Rows, one)
	}
	return ls.web.Render(w, r, "list.html", &page)
}
