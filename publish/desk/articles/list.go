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
	Inbox      bool   // it lists the inbox
	Size       int    // of the inbox
	Base       string // path of the list
	Text       string // of the search field
	Source     string // part of the address of the source
	Feed       string // of the filter; empty: any
	Feeds      []string
	State      string // of the filter; empty: any
	States     []feed.State
	Rows       []listRow
	Once       string // identifies the form of this page, so that a repetition has no effect
	Pager      web.Pager
	Live       string // event stream of this list
	MayPublish bool
	Narrowed   bool
}

// listRow is an article in the list.
type listRow struct {
	*feed.Article
	story
	At time.Time // publication by its source, or the last change

	Warnings []string // why feeds would block it
	Places   []placeRow
	Ballot   web.Ballot
}

// placeRow is an article in one feed, with the actions it allows.
type placeRow struct {
	placement.Row
	Feed    string
	Last    web.Moment // impression
	Blocked string     // why the feed leaves it out
	Would   string     // why the feed would leave it out if it was published
	Seen    string     // state on the page, which a decision sends back
	Out     bool       // it can be withdrawn
	Again   bool       // it was published before
}

// Paths of the lists.
const (
	inboxPath = "/inbox"
	listPath  = "/articles"
)

// showList serves "/inbox" and "/articles".
func (as *Articles) showList(w http.ResponseWriter, r *http.Request) error {
	view, err := as.listView(r)
	if err != nil {
		return err
	}
	all := make([]*feed.Article, len(view.Rows))
	for i := range view.Rows {
		all[i] = view.Rows[i].Article
	}
	ballots, err := as.ballots(r, all...)
	if err != nil {
		return err
	}
	for i := range view.Rows {
		view.Rows[i].Ballot = ballots[all[i].Entry]
	}
	if err := as.setStories(r.Context(), &view); err != nil {
		return err
	}
	return as.web.Render(w, r, "articles.html", &view)
}

func (as *Articles) listView(r *http.Request) (view listView, err error) {
	query := web.QueryOf(r)
	f, from := as.filterOf(query), query.Position()
	title, base, narrowed := "Articles", listPath, f != filter{}
	if strings.HasPrefix(r.URL.Path, inboxPath) {
		title, base, f.state = "Inbox", inboxPath, stateInbox
	}
	if query.Err != nil {
		return view, query.Err
	}
	plan := f.plan(from, pageSize)
	feeds := as.feedsOf(f)
	types := feeds.Types()
	found, err := as.find(r.Context(), f, plan, types)
	if err != nil {
		return view, err
	}
	v := web.VisitorOf(r)
	view = listView{
		Frame: web.Frame{Title: title}, Inbox: base == inboxPath, Base: base,
		Text: f.text, Source: f.source, Feed: f.typ, State: f.state, Narrowed: narrowed,
		Feeds: as.opts.Feeds.Types(), States: filterStates(), Once: rand.Text(), Pager: web.PagerOf(r, found.Next.String()),
		MayPublish: v.May(feed.ScopePublish), Live: web.WithQuery(base+"/live", r.URL.Query()),
	}
	for i := range found.Articles {
		row := listRow{Article: &found.Articles[i], At: found.Articles[i].Updated}
		if published := row.Published; view.Inbox && !published.IsZero() {
			row.At = published
		}
		for j := range feeds {
			f := &feeds[j]
			why, err := as.blocked(r.Context(), row.Article, f.Type)
			if err != nil {
				return view, err
			}
			row.Places = append(row.Places, placeRowOf(row.Article, f, why, as.web.Now()))
		}
		row.Warnings = warnings(row.Places)
		view.Rows = append(view.Rows, row)
	}
	if found.Looked > len(view.Rows) && view.Pager.Next != "" {
		view.Pager.Text = fmt.Sprintf("%d found among %d articles", len(view.Rows), found.Looked)
	}
	return view, nil
}

// warnings returns why feeds would block an article, one reason for all feeds if they have the same.
func warnings(places []placeRow) (all []string) {
	same := true
	for i := range places {
		same = same && places[i].Would == places[0].Would
	}
	for i := range places {
		p := &places[i]
		switch {
		case p.Would == "":
		case same:
			return []string{"would be blocked: " + p.Would}
		default:
			all = append(all, "would be blocked in "+p.Feed+": "+p.Would)
		}
	}
	return all
}

// placeRowOf returns the row of an article in a feed that leaves it out, or would, for the reason why; empty: it does not.
func placeRowOf(a *feed.Article, f *feed.Outgoing, why string, now time.Time) placeRow {
	p, state := a.Feeds[f.Type], a.StateIn(f.Type)
	row := placeRow{
		Row: placement.RowOf(a, f, now), Feed: f.Type, Out: state == feed.StatePublished, Again: p.Revision > 0,
		Seen: fmt.Sprintf(seenFormat, a.UUID, f.Type, state, p.Revision),
	}
	switch {
	case state == feed.StateUnpublished:
		row.Next = "not published here"
	case state == feed.StatePublished && why != "":
		row.State, row.Blocked, row.Next = stateBlocked, why, ""
	}
	if state != feed.StatePublished {
		row.Would = why
	}
	if len(p.Impressions) > 0 && state == feed.StatePublished {
		row.Last = web.Ago(p.Impressions[0], now)
	}
	return row
}
