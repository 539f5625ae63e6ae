package hub_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/feedwire/feedwire/signals/hub"
	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// callbacks is a transport that responds to verifications as a test defines, and counts them by host.
type callbacks struct {
	mu     sync.Mutex
	gets   map[string]int
	most   map[string]int // under way at a time
	now    map[string]int
	answer func(req *http.Request) (*http.Response, error)
}

func (c *callbacks) RoundTrip(req *http.Request) (*http.Response, error) {
	host := req.URL.Host
	c.mu.Lock()
	c.gets[host]++
	c.now[host]++
	c.most[host] = max(c.most[host], c.now[host])
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		c.now[host]--
		c.mu.Unlock()
	}()
	return c.answer(req)
}

func (c *callbacks) count(host string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.gets[host]
}

// respond returns a response with the challenge as its body if the status is 2xx.
func respond(req *http.Request, status int) (*http.Response, error) {
	rec := httptest.NewRecorder()
	rec.WriteHeader(status)
	if status/100 == 2 {
		_, _ = rec.WriteString(req.URL.Query().Get("hub.challenge"))
	}
	return rec.Result(), nil
}

// frozenClock changes only if a test advances it.
type frozenClock struct{ at atomic.Int64 }

func (s *frozenClock) Now() time.Time          { return time.Unix(1795206000, s.at.Load()) }
func (s *frozenClock) advance(d time.Duration) { s.at.Add(int64(d)) }

// frontHarness is a Front with default limits, a frozen clock and callbacks that confirm.
type frontHarness struct {
	tb     testing.TB
	clock  frozenClock
	store  store.Nouns
	topics *topicList
	web    *callbacks
	front  *hub.Front
	reg    *prometheus.Registry
}

func newFrontHarness(tb testing.TB, change func(*hub.FrontOptions)) *frontHarness {
	tb.Helper()
	g := &frontHarness{tb: tb, reg: prometheus.NewRegistry(), web: &callbacks{
		gets: make(map[string]int), most: make(map[string]int), now: make(map[string]int),
		answer: func(req *http.Request) (*http.Response, error) { return respond(req, http.StatusOK) },
	}}
	g.store = storetest.New(tb, store.Options{Dial: storetest.Redis(tb), Now: g.clock.Now}).Nouns()
	g.topics = &topicList{store: g.store, all: map[string]document{harbour: {"text/plain", "a"}}, wake: func() {}}
	opts := hub.FrontOptions{Limits: hub.DefaultLimits(), Registerer: g.reg, Now: g.clock.Now}
	if change != nil {
		change(&opts)
	}
	g.front = hub.NewFront(g.store, g.topics, g.web, opts)
	return g
}

// post sends a form from an address.
func (g *frontHarness) post(from string, form url.Values) *httptest.ResponseRecorder {
	g.tb.Helper()
	req := httptest.NewRequest(http.MethodPost, "/hub", strings.NewReader(form.Encode()))
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.RemoteAddr = from
	rec := httptest.NewRecorder()
	g.front.ServeHTTP(rec, req)
	if wait, err := strconv.Atoi(rec.Header().Get("Retry-After")); (rec.Code == 429 || rec.Code == 503) != (err == nil && wait > 0) {
		g.tb.Errorf("%d comes with Retry-After %q", rec.Code, rec.Header().Get("Retry-After"))
	}
	return rec
}

func (g *frontHarness) subscribe(from, callback string, more ...string) int {
	g.tb.Helper()
	form := url.Values{"hub.mode": {"subscribe"}, "hub.topic": {harbour}, "hub.callback": {callback}}
	for i := 0; i < len(more); i += 2 {
		form.Set(more[i], more[i+1])
	}
	return g.post(from, form).Code
}

// poll makes everything that is due.
func (g *frontHarness) poll() {
	g.tb.Helper()
	for idle := 0; idle < 2; idle++ {
		rest, err := g.front.Poll(g.tb.Context())
		if err != nil {
			g.tb.Fatal(err)
		}
		if rest <= 20*time.Millisecond {
			idle = 0
		}
	}
}

