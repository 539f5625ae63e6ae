package search_test

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/search"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, storetest.IgnoreAnalysis())
}

const harbour, hafen = "https://harbour.example/rss", "https://hafen.example/rss"

var noon = time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)

// wire is a store of entries and signals in memory.
type wire struct {
	mu      sync.Mutex
	proof   string
	epoch   uint64
	entries map[string]feed.Entry // by id
	signals []feed.Signal
	trimmed string // id of the last signal that was trimmed
	away    error
}

func newWire() *wire { return &wire{proof: "a", entries: make(map[string]feed.Entry)} }

// put adds or changes an entry, with a signal.
func (w *wire) put(n int, feedURL, title, text string, change ...func(*feed.Entry)) {
	e := feed.Entry{ID: fmt.Sprint("Entry:", n), FeedURL: feedURL, GUID: fmt.Sprint(n), Title: title, Content: text, Timestamp: noon.Add(time.Duration(n) * time.Second)}
	for _, c := range change {
		c(&e)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	kind := feed.PostCreated
	if _, exists := w.entries[e.ID]; exists {
		kind = feed.PostModified
	}
	w.entries[e.ID] = e
	w.signal(feed.Signal{Kind: kind, FeedURL: feedURL, Entry: e.ID})
}

func (w *wire) signal(s feed.Signal) {
	s.ID = fmt.Sprintf("%d-0", noon.UnixMilli()+int64(len(w.signals)))
	w.signals = append(w.signals, s)
}

// remove takes down an entry; silently is how it expires.
func (w *wire) remove(n int, silently bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	id := fmt.Sprint("Entry:", n)
	if !silently {
		w.signal(feed.Signal{Kind: feed.PostDeleted, FeedURL: w.entries[id].FeedURL, Entry: id})
	}
	delete(w.entries, id)
}

// setAway sets the error of the store; nil: it works.
func (w *wire) setAway(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.away = err
}

func (w *wire) Proof(string) string { return w.proof }

func (w *wire) FailoverEpoch() uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.epoch
}

func (w *wire) LastSignal(context.Context) (string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.signals) == 0 {
		return "0-0", w.away
	}
	return w.signals[len(w.signals)-1].ID, w.away
}

func (w *wire) BareSignals(ctx context.Context, after string, limit int, wait time.Duration) ([]feed.Signal, error) {
	w.mu.Lock()
	all := slices.DeleteFunc(slices.Clone(w.signals), func(s feed.Signal) bool {
		return !feed.SignalLess(after, s.ID) || !feed.SignalLess(w.trimmed, s.ID)
	})
	away := w.away
	w.mu.Unlock()
	if len(all) == 0 && wait > 0 {
		select {
		case <-ctx.Done():
		case <-time.After(min(wait, time.Millisecond)):
		}
	}
	return all[:min(limit, len(all))], away
}

func (w *wire) ListSources(context.Context) ([]feed.Source, error) {
	return w.SourcesByURL(context.Background(), []string{harbour, hafen})
}

func (w *wire) SourcesByURL(_ context.Context, urls []string) (all []feed.Source, err error) {
	for _, url := range urls {
		s := feed.Source{URL: url}
		if url == hafen {
			s.About.Language = "de-DE"
		}
		all = append(all, s)
	}
	return all, w.err()
}

func (w *wire) err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.away
}

func (w *wire) of(feedURL string) (all []feed.Entry) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, e := range w.entries {
		if e.FeedURL == feedURL {
			all = append(all, e)
		}
	}
	slices.SortFunc(all, func(a, b feed.Entry) int {
		return cmp.Or(b.Timestamp.Compare(a.Timestamp), strings.Compare(b.ID, a.ID))
	})
	return all
}

func (w *wire) EntriesPage(_ context.Context, feedURL string, after feed.Cursor, limit int) ([]feed.Entry, feed.Cursor, error) {
	all := w.of(feedURL)
	if !after.IsZero() {
		i := slices.IndexFunc(all, func(e feed.Entry) bool { return e.ID == after.Member })
		all = all[i+1:]
	}
	if len(all) <= limit {
		return all, feed.Cursor{}, w.err()
	}
	all = all[:limit]
	return all, feed.Cursor{Score: 1, Member: all[limit-1].ID}, w.err()
}

func (w *wire) ContentsByID(_ context.Context, ids []string) (map[string]feed.Entry, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	found := maps.Clone(w.entries)
	maps.DeleteFunc(found, func(id string, _ feed.Entry) bool { return !slices.Contains(ids, id) })
	return found, w.away
}

func (w *wire) HeadlinesByID(ctx context.Context, ids []string) (map[string]feed.Entry, error) {
	return w.ContentsByID(ctx, ids)
}

func (w *wire) NewestIDs(_ context.Context, feedURL string, limit int) (ids []string, err error) {
	for _, e := range w.of(feedURL) {
		ids = append(ids, e.ID)
	}
	return ids[:min(limit, len(ids))], nil
}

// desk is an index of a wire that runs.
type desk struct {
	*search.Index
	*wire
	t    *testing.T
	dir  string
	stop func()
}

// open runs an index of w in a directory until the test ends or stop is called.
func open(t *testing.T, w *wire, dir string) *desk {
	t.Helper()
	x, err := search.New(w, search.Options{
		Dir: dir, Text: func(html string, _ int) string { return html }, Gather: time.Millisecond, Retry: time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- x.Run(ctx) }()
	d := &desk{Index: x, wire: w, t: t, dir: dir}
	d.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(d.stop)
	d.caughtUp()
	return d
}

func start(t *testing.T, w *wire) *desk { return open(t, w, filepath.Join(t.TempDir(), "search")) }

// caughtUp waits until the index has what the wire has now.
func (d *desk) caughtUp() {
	d.t.Helper()
	last, _ := d.LastSignal(d.t.Context())
	storetest.Await(d.t, 20*time.Second, "the index to be up to date", func() bool { return !d.Incomplete() && d.Signal() == last })
}

// find returns the numbers of the entries that a text selects, newest first, and the marked passages of the first one.
func (d *desk) find(text string) string {
	d.t.Helper()
	s, err := feed.ParseSearch(text)
	if err != nil {
		d.t.Fatal(err)
	}
	return numbers(d.all(&s))
}

func (d *desk) all(s *feed.Search) (all []feed.SearchHit) {
	d.t.Helper()
	for after := (feed.Cursor{}); ; {
		page, err := d.Find(d.t.Context(), s, nil, after, 3)
		if err != nil {
			d.t.Fatal(err)
		}
		all = append(all, page.Hits...)
		if after = page.Next; after.IsZero() {
			return all
		}
	}
}

func numbers(hits []feed.SearchHit) string {
	var all []string
	for _, h := range hits {
		all = append(all, h.Entry.Number())
	}
	return strings.Join(all, " ")
}
