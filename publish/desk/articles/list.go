package articles

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/feedwire/feedwire/publish/placement"
	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// pageSize is how many articles a page lists.
const pageSize = 40

// listView is the data of articles.html.
type listView struct {
	web.Frame
	Notice     web.Notice
	Text       string // of the search field
	Source     string // part of the address of the source
	Feeds      []web.Choice
	States     []web.Choice
	Rows       []listRow
	Pick       []web.Choice // feeds for the selected articles
	Once       string       // identifies the form of this page, so that a repetition has no effect
	Looked     string       // how many articles were searched
	First      string       // first page; empty: this is it
	Next       string       // next page; empty: none
	Live       string       // event stream of this list
	MayPublish bool
	Narrowed   bool
}

// listRow is an article in the list.
type listRow struct {
	UUID, Title, Source string
	Updated             web.Moment
	Places              []placeRow
}

// placeRow is an article in one feed, with the actions it allows.
type placeRow struct {
	placement.Row
	Feed    string
	Last    web.Moment // impression
	Blocked string     // why
	Seen    string     // state on the page, which a decision sends back
	Out     bool       // it can be withdrawn
	Again   bool       // it was published before
}

// showList serves "/articles".
func (as *Articles) showList(w http.ResponseWriter, r *http.Request) error {
	view, err := as.listView(r)
	if err != nil {
		return err
	}
	as.pages.Render(w, r, http.StatusOK, "articles.html", view)
	return nil
}

func (as *Articles) listView(r *http.Request) (listView, error) {
	f, err := as.filterOf(r)
	if err != nil {
		return listView{}, err
	}
	from, err := feed.ParseCursor(r.URL.Query().Get("cursor"))
	if err != nil {
		return listView{}, feed.Invalid("cursor", err.Error())
	}
	feeds := as.opts.Feeds
	if one := feeds.Find(f.typ); one != nil {
		feeds = feed.OutgoingFeeds{*one}
	}
	types, plan := feeds.Types(), f.plan(from, pageSize)
	found, err := as.store.FindArticles(r.Context(), plan, types, as.matches(f, types))
	if err != nil {
		return listView{}, err
	}
	now, query := as.web.Now(), f.query()
	view := listView{
		Frame: as.web.Frame(r, "Articles – feedwire", 0), Notice: notices.Of(r), Text: f.text, Source: f.source, Once: rand.Text(), Narrowed: len(query) > 0,
		Feeds: as.feedChoices(f.typ), States: stateChoices(f.state), Pick: as.feedChoices(f.typ)[1:],
	}
	view.MayPublish, view.Live = view.May(feed.ScopePublish), "/articles/live"+strings.TrimPrefix(view.Here, r.URL.Path)
	for i := range found.Articles {
		a := &found.Articles[i]
		row := listRow{UUID: a.UUID, Title: a.Name(), Source: a.FeedURL, Updated: web.Ago(a.Updated, now)}
		for i := range feeds {
			row.Places = append(row.Places, placeRowOf(a, &feeds[i], as.opts.Blocked(a, feeds[i].Type), now))
		}
		view.Rows = append(view.Rows, row)
	}
	if !from.IsZero() {
		view.First = web.WithQuery("/articles", query)
	}
	if !found.Next.IsZero() {
		query.Set("cursor", found.Next.String())
		view.Next = web.WithQuery("/articles", query)
	}
	if plan.Look > plan.Limit && view.Next != "" {
		view.Looked = fmt.Sprintf("%d found among %d articles", len(view.Rows), found.Looked)
	}
	return view, nil
}

func (as *Articles) feedChoices(on string) []web.Choice {
	all := []web.Choice{{Text: "any feed", On: on == ""}}
	for _, typ := range as.opts.Feeds.Types() {
		all = append(all, web.Choice{Value: typ, Text: typ, On: on == typ})
	}
	return all
}

func stateChoices(on string) []web.Choice {
	all := []web.Choice{{Text: "any state", On: on == ""}}
	for _, state := range feed.States() {
		all = append(all, web.Choice{Value: string(state), Text: string(state), On: on == string(state)})
	}
	return append(all, web.Choice{Value: blocked, Text: blocked, On: on == blocked})
}

// placeRowOf returns the row of an article in a feed that leaves it out for the reason why; empty: it does not.
func placeRowOf(a *feed.Article, f *feed.Outgoing, why string, now time.Time) placeRow {
	p, state := a.Feeds[f.Type], a.StateIn(f.Type)
	row := placeRow{
		Row: placement.RowOf(a, f, now), Feed: f.Type, Out: state == feed.StatePublished, Again: p.Revision > 0,
		Seen: fmt.Sprintf("%s %s %s %d", a.UUID, f.Type, state, p.Revision),
	}
	switch {
	case state == feed.StateUnpublished:
		row.Next = "not published here"
	case state == feed.StatePublished && why != "":
		row.State, row.StateText, row.Blocked, row.Next = blocked, blocked, why, ""
	}
	if len(p.Impressions) > 0 && state == feed.StatePublished {
		row.Last = web.Ago(p.Impressions[0], now)
	}
	return row
}