func client(n int) string { return fmt.Sprintf("198.51.%d.%d:1234", 100+n/250, n%250) }

func TestVerificationsOfOneHostAreLimited(t *testing.T) {
	t.Parallel()
	const queued = 200 // fewer than by default, which fills faster
	for name, status := range map[string]int{"that confirms": 200, "that refuses": 404, "that fails": 500} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newFrontHarness(t, func(o *hub.FrontOptions) { o.Limits.QueuedPerHost = queued })
			g.web.answer = func(req *http.Request) (*http.Response, error) {
				if req.URL.Host == "victim.example" {
					return respond(req, status)
				}
				return respond(req, http.StatusOK)
			}
			codes := make(map[int]int)
			for n := range 2 * queued {
				codes[g.subscribe(client(n), fmt.Sprintf("http://victim.example/cb/%d", n))]++
			}
			if codes[202] != queued || codes[429] != queued {
				t.Errorf("got %v, want %d of each", codes, queued)
			}
			g.poll()
			if n := g.web.count("victim.example"); n > 20 {
				t.Errorf("%d verifications at once", n)
			}
			if code := g.subscribe(client(1), "http://reader.example/cb"); code != 202 {
				t.Errorf("another host got %d", code)
			}
			g.poll()
			if g.web.count("reader.example") != 1 {
				t.Error("another host waits for the flood")
			}
			const step = 5 * time.Second
			for spent := step; spent <= 2*time.Minute; spent += step {
				g.clock.advance(step)
				g.poll()
				if n, most := g.web.count("victim.example"), 20+int(spent/(200*time.Millisecond)); n > most {
					t.Fatalf("%d verifications in %v, want %d at most", n, spent, most)
				}
			}
			if n := g.web.count("victim.example"); status < 500 && n != queued {
				t.Errorf("%d verifications for %d requests", n, queued)
			}
			if most := g.web.most["victim.example"]; most > 4 {
				t.Errorf("%d concurrent verifications", most)
			}
		})
	}
}

func TestVerificationsOfOneCallbackAreLimited(t *testing.T) {
	g := newFrontHarness(t, nil)
	g.web.answer = func(req *http.Request) (*http.Response, error) { return respond(req, http.StatusNotFound) }
	codes := make(map[int]int)
	for n := range 100 {
		codes[g.subscribe(client(n), "http://victim.example/cb", "hub.secret", strconv.Itoa(n))]++
	}
	if codes[202] != 3 || codes[429] != 97 {
		t.Errorf("answered %v, want 3 accepted", codes)
	}
	g.poll()
	for spent := time.Duration(0); spent <= 10*time.Minute; spent += 10 * time.Second {
		for n := range 10 {
			g.subscribe(client(n), "http://victim.example/cb", "hub.secret", fmt.Sprint(spent, n))
		}
		g.poll()
		if n, most := g.web.count("victim.example"), 3+int(spent/(10*time.Second)); n > most {
			t.Fatalf("%d verifications in %v, want %d at most", n, spent, most)
		}
		g.clock.advance(10 * time.Second)
	}
	if n := g.web.count("victim.example"); n > 8 {
		t.Errorf("%d GETs although all were refused", n)
	}
}

func TestRequestsOfOneClientAreLimited(t *testing.T) {
	g := newFrontHarness(t, nil)
	codes := make(map[int]int)
	for n := range 100 {
		codes[g.subscribe("198.51.100.1:99", fmt.Sprintf("http://reader%d.example/", n))]++
	}
	if codes[202] != 20 || codes[429] != 80 {
		t.Errorf("answered %v, want 20 accepted", codes)
	}
	if code := g.subscribe("198.51.100.2:99", "http://another.example/"); code != 202 {
		t.Errorf("another one got %d", code)
	}
	g.clock.advance(time.Second)
	clear(codes)
	for n := range 100 {
		codes[g.subscribe("198.51.100.1:99", fmt.Sprintf("http://reader%d.example/", 100+n))]++
	}
	if codes[202] != 10 {
		t.Errorf("a second later got %v, want 10 accepted", codes)
	}
}

