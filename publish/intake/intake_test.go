package intake_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"go.uber.org/goleak"

	"github.com/feedwire/feedwire/publish/intake"
	"github.com/feedwire/feedwire/store/feed"
)

const siteURL = "https://site.example/feed.xml"

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// outgoing returns two feeds as a configuration defines them.
func outgoing() []feed.Outgoing {
	base := feed.Outgoing{
		Profile: "instant-articles", Window: feed.DefaultWindow, RetireAfter: feed.ImportAfter, MaxItems: feed.DefaultItems,
	}
	production, development := base, base
	production.Type, development.Type = "production", "development"
	return []feed.Outgoing{production, development}
}

// fakeStore keeps the promises of intake.Store in memory and calls before at each step.
type fakeStore struct {
	mu       sync.Mutex
	sources  map[string]feed.Source
	signals  []feed.Signal
	entries  []feed.Entry         // of every source
	next     int                  // index of the first undelivered signal
	pending  map[string]time.Time // delivery time of unacknowledged signals
	acked    []string
	articles map[string]feed.Article
	states   map[string]feed.State // by "uuid type"
	digests  map[string]string     // last published digest, by "uuid type"
	loaded   map[string]int        // signals given to LoadPosts, by URL of the source
	calls    int
	turns    uint64

	takenDown []string     // guids
	list      []feed.Entry // the list sport

	before func(step string) error // nil: nothing
	takes  time.Duration           // of each write
}

func newFakeStore(sources ...feed.Source) *fakeStore {
	s := &fakeStore{
		sources: map[string]feed.Source{}, pending: map[string]time.Time{}, articles: map[string]feed.Article{},
		states: map[string]feed.State{}, digests: map[string]string{}, loaded: map[string]int{},
	}
	for _, source := range sources {
		s.sources[source.URL] = source
	}
	return s
}

func (s *fakeStore) step(name string) (func(), error) {
	if name == "save" || name == "publish" {
		time.Sleep(s.takes)
	}
	s.mu.Lock()
	s.calls++
	if s.before != nil {
		if err := s.before(name); err != nil {
			return s.mu.Unlock, err
		}
	}
	return s.mu.Unlock, nil
}

