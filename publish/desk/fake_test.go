package desk_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/feedwire/feedwire/publish/desk/imports"
	"github.com/feedwire/feedwire/store/feed"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// fakeStore keeps the promises of deskStore in memory. err, when set, is what every method returns.
type fakeStore struct {
	imports.Store // is not called: imports have tests of their own
	mu            sync.Mutex
	err           error
	sources       map[string]feed.Source
	entries       []feed.Entry
	articles      map[string]feed.Article
	signals       []feed.Signal
	requests      map[string]feed.Transition
	polled        []string
	full          []string // asked to be polled in full
	jobs          map[string]feed.Job
	removed       map[string]feed.Source
	visits        []feed.Visit // newest first
	versions      map[string][]feed.Version
	deeds         map[string][]feed.AuditEntry
	undo          map[string][]feed.Article // as they were before
	results       map[string][]feed.JobResult
	answers       map[string]keptAnswer
	wire          wireState
}

// wireState is the part of the overview that a fakeStore does not derive.
type wireState struct {
	Hub           feed.HubState
	OldestPending time.Time
	Imports       []feed.Job
	Minutes       []feed.Minute
	Redis         feed.RedisState
}

func newFakeStore() *fakeStore {
	return &fakeStore{
		sources: map[string]feed.Source{}, articles: map[string]feed.Article{}, requests: map[string]feed.Transition{},
		jobs: map[string]feed.Job{}, removed: map[string]feed.Source{}, results: map[string][]feed.JobResult{},
		versions: map[string][]feed.Version{}, deeds: map[string][]feed.AuditEntry{}, undo: map[string][]feed.Article{},
	}
}

func (f *fakeStore) lock() func() { f.mu.Lock(); return f.mu.Unlock }

func (f *fakeStore) AddSource(_ context.Context, s feed.Source) (feed.Source, bool, error) {
	defer f.lock()()
	if f.err != nil {
		return feed.Source{}, false, f.err
	}
	old, known := f.sources[s.ID]
	if s.Revision != 0 && s.Revision != old.Revision {
		return feed.Source{}, false, feed.ErrChanged
	}
	old.Revision++
	if known {
		old.Feeds, old.Publish, old.Interval, old.Request = s.Feeds, s.Publish, s.Interval, s.Request
		old.Filters, old.IgnoreUpdates, old.Keep = s.Filters, s.IgnoreUpdates, s.Keep
		if s.Categories != nil {
			old.Categories = s.Categories
		}
		s = old
	}
	s.Revision = old.Revision
	f.sources[s.ID] = s
	return s, !known, nil
}

func (f *fakeStore) Sources(context.Context) ([]feed.Source, error) {
	defer f.lock()()
	var all []feed.Source
	for _, s := range f.sources {
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b feed.Source) int { return cmp.Compare(a.URL, b.URL) })
	return all, f.err
}

func (f *fakeStore) Source(_ context.Context, id string) (feed.Source, error) {
	defer f.lock()()
	s, ok := f.sources[id]
	if f.err == nil && !ok {
		return s, fmt.Errorf("source %s: %w", id, feed.ErrNotFound)
	}
	return s, f.err
}

func (f *fakeStore) SetPaused(_ context.Context, id string, paused bool, edition int) error {
	return f.change(id, edition, func(s *feed.Source) error { s.Paused = paused; return nil })
}

func (f *fakeStore) PollInFull(ctx context.Context, id string, edition int) error {
	f.full = append(f.full, id)
	return f.PollSource(ctx, id, edition)
}

func (f *fakeStore) PollSource(_ context.Context, id string, edition int) error {
	return f.change(id, edition, func(s *feed.Source) error {
		if s.Paused {
			return fmt.Errorf("poll source %s: it is paused, %w", id, feed.ErrConflict)
		}
		f.polled = append(f.polled, id)
		return nil
	})
}

func (f *fakeStore) PollSources(context.Context) (int, error) {
	defer f.lock()()
	for id, s := range f.sources {
		if !s.Paused {
			f.polled = append(f.polled, id)
		}
	}
	return len(f.polled), f.err
}

func (f *fakeStore) change(id string, edition int, do func(*feed.Source) error) error {
	defer f.lock()()
	s, ok := f.sources[id]
	switch {
	case f.err != nil:
		return f.err
	case !ok:
		return fmt.Errorf("source %s: %w", id, feed.ErrNotFound)
	case edition != 0 && edition != s.Revision:
		return fmt.Errorf("source %s: %w", id, feed.ErrChanged)
	}
	err := do(&s)
	f.sources[id] = s
	return err
}

func (f *fakeStore) RemoveSource(_ context.Context, id string, edition int) error {
	if err := f.change(id, edition, func(*feed.Source) error { return nil }); err != nil {
		return err
	}
	defer f.lock()()
	f.removed[id] = f.sources[id]
	delete(f.sources, id)
	return nil
}