func TestClientIsTheAddressOrNetwork(t *testing.T) {
	for _, c := range []struct{ remote, forwarded, want string }{
		{"198.51.100.1:80", "", "198.51.100.1"},
		{"198.51.100.1:80", "203.0.113.9", "198.51.100.1"}, // a stranger is not believed
		{"[2001:db8:1:2:3:4:5:6]:80", "", "2001:db8:1:2::"},
		{"[::ffff:198.51.100.1]:80", "", "198.51.100.1"},
		{"127.0.0.1:80", "", ""},
		{"[::1]:80", "", ""},
		{"127.0.0.1:80", "203.0.113.9", "203.0.113.9"},
		{"127.0.0.1:80", "192.0.2.1, 203.0.113.9", "203.0.113.9"},
		{"127.0.0.1:80", "unknown", ""},
		{"10.0.0.2:80", "2001:db8::9", "2001:db8::"},
		{"10.0.0.2:80", "", "10.0.0.2"},
		{"@", "", "@"},
	} {
		req := httptest.NewRequest(http.MethodGet, "/", nil)
		req.RemoteAddr = c.remote
		if c.forwarded != "" {
			req.Header.Set("X-Forwarded-For", c.forwarded)
		}
		if got := hub.ClientOf(req); got != c.want {
			t.Errorf("%s for %q: got %q, want %q", c.remote, c.forwarded, got, c.want)
		}
	}
}

func TestPublishRequestsOfOneClientAreLimited(t *testing.T) {
	g := newFrontHarness(t, nil)
	for n := range 100 {
		g.topics.set(fmt.Sprintf("http://harbour.example/%d", n), "text/plain", "")
	}
	taken, sentAway := 0, 0
	for n := range 100 {
		switch code := g.post("198.51.100.1:9", url.Values{"hub.mode": {"publish"}, "hub.url": {fmt.Sprintf("http://harbour.example/%d", n)}}).Code; code {
		case 204:
			taken++
		case 429:
			sentAway++
		default:
			t.Errorf("got %d", code)
		}
	}
	if taken != 20 || sentAway != 80 || len(g.topics.refreshes()) != taken {
		t.Errorf("%d accepted, %d rejected, %d refreshes", taken, sentAway, len(g.topics.refreshes()))
	}
	many := url.Values{"hub.mode": {"publish"}}
	for n := range 100 {
		many.Add("hub.url", fmt.Sprintf("http://harbour.example/%d", n))
	}
	if code := g.post("198.51.100.2:9", many).Code; code != 204 {
		t.Errorf("a hundred in one got %d", code)
	}
	if code := g.post("198.51.100.2:9", many).Code; code != 429 {
		t.Errorf("a hundred more got %d", code)
	}
}

func TestPublisherRetriesIfTheCheckIsNotStored(t *testing.T) {
	g := newFrontHarness(t, nil)
	publish := url.Values{"hub.mode": {"publish"}, "hub.url": {harbour}}
	g.topics.err = errors.New("away")
	if code := g.post(client(1), publish).Code; code != 503 {
		t.Errorf("got %d, want 503", code)
	}
	g.topics.err = nil
	if code := g.post(client(1), publish).Code; code != 204 {
		t.Errorf("got %d, want 204", code)
	}
}

