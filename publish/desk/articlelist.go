package desk

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

const (
	listedArticles = 40  // on a page
	soughtArticles = 500 // looked through for a page, where not each of them is listed
)

// heldBack stands among the states that a list can be narrowed to. It is none: the article is published, and left out.
const heldBack = "held"

// articlesPage is what the template shows.
type articlesPage struct {
	frame
	Notice     notice
	Text       string // that is looked for
	Source     string // address of the source, or a part of it
	Feeds      []option
	States     []option
	Rows       []listRow
	Pick       []option // feeds that the picked articles can be published in
	Once       string   // names what is sent by this page, so that sending it twice does it once
	Looked     string   // through how many
	First      string   // page; empty: this is it
	Next       string   // page; empty: there is none
	Live       string   // where it is told that the page has changed
	MayPublish bool
	Narrowed   bool
}

// option is a value to choose.
type option struct {
	Value, Text string
	On          bool
}

// listRow is an article in the list.
type listRow struct {
	UUID, Title, Source string
	Updated             moment
	Places              []placeRow
}

// placeRow is an article in one feed, with what can be done about it.
type placeRow struct {
	articleRow
	Feed     string
	Last     moment // impression
	HeldBack string
	Seen     string // what the page shows, for a decision to carry
	Out      bool   // it can be taken back
	Again    bool   // publishing it is publishing it again
}

// sieve is what a list of articles is narrowed to.
type sieve struct{ text, source, typ, state string }

// sieveOf reads it from a request.
func (d *Desk) sieveOf(r *http.Request) (sieve, error) {
	query := r.URL.Query()
	s := sieve{
		text: strings.TrimSpace(cutTo(query.Get("q"), 200)), source: strings.TrimSpace(cutTo(query.Get("source"), 500)),
		typ: query.Get("feed"), state: query.Get("state"),
	}
	if s.typ != "" && !slices.Contains(d.types, s.typ) {
		return s, wrong("feed", d.noFeed(s.typ))
	}
	if s.state != "" && s.state != heldBack && !slices.Contains(feed.States(), feed.State(s.state)) {
		return s, wrong("state", "use known, published, imported, expired, taken_back or held")
	}
	return s, nil
}

// query is the sieve as a request has it.
func (s sieve) query() url.Values {
	query := url.Values{}
	for name, value := range map[string]string{"q": s.text, "source": s.source, "feed": s.typ, "state": s.state} {
		if value != "" {
			query.Set(name, value)
		}
	}
	return query
}

// plan is how the articles are found: from the set of a state where there is one, else from all.
func (s sieve) plan(from feed.Cursor, limit int) feed.ArticleQuery {
	q := feed.ArticleQuery{Type: s.typ, From: from, Limit: limit, Look: limit}
	state := feed.State(s.state)
	if s.state == heldBack {
		state = feed.StatePublished
	}
	if s.typ != "" && state != feed.StateKnown {
		q.State = state
	}
	if s.text != "" || s.source != "" || s.state == heldBack || feed.State(s.state) != q.State {
		q.Look = max(limit, soughtArticles)
	}
	return q
}

// getsThrough reports whether an article gets through.
func (d *Desk) getsThrough(s sieve, types []string) func(*feed.Article) bool {
	text, source := strings.ToLower(s.text), strings.ToLower(s.source)
	has := func(in, part string) bool { return part == "" || strings.Contains(strings.ToLower(in), part) }
	return func(a *feed.Article) bool {
		named := has(a.Title, text) || has(a.Canonical, text) || has(a.GUID, text)
		if !named || !has(a.FeedURL, source) {
			return false
		}
		return s.state == "" || slices.ContainsFunc(types, func(typ string) bool {
			if s.state == heldBack {
				return stateIn(a, typ) == feed.StatePublished && d.opts.HeldBack(a, typ) != ""
			}
			return stateIn(a, typ) == feed.State(s.state)
		})
	}
}