func (f *fakeStore) Job(_ context.Context, id string, from, limit int) (feed.Job, []feed.JobResult, error) {
	defer f.lock()()
	job, ok := f.jobs[id]
	if f.err == nil && !ok {
		return job, nil, fmt.Errorf("job %s: %w", id, feed.ErrNotFound)
	}
	all := f.results[id]
	from = min(from, len(all))
	return job, all[from:min(from+limit, len(all))], f.err
}

func (f *fakeStore) Entries(_ context.Context, feedURL string, limit int) ([]feed.Entry, error) {
	defer f.lock()()
	var of []feed.Entry
	for _, e := range f.entries {
		if e.FeedURL == feedURL && len(of) < limit {
			of = append(of, e)
		}
	}
	return of, f.err
}

func (f *fakeStore) Entry(_ context.Context, id string) (feed.Entry, error) {
	defer f.lock()()
	for _, e := range f.entries {
		if e.ID == id {
			return e, f.err
		}
	}
	return feed.Entry{}, cmp.Or(f.err, fmt.Errorf("entry %s: %w", id, feed.ErrNotFound))
}

func (f *fakeStore) Article(_ context.Context, uuid string, types []string) (feed.Article, error) {
	defer f.lock()()
	a, ok := f.articles[uuid]
	if f.err == nil && !ok {
		return a, fmt.Errorf("article %s: %w", uuid, feed.ErrNotFound)
	}
	return only(a, types), f.err
}

// only leaves the placements in types.
func only(a feed.Article, types []string) feed.Article {
	feeds := map[string]feed.Placement{}
	for _, typ := range types {
		if p, ok := a.Feeds[typ]; ok {
			feeds[typ] = p
		}
	}
	a.Feeds = feeds
	return a
}

func (f *fakeStore) Publish(_ context.Context, uuid, typ, requestID string) (feed.Transition, error) {
	return f.move(uuid, typ, requestID, feed.StatePublished)
}

func (f *fakeStore) Withdraw(_ context.Context, uuid, typ, requestID string) (feed.Transition, error) {
	return f.move(uuid, typ, requestID, feed.StateWithdrawn)
}

func (f *fakeStore) move(uuid, typ, requestID string, to feed.State) (feed.Transition, error) {
	defer f.lock()()
	a, ok := f.articles[uuid]
	p := a.Feeds[typ]
	from := cmp.Or(p.State, feed.StateUnpublished)
	switch done, repeated := f.requests[requestID]; {
	case f.err != nil:
		return feed.Transition{}, f.err
	case repeated:
		done.Changed = false
		return done, nil
	case !ok:
		return feed.Transition{}, fmt.Errorf("article %s: %w", uuid, feed.ErrNotFound)
	case to == feed.StateWithdrawn && from != feed.StatePublished:
		return feed.Transition{}, fmt.Errorf("withdraw article %s: it is %s, %w", uuid, from, feed.ErrConflict)
	}
	if to == feed.StatePublished {
		p.Revision++
	}
	p.State = to
	if a.Feeds == nil {
		a.Feeds = map[string]feed.Placement{}
	}
	a.Feeds[typ] = p
	f.articles[uuid] = a
	done := feed.Transition{From: from, To: to, Revision: p.Revision, Changed: true}
	f.requests[requestID] = done
	return done, nil
}

func (f *fakeStore) ArticleCounts(_ context.Context, types []string) (map[string]map[feed.State]int, error) {
	defer f.lock()()
	counts := map[string]map[feed.State]int{}
	for _, typ := range types {
		counts[typ] = map[feed.State]int{}
		for _, a := range f.articles {
			counts[typ][cmp.Or(a.Feeds[typ].State, feed.StateUnpublished)]++
		}
	}
	return counts, f.err
}

func (f *fakeStore) Counts(ctx context.Context, types []string) (feed.Counts, error) {
	articles, err := f.ArticleCounts(ctx, types)
	defer f.lock()()
	c := feed.Counts{Sources: map[feed.SourceState]int{}, Articles: articles, Entries: len(f.entries), Signals: len(f.signals)}
	for _, s := range f.sources {
		c.Sources[s.State()]++
	}
	return c, err
}

func (f *fakeStore) Signals(_ context.Context, after string, limit int, _ time.Duration) ([]feed.Signal, error) {
	defer f.lock()()
	var news []feed.Signal
	for _, s := range f.signals { // ids of one length, so that they compare as strings
		if strings.Compare(s.ID, after) > 0 && len(news) < limit {
			news = append(news, s)
		}
	}
	return news, f.err
}

const (
	siteURL  = "https://site.example/feed.xml"
	slowURL  = "https://slow.example/rss"
	goneURL  = "https://gone.example/atom.xml"
	pauseURL = "https://quiet.example/feed.json"
)

