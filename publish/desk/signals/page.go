package signals

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// listed is how many signals a page lists.
const listed = 50

// listView is the data of signals.html.
type listView struct {
	web.Frame
	Text  string // of the search
	Kinds []kindChoice
	Rows  []web.SignalRow
	Live  string // address of the event stream; empty: none
	Next  string // address of the next page; empty: none
	Late  bool   // not the first page
	First string // address of the first page
}

// kindChoice is a kind in the filter of the list.
type kindChoice struct {
	Kind feed.SignalKind
	Text string
	On   bool
}

// showList serves "/signals".
func (s *Signals) showList(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	before := query.Get("before")
	if !web.IsStreamID(before) {
		return feed.Invalid("before", "use a link of this page")
	}
	view := listView{Frame: s.web.Frame(r, "Signals – feedwire", 0), Text: web.SearchText(r), Late: before != ""}
	var kinds []feed.SignalKind
	filter := url.Values{}
	for _, kind := range feed.SignalKinds() {
		on := slices.Contains(query["kind"], string(kind))
		if on {
			kinds = append(kinds, kind)
			filter.Add("kind", string(kind))
		}
		view.Kinds = append(view.Kinds, kindChoice{kind, web.SignalKind(kind), on})
	}
	found, next, err := s.store.FindSignals(r.Context(), feed.SignalQuery{Kinds: kinds, Text: view.Text, Before: before, Limit: listed})
	if err != nil {
		return err
	}
	for i := range found {
		view.Rows = append(view.Rows, web.SignalRowOf(&found[i], s.web.Now()))
	}
	if s.opts.Events != nil && !view.Late {
		newest := "0"
		if len(found) > 0 {
			newest = found[0].ID
		}
		live := url.Values{"kind": filter["kind"], "content": {"0"}, "after": {newest}}
		view.Live = "/signals/live?" + live.Encode()
	}
	if view.Text != "" {
		filter.Set("q", view.Text)
	}
	view.First = web.WithQuery("/signals", filter)
	if next != "" {
		filter.Set("before", next)
		view.Next = web.WithQuery("/signals", filter)
	}
	s.pages.Render(w, r, http.StatusOK, "signals.html", view)
	return nil
}

// stream serves "/signals/live": new signals as server-sent events.
func (s *Signals) stream(w http.ResponseWriter, r *http.Request) error {
	if s.opts.Events == nil {
		return fmt.Errorf("event stream: %w", feed.ErrNotFound)
	}
	s.opts.Events.ServeHTTP(w, r)
	return nil
}

// signalView is the data of signal.html.
type signalView struct {
	web.Frame
	ID, Kind, Name, Link string
	Time                 web.Moment
	Facts                web.Facts
	Diff                 []diffRow
	Post                 web.Facts
	Content              string
}

// diffRow is a field that changed.
type diffRow struct{ Field, From, To string }

// showSignal serves "/signals/{id}", with the current post.
func (s *Signals) showSignal(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("id")
	if !web.IsStreamID(id) || id == "" {
		return fmt.Errorf("signal %.64q: %w", id, feed.ErrNotFound)
	}
	signal, err := s.store.Signal(r.Context(), id)
	if err != nil {
		return err
	}
	now := s.web.Now()
	view := signalView{ID: signal.ID, Kind: web.SignalKind(signal.Kind), Name: signal.FeedURL, Time: web.Ago(signal.Time, now)}
	view.Facts.Text("Kind", string(signal.Kind))
	view.Facts = append(view.Facts, web.Fact{Name: "Source", Text: signal.FeedURL, Link: "/sources/" + feed.SourceID(signal.FeedURL)})
	view.Facts.Text("GUID", signal.GUID)
	view.Facts.Text("Entry", signal.Entry)
	view.Facts.Text("Digest", signal.Digest)
	view.Facts.Text("Id", signal.ID)
	view.Facts.Time("Time", view.Time)
	view.Facts.Count("New entries without a signal of their own", signal.Unsignalled.Created)
	view.Facts.Count("Changed entries without a signal of their own", signal.Unsignalled.Modified)
	for field, change := range signal.Changed {
		view.Diff = append(view.Diff, diffRow{field, change.From, change.To})
	}
	slices.SortFunc(view.Diff, func(a, b diffRow) int { return strings.Compare(a.Field, b.Field) })
	if p := signal.Post; p != nil {
		view.Name, view.Link, view.Content = cmp.Or(p.Title, signal.GUID), p.Link, p.Content
		view.Post.Text("Title", p.Title)
		view.Post.Link("Link", p.Link)
		view.Post.Text("Authors", strings.Join(p.Authors, ", "))
		view.Post.Time("Published", web.Ago(p.Published, now))
		view.Post.Time("Updated", web.Ago(p.Updated, now))
		view.Post.Time("Timestamp", web.Ago(p.Timestamp, now))
		view.Post.Text("Summary", p.Summary)
	}
	view.Frame = s.web.Frame(r, view.Name+" – feedwire", 0)
	s.pages.Render(w, r, http.StatusOK, "signal.html", view)
	return nil
}
