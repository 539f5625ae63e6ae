package desk

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// listedSignals is how many signals a page lists.
const listedSignals = 50

// signalsPage is what the template shows.
type signalsPage struct {
	frame
	Text  string // that is looked for
	Kinds []kindChoice
	Rows  []signalRow
	Live  string // where the signals that come are streamed; empty: nowhere
	Next  string // page of older ones; empty: there is none
	Late  bool   // it is not the first page
	First string
}

// kindChoice is a kind by which the list can be narrowed.
type kindChoice struct {
	Kind feed.SignalKind
	Text string
	On   bool
}

// showSignals serves "/signals".
func (d *Desk) showSignals(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	page := signalsPage{Text: sought(r)}
	var kinds []feed.SignalKind
	for _, kind := range feed.SignalKinds() {
		on := slices.Contains(query["kind"], string(kind))
		if on {
			kinds = append(kinds, kind)
		}
		page.Kinds = append(page.Kinds, kindChoice{kind, kindText(kind), on})
	}
	before := query.Get("before")
	if !signalID.MatchString(before) {
		return wrong("before", "use the address that the page before leads to")
	}
	found, next, err := d.store.FindSignals(r.Context(), feed.SignalQuery{Kinds: kinds, Text: page.Text, Before: before, Limit: listedSignals})
	if err != nil {
		return err
	}
	now := d.opts.Now()
	for i := range found {
		page.Rows = append(page.Rows, signalLine(&found[i], now))
	}
	filter := url.Values{}
	for _, kind := range kinds {
		filter.Add("kind", string(kind))
	}
	page.Late = before != ""
	if d.opts.Events != nil && !page.Late {
		newest := "0"
		if len(found) > 0 {
			newest = found[0].ID
		}
		live := url.Values{"kind": filter["kind"], "content": {"0"}, "after": {newest}}
		page.Live = "/signals/live?" + live.Encode()
	}
	if page.Text != "" {
		filter.Set("q", page.Text)
	}
	page.First = withQuery("/signals", filter)
	if next != "" {
		filter.Set("before", next)
		page.Next = withQuery("/signals", filter)
	}
	page.frame = d.frame(r, "Signals – feedwire", 0)
	d.render(w, r, http.StatusOK, "signals.html", page)
	return nil
}

func withQuery(path string, query url.Values) string {
	if len(query) == 0 {
		return path
	}
	return path + "?" + query.Encode()
}

func kindText(kind feed.SignalKind) string { return strings.ReplaceAll(string(kind), "_", " ") }

// signalLine is a signal in the list, which names its source by its address: what it is called would have to be read.
func signalLine(s *feed.Signal, now time.Time) signalRow {
	row := signalRowOf(s, now)
	row.Source = s.FeedURL
	if s.Post != nil && row.Text == "" {
		row.Text = cmp.Or(s.GUID, "(without title)")
	}
	return row
}

// showLive serves "/signals/live": signals as they come, as server-sent events.
func (d *Desk) showLive(w http.ResponseWriter, r *http.Request) {
	if d.opts.Events == nil {
		http.NotFound(w, r)
		return
	}
	d.opts.Events.ServeHTTP(w, r)
}

// signalPage is what the template shows.
type signalPage struct {
	frame
	ID, Kind, Name, Link string
	Time                 moment
	Facts                facts
	Diff                 []diffRow
	Post                 facts
	Content              string
}

// diffRow is one field that changed.
type diffRow struct{ Field, From, To string }

// showSignal serves "/signals/{id}": what a signal says, and the post as it is now.
func (d *Desk) showSignal(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("id")
	if !signalID.MatchString(id) || id == "" {
		return fmt.Errorf("signal %.64q: %w", id, feed.ErrNotFound)
	}
	s, err := d.store.Signal(r.Context(), id)
	if err != nil {
		return err
	}
	now := d.opts.Now()
	page := signalPage{ID: s.ID, Kind: kindText(s.Kind), Name: s.FeedURL, Time: ago(s.Time, now)}
	page.Facts.text("Kind", string(s.Kind))
	page.Facts = append(page.Facts, fact{Name: "Source", Text: s.FeedURL, Link: "/sources/" + feed.SourceID(s.FeedURL)})
	page.Facts.text("GUID", s.GUID)
	page.Facts.text("Entry", s.Entry)
	page.Facts.text("Digest", s.Digest)
	page.Facts.text("Id", s.ID)
	page.Facts.time("Time", page.Time)
	page.Facts.count("New entries without a signal of their own", s.Held.Created)
	page.Facts.count("Changed entries without a signal of their own", s.Held.Modified)
	for field, change := range s.Changed {
		page.Diff = append(page.Diff, diffRow{field, change.From, change.To})
	}
	slices.SortFunc(page.Diff, func(a, b diffRow) int { return strings.Compare(a.Field, b.Field) })
	if p := s.Post; p != nil {
		page.Name, page.Link, page.Content = cmp.Or(p.Title, s.GUID), p.Link, p.Content
		page.Post.text("Title", p.Title)
		page.Post.link("Link", p.Link)
		page.Post.text("Authors", strings.Join(p.Authors, ", "))
		page.Post.time("Published", ago(p.Published, now))
		page.Post.time("Updated", ago(p.Updated, now))
		page.Post.time("Stands at", ago(p.Timestamp, now))
		page.Post.text("Summary", p.Summary)
	}
	page.frame = d.frame(r, page.Name+" – feedwire", 0)
	d.render(w, r, http.StatusOK, "signal.html", page)
	return nil
}
