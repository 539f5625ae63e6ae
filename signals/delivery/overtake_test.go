package delivery_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/signals/delivery"
	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// Sources of these tests, and a topic with the news of all of them.
const (
	loud       = "https://loud.example/feed"
	quiet      = "https://quiet.example/feed"
	everything = "https://everything.example/feed"
)

// flood is an outbox with many documents of a loud source, and some of a quiet one between and behind them.
type flood struct {
	*harness
	raw    *storetest.Redigo
	saved  map[string][]string // titles by topic, in the order of the outbox
	before map[string]int64    // version of each topic before the first document
}

// outbox is the content of every flood. It is made once for all tests, because that takes as long as a test.
var outbox struct {
	once     sync.Once
	snapshot []byte
	saved    map[string][]string
}

func newFlood(t *testing.T) *flood {
	t.Helper()
	outbox.once.Do(func() {
		f := floodOn(t, storetest.Redis(t), make(map[string][]string))
		f.fill()
		outbox.snapshot, outbox.saved = f.raw.Snapshot(), f.saved
	})
	if outbox.snapshot == nil {
		t.Fatal("the outbox could not be filled, see above")
	}
	saved := make(map[string][]string)
	for topic, titles := range outbox.saved {
		saved[topic] = slices.Clone(titles)
	}
	f := floodOn(t, storetest.RedisOf(t, outbox.snapshot), saved)
	r := newReader(t, nil)
	for _, topic := range []string{loud, quiet, everything} {
		sub := feed.Subscription{Topic: topic, Callback: r.callback("/"), Kind: feed.KindWebSub}
		if err := f.Hub.Subscribe(t.Context(), &sub); err != nil {
			t.Fatal(err)
		}
		f.before[topic] = f.topic(topic).Version
	}
	return f
}

// floodOn returns a flood whose documents a server has.
func floodOn(t *testing.T, dial store.DialFunc, saved map[string][]string) *flood {
	t.Helper()
	return &flood{newHarness(t, dial), storetest.Commands(t, dial), saved, make(map[string]int64)}
}

func (f *flood) fill() {
	f.tb.Helper()
	for n := range 700 {
		f.save(loud, fmt.Sprintf("loud%d", n))
		if n%50 == 0 {
			f.save(quiet, fmt.Sprintf("quiet%d", n))
			f.save("https://unheard.example/feed", fmt.Sprintf("unheard%d", n))
		}
	}
	f.save(quiet, "last1", "last2")
}

func (f *flood) save(url string, titles ...string) {
	f.tb.Helper()
	f.document(url, titles...)
	for _, topic := range []string{url, everything} {
		f.saved[topic] = append(f.saved[topic], titles...)
	}
}

func (f *flood) topic(url string) feed.Topic {
	f.tb.Helper()
	topic, err := f.Topics.Topic(context.Background(), feed.TopicID(url))
	if err != nil {
		f.tb.Fatal(err)
	}
	return topic
}

// outlets distribute titles to the topic of the source and to that of everything.
func (f *flood) outlets() []delivery.Outlet {
	own, shared := titlesOutlet(), titlesOutlet()
	shared.Shared, shared.Topics = true, func(string) []string { return []string{everything} }
	return []delivery.Outlet{own, shared}
}

// versions returns the versions of a topic.
func (f *flood) versions(url string) (all []feed.Distribution) {
	f.tb.Helper()
	for v := f.before[url] + 1; v <= f.topic(url).Version; v++ {
		d, err := f.Hub.Version(context.Background(), url, v)
		if err != nil {
			f.tb.Fatal(err)
		}
		all = append(all, d)
	}
	return all
}

// titles returns the titles that were distributed to a topic.
func (f *flood) titles(url string) (all []string) {
	for _, d := range f.versions(url) {
		all = append(all, strings.Fields(string(d.Body))...)
	}
	return all
}

// await waits until everything is distributed.
func (f *flood) await() {
	f.tb.Helper()
	last := f.lastSignal()
	eventually(f.tb, "everything is distributed", func() bool {
		p, err := f.Hub.HubProgress(context.Background())
		return err == nil && p.Cursor == last && len(p.Ahead) == 0
	})
}