func (s *fakeStore) NextSignals(ctx context.Context, _, _ string, limit int, wait time.Duration) ([]feed.Signal, error) {
	for until := time.Now().Add(wait); ; {
		unlock, err := s.step("next")
		var taken []feed.Signal
		for i := range s.signals {
			at, pending := s.pending[s.signals[i].ID]
			if len(taken) < limit && ((pending && time.Since(at) >= 30*time.Second) || i >= s.next) {
				taken = append(taken, s.signals[i])
				taken[len(taken)-1].Post = nil
				s.pending[s.signals[i].ID] = time.Now()
				s.next = max(s.next, i+1)
			}
		}
		unlock()
		if err != nil || len(taken) > 0 || !time.Now().Before(until) {
			return taken, err
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (s *fakeStore) BareSignals(_ context.Context, after string, limit int, _ time.Duration) ([]feed.Signal, error) {
	unlock, err := s.step("ahead")
	defer unlock()
	from := slices.IndexFunc(s.signals, func(one feed.Signal) bool { return one.ID == after }) + 1
	ahead := slices.Clone(s.signals[from:min(from+limit, len(s.signals))])
	for i := range ahead {
		ahead[i].Post = nil
	}
	return ahead, err
}

func (s *fakeStore) LoadPosts(_ context.Context, all []feed.Signal) error {
	unlock, err := s.step("posts")
	defer unlock()
	for i := range all {
		s.loaded[all[i].FeedURL]++
		at := slices.IndexFunc(s.signals, func(one feed.Signal) bool { return one.ID == all[i].ID })
		all[i].Post = s.signals[at].Post
	}
	return err
}

// restart makes unacknowledged signals deliverable again, as a restart of the daemon does.
func (s *fakeStore) restart() {
	for id := range s.pending {
		s.pending[id] = time.Time{}
	}
}

// takeDown deletes the entry with a guid, as its takedown does.
func (s *fakeStore) takeDown(guid string) {
	s.takenDown = append(s.takenDown, guid)
	for i := range s.signals {
		if s.signals[i].GUID == guid {
			s.signals[i].Post = nil
		}
	}
	s.signal(feed.PostDeleted, nil)
	s.signals[len(s.signals)-1].GUID = guid
}

func (s *fakeStore) IsTakenDown(_ context.Context, _, guid string) (bool, error) {
	unlock, err := s.step("taken down")
	defer unlock()
	return slices.Contains(s.takenDown, guid), err
}

func (s *fakeStore) RemoveChanges(context.Context, []feed.Signal) error {
	unlock, err := s.step("changes")
	defer unlock()
	return err
}

func (s *fakeStore) RemoveArticle(_ context.Context, uuid string) error {
	unlock, err := s.step("remove")
	defer unlock()
	if err == nil {
		delete(s.articles, uuid)
	}
	return err
}

func (s *fakeStore) AckSignals(_ context.Context, _ string, ids ...string) error {
	unlock, err := s.step("ack")
	defer unlock()
	if err == nil {
		s.acked = append(s.acked, ids...)
		for _, id := range ids {
			delete(s.pending, id)
		}
	}
	return err
}

func (s *fakeStore) FailoverEpoch() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.turns
}

func (s *fakeStore) SourceByURL(_ context.Context, url string) (feed.Source, error) {
	unlock, err := s.step("source")
	defer unlock()
	source, ok := s.sources[url]
	if err == nil && !ok {
		err = fmt.Errorf("source %s: %w", url, feed.ErrNotFound)
	}
	return source, err
}

func (s *fakeStore) SourcesByURL(_ context.Context, urls []string) (all []feed.Source, err error) {
	unlock, err := s.step("sources")
	defer unlock()
	for _, url := range urls {
		if source, ok := s.sources[url]; ok {
			all = append(all, source)
		}
	}
	return all, err
}

func (s *fakeStore) Entry(_ context.Context, id string) (feed.Entry, error) {
	unlock, err := s.step("entry")
	defer unlock()
	for i := range s.entries {
		if s.entries[i].ID == id {
			return s.entries[i], err
		}
	}
	return feed.Entry{}, feed.ErrNotFound
}

func (s *fakeStore) Entries(context.Context, string, int) ([]feed.Entry, error) {
	unlock, err := s.step("entries")
	defer unlock()
	return s.entries, err
}

func (s *fakeStore) Article(_ context.Context, uuid string, types []string) (feed.Article, error) {
	unlock, err := s.step("article")
	defer unlock()
	a, ok := s.articles[uuid]
	if err == nil && !ok {
		err = fmt.Errorf("article %s: %w", uuid, feed.ErrNotFound)
	}
	a.Feeds = make(map[string]feed.Placement)
	for _, typ := range types {
		a.Feeds[typ] = feed.Placement{State: s.states[uuid+" "+typ]}
	}
	return a, err
}

func (s *fakeStore) ListVersion(_ context.Context, list string, _ int) (string, error) {
	unlock, err := s.step("list")
	defer unlock()
	if err == nil && list != "sport" {
		err = feed.ErrNotFound
	}
	return fmt.Sprint(s.list), err
}

func (s *fakeStore) ListEntries(_ context.Context, _ string, limit int) (feed.ListPage, error) {
	unlock, err := s.step("entries")
	defer unlock()
	return feed.ListPage{Entries: slices.Clone(s.list[:min(limit, len(s.list))]), Sources: s.sources}, err
}

func (s *fakeStore) SaveArticle(_ context.Context, a feed.Article) (bool, error) {
	unlock, err := s.step("save")
	defer unlock()
	if err != nil {
		return false, err
	}
	changed := !gocmp.Equal(s.articles[a.UUID], a)
	s.articles[a.UUID] = a
	return changed, nil
}

func (s *fakeStore) RefreshArticle(_ context.Context, a feed.Article, before string) error {
	unlock, err := s.step("refresh")
	defer unlock()
	if old, ok := s.articles[a.UUID]; err == nil && ok && (old.Digest == a.Digest || old.Digest == before) {
		a.Signal = old.Signal
		s.articles[a.UUID] = a
	}
	return err
}

func (s *fakeStore) AutoPublish(_ context.Context, uuid, typ, digest string, publishNew bool) (feed.Transition, error) {
	unlock, err := s.step("publish")
	defer unlock()
	key := uuid + " " + typ
	from := cmp.Or(s.states[key], feed.StateUnpublished)
	isNew := from == feed.StateUnpublished || from == feed.StateExpired
	isOut := from == feed.StatePublished || from == feed.StateImported
	if err != nil || s.digests[key] == digest || (!isOut && (!isNew || !publishNew)) {
		return feed.Transition{From: from, To: from}, err
	}
	s.states[key], s.digests[key] = feed.StatePublished, digest
	return feed.Transition{From: from, To: feed.StatePublished, Revision: 1, Changed: true}, nil
}

func post(guid, title string) *feed.Entry {
	return &feed.Entry{
		ID: "Entry:1", FeedURL: siteURL, GUID: guid, Timestamp: noon, Title: title, Content: "<p>" + title + "</p>",
		Link: "https://site.example/" + guid + "?page=2&utm_source=rss&UTM_medium=feed#top", Authors: []string{"Ann"},
		Extra: map[string]string{"categories": `[{"term":"Ships"}]`, "enclosures": `[{"url":"https://site.example/a.jpg"}]`},
	}
}

// signal appends a signal about a post, or about the feed if e is nil.
func (s *fakeStore) signal(kind feed.SignalKind, e *feed.Entry) {
	sig := feed.Signal{ID: fmt.Sprintf("%d-0", len(s.signals)+1), Kind: kind, FeedURL: siteURL, Time: noon, Post: e}
	if e != nil {
		sig.GUID, sig.Entry = e.GUID, e.ID
	}
	s.signals = append(s.signals, sig)
}

func autoSource() feed.Source {
	return feed.Source{URL: siteURL, Feeds: []string{"production"}, Publish: feed.PublishAuto}
}

// work runs an intake with a fake clock and returns its transitions.
func work(t *testing.T, s *fakeStore, opts intake.Options, long time.Duration) []string {
	t.Helper()
	var mu sync.Mutex
	var transitions []string
	opts.OnTransition = func(typ string, from, to feed.State) {
		mu.Lock()
		defer mu.Unlock()
		transitions = append(transitions, fmt.Sprintf("%s: %s to %s", typ, from, to))
	}
	if opts.Feeds == nil {
		opts.Feeds = outgoing()
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), long)
		defer cancel()
		if err := intake.New(s, opts).Run(ctx); err != nil {
			t.Errorf("Run: %v", err)
		}
	})
	return transitions
}

