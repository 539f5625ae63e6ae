package feeds

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/feedwire/feedwire/publish/placement"
	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

const (
	shownArticles = 100
	shownVisits   = 20
)

// feedView is the data of feed.html.
type feedView struct {
	web.Frame
	Type, Name, URL string
	Mood, Headline  string
	Facts           web.Facts
	Chart           *visitChart
	Visits          []feed.Visit
	Rows            []articleRow
	Counts          string
	Blocked         []blockedRow
	More            int // published articles that are not listed
}

// articleRow is an article in the feed.
type articleRow struct {
	placement.Row
	UUID string
}

// blockedRow is an article that the feed leaves out.
type blockedRow struct{ UUID, Title, Reason string }

// StatusText returns an HTTP status in words.
func (feedView) StatusText(status int) string { return strings.ToLower(http.StatusText(status)) }

// showFeed serves "/feeds/{type}".
func (fs *Feeds) showFeed(w http.ResponseWriter, r *http.Request) error {
	f, err := fs.find(r)
	if err != nil {
		return err
	}
	state, err := fs.store.FeedState(r.Context(), f.Type, shownArticles, feed.MaxVisits)
	if err != nil {
		return err
	}
	now, name := fs.web.Now(), cmp.Or(f.Title, f.Type)
	view := feedView{
		Frame: web.Frame{Title: name}, Type: f.Type, Name: name, URL: fs.url(f), Counts: countsText(state.Articles),
		Chart: visitChartOf(state.Visits, now), Facts: factsOf(f), More: max(0, state.Articles[feed.StatePublished]-len(state.Published)),
	}
	for i := range state.Published {
		a := &state.Published[i]
		if reason := fs.opts.Blocked(a, f.Type); reason != "" {
			view.Blocked = append(view.Blocked, blockedRow{a.UUID, a.Name(), reason})
			continue
		}
		view.Rows = append(view.Rows, articleRow{placement.RowOf(a, f, now), a.UUID})
	}
	view.Mood, view.Headline = statusOf(f, state.Visits, len(view.Blocked), now)
	view.Visits = state.Visits[:min(shownVisits, len(state.Visits))]
	return fs.web.Render(w, r, "feed.html", &view)
}

// statusOf returns the status of a feed in a line.
func statusOf(f *feed.Outgoing, visits []feed.Visit, blocked int, now time.Time) (mood, headline string) {
	switch last := feed.LastCounted(visits); {
	case blocked > 0:
		return "trouble", web.PluralIs(blocked, "article") + " blocked."
	case len(visits) > 0 && visits[0].Status >= http.StatusInternalServerError:
		return "trouble", "The last request failed."
	case last.IsZero():
		return "wait", "Not fetched recently. Give the consumer the address below."
	case f.RetireAfter > 0:
		return "well", fmt.Sprintf("Last fetched %s. Articles leave the feed after they are fetched %s.", web.Ago(last, now).Text, times(f.RetireAfter))
	default:
		return "well", fmt.Sprintf("Last fetched %s.", web.Ago(last, now).Text)
	}
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// factsOf returns the configuration of a feed, without the password.
func factsOf(f *feed.Outgoing) (all web.Facts) {
	all.Text("Profile", f.Profile)
	all.Text("User name", f.Username)
	if f.Password != "" {
		all.Text("Password", "•••••••• (set in the configuration)")
	} else {
		all.Text("Access", "open to everyone who has the address")
	}
	all.Text("Articles stay for", web.Length(f.Window))
	if f.RetireAfter > 0 {
		all.Text("Or until fetched", times(f.RetireAfter)+" by the consumer")
	}
	if f.MaxItems > 0 {
		all.Text("Maximum of items", fmt.Sprint(f.MaxItems))
	}
	switch {
	case f.Password != "":
		all.Text("Consumer", "every client with the password")
	case len(f.Counted) > 0:
		all.Text("Consumer", "clients whose User-Agent contains "+strings.Join(f.Counted, " or "))
	}
	if len(f.Sources) > 0 {
		all.Text("Sources", strings.NewReplacer("*", "all").Replace(strings.Join(f.Sources, ", "))+", and sources that name this feed")
	}
	if f.From != "" {
		all.Text("List", fmt.Sprintf("the first %d entries of %s", f.Top, f.List()))
	}
	all.Text("Language", f.Language)
	all.Link("Site", f.Link)
	return all
}

// showDocument serves "/feeds/{type}/document": the current document as text. The visit is not counted.
func (fs *Feeds) showDocument(w http.ResponseWriter, r *http.Request) error {
	f, err := fs.find(r)
	if err != nil {
		return err
	}
	d, err := fs.opts.Document(r.Context(), f.Type)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(d.Body) // the client may be gone
	return nil
}