func TestFullHubAcceptsRenewalsAndUnsubscribes(t *testing.T) {
	for name, limit := range map[string]func(*hub.Limits){
		"in all":       func(l *hub.Limits) { l.Subscriptions = 2 },
		"of the topic": func(l *hub.Limits) { l.SubscriptionsPerTopic = 2 },
		"of the host":  func(l *hub.Limits) { l.SubscriptionsPerHost = 2 },
	} {
		t.Run(name, func(t *testing.T) {
			g := newFrontHarness(t, func(o *hub.FrontOptions) { limit(&o.Limits) })
			for n, want := range []int{202, 202, 0} {
				if want == 0 {
					want = map[string]int{"in all": 503, "of the topic": 429, "of the host": 429}[name]
				}
				if code := g.subscribe(client(n), fmt.Sprintf("http://reader.example/%d", n)); code != want {
					t.Errorf("subscriber %d got %d, want %d", n, code, want)
				}
				g.poll()
			}
			if code := g.subscribe(client(1), "http://reader.example/1"); code != 202 {
				t.Errorf("a renewal got %d", code)
			}
			g.poll()
			if code := g.subscribe(client(1), "http://reader.example/1", "hub.mode", "unsubscribe"); code != 202 {
				t.Errorf("leaving got %d", code)
			}
			g.poll()
			if code := g.subscribe(client(1), "http://reader.example/3"); code != 202 {
				t.Errorf("after a subscriber left: got %d", code)
			}
		})
	}
	t.Run("of requests", func(t *testing.T) {
		g := newFrontHarness(t, func(o *hub.FrontOptions) { o.Limits.Queued = 2 })
		for n, want := range []int{202, 202, 503} {
			if code := g.subscribe(client(n), fmt.Sprintf("http://reader%d.example/", n)); code != want {
				t.Errorf("request %d got %d, want %d", n, code, want)
			}
		}
	})
}

func TestSlowHostDelaysNoVerificationOfOthers(t *testing.T) {
	g := newFrontHarness(t, nil)
	release := make(chan struct{})
	g.web.answer = func(req *http.Request) (*http.Response, error) {
		if req.URL.Host == "slow.example" {
			<-release
		}
		return respond(req, http.StatusOK)
	}
	for n := range 50 {
		g.subscribe("127.0.0.1:99", fmt.Sprintf("http://slow.example/%d", n))
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- g.front.Run(ctx) }()
	eventually(t, "four GETs at the slow host", func() bool { return g.web.count("slow.example") == 4 })
	g.subscribe("127.0.0.1:99", "http://reader.example/")
	eventually(t, "one at another host", func() bool { return g.web.count("reader.example") == 1 })
	close(release)
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if most := g.web.most["slow.example"]; most != 4 {
		t.Errorf("%d concurrent verifications", most)
	}
}

func TestBlockedCallbackIsTriedOnce(t *testing.T) {
	g := newFrontHarness(t, nil)
	g.web.answer = func(*http.Request) (*http.Response, error) {
		return nil, feed.Failf(feed.FailureBlockedAddress, "not public")
	}
	if code := g.subscribe(client(1), "http://10.0.0.1/"); code != 202 {
		t.Errorf("got %d, want 202 as for any callback", code)
	}
	for range 3 {
		g.poll()
		g.clock.advance(time.Hour)
	}
	if n := g.web.count("10.0.0.1"); n != 1 {
		t.Errorf("tried %d times", n)
	}
	if n := counted(t, g.reg, "feedwire_hub_verifications_total", "blocked"); n != 1 {
		t.Errorf("counted %v", n)
	}
}

func TestFailedVerificationsBackOff(t *testing.T) {
	for _, first := range []time.Duration{time.Minute, 10 * time.Second} {
		t.Run(first.String(), func(t *testing.T) { failedVerificationsBackOff(t, first) })
	}
}

func failedVerificationsBackOff(t *testing.T, first time.Duration) {
	g := newFrontHarness(t, func(o *hub.FrontOptions) { o.FirstRetry = first })
	g.web.answer = func(*http.Request) (*http.Response, error) { return nil, errors.New("no route") }
	g.subscribe(client(1), "http://reader.example/")
	for n, wait := range []time.Duration{first, 5 * first, 25 * first} {
		g.poll()
		g.clock.advance(wait - time.Second)
		g.poll()
		if got := g.web.count("reader.example"); got != n+1 {
			t.Fatalf("tried %d times, want %d", got, n+1)
		}
		g.clock.advance(time.Second)
	}
	g.poll()
	g.clock.advance(24 * time.Hour)
	g.poll()
	if got := g.web.count("reader.example"); got != 4 {
		t.Errorf("tried %d times in all, want 4", got)
	}
	if n := counted(t, g.reg, "feedwire_hub_verifications_total", "failed"); n != 4 {
		t.Errorf("counted %v failures", n)
	}
}