func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func TestEntryBecomesArticle(t *testing.T) {
	source := autoSource()
	source.About.Language = "de"
	s := newFakeStore(source)
	e := post("1", "T")
	e.Set("duration", "62")
	e.Set("mood", "calm") // no field of the table
	s.signal(feed.FeedCreated, nil)
	s.signal(feed.PostCreated, e)
	same(t, "transitions", work(t, s, intake.Options{}, time.Minute), []string{"production: unpublished to published"})
	want := feed.Article{
		UUID: feed.ArticleUUID(siteURL, "1"), FeedURL: siteURL, GUID: "1", Entry: "Entry:1", Title: "T",
		Canonical: "https://site.example/1?page=2", Authors: []string{"Ann"}, Content: "<p>T</p>", Digest: e.Digest(), DigestV1: e.DigestV1(), Signal: "2-0",
		Categories: []string{"Ships"}, Image: "https://site.example/a.jpg", Enclosures: []feed.Enclosure{{URL: "https://site.example/a.jpg"}},
		Fields:    feed.FieldValues{"categories": `[{"term":"Ships"}]`, "duration": "62", "language": "de"},
		Published: noon, Modified: noon,
	}
	same(t, "article", s.articles, map[string]feed.Article{want.UUID: want})
	same(t, "acknowledged", s.acked, []string{"1-0", "2-0"})
}