func (f *flood) lastSignal() string {
	f.tb.Helper()
	id, err := f.Signals.LastSignal(context.Background())
	if err != nil {
		f.tb.Fatal(err)
	}
	return id
}

// checkOnceInOrder fails the test unless each topic got everything once and in order.
func (f *flood) checkOnceInOrder() {
	f.tb.Helper()
	for _, topic := range []string{loud, quiet, everything} {
		if diff := cmp.Diff(f.saved[topic], f.titles(topic)); diff != "" {
			f.tb.Errorf("%s (-saved +distributed):\n%s", topic, diff)
		}
	}
}

func TestManyDocumentsOfOneSourceDoNotDelayAnother(t *testing.T) {
	f := newFlood(t)
	f.runWith(f.outlets(), delivery.Options{})
	f.await()
	f.checkOnceInOrder()
	last := f.versions(quiet)
	end := last[len(last)-1].Time
	earlier := slices.DeleteFunc(f.versions(loud), func(d feed.Distribution) bool { return d.Time.After(end) })
	if len(earlier) > 200 {
		t.Errorf("%d of 700 documents of the loud source are distributed before the last one of the quiet source", len(earlier))
	}
}

// counting counts the signals that are read.
type counting struct {
	engineStore
	read atomic.Int64
}

func (s *counting) BareSignals(ctx context.Context, after string, limit int, wait time.Duration) ([]feed.Signal, error) {
	all, err := s.engineStore.BareSignals(ctx, after, limit, wait)
	s.read.Add(int64(len(all)))
	return all, err
}

func TestBacklogWithoutSubscribersIsReadOnce(t *testing.T) {
	f := floodOn(t, storetest.Redis(t), make(map[string][]string))
	for n := range 700 {
		f.save(loud, fmt.Sprintf("loud%d", n))
	}
	s := &counting{engineStore: f.Nouns()}
	f.runOn(s, f.outlets(), delivery.Options{})
	f.await()
	if n := s.read.Load(); n < 700 || n > 800 { // some reads end within a document, which is read again
		t.Errorf("%d signals were read of 700", n)
	}
}

func TestSeveralEnginesDistributeABacklogOnceAndInOrder(t *testing.T) {
	f := newFlood(t)
	for range 3 {
		f.runWith(f.outlets(), delivery.Options{})
	}
	f.await()
	f.checkOnceInOrder()
}

func TestKillsDuringABacklogLoseAndReorderNothing(t *testing.T) {
	f := newFlood(t)
	for n := range 12 {
		point := []string{"before Distribute", "after Distribute"}[n%2]
		m := newCrashing(f.Store, point, 5+5*n)
		end := f.runCrashing(m, f.outlets()...)
		<-m.died
		end()
	}
	f.runWith(f.outlets(), delivery.Options{})
	f.await()
	f.checkOnceInOrder()
}

// forgetful is a store that once loses the progress of all sources ahead of the cursor, as a failover may.
type forgetful struct {
	engineStore
	steps int
	lose  func()
}

func (s *forgetful) Distribute(ctx context.Context, step feed.HubStep, all []feed.Distribution) error {
	if s.steps++; s.steps == 100 {
		s.lose()
	}
	return s.engineStore.Distribute(ctx, step, all)
}

func TestLostProgressIsRepeated(t *testing.T) {
	f := newFlood(t)
	before := slices.Clone(f.saved[quiet])
	ready := make(chan struct{})
	f.runOn(&forgetful{engineStore: f.Nouns(), lose: func() {
		f.raw.Do("DEL", "hub:ahead")
		f.save(quiet, "new")
		close(ready)
	}}, f.outlets(), delivery.Options{})
	<-ready
	f.await()
	got, after := f.titles(quiet), f.saved[quiet]
	repeated := len(got) - len(after)
	if repeated <= 0 {
		t.Fatalf("nothing was repeated: %v", got)
	}
	if diff := cmp.Diff(append(before, after[len(before)-repeated:]...), got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