func TestRequestsAreCounted(t *testing.T) {
	g := newFrontHarness(t, nil)
	if n := testutil.CollectAndCount(g.reg, "feedwire_hub_requests_total"); n != 45 {
		t.Errorf("%d series at the start, want 9 modes by 5 results", n)
	}
	g.subscribe(client(1), "http://reader.example/")
	g.subscribe(client(1), "ftp://reader.example/")
	g.subscribe(client(1), "http://reader.example/", "hub.topic", "http://unknown.example/")
	g.subscribe(client(1), "http://reader.example/", "hub.mode", "http://unknown.example/")
	for name, want := range map[string]string{
		"accepted": "subscribe", "denied": "subscribe", "invalid": "subscribe",
	} {
		if n := counted(t, g.reg, "feedwire_hub_requests_total", want, name); n != 1 {
			t.Errorf("%v %s", n, name)
		}
	}
	if n := counted(t, g.reg, "feedwire_hub_requests_total", "other", "invalid"); n != 1 {
		t.Errorf("%v of other modes", n)
	}
}

// counted returns the value of a counter. The labels are in the order of their names.
func counted(t *testing.T, reg *prometheus.Registry, name string, labels ...string) float64 {
	t.Helper()
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			match := f.GetName() == name && len(m.GetLabel()) == len(labels)
			for i := 0; match && i < len(labels); i++ {
				match = m.GetLabel()[i].GetValue() == labels[i]
			}
			if match {
				return m.GetCounter().GetValue()
			}
		}
	}
	t.Fatalf("there is no %s%v", name, labels)
	return 0
}