func TestUnsignalledEntriesBecomeArticlesAndAreNotPublished(t *testing.T) {
	s := newFakeStore(autoSource())
	s.entries = []feed.Entry{*post("1", "T"), *post("2", "U")}
	s.signal(feed.FeedModified, nil)
	s.signal(feed.FeedModified, nil)
	s.signals[1].Unsignalled = feed.Unsignalled{Created: 1, Modified: 1}
	if got := work(t, s, intake.Options{}, time.Minute); got != nil {
		t.Errorf("transitions %v", got)
	}
	if a := s.articles[feed.ArticleUUID(siteURL, "2")]; len(s.articles) != 2 || a.Title != "U" || a.Signal != "2-0" {
		t.Errorf("articles %+v", s.articles)
	}
	same(t, "acknowledged", s.acked, []string{"1-0", "2-0"})
}

func TestArticlesOfEntriesReadAnewAreRefreshed(t *testing.T) {
	ctx := t.Context()
	source := autoSource()
	s := newFakeStore(source)
	old, edited := post("1", "T"), post("2", "U")
	s.entries = []feed.Entry{*post("1", "T, read anew"), *post("2", "U, edited"), *post("3", "without an article")}
	s.entries[0].Unread = old.Digest()
	for _, e := range []*feed.Entry{old, edited} {
		_, _ = s.SaveArticle(ctx, intake.ArticleOf(e, &source))
	}
	in := intake.New(s, intake.Options{Feeds: outgoing()})
	if err := in.Reread(ctx, siteURL); err != nil {
		t.Error(err)
	}
	titles := []string{s.articles[feed.ArticleUUID(siteURL, "1")].Title, s.articles[feed.ArticleUUID(siteURL, "2")].Title}
	same(t, "titles", titles, []string{"T, read anew", "U"})
	same(t, "number of articles", len(s.articles), 2)
	same(t, "publications", len(s.states), 0)

	calls := 0
	s.before = func(step string) error {
		if step == "refresh" {
			if calls++; calls == 1 {
				return errors.New("damaged")
			}
			return feed.ErrUnavailable
		}
		return nil
	}
	if err := in.Reread(ctx, siteURL); !errors.Is(err, feed.ErrUnavailable) || calls != 2 {
		t.Errorf("%v after %d articles: one that cannot be refreshed does not stop the others", err, calls)
	}
}

func TestArticleIsPublishedByRule(t *testing.T) {
	manual := autoSource()
	manual.Publish = feed.PublishManual
	nowhere := autoSource()
	nowhere.Feeds = nil
	manualNowhere := manual
	manualNowhere.Feeds = nil
	named, all := outgoing(), outgoing()
	named[1].Sources = []string{siteURL}
	all[1].Sources = []string{"*"}
	for _, tt := range []struct {
		name     string
		source   feed.Source
		feeds    []feed.Outgoing
		articles int
		want     []string
	}{
		{"automatic source", autoSource(), outgoing(), 1, []string{"production: unpublished to published"}},
		{"manual source", manual, outgoing(), 1, nil},
		{"no feed takes the source", nowhere, outgoing(), 0, nil},
		{"a feed names the source", nowhere, named, 1, []string{"development: unpublished to published"}},
		{"a feed takes all", nowhere, all, 1, []string{"development: unpublished to published"}},
		{"manual source of a feed that takes all", manualNowhere, all, 1, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newFakeStore(tt.source)
			s.signal(feed.PostCreated, post("1", "T"))
			same(t, "transitions", work(t, s, intake.Options{Feeds: tt.feeds}, time.Minute), tt.want)
			if len(s.articles) != tt.articles || len(s.acked) != 1 {
				t.Errorf("%d articles, want %d; acknowledged %v", len(s.articles), tt.articles, s.acked)
			}
		})
	}
}

