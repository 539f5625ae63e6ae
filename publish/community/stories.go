package community

import (
	"cmp"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

const (
	storiesShown = 30
	lastPlace    = 1_000_000 // in a list
)

// story is a submission on a page. It is the view of its row, and has what the row shows only.
type story struct {
	feed.News  // without text, score and rank
	Ago        web.Moment
	Up, Down   bool   // the visitor can vote so now
	SignIn     string // address where a stranger signs in to vote; page.Row sets it
	Reportable bool   // by the visitor. Moderators decide instead
	Heading    bool   // its title is the heading of the page
	site       *Community
}

// Row returns the row of a submission.
func (p *page) Row(s *story) (template.HTML, error) {
	view := *s
	if view.Up && p.Me.ID == 0 {
		view.SignIn = p.Entry("/login")
	}
	return p.site.storyRows.Of(view)
}

// At returns the address of a page of the site.
func (s *story) At(path string) string { return s.site.at(path) }

// Writer returns who submitted it.
func (s *story) Writer() writer { return s.site.writer(s.Author) }

// Domain returns the domain of its URL; empty: it has a text.
func (s *story) Domain() string {
	u, err := url.Parse(s.URL)
	if err != nil {
		return ""
	}
	return strings.TrimPrefix(strings.ToLower(u.Hostname()), "www.")
}

// writer is the author of something.
type writer struct{ Name, Href string } // empty: the account was removed

func (c *Community) writer(name string) (w writer) {
	if name != "" {
		w = writer{name, c.at("/user/" + url.PathEscape(name))}
	}
	return w
}

// Points returns upvotes minus downvotes.
func (s *story) Points() int { return s.News.Up - s.News.Down }

// Path returns the path of its page.
func (s *story) Path() string { return fmt.Sprint("/news/", s.ID) }

// Thing names it in decisions.
func (s *story) Thing() string { return feed.Reported{News: s.ID}.String() }

// ReportPath returns the path of the form that reports it.
func (s *story) ReportPath() string { return fmt.Sprint("/report/", s.ID) }

// Link returns where its title leads.
func (s *story) Link() string { return cmp.Or(s.URL, s.At(s.Path())) }

// Name returns its title.
func (s *story) Name() string {
	if s.Deleted {
		return "[deleted news]"
	}
	return s.Title
}

// Label returns the title as buttons have it.
func (s *story) Label() string { return web.Ballot{Name: s.Name()}.Label() }

// storyOf returns a submission as a visitor sees it.
func (c *Community) storyOf(n *feed.News, p *page) story {
	s := story{News: *n, Ago: web.Ago(n.Created, c.web.Now()), site: c}
	s.Text, s.Address, s.Score, s.Rank = "", "", 0, 0
	s.Reportable = p.Me.ID != 0 && n.AuthorID != p.Me.ID && !n.Deleted && !p.Moderates
	open := !n.Deleted && n.State == "" && n.Vote == feed.VoteNone && c.store.VotingOpen(&feed.Entry{Timestamp: n.Created})
	s.Up = open // strangers are asked to sign in
	s.Down = open && p.Member.Karma >= feed.KarmaToDownvote
	return s
}

// storiesPage is the data of stories.html.
type storiesPage struct {
	page
	Heading string
	Numbers bool // the places in the list are shown
	First   int  // place of the first story
	Stories []story
	Pager   web.Pager
	Empty   string // what is said if there are none
}

// showTop serves the front page.
func (c *Community) showTop(w http.ResponseWriter, r *http.Request) error {
	return c.showOrder(w, r, feed.NewsTop, storiesPage{page: page{Tab: "top"}, Heading: "Top", Numbers: true, Empty: "Nothing was submitted yet."}, "/")
}

// showLatest serves GET /latest.
func (c *Community) showLatest(w http.ResponseWriter, r *http.Request) error {
	return c.showOrder(w, r, feed.NewsLatest, storiesPage{page: page{Tab: "latest"}, Heading: "New", Empty: "Nothing was submitted yet."}, "/latest")
}

func (c *Community) showOrder(w http.ResponseWriter, r *http.Request, order feed.NewsOrder, view storiesPage, path string) error {
	query := web.QueryOf(r)
	after, first := query.Position(), query.Number("from", 1, 1, lastPlace)
	if query.Err != nil {
		return query.Err
	}
	title := view.Heading
	if path == "/" {
		title = ""
	}
	if after.IsZero() {
		first = 1
	}
	tab := view.Tab
	var err error
	if view.page, err = c.page(r, title, path); err != nil {
		return err
	}
	view.Tab, view.First = tab, first
	all, next, err := c.ordered(r, view.Me.ID, order, after, storiesShown)
	if err != nil {
		return err
	}
	view.Stories = c.stories(all, &view.page)
	view.Pager = pagerOf(r, next.String(), first+len(all))
	return c.pages.Render(w, r, "stories.html", &view)
}

// stories returns submissions as a visitor sees them.
func (c *Community) stories(all []feed.News, p *page) []story {
	stories := make([]story, len(all))
	for i := range all {
		stories[i] = c.storyOf(&all[i], p)
	}
	return stories
}

// pagerOf returns the links of a list whose next page begins at a cursor and a place.
func pagerOf(r *http.Request, next string, place int) (p web.Pager) {
	if r.URL.Query().Get("cursor") != "" {
		p.First = r.URL.Path
	}
	if next != "" {
		p.Next = web.WithQuery(r.URL.Path, url.Values{"cursor": {next}, "from": {strconv.Itoa(place)}})
	}
	return p
}

// ordered returns up to limit submissions in an order after a cursor, with the cursor of the following ones; zero: there are none.
func (c *Community) ordered(r *http.Request, reader int64, order feed.NewsOrder, after feed.Cursor, limit int) (all []feed.News, next feed.Cursor, err error) {
	places, more, err := c.store.NewsPlaces(r.Context(), order, after, limit)
	if err != nil {
		return nil, next, err
	}
	ids := make([]int64, len(places))
	for i, p := range places {
		ids[i], _ = strconv.ParseInt(p.Member, 10, 64) // members are numbers
		next = p
	}
	if !more {
		next = feed.Cursor{}
	}
	all, err = c.news(r, reader, ids...)
	return all, next, err
}

// editable reports whether something that the visitor wrote at a time can be changed for a while.
func (c *Community) editable(p *page, author int64, written time.Time, window time.Duration) bool {
	return p.Me.ID != 0 && author == p.Me.ID && c.web.Now().Sub(written) < window
}
