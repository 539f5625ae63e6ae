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

// clock is a time that a test sets. It runs, too, since deliveries are made in real time.
type clock struct{ ahead atomic.Int64 }

func (c *clock) Now() time.Time          { return time.Now().Add(time.Duration(c.ahead.Load())) }
func (c *clock) Advance(d time.Duration) { c.ahead.Add(int64(d)) }

// desk is a store with a clock in which tests do what front and verification do.
type desk struct {
	*store.Store
	clock
	tb     testing.TB
	cursor int
	wake   func() // the engine
}

// engineStore is what the daemon gives to an engine and to a front.
type engineStore struct {
	*store.HubStore
	*store.SignalStore
}

func engineStoreOf(s *store.Store) engineStore { return engineStore{s.Hub, s.Signals} }

// newDesk opens a store on a server.
func newDesk(tb testing.TB, dial store.DialFunc) *desk {
	tb.Helper()
	d := &desk{tb: tb}
	d.Store = storetest.New(tb, store.Options{Dial: dial, Now: d.Now, Timeout: 20 * time.Second})
	return d
}

// each runs a test on each engine.
func each(t *testing.T, test func(t *testing.T, d *desk)) {
	t.Helper()
	storetest.Engines(t, func(t *testing.T, dial store.DialFunc) { test(t, newDesk(t, dial)) })
}

// subscribe makes a subscription to the harbour.
func (d *desk) subscribe(callback, secret string) string {
	d.tb.Helper()
	sub := feed.Subscription{Topic: harbour, Callback: callback, Kind: feed.KindWebSub, Secret: secret, Lease: 100 * time.Hour}
	if err := d.Hub.Subscribe(context.Background(), &sub); err != nil {
		d.tb.Fatal(err)
	}
	return sub.ID
}

// news distributes a version of the harbour.
func (d *desk) news(body string, whole bool) {
	d.tb.Helper()
	from := ""
	if d.cursor > 0 {
		from = strconv.Itoa(d.cursor) + "-0"
	}
	d.cursor++
	err := d.Hub.Distribute(context.Background(), from, strconv.Itoa(d.cursor)+"-0", []feed.Distribution{{
		Topic: harbour, ContentType: "application/atom+xml", Body: []byte(body), Whole: whole,
	}})
	if err != nil {
		d.tb.Fatal(err)
	}
	if d.wake != nil {
		d.wake()
	}
}

// run runs an engine until the returned function stops it, at the latest when the test ends.
func (d *desk) run(opts delivery.Options) (e *delivery.Engine, stop func()) {
	d.tb.Helper()
	return d.runOn(engineStoreOf(d.Store), nil, opts)
}

// runWith runs an engine that makes distributions of the outbox.
func (d *desk) runWith(outlets []delivery.Outlet, opts delivery.Options) (e *delivery.Engine, stop func()) {
	d.tb.Helper()
	return d.runOn(engineStoreOf(d.Store), outlets, opts)
}

// runOn runs an engine on another view of the store.
func (d *desk) runOn(s delivery.Store, outlets []delivery.Outlet, opts delivery.Options) (e *delivery.Engine, stop func()) {
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

// taken is a delivery that a reader has got.
type taken struct {
	path, id, body, problem string
	at                      time.Time
	header                  http.Header
}

// reader is a server of subscribers, each at its own path. It checks each delivery's signature against "secret" and
// the path, and writes a ledger.
type reader struct {
	*httptest.Server
	answer func(w http.ResponseWriter, r *http.Request) // nil: 204

	mu     sync.Mutex
	ledger []taken
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
	t := taken{path: req.URL.Path, id: req.Header.Get("X-Feedwire-Delivery"), body: string(body), header: req.Header, at: time.Now()}
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
		r.ledger = append(r.ledger, t)
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

// callback is the URL of a subscriber.
func (r *reader) callback(path string) string { return r.URL + path }

// got are the deliveries that were taken so far.
func (r *reader) got() []taken {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]taken(nil), r.ledger...)
}

// subscribers are all who have got something, with how many different deliveries.
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

// bodies are what one subscriber has got, in order, repetitions of one delivery left out.
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

// eventually waits until something holds.
func eventually(tb testing.TB, what string, holds func() bool) {
	tb.Helper()
	for start := time.Now(); !holds(); time.Sleep(2 * time.Millisecond) {
		if time.Since(start) > time.Minute {
			tb.Fatalf("not in a minute: %s", what)
		}
	}
}

func numbered(n int) string { return fmt.Sprintf("/cb/%d", n) }
