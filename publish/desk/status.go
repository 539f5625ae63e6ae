package desk

import (
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// OutgoingFeed is one item of GET /api/v1/feeds.
type OutgoingFeed struct {
	Type        string             `json:"type"`
	URL         string             `json:"url"`
	Title       string             `json:"title,omitempty"`
	Profile     string             `json:"profile,omitempty"`
	Items       int                `json:"items"`             // in the feed now
	Window      string             `json:"window"`            // "24h0m0s"
	RetireAfter int                `json:"retire_after"`      // impressions; 0: articles stay until they age out
	Counted     []string           `json:"counted,omitempty"` // parts of the consumer's User-Agent; "*": every client
	Publish     feed.PublishMode   `json:"publish,omitempty"` // empty: each source says
	TwinOf      string             `json:"twin_of,omitempty"` // the feed whose development twin it is
	Articles    map[feed.State]int `json:"articles"`          // by state
}

// Status is the answer of GET /api/v1/status.
type Status struct {
	Version    string      `json:"version"`
	Store      string      `json:"store,omitempty"` // what the store is
	PublicURL  string      `json:"public_url,omitempty"`
	Time       time.Time   `json:"time"`        // of the daemon
	LastSignal string      `json:"last_signal"` // id of the newest signal; "0-0": none is kept
	Counts     feed.Counts `json:"counts"`
}

// signalID is what the outbox counts by, the second number being 0 where it is left out; empty: before the oldest.
var signalID = regexp.MustCompile(`^([0-9]{1,19}(-[0-9]{1,19})?)?$`)

func (d *Desk) listFeeds(w http.ResponseWriter, r *http.Request) error {
	counts, err := d.store.Counts(r.Context(), d.types)
	if err != nil {
		return err
	}
	feeds := make([]OutgoingFeed, 0, len(d.opts.Feeds))
	for i := range d.opts.Feeds {
		feeds = append(feeds, d.describe(&d.opts.Feeds[i], &counts))
	}
	answer(w, http.StatusOK, list(feeds, ""))
	return nil
}

// describe tells of an outgoing feed and what is in it.
func (d *Desk) describe(f *feed.Outgoing, counts *feed.Counts) OutgoingFeed {
	articles := make(map[feed.State]int, len(feed.States()))
	for _, s := range feed.States() {
		articles[s] = counts.Articles[f.Type][s]
	}
	return OutgoingFeed{
		Type: f.Type, URL: d.feedURL(f), Title: f.Title, Profile: f.Profile, Items: itemsIn(f, articles),
		Window: f.Window.String(), RetireAfter: f.RetireAfter, Counted: f.Counted, Publish: f.Publish, TwinOf: f.TwinOf, Articles: articles,
	}
}

// itemsIn is how many of the articles that are published in a feed are in its document, those held back among them.
func itemsIn(f *feed.Outgoing, articles map[feed.State]int) int {
	items := articles[feed.StatePublished]
	if f.MaxItems > 0 {
		items = min(items, f.MaxItems)
	}
	return items
}

// listSignals answers the signals after a given one, oldest first. The cursor is the id of the last one: an outbox has
// no last page, and who comes back with it later gets what came since. There is none after an empty page. Posts come
// without their content unless it is asked for.
func (d *Desk) listSignals(w http.ResponseWriter, r *http.Request) error {
	limit, err := limit(r)
	if err != nil {
		return err
	}
	content, err := withContent(r)
	if err != nil {
		return err
	}
	after := r.URL.Query().Get("after")
	if !signalID.MatchString(after) {
		return wrong("after", "use the id of a signal, like 1795206000000-0")
	}
	if after != "" && !strings.Contains(after, "-") {
		after += "-0"
	}
	signals, err := d.store.Signals(r.Context(), after, limit, 0)
	if err != nil {
		return err
	}
	if !content {
		for i := range signals {
			signals[i] = withoutText(signals[i])
		}
	}
	var next string
	if n := len(signals); n > 0 {
		next = signals[n-1].ID
	}
	answer(w, http.StatusOK, list(signals, next))
	return nil
}

// withoutText is a signal whose post has no content; the post itself is left alone.
func withoutText(s feed.Signal) feed.Signal {
	if s.Post != nil {
		post := *s.Post
		post.Content = ""
		s.Post = &post
	}
	return s
}

func (d *Desk) showStatus(w http.ResponseWriter, r *http.Request) error {
	counts, err := d.store.Counts(r.Context(), d.types)
	if err != nil {
		return err
	}
	recent, err := d.store.RecentSignals(r.Context(), 1)
	if err != nil {
		return err
	}
	last := "0-0"
	if len(recent) > 0 {
		last = recent[0].ID
	}
	answer(w, http.StatusOK, Status{
		LastSignal: last, Version: d.opts.Version, Store: d.opts.StoreKind(), PublicURL: d.opts.PublicURL, Time: d.opts.Now().UTC(), Counts: counts,
	})
	return nil
}