func TestEditIsRepublishedInEveryFeedThatHasTheArticle(t *testing.T) {
	s := newFakeStore(autoSource())
	uuid := feed.ArticleUUID(siteURL, "1")
	s.states[uuid+" production"] = feed.StateImported
	s.states[uuid+" development"] = feed.StatePublished // by an editor: the feed does not take the source
	s.signal(feed.PostModified, post("1", "new title"))
	same(t, "transitions", work(t, s, intake.Options{}, time.Minute),
		[]string{"production: imported to published", "development: published to published"})

	s.states[uuid+" production"] = feed.StateWithdrawn
	s.signal(feed.PostModified, post("1", "newer title"))
	same(t, "transitions after withdrawal", work(t, s, intake.Options{}, time.Minute),
		[]string{"development: published to published"})
}

func TestRepeatedSignalPublishesOnce(t *testing.T) {
	s := newFakeStore(autoSource())
	for i := range 120 { // more than two batches
		e := post(fmt.Sprint(i), "T")
		s.signal(feed.PostCreated, e)
		s.signal(feed.PostCreated, e)
	}
	if got := work(t, s, intake.Options{}, time.Minute); len(got) != 120 || len(s.articles) != 120 {
		t.Errorf("%d publications of %d articles, want 120", len(got), len(s.articles))
	}
	if len(s.acked) != 240 {
		t.Errorf("%d acknowledged, want 240", len(s.acked))
	}
}

func TestCrashAtAnyStepPublishesOnce(t *testing.T) {
	for _, at := range []string{"sources", "posts", "save", "publish", "ack"} {
		t.Run(at, func(t *testing.T) {
			s := newFakeStore(autoSource())
			s.signal(feed.PostCreated, post("1", "T"))
			s.before = func(step string) error { // the store fails at this step, then the daemon crashes
				if step == at {
					return feed.ErrUnavailable
				}
				return nil
			}
			transitions := work(t, s, intake.Options{}, 10*time.Second)
			if len(s.acked) > 0 {
				t.Fatal("acknowledged before the work was done")
			}
			s.before = nil
			s.restart()
			transitions = append(transitions, work(t, s, intake.Options{}, time.Minute)...)
			same(t, "transitions", transitions, []string{"production: unpublished to published"})
			same(t, "acknowledged", s.acked, []string{"1-0"})
		})
	}
}

func TestUnavailableStoreIsRetriedWithPauses(t *testing.T) {
	s := newFakeStore(autoSource())
	s.signal(feed.PostCreated, post("1", "T"))
	s.before = func(string) error { return fmt.Errorf("connection refused: %w", feed.ErrUnavailable) }
	work(t, s, intake.Options{}, time.Minute)
	if s.calls < 30 || s.calls > 40 { // pauses grow to 2 s
		t.Errorf("%d tries in a minute, want about 34", s.calls)
	}
}

