package store_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// gathering runs some daemons over two sources on one Redis: they signal, gather, are killed between the two halves of it, and
// lose, with the node of the hub, what was moved last. It returns the guids of each source in the order in which they were
// signalled, and those that a reader gets.
func gathering(t *testing.T, seed uint64, mutate func(*store.Store)) (told, read map[string][]string) {
	t.Helper()
	dial, random := storetest.Redis(t), rand.New(rand.NewPCG(seed, 0))
	urls := []string{harbour, "http://other.example/feed"}
	var daemons []*store.Store
	for range 3 {
		s := storetest.New(t, store.Options{Dial: dial, Partitioned: true})
		mutate(s)
		daemons = append(daemons, s)
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	told, read = make(map[string][]string), make(map[string][]string)
	halves := make([]*store.Taken, len(daemons)) // what each has read and not moved
	raw := storetest.InParts(t, "", harbour, dial)
	lose := hubAsNow(raw)
	for step := range 60 {
		i, url := random.IntN(len(daemons)), urls[random.IntN(len(urls))]
		s := daemons[i]
		switch random.IntN(8) {
		case 0, 1:
			e := entry(fmt.Sprint("g", step), "T", time.Now())
			e.FeedURL = url
			must(s.LeaveSignal(t.Context(), &e))
			told[url] = append(told[url], e.GUID)
		case 2:
			taken, err := s.TakeOutbox(t.Context(), url)
			must(err)
			halves[i] = &taken
		case 3:
			if halves[i] != nil {
				must(s.MoveTaken(t.Context(), *halves[i])) // and it stays, as for one that is late and comes again
			}
		case 4:
			halves[i] = nil // killed
			daemons[i] = storetest.New(t, store.Options{Dial: dial, Partitioned: true})
			mutate(daemons[i])
		case 5:
			must(s.GatherNow(t.Context()))
		case 6:
			lose = hubAsNow(raw)
		case 7:
			lose()
		}
	}
	must(daemons[0].GatherNow(t.Context()))
	signals, err := daemons[0].BareSignals(t.Context(), "", 1000, 0)
	must(err)
	for _, sig := range signals {
		read[sig.FeedURL] = append(read[sig.FeedURL], sig.GUID)
	}
	return told, read
}

func same(told, read map[string][]string) bool {
	for url := range told {
		if !slices.Equal(told[url], read[url]) {
			return false
		}
	}
	return true
}

// Whoever gathers, and is killed whenever, each signal comes once, and those of a source in their order.
func TestEachSignalIsGatheredOnce(t *testing.T) {
	for seed := range uint64(15) {
		told, read := gathering(t, seed, func(*store.Store) {})
		if !same(told, read) {
			t.Fatalf("seed %d: told %v, read %v", seed, told, read)
		}
	}
	for _, mutant := range []struct{ from, to string }{
		{"  if less(cursor, ARGV[at]) then\n", "  if true then\n"},
		{"if less(cursor, ARGV[2]) then return cursor end\n", "cursor = ARGV[2]\n"},
	} {
		caught := false
		for seed := uint64(0); seed < 15 && !caught; seed++ {
			caught = !same(gathering(t, seed, func(s *store.Store) {
				if err := s.Mutate("gather", mutant.from, mutant.to); err != nil {
					t.Fatal(err)
				}
			}))
		}
		if !caught {
			t.Errorf("nothing shows that %q matters", mutant.from)
		}
	}
}

// As above, with daemons that do not wait for each other.
func TestDaemonsGatherAtOnce(t *testing.T) {
	options, raw := shared.Spread(t, harbour)
	const daemons, each = 4, 25
	var wg sync.WaitGroup
	for d := range daemons {
		s := storetest.New(t, options)
		wg.Go(func() {
			for i := range each {
				e := entry(fmt.Sprintf("%d-%d", d, i), "T", time.Now())
				if err := s.SaveEntry(t.Context(), &e); err != nil {
					t.Error(err)
				}
				if err := s.LeaveSignal(t.Context(), &feed.Entry{FeedURL: harbour, GUID: e.GUID + " again"}); err != nil {
					t.Error(err)
				}
				if i%5 == d {
					if err := s.GatherNow(t.Context()); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	wg.Wait()
	s := storetest.New(t, options)
	signals, err := s.BareSignals(t.Context(), "", 1000, 0)
	if err != nil || len(signals) != 2*daemons*each {
		t.Errorf("%d signals, %v; want %d", len(signals), err, 2*daemons*each)
	}
	seen := make(map[string]bool)
	for _, sig := range signals {
		if seen[sig.GUID] {
			t.Errorf("%s came twice", sig.GUID)
		}
		seen[sig.GUID] = true
	}
	raw.Check(types, feed.ImportAfter)
}

// Where the hub's node fails and has lost the last signals with the cursors, they are gathered again; what was moved a minute
// ago is not kept for that any longer.
func TestWhatTheHubLosesIsGatheredAgain(t *testing.T) {
	options, raw := shared.Spread(t, harbour)
	s := storetest.New(t, options)
	tell := func(guid string) {
		t.Helper()
		e := entry(guid, "T", time.Now())
		if err := s.SaveEntry(t.Context(), &e); err != nil {
			t.Fatal(err)
		}
	}
	guids := func() (all []string) {
		t.Helper()
		if err := s.GatherNow(t.Context()); err != nil {
			t.Fatal(err)
		}
		signals, err := s.BareSignals(t.Context(), "", 100, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, sig := range signals {
			all = append(all, sig.GUID)
		}
		return all
	}
	tell("g1")
	lose := hubAsNow(raw)
	tell("g2")
	tell("g3")
	if got := guids(); !slices.Equal(got, []string{"g1", "g2", "g3"}) {
		t.Fatalf("gathered %v", got)
	}
	lose()
	if got := guids(); !slices.Equal(got, []string{"g1", "g2", "g3"}) {
		t.Errorf("after the loss gathered %v", got)
	}

	left := func() int {
		t.Helper()
		taken, err := storetest.New(t, options).TakeOutbox(t.Context(), harbour) // which knows of no cursor
		if err != nil {
			t.Fatal(err)
		}
		return taken.Len()
	}
	s.AgeGathered(59 * time.Second)
	if guids(); left() != 3 {
		t.Errorf("%d signals are left in the outbox before the minute is over", left())
	}
	s.AgeGathered(time.Second)
	if guids(); left() != 1 {
		t.Errorf("%d signals are left in the outbox, want the last one", left())
	}
	tell("g4")
	if got := guids(); !slices.Equal(got, []string{"g1", "g2", "g3", "g4"}) {
		t.Errorf("at last gathered %v", got)
	}
}

// hubAsNow remembers the signals of the hub, as a replica does that hears no more, and returns how they are brought back.
func hubAsNow(raw *storetest.Redigo) func() {
	dumps := make(map[string]any)
	for _, key := range []string{"signals", "signals:gathered"} {
		dumps[key] = raw.Do("DUMP", key)
	}
	return func() {
		for key, dump := range dumps {
			if raw.Do("DEL", key); dump != nil {
				raw.Do("RESTORE", key, 0, dump)
			}
		}
	}
}
