package delivery_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/feedwire/feedwire/signals/delivery"
	"github.com/feedwire/feedwire/signals/websub"
	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// harbour is the topic of these tests.
const harbour = "http://harbour.example/feed.xml"

// clock runs, and a test can advance it.
type clock struct{ ahead atomic.Int64 }

func (c *clock) Now() time.Time          { return time.Now().Add(time.Duration(c.ahead.Load())) }
func (c *clock) Advance(d time.Duration) { c.ahead.Add(int64(d)) }

// harness is a store with a clock, subscriptions and engines.
type harness struct {
	*store.Store
	clock
	tb     testing.TB
	cursor int
	wake   func() // the engine
}

// engineStore is the store of an engine.
type engineStore = store.Nouns

// newHarness opens a store on a server.
func newHarness(tb testing.TB, dial store.DialFunc) *harness {
	tb.Helper()
	d := &harness{tb: tb}
	d.Store = storetest.New(tb, store.Options{Dial: dial, Now: d.Now})
	return d
}

// each runs a test on each engine.
func each(t *testing.T, test func(t *testing.T, d *harness)) {
	t.Helper()
	storetest.Engines(t, func(t *testing.T, dial store.DialFunc) { test(t, newHarness(t, dial)) })
}

// subscribe creates a subscription to the harbour.
func (d *harness) subscribe(callback, secret string) string {
	d.tb.Helper()
	sub := feed.Subscription{Topic: harbour, Callback: callback, Kind: feed.KindWebSub, Secret: secret, Lease: 100 * time.Hour}
	if err := d.Hub.Subscribe(context.Background(), &sub); err != nil {
		d.tb.Fatal(err)
	}
	return sub.ID
}

// news distributes a version of the harbour.
func (d *harness) news(body string, whole bool) {
	d.tb.Helper()
	d.newsOf(harbour, body, whole)
}

// newsOf distributes a version of a topic.
func (d *harness) newsOf(topic, body string, whole bool) {
	d.tb.Helper()
	from := ""
	if d.cursor > 0 {
		from = strconv.Itoa(d.cursor) + "-0"
	}
	d.cursor++
	err := d.Hub.Distribute(context.Background(), feed.HubStep{From: from, To: strconv.Itoa(d.cursor) + "-0"}, []feed.Distribution{{
		Topic: topic, ContentType: "application/atom+xml", Body: []byte(body), Whole: whole,
	}})
	if err != nil {
		d.tb.Fatal(err)
	}
	if d.wake != nil {
		d.wake()
	}
}

// run runs an engine until the returned function stops it, at the latest when the test ends.
func (d *harness) run(opts delivery.Options) (e *delivery.Engine, stop func()) {
	d.tb.Helper()
	return d.runOn(d.Nouns(), nil, opts)
}

// runWith runs an engine with outlets.
func (d *harness) runWith(outlets []delivery.Outlet, opts delivery.Options) (e *delivery.Engine, stop func()) {
	d.tb.Helper()
	return d.runOn(d.Nouns(), outlets, opts)
}

// runOn runs an engine on a store.
func (d *harness) runOn(s delivery.Store, outlets []delivery.Outlet, opts delivery.Options) (e *delivery.Engine, stop func()) {
	d.tb.Helper()
	opts.Now = d.Now
	if testing.Verbose() && opts.Logger == nil {
		opts.Logger = slog.New(slog.NewTextHandler(d.tb.Output(), nil))
	}
	e = delivery.NewEngine(s, outlets, delivery.NewTransport((&net.Dialer{}).DialContext, 8), opts)
	d.wake = e.Wake
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- e.Run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			d.tb.Errorf("Run: %v", err)
		}
	})
	d.tb.Cleanup(stop)
	return e, stop
}

// received is a delivery that a reader accepted.
type received struct {
	path, id, body, problem string
	at                      time.Time
	header                  http.Header
}

// reader is a server with a subscriber at each path. It checks signatures with the secret "secret" and the path.
type reader struct {
	*httptest.Server
	answer func(w http.ResponseWriter, r *http.Request) // nil: 204

	mu       sync.Mutex
	accepted []received
}

func newReader(tb testing.TB, answer func(w http.ResponseWriter, r *http.Request)) *reader {
	tb.Helper()
	r := &reader{answer: answer}
	r.Server = httptest.NewServer(http.HandlerFunc(r.take))
	tb.Cleanup(r.Close)
	return r
}

func (r *reader) take(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return // it was cut off, and is no delivery
	}
	t := received{path: req.URL.Path, id: req.Header.Get("X-Feedwire-Delivery"), body: string(body), header: req.Header, at: time.Now()}
	if err := websub.Verify(req.Header, "secret"+req.URL.Path, body); err != nil {
		t.problem = err.Error()
	}
	status := &recorder{ResponseWriter: w, status: http.StatusNoContent}
	if r.answer != nil {
		r.answer(status, req)
	} else {
		w.WriteHeader(http.StatusNoContent)
	}
	if status.status/100 == 2 {
		r.mu.Lock()
		r.accepted = append(r.accepted, t)
		r.mu.Unlock()
	}
}

type recorder struct {
	http.ResponseWriter
	status int
}

func (r *recorder) WriteHeader(status int) {
	r.status = status
	r.ResponseWriter.WriteHeader(status)
}

// callback returns the URL of a subscriber.
func (r *reader) callback(path string) string { return r.URL + path }

// got returns the accepted deliveries.
func (r *reader) got() []received {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]received(nil), r.accepted...)
}

// subscribers returns the number of different deliveries of each subscriber.
func (r *reader) subscribers() map[string]int {
	seen := make(map[[2]string]bool)
	all := make(map[string]int)
	for _, t := range r.got() {
		if !seen[[2]string{t.path, t.id}] {
			seen[[2]string{t.path, t.id}] = true
			all[t.path]++
		}
	}
	return all
}

// bodies returns the bodies that one subscriber received, in order and without repetitions.
func (r *reader) bodies(path string) (all []string) {
	last := ""
	for _, t := range r.got() {
		if t.path == path && t.id != last {
			last = t.id
			all = append(all, t.body)
		}
	}
	return all
}

// eventually waits until a condition holds.
func eventually(tb testing.TB, what string, holds func() bool) {
	tb.Helper()
	storetest.Await(tb, time.Minute, what, holds)
}

func numbered(n int) string { return fmt.Sprintf("/cb/%d", n) }