func TestInvalidEntryIsRejected(t *testing.T) {
	for name, fail := range map[string]func() error{
		"invalid": func() error { return fmt.Errorf("title: %w", feed.ErrInvalid) },
		"panic":   func() error { panic("on foreign bytes") },
	} {
		t.Run(name, func(t *testing.T) {
			reg := prometheus.NewRegistry()
			s := newFakeStore(autoSource())
			s.signal(feed.PostCreated, post("poisoned", "T"))
			s.signal(feed.PostCreated, post("fine", "T"))
			saves := 0
			s.before = func(step string) error {
				if step == "save" {
					if saves++; saves == 1 {
						defer func() {
							if p := recover(); p != nil { // release the lock of the fake
								s.mu.Unlock()
								panic(p)
							}
						}()
						return fail()
					}
				}
				return nil
			}
			var panics, want []string
			if name == "panic" {
				want = []string{"intake"}
			}
			work(t, s, intake.Options{Registerer: reg, OnPanic: func(c string) { panics = append(panics, c) }}, time.Minute)
			same(t, "acknowledged", s.acked, []string{"1-0", "2-0"})
			same(t, "panics reported", panics, want)
			if len(s.articles) != 1 {
				t.Errorf("%d articles, want the fine one", len(s.articles))
			}
			if err := testutil.GatherAndCompare(reg, strings.NewReader(`
# HELP feedwire_intake_signals_total Signals that the intake has read, by outcome.
# TYPE feedwire_intake_signals_total counter
feedwire_intake_signals_total{outcome="article"} 1
feedwire_intake_signals_total{outcome="ignored"} 0
feedwire_intake_signals_total{outcome="left"} 0
feedwire_intake_signals_total{outcome="rejected"} 1
feedwire_intake_signals_total{outcome="removed"} 0
`), "feedwire_intake_signals_total"); err != nil {
				t.Error(err)
			}
			if problems, err := testutil.GatherAndLint(reg); err != nil || len(problems) > 0 {
				t.Errorf("%v %v", problems, err)
			}
		})
	}
}

func TestFailedSignalIsDeliveredAgain(t *testing.T) {
	for at, reason := range map[string]error{
		"save":    errors.New("WRONGTYPE"),
		"publish": feed.ErrNotFound, // after a failover that lost the article
	} {
		t.Run(at, func(t *testing.T) {
			s := newFakeStore(autoSource())
			s.signal(feed.PostCreated, post("odd", "T"))
			s.signal(feed.PostCreated, post("fine", "T"))
			times := 0
			s.before = func(step string) error {
				if step == at {
					if times++; times == 1 {
						return reason
					}
				}
				return nil
			}
			transitions := work(t, s, intake.Options{}, 20*time.Second)
			same(t, "acknowledged at first", s.acked, []string{"2-0"})
			s.restart()
			transitions = append(transitions, work(t, s, intake.Options{}, time.Minute)...)
			slices.Sort(s.acked)
			same(t, "acknowledged in the end", s.acked, []string{"1-0", "2-0"})
			if len(transitions) != 2 {
				t.Errorf("published %v, want both", transitions)
			}
		})
	}
}

// The new primary knows the acknowledgement but not the article.
func TestFailoverBeforeAcknowledgementRepeatsTheWork(t *testing.T) {
	s := newFakeStore(autoSource())
	s.signal(feed.PostCreated, post("1", "T"))
	s.before = func(step string) error {
		if step == "ack" && s.turns == 0 {
			s.turns++
			clear(s.articles)
			clear(s.states)
			clear(s.digests)
		}
		return nil
	}
	same(t, "transitions", work(t, s, intake.Options{}, time.Minute), []string{"production: unpublished to published", "production: unpublished to published"})
	if len(s.articles) != 1 || len(s.acked) != 1 {
		t.Errorf("%d articles, acknowledged %v", len(s.articles), s.acked)
	}
}

func TestRemovedSourceAndEntryAreIgnored(t *testing.T) {
	s := newFakeStore() // the source was removed
	s.signal(feed.PostCreated, post("1", "T"))
	s.signal(feed.PostCreated, nil) // the entry has expired
	work(t, s, intake.Options{}, time.Minute)
	same(t, "acknowledged", s.acked, []string{"1-0", "2-0"})
	if len(s.articles) != 0 {
		t.Errorf("articles of a removed source: %v", s.articles)
	}
}