// showArticles serves "/articles".
func (d *Desk) showArticles(w http.ResponseWriter, r *http.Request) error {
	page, err := d.articlesPage(r)
	if err != nil {
		return err
	}
	d.render(w, r, http.StatusOK, "articles.html", page)
	return nil
}

func (d *Desk) articlesPage(r *http.Request) (articlesPage, error) {
	s, err := d.sieveOf(r)
	if err != nil {
		return articlesPage{}, err
	}
	from, err := feed.ParseCursor(r.URL.Query().Get("cursor"))
	if err != nil {
		return articlesPage{}, wrong("cursor", err.Error())
	}
	feeds := d.opts.Feeds
	if i := slices.Index(d.types, s.typ); i >= 0 {
		feeds = feeds[i : i+1]
	}
	types, plan := typesOf(feeds), s.plan(from, listedArticles)
	found, err := d.store.FindArticles(r.Context(), plan, types, d.getsThrough(s, types))
	if err != nil {
		return articlesPage{}, err
	}
	now := d.opts.Now()
	page := articlesPage{
		Notice: noticeOf(r), Text: s.text, Source: s.source, Once: rand.Text(), Narrowed: len(s.query()) > 0,
		Feeds: d.feedOptions(s.typ), States: stateOptions(s.state), Pick: d.feedOptions(s.typ)[1:],
		MayPublish: feed.Allow(visitorOf(r).scopes, feed.ScopePublish),
	}
	for i := range found.Articles {
		page.Rows = append(page.Rows, d.listRowOf(&found.Articles[i], feeds, now))
	}
	query := s.query()
	if !from.IsZero() {
		page.First = withQuery("/articles", query)
	}
	if !found.Next.IsZero() {
		query.Set("cursor", found.Next.String())
		page.Next = withQuery("/articles", query)
	}
	if plan.Look > plan.Limit && page.Next != "" {
		page.Looked = fmt.Sprintf("%d found among %d that were looked through", len(page.Rows), found.Looked)
	}
	page.frame = d.frame(r, "Articles – feedwire", 0)
	page.Live = "/articles/live" + strings.TrimPrefix(page.Here, r.URL.Path)
	return page, nil
}

func (d *Desk) feedOptions(on string) []option {
	all := []option{{Text: "any feed", On: on == ""}}
	for _, typ := range d.types {
		all = append(all, option{Value: typ, Text: typ, On: on == typ})
	}
	return all
}

func stateOptions(on string) []option {
	all := []option{{Text: "any state", On: on == ""}}
	for _, state := range feed.States() {
		all = append(all, option{string(state), strings.ReplaceAll(string(state), "_", " "), on == string(state)})
	}
	return append(all, option{heldBack, "held back", on == heldBack})
}

func (d *Desk) listRowOf(a *feed.Article, feeds []feed.Outgoing, now time.Time) listRow {
	row := listRow{UUID: a.UUID, Title: articleName(a), Source: a.FeedURL, Updated: ago(a.Updated, now)}
	for i := range feeds {
		row.Places = append(row.Places, d.placeRowOf(a, &feeds[i], d.opts.HeldBack(a, feeds[i].Type), now))
	}
	return row
}

func (d *Desk) placeRowOf(a *feed.Article, f *feed.Outgoing, held string, now time.Time) placeRow {
	p, state := a.Feeds[f.Type], stateIn(a, f.Type)
	row := placeRow{
		articleRow: articleRowOf(a, f, now), Feed: f.Type, Out: state == feed.StatePublished, Again: p.Revision > 0,
		Seen: fmt.Sprintf("%s %s %s %d", a.UUID, f.Type, state, p.Revision),
	}
	switch {
	case state == feed.StateKnown:
		row.StateText, row.Next = "known", "not published here yet"
	case state == feed.StatePublished && held != "":
		row.State, row.StateText, row.HeldBack, row.Next = heldBack, "held back", held, ""
	}
	if len(p.Impressions) > 0 && state == feed.StatePublished {
		row.Last = ago(p.Impressions[0], now)
	}
	return row
}
