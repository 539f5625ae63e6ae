package core_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/storetest"
)

// mergeAtRandom runs several daemons over two sources on one Redis. They append signals, merge, are killed between the two
// halves of a merge, and lose the last merged records, as a failover of the hub's node does. It returns the guids of each source in
// the order in which they were appended, and those that readers get.
func mergeAtRandom(t *testing.T, seed uint64, mutate func(*core.DB)) (appended, read map[string][]string) {
	t.Helper()
	dial, random := storetest.Redis(t), rand.New(rand.NewPCG(seed, 0))
	urls := []string{harbour, other}
	start := func() *core.DB {
		db := storetest.DB(t, core.Options{Dial: dial, Sharded: true})
		mutate(db)
		return db
	}
	daemons := []*core.DB{start(), start(), start()}
	type half struct {
		url   string
		taken core.Taken
	}
	halves := make([]*half, len(daemons)) // what each has read and not merged
	appended = make(map[string][]string)
	raw := storetest.InShards(t, "", harbour, dial)
	lose := snapshotHub(raw)
	for step := range 60 {
		i, url := random.IntN(len(daemons)), urls[random.IntN(len(urls))]
		db := daemons[i]
		switch random.IntN(8) {
		case 0, 1:
			must(t, appendSignal(t.Context(), db, url, numbered(step)))
			appended[url] = append(appended[url], numbered(step))
		case 2:
			taken, err := db.TakeOutbox(t.Context(), db.Source(url))
			must(t, err)
			halves[i] = &half{url, taken}
		case 3:
			if h := halves[i]; h != nil { // and it stays, as for a daemon that is late and tries again
				must(t, db.MergeTaken(t.Context(), db.Source(h.url), h.taken))
			}
		case 4:
			halves[i] = nil // killed
			daemons[i] = start()
		case 5:
			must(t, db.MergeNow(t.Context()))
		case 6:
			lose = snapshotHub(raw)
		case 7:
			lose()
		}
	}
	must(t, daemons[0].MergeNow(t.Context()))
	return appended, guids(t, daemons[0])
}

func sameOrder(appended, read map[string][]string) bool {
	return maps.EqualFunc(appended, read, slices.Equal)
}

func TestEachSignalIsMergedOnceInOrder(t *testing.T) {
	for seed := range uint64(15) {
		appended, read := mergeAtRandom(t, seed, func(*core.DB) {})
		if !sameOrder(appended, read) {
			t.Fatalf("seed %d: appended %v, read %v", seed, appended, read)
		}
	}
	for _, mutant := range []struct{ from, to string }{
		{"  if less(cursor, ARGV[at]) then\n", "  if true then\n"},
		{"if less(cursor, ARGV[2]) then return cursor end\n", "cursor = ARGV[2]\n"},
	} {
		caught := false
		for seed := uint64(0); seed < 15 && !caught; seed++ {
			caught = !sameOrder(mergeAtRandom(t, seed, func(db *core.DB) { must(t, db.MutateMerge(mutant.from, mutant.to)) }))
		}
		if !caught {
			t.Errorf("no test notices that %q is replaced", mutant.from)
		}
	}
}

func TestDaemonsMergeConcurrently(t *testing.T) {
	options, _ := spread(t)
	const daemons, each = 4, 25
	var wg sync.WaitGroup
	for d := range daemons {
		db := storetest.DB(t, options)
		wg.Go(func() {
			for i := range each {
				guid := fmt.Sprintf("%d-%d", d, i)
				if err := appendSignal(t.Context(), db, harbour, guid); err != nil {
					t.Error(err)
				}
				db.Signalled(t.Context(), db.Source(harbour))
				if err := appendSignal(t.Context(), db, harbour, guid+" left"); err != nil {
					t.Error(err)
				}
				if i%5 == d {
					if err := db.MergeNow(t.Context()); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	wg.Wait()
	db := storetest.DB(t, options)
	db.MergeOutboxes(t.Context())
	all := guids(t, db)[harbour]
	if len(all) != 2*daemons*each {
		t.Errorf("%d signals, want %d", len(all), 2*daemons*each)
	}
	slices.Sort(all)
	if len(slices.Compact(all)) != 2*daemons*each {
		t.Error("a signal was merged twice")
	}
}

// The daemon that wrote the signal was killed before it merged it.
func TestOutboxOfTheDeskIsMergedOnce(t *testing.T) {
	options, _ := spread(t)
	for range 2 {
		db := storetest.DB(t, options)
		must(t, appendTo(t.Context(), db, db.Desk(), harbour, "g1"))
		must(t, db.MergeNow(t.Context()))
	}
	db := storetest.DB(t, options)
	must(t, db.MergeNow(t.Context()))
	if got := guids(t, db)[harbour]; !slices.Equal(got, []string{"g1", "g1"}) {
		t.Errorf("merged %v", got)
	}
}

// If the hub's node fails and loses the last signals with the cursors, they are merged again. A merged record stays in its outbox
// for a minute.
func TestLostSignalsAreMergedAgain(t *testing.T) {
	options, raw := spread(t)
	db := storetest.DB(t, options)
	signal := func(guid string) {
		t.Helper()
		must(t, appendSignal(t.Context(), db, harbour, guid))
		db.Signalled(t.Context(), db.Source(harbour))
	}
	merged := func() []string {
		t.Helper()
		must(t, db.MergeNow(t.Context()))
		return guids(t, db)[harbour]
	}
	signal("g1")
	lose := snapshotHub(raw)
	signal("g2")
	signal("g3")
	if got := merged(); !slices.Equal(got, []string{"g1", "g2", "g3"}) {
		t.Fatalf("merged %v", got)
	}
	lose()
	if got := merged(); !slices.Equal(got, []string{"g1", "g2", "g3"}) {
		t.Errorf("after the loss merged %v", got)
	}

	left := func() int {
		t.Helper()
		taken, err := storetest.DB(t, options).TakeOutbox(t.Context(), db.Source(harbour)) // a new daemon knows no cursor
		must(t, err)
		return taken.Len()
	}
	db.AgeMerged(59 * time.Second)
	if merged(); left() != 3 {
		t.Errorf("%d signals are left in the outbox before the minute is over, want 3", left())
	}
	db.AgeMerged(time.Second)
	if merged(); left() != 1 {
		t.Errorf("%d signals are left in the outbox, want the last one", left())
	}
	signal("g4")
	if got := merged(); !slices.Equal(got, []string{"g1", "g2", "g3", "g4"}) {
		t.Errorf("finally merged %v", got)
	}
}

// snapshotHub remembers the signals at the hub, as a replica that hears no more does, and returns how to go back to them.
func snapshotHub(raw *storetest.Redigo) func() {
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