// outgoing are two feeds as a configuration would name them.
func outgoing() []feed.Outgoing {
	base := feed.Outgoing{
		Profile: "instant-articles", Window: feed.DefaultWindow, RetireAfter: feed.ImportAfter, MaxItems: feed.DefaultItems,
	}
	production, development := base, base
	production.Type, production.Title = "production", "Example production"
	development.Type, development.Title = "development", "Example development"
	return []feed.Outgoing{production, development}
}

// wire fills a store with a small daemon's day.
func wire() *fakeStore {
	f := newFakeStore()
	addSource := func(s feed.Source) {
		s.ID, s.Added = feed.SourceID(s.URL), noon.Add(-48*time.Hour)
		f.sources[s.ID] = s
	}
	addSource(feed.Source{
		URL: siteURL, Feeds: []string{"production", "development"}, Publish: feed.PublishAuto,
		About: feed.About{Title: "The Harbour Post", Link: "https://site.example/", Language: "en"},
		Poll: feed.PollState{
			Entries: 30, LastPoll: noon.Add(-12 * time.Second), LastOK: noon.Add(-12 * time.Second), Status: 200,
			NextPoll: noon.Add(14 * time.Minute), NextReason: "interval",
		},
	})
	addSource(feed.Source{
		URL: slowURL, Feeds: []string{"production"}, Publish: feed.PublishManual,
		About: feed.About{Title: "Новости гавани"},
		Poll: feed.PollState{
			Entries: 12, LastPoll: noon.Add(-3 * time.Minute), NextPoll: noon.Add(8 * time.Minute), NextReason: "retry after error 3",
			Errors: 3, ErrorClass: "timeout", ErrorText: "no answer within 30 s; see whether the site is up, or raise fetch.timeout",
		},
	})
	addSource(feed.Source{
		URL:  goneURL,
		Poll: feed.PollState{LastPoll: noon.Add(-20 * time.Hour), Status: 410, Gone: true, ErrorClass: "http_4xx", ErrorText: "the server said 410 Gone", Errors: 1},
	})
	addSource(feed.Source{
		URL: pauseURL, Paused: true, About: feed.About{Title: "Quiet Notes"},
		Poll: feed.PollState{Entries: 5, LastPoll: noon.Add(-5 * time.Hour), NextPoll: noon.Add(time.Hour), NextReason: "interval"},
	})

	titles := []string{
		"Ferry line to the islands opens a second pier", "Why the old lighthouse keeps its keeper", "Storm closes the northern quay until Monday",
		"A day with the pilot who brings the large ships in", "Harbour museum finds a letter from 1887", "What the new tide tables say", "Fish market returns to the south hall",
	}
	states := []feed.Placement{
		{State: feed.StatePublished, Revision: 1, Published: noon.Add(-2 * time.Hour), Impressions: []time.Time{noon, noon}},
		{State: feed.StatePublished, Revision: 3, Published: noon.Add(-30 * time.Minute)},
		{State: feed.StatePublished, Revision: 1, Published: noon.Add(-23 * time.Hour), Impressions: []time.Time{noon, noon, noon}},
		{},
		{State: feed.StateImported, Revision: 1, Published: noon.Add(-5 * time.Hour), Imported: noon.Add(-40 * time.Minute)},
		{State: feed.StateExpired, Revision: 1, Published: noon.Add(-30 * time.Hour), Expired: noon.Add(-6 * time.Hour)},
		{State: feed.StateWithdrawn, Revision: 1, Published: noon.Add(-4 * time.Hour), Withdrawn: noon.Add(-time.Hour)},
	}
	for i, title := range titles {
		guid := fmt.Sprintf("post-%d", i+1)
		e := feed.Entry{
			ID: fmt.Sprintf("Entry:%d", i+1), FeedURL: siteURL, GUID: guid, Timestamp: noon.Add(-time.Duration(i) * time.Hour), Title: title,
			Link: "https://site.example/" + guid, Content: "<p>" + title + "</p>", Authors: []string{"Ann Example"},
		}
		f.entries = append(f.entries, e)
		a := feed.Article{
			UUID: feed.ArticleUUID(siteURL, guid), FeedURL: siteURL, GUID: guid, Entry: e.ID, Title: title, Canonical: e.Link,
			Digest: e.Digest(), Updated: noon.Add(-time.Duration(i) * time.Hour), Feeds: map[string]feed.Placement{},
		}
		if states[i].State != "" {
			a.Feeds["production"] = states[i]
		}
		f.articles[a.UUID] = a
		s := feed.Signal{
			ID: fmt.Sprintf("%d-0", noon.Add(time.Duration(i-10)*time.Minute).UnixMilli()), Kind: feed.PostCreated, FeedURL: siteURL, GUID: guid,
			Entry: e.ID, Time: noon.Add(time.Duration(i-10) * time.Minute), Post: &e,
		}
		if i == 5 {
			s.Kind, s.Changed = feed.PostModified, map[string]feed.Change{"title": {From: "a", To: "b"}, "content": {From: "c", To: "d"}}
		}
		f.signals = append(f.signals, s)
	}
	return f
}
