package fanout_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"go.uber.org/goleak"

	"github.com/feedwire/feedwire/signals/fanout"
	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// nouns are what a Fanout needs of a store.
type nouns struct {
	*store.SignalStore
	*store.TimelineStore
	*store.PeopleStore
	*store.Store
}

func newNouns(t *testing.T, opts store.Options) nouns {
	t.Helper()
	opts.Dial = storetest.Redis(t)
	s := storetest.New(t, opts)
	return nouns{s.Signals, s.Timelines, s.People, s}
}

// run runs a Fanout until the test ends.
func run(t *testing.T, s fanout.Store, opts fanout.Options) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { _ = fanout.New(s, opts).Run(ctx) })
	t.Cleanup(func() {
		cancel()
		running.Wait()
	})
}

// eventually waits for a condition.
func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !condition(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within 30 s: %s", what)
		}
	}
}

func TestNewEntryReachesTimelines(t *testing.T) {
	s := newNouns(t, store.Options{})
	reg := prometheus.NewPedanticRegistry()
	if err := s.AddAccount(t.Context(), feed.Account{Name: "ann", Role: feed.RoleMember}); err != nil {
		t.Fatal(err)
	}
	timeline := func() []feed.Entry {
		page, err := s.Timeline(t.Context(), 1, feed.Cursor{}, 10)
		if err != nil {
			t.Fatal(err)
		}
		return page.Entries
	}
	if _, err := s.Follow(t.Context(), 1, feed.Follow{FeedURL: storetest.Harbour}); err != nil {
		t.Fatal(err)
	}
	save := func(guid string) {
		e := storetest.Entry(guid, guid, time.Now())
		if err := s.Entries.SaveEntry(t.Context(), &e); err != nil {
			t.Fatal(err)
		}
	}
	save("first")
	timeline()
	run(t, s, fanout.Options{Registerer: reg})
	save("second")
	eventually(t, "the timeline has both", func() bool { return len(timeline()) == 2 })
	eventually(t, "a chunk of each entry is counted", func() bool {
		return testutil.CollectAndCompare(reg, strings.NewReader(`
			# HELP feedwire_fanout_chunks_total Chunks of followers whose timelines were changed, by outcome.
			# TYPE feedwire_fanout_chunks_total counter
			feedwire_fanout_chunks_total{outcome="applied"} 2
			feedwire_fanout_chunks_total{outcome="buried"} 0
			feedwire_fanout_chunks_total{outcome="left"} 0
			# HELP feedwire_fanout_timelines_total Warm timelines that the fan-out has changed.
			# TYPE feedwire_fanout_timelines_total counter
			feedwire_fanout_timelines_total 1
			# HELP feedwire_timelines_warm Timelines that the fan-out changes, because their users have read them within 7 days.
			# TYPE feedwire_timelines_warm gauge
			feedwire_timelines_warm 1
		`), "feedwire_fanout_chunks_total", "feedwire_fanout_timelines_total", "feedwire_timelines_warm") == nil
	})
}

// failing is a store on which chunks of an entry fail.
type failing struct {
	nouns
	fail func()
}

var errFailing = errors.New("cannot be applied")

func (f failing) ApplyChunk(ctx context.Context, c feed.Chunk) (int, error) {
	if c.Entry == "Entry:1" {
		f.fail()
		return 0, errFailing
	}
	return f.nouns.ApplyChunk(ctx, c)
}

func TestChunkThatFailsFiveTimesIsBuriedAndHoldsUpNoOther(t *testing.T) {
	for name, fail := range map[string]func(){"error": func() {}, "panic": func() { panic("test") }} {
		t.Run(name, func(t *testing.T) {
			var panics sync.Map
			s := newNouns(t, store.Options{TakeOver: 50 * time.Millisecond})
			run(t, failing{s, fail}, fanout.Options{OnPanic: func(component string) { panics.Store(component, true) }})
			if _, err := s.Follow(t.Context(), 404, feed.Follow{FeedURL: storetest.Harbour}); err != nil {
				t.Fatal(err)
			}
			for _, guid := range []string{"first", "second"} {
				e := storetest.Entry(guid, guid, time.Now())
				if err := s.Entries.SaveEntry(t.Context(), &e); err != nil {
					t.Fatal(err)
				}
			}
			eventually(t, "one chunk is buried, the other one is applied", func() bool {
				state, err := s.FanoutState(t.Context())
				return err == nil && state == feed.FanoutState{Dead: 1}
			})
			if _, panicked := panics.Load("fanout"); panicked != (name == "panic") {
				t.Errorf("reported a panic: %t", panicked)
			}
		})
	}
}

// pairs is a store with two chunks, each of which is applied after the other one has begun.
type pairs struct {
	nouns
	waiting atomic.Int32 // chunks that were not returned
	begun   chan string
	other   chan struct{}
}

func (p *pairs) NextChunks(ctx context.Context, worker string, limit int, wait time.Duration) ([]feed.Chunk, error) {
	if p.waiting.Swap(0) == 2 {
		return []feed.Chunk{{ID: "1-0", Entry: "Entry:1"}, {ID: "2-0", Entry: "Entry:2"}}, nil
	}
	return p.nouns.NextChunks(ctx, worker, limit, wait)
}

func (p *pairs) ApplyChunk(ctx context.Context, c feed.Chunk) (int, error) {
	p.begun <- c.ID
	select {
	case <-p.other:
	case <-ctx.Done():
	}
	return 0, ctx.Err()
}

func TestTwoChunksAreAppliedAtTheSameTime(t *testing.T) {
	p := &pairs{nouns: newNouns(t, store.Options{}), begun: make(chan string, 2), other: make(chan struct{})}
	p.waiting.Store(2)
	run(t, p, fanout.Options{})
	eventually(t, "both have begun", func() bool { return len(p.begun) == 2 })
	close(p.other)
}