func TestFrontRecoversFromUnavailableStore(t *testing.T) {
	g := newFrontHarness(t, nil)
	away := &awayStore{Nouns: g.store}
	away.away.Store(true)
	front := hub.NewFront(away, g.topics, g.web, hub.FrontOptions{Now: g.clock.Now})
	rec := httptest.NewRecorder()
	req := httptest.NewRequest(http.MethodPost, "/hub", strings.NewReader(url.Values{
		"hub.mode": {"subscribe"}, "hub.topic": {harbour}, "hub.callback": {"http://reader.example/secret"},
	}.Encode()))
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	front.ServeHTTP(rec, req)
	if rec.Code != 503 || rec.Header().Get("Retry-After") == "" || strings.Contains(rec.Body.String(), "secret") {
		t.Errorf("got %d %q", rec.Code, rec.Body)
	}
	if g.subscribe(client(1), "http://reader.example/cb") != 202 {
		t.Error("rejected")
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- front.Run(ctx) }()
	eventually(t, "a claim that fails", func() bool { return away.claims.Load() > 0 })
	away.away.Store(false)
	eventually(t, "the GET", func() bool { return g.web.count("reader.example") == 1 })
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// awayStore can be unavailable.
type awayStore struct {
	store.Nouns
	away   atomic.Bool
	claims atomic.Int32
}

func (s *awayStore) Subscription(ctx context.Context, id string) (feed.Subscription, error) {
	if s.away.Load() {
		return feed.Subscription{}, feed.ErrUnavailable
	}
	return s.Nouns.Subscription(ctx, id)
}

func (s *awayStore) GrantHubRequest(ctx context.Context, r feed.HubRequest, from time.Time) error {
	if s.away.Load() {
		return feed.ErrUnavailable
	}
	return s.Nouns.GrantHubRequest(ctx, r, from)
}

func (s *awayStore) ClaimHubRequests(ctx context.Context, limit int, lease time.Duration) ([]feed.HubRequest, time.Time, error) {
	s.claims.Add(1)
	if s.away.Load() {
		return nil, time.Time{}, feed.ErrUnavailable
	}
	return s.Nouns.ClaimHubRequests(ctx, limit, lease)
}

func TestUnstoredConfirmationIsRepeated(t *testing.T) {
	g := newFrontHarness(t, nil)
	away := &awayStore{Nouns: g.store}
	front := hub.NewFront(away, g.topics, g.web, hub.FrontOptions{Now: g.clock.Now})
	g.web.answer = func(req *http.Request) (*http.Response, error) {
		away.away.Store(g.web.count("reader.example") == 1) // from the first answer on
		return respond(req, http.StatusOK)
	}
	g.subscribe(client(1), "http://reader.example/cb")
	id := feed.SubscriptionID(harbour, "http://reader.example/cb")
	if _, err := front.Poll(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := g.store.Subscription(t.Context(), id); err == nil {
		t.Fatal("written although the store was away")
	}
	away.away.Store(false)
	g.clock.advance(2 * time.Minute) // past the claim
	if _, err := front.Poll(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := g.store.Subscription(t.Context(), id); err != nil || g.web.count("reader.example") != 2 {
		t.Errorf("%v after %d GETs", err, g.web.count("reader.example"))
	}
}

func TestDaemonsShareVerifications(t *testing.T) {
	g := newFrontHarness(t, nil)
	const requests = 100
	for n := range requests {
		g.subscribe("127.0.0.1:99", fmt.Sprintf("http://reader%d.example/cb", n))
	}
	ctx, cancel := context.WithCancel(t.Context())
	var daemons sync.WaitGroup
	for range 3 {
		front := hub.NewFront(g.store, g.topics, g.web, hub.FrontOptions{Now: g.clock.Now})
		daemons.Go(func() { _ = front.Run(ctx) })
	}
	eventually(t, "all are subscribed", func() bool {
		counts, err := g.store.HubCounts(t.Context(), &feed.HubRequest{Topic: harbour, Callback: "http://reader.example/"})
		return err == nil && counts.OfTopic == requests
	})
	cancel()
	daemons.Wait()
	for n := range requests {
		if got := g.web.count(fmt.Sprintf("reader%d.example", n)); got != 1 {
			t.Errorf("reader %d was tried %d times", n, got)
		}
	}
}

func TestPanicEndsOneRequestOnly(t *testing.T) {
	panics := 0
	g := newFrontHarness(t, func(o *hub.FrontOptions) {
		o.OnPanic = func(string) { panics++ }
		o.AddTopic = func(context.Context, string) error { panic("no topic") }
	})
	g.subscribe(client(1), "http://reader.example/", "hub.topic", "http://unknown.example/")
	g.poll()
	g.subscribe(client(1), "http://reader.example/")
	g.poll()
	g.clock.advance(time.Hour)
	g.poll()
	if n := g.web.count("reader.example"); n != 2 || panics != 1 {
		t.Errorf("%d GETs and %d panics, want 2 and 1", n, panics)
	}
}

// openStore is a store in which all topics are open.
type openStore struct {
	store.Nouns
	subscriptions int // of each client to open topics
}

func (s openStore) HubCounts(ctx context.Context, r *feed.HubRequest) (feed.HubCounts, error) {
	counts, err := s.Nouns.HubCounts(ctx, r)
	counts.Open, counts.OfClient = true, s.subscriptions
	return counts, err
}

func TestSubscriptionsOfAClientToOpenTopicsAreLimited(t *testing.T) {
	for subscriptions, want := range map[int]string{999: "subscribe", 1000: "denied"} {
		var last string
		g := newFrontHarness(t, nil)
		g.web.answer = func(req *http.Request) (*http.Response, error) {
			last = req.URL.Query().Get("hub.mode")
			return respond(req, http.StatusOK)
		}
		front := hub.NewFront(openStore{g.store, subscriptions}, g.topics, g.web, hub.FrontOptions{
			Now: g.clock.Now, AddTopic: func(context.Context, string) error { return nil },
		})
		g.subscribe(client(1), "http://reader.example/cb")
		for range 3 {
			if _, err := front.Poll(t.Context()); err != nil {
				t.Fatal(err)
			}
			g.clock.advance(time.Second)
		}
		_, err := g.store.Subscription(t.Context(), feed.SubscriptionID(harbour, "http://reader.example/cb"))
		if last != want || (err == nil) != (want == "subscribe") {
			t.Errorf("%d subscriptions: the last GET is %q, the subscription: %v", subscriptions, last, err)
		}
	}
}

func TestPublishersAddFewUnknownTopics(t *testing.T) {
	added := make(chan string, 100)
	g := newFrontHarness(t, func(o *hub.FrontOptions) {
		o.AddTopic = func(_ context.Context, topic string) error {
			added <- topic
			if topic == "http://unknown.example/0" {
				panic("the first")
			}
			return nil
		}
	})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- g.front.Run(ctx) }()
	accepted := 0
	for n := range 25 {
		g.clock.advance(time.Second)
		form := url.Values{"hub.mode": {"publish"}, "hub.url": {fmt.Sprintf("http://unknown.example/%d", n)}}
		switch code := g.post(client(1), form).Code; code {
		case http.StatusNoContent:
			accepted++
		case http.StatusTooManyRequests:
		default:
			t.Errorf("topic %d got %d", n, code)
		}
	}
	for range accepted {
		<-added
	}
	if accepted != 20 {
		t.Errorf("%d topics are added, want 20", accepted)
	}
	cancel()
	<-ended
}

func TestDefaultLimitsAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/reference/hub.md")
	if err != nil {
		t.Fatal(err)
	}
	l := hub.DefaultLimits()
	number := func(n int) string { // 1,000,000
		s := strconv.Itoa(n)
		for i := len(s) - 3; i > 0; i -= 3 {
			s = s[:i] + "," + s[i:]
		}
		return s
	}
	for _, row := range []string{
		fmt.Sprintf("each topic of a publish request counts | %d a second, %d at once |", time.Second/l.PerClient.Every, l.PerClient.Burst),
		fmt.Sprintf("queued requests for the callbacks of one host | %s |", number(l.QueuedPerHost)),
		fmt.Sprintf("queued requests for one callback and topic | %d |", l.QueuedPerPair),
		fmt.Sprintf("verifications of the callbacks of one host | %d a second, %d at once, %d concurrent |",
			time.Second/l.PerHost.Every, l.PerHost.Burst, l.ConcurrentPerHost),
		fmt.Sprintf("verifications of one callback for one topic | one in %d seconds, %d at once |", l.PerCallback.Every/time.Second, l.PerCallback.Burst),
		fmt.Sprintf("before new requests are rejected | one in %d minutes, %d at once |", l.Refusals.Every/time.Minute, l.Refusals.Burst),
		fmt.Sprintf("verifications of the requests of one client address or network | %d concurrent |", l.ConcurrentPerClient),
		fmt.Sprintf("verifications on new hosts for the clients of one network: IPv4 /24, IPv6 /48 | %d concurrent |", l.ConcurrentPerNetwork),
		fmt.Sprintf("verifications in each lane | %d concurrent |", l.Concurrent),
		fmt.Sprintf("| queued requests | %s |", number(l.Queued)),
		fmt.Sprintf("subscriptions: in total, of one topic, to one host | %s, %s, %s |",
			number(l.Subscriptions), number(l.SubscriptionsPerTopic), number(l.SubscriptionsPerHost)),
	} {
		if !strings.Contains(string(text), row) {
			t.Errorf("docs/reference/hub.md does not say %q", row)
		}
	}
}

// FuzzFront checks that every request gets a documented status.
func FuzzFront(f *testing.F) {
	f.Add("hub.mode=subscribe&hub.topic="+harbour+"&hub.callback=http://reader.example/", "application/x-www-form-urlencoded")
	f.Add("hub.mode=publish&hub.url="+harbour+"&hub.url=%zz", "application/x-www-form-urlencoded; charset=x")
	f.Add("{}", "application/json")
	g := newFrontHarness(f, func(o *hub.FrontOptions) { o.Limits.Queued = 10 })
	f.Fuzz(func(t *testing.T, body, kind string) {
		req := httptest.NewRequest(http.MethodPost, "/hub", strings.NewReader(body))
		req.Header.Set("Content-Type", kind)
		rec := httptest.NewRecorder()
		g.front.ServeHTTP(rec, req)
		switch rec.Code {
		case 202, 204, 207, 400, 403, 404, 413, 415, 429, 503:
		default:
			t.Errorf("got %d", rec.Code)
		}
		if rec.Code/100 != 2 && rec.Body.Len() == 0 {
			t.Error("an error without a reason")
		}
	})
}
