package signals

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// listView is the data of signals.html.
type listView struct {
	web.Frame
	Text  string // of the search
	Kinds []web.Choice
	Rows  []feed.Signal
	Live  string // address of the event stream; empty: none
	Pager web.Pager
}

// showList serves "/signals".
func (s *Signals) showList(w http.ResponseWriter, r *http.Request) error {
	query, err := queryOf(r)
	if err != nil {
		return err
	}
	found, next, err := s.store.FindSignals(r.Context(), query)
	if err != nil {
		return err
	}
	view := listView{
		Frame: web.Frame{Title: "Signals"}, Text: query.Text, Rows: found, Pager: web.PagerOf(r, next),
	}
	for _, kind := range feed.SignalKinds() {
		view.Kinds = append(view.Kinds, web.Choice{Value: string(kind), Text: web.Words(kind), On: slices.Contains(query.Kinds, kind)})
	}
	if query.Before == "" {
		newest := "0"
		if len(found) > 0 {
			newest = found[0].ID
		}
		live := url.Values{"kind": r.URL.Query()["kind"], "content": {"0"}, "after": {newest}}
		view.Live = "/signals/live?" + live.Encode()
	}
	return s.web.Render(w, r, "signals.html", &view)
}

// stream serves "/signals/live": new signals as server-sent events.
func (s *Signals) stream(w http.ResponseWriter, r *http.Request) error {
	s.events.ServeHTTP(w, r)
	return nil
}

// signalView is the data of signal.html.
type signalView struct {
	web.Frame
	ID, Kind, Name, Link string
	Time                 web.Moment
	Facts                web.Facts
	Diff                 map[string]feed.Change // by field
	Post                 web.Facts
	Content              string
}

// showSignal serves "/signals/{signal}", with the current post.
func (s *Signals) showSignal(w http.ResponseWriter, r *http.Request) error {
	signal, err := s.get(r)
	if err != nil {
		return err
	}
	now := s.web.Now()
	view := signalView{ID: signal.ID, Kind: web.Words(signal.Kind), Name: signal.FeedURL, Time: web.Ago(signal.Time, now), Diff: signal.Changed}
	view.Facts.Text("Kind", string(signal.Kind))
	if signal.Kind == feed.ListModified {
		view.Facts = append(view.Facts, web.Fact{Name: "List", Text: signal.List, Link: "/lists/" + signal.List})
		view.Facts.Link("Feed", signal.FeedURL)
	} else {
		view.Facts = append(view.Facts, web.Fact{Name: "Source", Text: signal.FeedURL, Link: "/sources/" + feed.SourceID(signal.FeedURL)})
	}
	view.Facts.Text("GUID", signal.GUID)
	view.Facts.Text("Entry", signal.Entry)
	view.Facts.Count("Comment", int(signal.Comment))
	view.Facts.Count("Reply to comment", int(signal.Parent))
	if signal.Kind == feed.EntryVoted {
		view.Facts.Text("Upvotes", strconv.Itoa(signal.Votes.Up))
		view.Facts.Text("Downvotes", strconv.Itoa(signal.Votes.Down))
		view.Facts.Text("Score", strconv.FormatFloat(signal.Votes.Score, 'f', -1, 64))
	}
	view.Facts.Text("Digest", signal.Digest)
	view.Facts.Text("Id", signal.ID)
	view.Facts.Time("Time", view.Time)
	view.Facts.Count("New entries without a signal of their own", signal.Unsignalled.Created)
	view.Facts.Count("Changed entries without a signal of their own", signal.Unsignalled.Modified)
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
	view.Title = view.Name
	return s.web.Render(w, r, "signal.html", &view)
}
