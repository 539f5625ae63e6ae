package desk

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// How much the pages of outgoing feeds show.
const (
	shownOut     = 100 // articles in the feed
	listedVisits = 200 // looked at for the list of feeds
	shownVisits  = 20
)

// feedsPage is what the template shows.
type feedsPage struct {
	frame
	Rows []feedRow
}

// feedRow is one outgoing feed.
type feedRow struct {
	Type, Title, Profile, URL, Counts string
	Visit                             moment // last one that counted
	Protected                         bool
	Chart                             *visitChart
}

// showFeeds serves "/feeds".
func (d *Desk) showFeeds(w http.ResponseWriter, r *http.Request) error {
	states, err := d.store.FeedStates(r.Context(), d.types, listedVisits)
	if err != nil {
		return err
	}
	now := d.opts.Now()
	page := feedsPage{frame: d.frame(r, "Outgoing feeds – feedwire", 0)}
	for i := range d.opts.Feeds {
		f := &d.opts.Feeds[i]
		page.Rows = append(page.Rows, feedRow{
			Type: f.Type, Title: f.Title, Profile: f.Profile, URL: d.feedURL(f), Counts: countsLine(states[i].Articles),
			Visit: ago(lastCounted(states[i].Visits), now), Protected: f.Password != "", Chart: visitChartOf(states[i].Visits, now),
		})
	}
	d.render(w, r, http.StatusOK, "feeds.html", page)
	return nil
}

// feedURL is where a consumer gets an outgoing feed.
func (d *Desk) feedURL(f *feed.Outgoing) string { return d.opts.PublicURL + "/feed/" + f.Type }

// lastCounted is when the consumer came last; zero: not lately.
func lastCounted(visits []feed.Visit) time.Time {
	for i := range visits {
		if visits[i].Counted {
			return visits[i].Time
		}
	}
	return time.Time{}
}

// feedPage is what the template shows.
type feedPage struct {
	frame
	Type, Name, URL string
	Mood, Headline  string
	Facts           facts
	Chart           *visitChart
	Visits          []visitRow
	Rows            []outRow
	Counts          string
	Held            []heldRow
	More            int // articles in it that are not shown
}

// outRow is an article that is in the feed.
type outRow struct {
	articleRow
	UUID string
}

// heldRow is an article that the feed leaves out.
type heldRow struct{ UUID, Title, Reason string }

// visitRow is one visit.
type visitRow struct {
	Time           moment
	Client, Status string
	Counted        string
	Failed         bool
}

// outgoing is the outgoing feed of the path.
func (d *Desk) outgoing(r *http.Request) (*feed.Outgoing, error) {
	for i := range d.opts.Feeds {
		if d.opts.Feeds[i].Type == r.PathValue("type") {
			return &d.opts.Feeds[i], nil
		}
	}
	return nil, fmt.Errorf("%s: %w", d.noFeed(r.PathValue("type")), feed.ErrNotFound)
}

// showFeed serves "/feeds/{type}": what its consumer gets, and how it comes for it.
func (d *Desk) showFeed(w http.ResponseWriter, r *http.Request) error {
	f, err := d.outgoing(r)
	if err != nil {
		return err
	}
	state, err := d.store.FeedState(r.Context(), f.Type, shownOut, feed.VisitsKept)
	if err != nil {
		return err
	}
	now := d.opts.Now()
	page := feedPage{
		Type: f.Type, Name: f.Type, URL: d.feedURL(f), Counts: countsLine(state.Articles), Chart: visitChartOf(state.Visits, now),
		Facts: d.feedFacts(f), More: max(0, state.Articles[feed.StatePublished]-len(state.Out)),
	}
	if f.Title != "" {
		page.Name = f.Title
	}
	for i := range state.Out {
		a := &state.Out[i]
		if reason := d.opts.HeldBack(a, f.Type); reason != "" {
			page.Held = append(page.Held, heldRow{a.UUID, articleName(a), reason})
			continue
		}
		page.Rows = append(page.Rows, outRow{articleRowOf(a, f, now), a.UUID})
	}
	page.Mood, page.Headline = feedMood(f, state.Visits, len(page.Held), now)
	for i := range state.Visits[:min(shownVisits, len(state.Visits))] {
		page.Visits = append(page.Visits, visitRowOf(&state.Visits[i], now))
	}
	page.frame = d.frame(r, page.Name+" – feedwire", 0)
	d.render(w, r, http.StatusOK, "feed.html", page)
	return nil
}

func articleName(a *feed.Article) string {
	if a.Title == "" {
		return "(without title)"
	}
	return a.Title
}

// feedMood is how it goes with a feed in a line.
func feedMood(f *feed.Outgoing, visits []feed.Visit, held int, now time.Time) (mood, headline string) {
	switch last := lastCounted(visits); {
	case held > 0:
		return "trouble", isOrAre(held, "article") + " held back."
	case len(visits) > 0 && visits[0].Status >= http.StatusInternalServerError:
		return "trouble", "It could not be served the last time."
	case last.IsZero():
		return "wait", "Its consumer has not come lately. Hand it the address below."
	case f.RetireAfter > 0:
		return "well", fmt.Sprintf("Its consumer came %s. What it has fetched %s leaves the feed.", ago(last, now).Text, times(f.RetireAfter))
	default:
		return "well", fmt.Sprintf("Its consumer came %s.", ago(last, now).Text)
	}
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// feedFacts tell how a feed is configured. Of a password it is told that there is one.
func (d *Desk) feedFacts(f *feed.Outgoing) (all facts) {
	all.text("Profile", f.Profile)
	all.text("User name", f.Username)
	if f.Password != "" {
		all.text("Password", "•••••••• (set in the configuration)")
	} else {
		all.text("Access", "open to everyone who has the address")
	}
	all.text("Articles stay for", length(f.Window))
	if f.RetireAfter > 0 {
		all.text("Or until fetched", times(f.RetireAfter)+" by its consumer")
	}
	if f.MaxItems > 0 {
		all.text("Items at most", fmt.Sprint(f.MaxItems))
	}
	switch {
	case f.Password != "":
		all.text("Consumer", "whoever has the password")
	case len(f.Counted) > 0:
		all.text("Consumer", "whose User-Agent has "+strings.Join(f.Counted, " or "))
	}
	if len(f.Sources) > 0 {
		all.text("Sources", strings.NewReplacer("*", "all").Replace(strings.Join(f.Sources, ", "))+", and those that name it")
	}
	all.text("Language", f.Language)
	all.link("Site", f.Link)
	return all
}

func visitRowOf(v *feed.Visit, now time.Time) visitRow {
	row := visitRow{Time: ago(v.Time, now), Client: v.Client, Status: statusText(v.Status), Counted: "no", Failed: v.Status >= 400}
	if v.Counted {
		row.Counted = "yes"
	}
	return row
}

func statusText(status int) string {
	if status == http.StatusNotModified {
		return "304 had it already"
	}
	return fmt.Sprintf("%d %s", status, strings.ToLower(http.StatusText(status)))
}

// showDocument serves "/feeds/{type}/document": the feed as its consumer would get it now, as text. Nothing is counted.
func (d *Desk) showDocument(w http.ResponseWriter, r *http.Request) error {
	f, err := d.outgoing(r)
	if err != nil {
		return err
	}
	if d.opts.Document == nil {
		return fmt.Errorf("this daemon cannot show its feeds: %w", feed.ErrConflict)
	}
	body, _, err := d.opts.Document(r.Context(), f.Type)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(body) // the client may be gone
	return nil
}
