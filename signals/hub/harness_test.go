package hub_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/feedwire/feedwire/signals/delivery"
	"github.com/feedwire/feedwire/signals/hub"
	"github.com/feedwire/feedwire/signals/pace"
	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// harbour is the topic of these tests.
const harbour = "http://harbour.example/feed.xml"

// weather begins the topics with leases of their own.
const weather = "http://weather.example"

// clock runs, and a test can advance it.
type clock struct{ ahead atomic.Int64 }

func (c *clock) Now() time.Time          { return time.Now().Add(time.Duration(c.ahead.Load())) }
func (c *clock) Advance(d time.Duration) { c.ahead.Add(int64(d)) }

// eventually waits until a condition holds.
func eventually(tb testing.TB, what string, holds func() bool) {
	tb.Helper()
	storetest.Await(tb, time.Minute, what, holds)
}

// violation is a requirement of a check that the hub under test does not meet.
type violation string

// harness is a hub under test: a front and an engine on a store, topics, and a subscriber. They communicate through sockets, where
// a fault can change requests.
type harness struct {
	tb        testing.TB
	patience  time.Duration // for what has to happen
	clock     clock
	fault     *fault
	stores    *store.Store // without the fault
	store     *faultyStore
	front     *hub.Front
	options   hub.FrontOptions // of front
	engine    *delivery.Engine // nil: it has not been started
	start     func()           // starts the engine
	served    *httptest.Server
	client    *http.Client
	transport http.RoundTripper // of the hub, with the fault
	topics    *topicList
	reader    *subscriber
	cursor    int // of the outbox, as far as news moved it
}

// newHarness starts a hub with a fault; nil means none.
func newHarness(tb testing.TB, f *fault) *harness {
	tb.Helper()
	if f == nil {
		f = &fault{}
	}
	r := &harness{tb: tb, fault: f, patience: 30 * time.Second}
	if f.name != "" {
		r.patience = 2 * time.Second
	}
	r.stores = storetest.New(tb, store.Options{Dial: storetest.Redis(tb), Now: r.clock.Now})
	r.store = &faultyStore{engineStore: r.stores.Nouns(), f: f, changed: make(chan struct{}, 1)}
	r.reader = newSubscriber(tb)
	r.topics = &topicList{store: r.store.engineStore, all: make(map[string]document), wake: r.wake}
	r.topics.set(harbour, "application/atom+xml; charset=utf-8", "<feed/>")
	var handler http.Handler = http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) { r.front.ServeHTTP(w, req) })
	if f.request != nil {
		handler = f.request(r, handler)
	}
	r.served = httptest.NewServer(handler)
	tb.Cleanup(r.served.Close)
	r.client = &http.Client{Timeout: r.patience}
	base := &http.Transport{MaxIdleConnsPerHost: 64}
	tb.Cleanup(base.CloseIdleConnections)
	r.transport = base
	if f.call != nil {
		r.transport = f.call(base)
	}
	opts := hub.FrontOptions{
		URL: r.served.URL + "/hub", Timeout: r.patience / 2, Now: r.clock.Now, Trusted: func(req *http.Request) bool {
			return req.Header.Get("Authorization") == "Bearer token"
		},
		Publisher: func(req *http.Request) bool { return req.Header.Get("Authorization") == "Bearer publisher" }, ContentBytes: 1000,
		Limits: hub.DefaultLimits(), Badges: true, Test: func(ctx context.Context, s feed.Subscription) (int, string) {
			r.start()
			return r.engine.Test(ctx, s)
		},
		TopicLeases: []feed.TopicLease{
			{Topics: weather + "*", Lease: feed.Lease{Min: time.Minute, Default: 2 * time.Minute, Max: 5 * time.Minute}},
			{Topics: weather + "/today", Lease: feed.Lease{Min: time.Hour, Default: time.Hour, Max: time.Hour}}, // the first counts
		},
	}
	none := pace.Rate{Every: time.Nanosecond, Burst: 1000}
	opts.Limits.PerHost, opts.Limits.PerCallback, opts.Limits.ConcurrentPerHost = none, none, 64
	if f.options != nil {
		f.options(&opts)
	}
	r.options = opts
	r.front = hub.NewFront(r.store, r.topics, r.transport, opts)
	r.start = sync.OnceFunc(func() {
		r.engine = delivery.NewEngine(r.store, nil, r.transport, delivery.Options{HubURL: r.served.URL + "/hub", Now: r.clock.Now, Timeout: r.patience, Attempts: 10})
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan error, 1)
		go func() { ended <- r.engine.Run(ctx) }()
		tb.Cleanup(func() { cancel(); <-ended })
	})
	return r
}

// want ends the check unless the condition holds.
func (r *harness) want(holds bool, format string, args ...any) {
	if !holds {
		panic(violation(fmt.Sprintf(format, args...)))
	}
}

// must ends the check if the harness fails.
func (r *harness) must(err error) { r.want(err == nil, "harness: %v", err) }

// until waits for a condition, and ends the check if it does not hold in time.
func (r *harness) until(holds func() bool, format string, args ...any) {
	for start := time.Now(); !holds(); time.Sleep(storetest.Pause(start)) {
		r.want(time.Since(start) < r.patience, "not in time: "+format, args...)
	}
}

func (r *harness) wake() {
	r.start()
	select {
	case r.store.changed <- struct{}{}:
	default:
	}
}

// post sends a form to the hub unchanged and returns the response.
func (r *harness) post(form string, header ...string) reply {
	req, err := http.NewRequest(http.MethodPost, r.served.URL+"/hub", strings.NewReader(form))
	r.must(err)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return r.do(req, header...)
}

func (r *harness) get(query string, header ...string) reply {
	req, err := http.NewRequest(http.MethodGet, r.served.URL+"/hub"+query, nil)
	r.must(err)
	return r.do(req, header...)
}

// publishContent sends the content of a topic to the hub.
func (r *harness) publishContent(topic, body string, header ...string) reply {
	req, err := http.NewRequest(http.MethodPost, r.served.URL+"/hub?hub.mode=publish&hub.url="+url.QueryEscape(topic), strings.NewReader(body))
	r.must(err)
	return r.do(req, header...)
}

type reply struct {
	status int
	header http.Header
	body   string
}

func (r *harness) do(req *http.Request, header ...string) reply {
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
		if header[i+1] == "" {
			req.Header.Del(header[i])
		}
	}
	resp, err := r.client.Do(req)
	r.want(err == nil, "the hub does not respond: %v", err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	r.must(err)
	return reply{resp.StatusCode, resp.Header, string(body)}
}

// form returns a request with the three parameters, changed by pairs of name and value. An empty value removes the parameter.
func (r *harness) form(mode, callback string, more ...string) string {
	v := url.Values{"hub.mode": {mode}, "hub.topic": {harbour}, "hub.callback": {callback}}
	for i := 0; i < len(more); i += 2 {
		v.Set(more[i], more[i+1])
		if more[i+1] == "" {
			v.Del(more[i])
		}
	}
	return v.Encode()
}

// request sends a request that the hub must accept.
func (r *harness) request(mode, callback string, more ...string) {
	got := r.post(r.form(mode, callback, more...))
	r.want(got.status == http.StatusAccepted, "%s got %d %q, want 202", mode, got.status, got.body)
}

// rejected sends a request that the hub must reject with a status and the name of the parameter in plain text.
func (r *harness) rejected(status int, names, form string) {
	got := r.post(form)
	r.want(got.status == status, "got %d, want %d: %.80s", got.status, status, form)
	r.want(strings.Contains(got.body, names), "the response %q does not name %s", got.body, names)
	r.want(strings.HasPrefix(got.header.Get("Content-Type"), "text/plain"), "the response is %s", got.header.Get("Content-Type"))
	r.verify()
	r.want(len(r.reader.verifications()) == 0, "a rejected request was verified")
}

// verify makes all verifications that are due.
func (r *harness) verify() {
	for idle := 0; idle < 2; idle++ { // what is done in one turn may ask for another
		rest, err := r.front.Poll(context.Background())
		r.must(err)
		if rest < 50*time.Millisecond {
			idle = 0
		}
	}
}

// subscribe creates an active subscription and returns its callback.
func (r *harness) subscribe(path string, more ...string) (callback string) {
	callback = r.reader.URL + path
	before := len(r.reader.verifications())
	r.request("subscribe", callback, more...)
	r.verify()
	r.want(len(r.reader.verifications()) == before+1, "%d GETs for one request", len(r.reader.verifications())-before)
	return callback
}

// active reports whether a callback is subscribed to the harbour.
func (r *harness) active(callback string) bool { return r.subscribed(harbour, callback) }

func (r *harness) subscribed(topic, callback string) bool {
	_, err := r.store.Subscription(context.Background(), feed.SubscriptionID(topic, callback))
	if err != nil && !errors.Is(err, feed.ErrNotFound) {
		r.must(err)
	}
	return err == nil
}

// health returns the health of a subscription.
func (r *harness) health(callback string) feed.Health {
	sub, err := r.store.Subscription(context.Background(), feed.SubscriptionID(harbour, callback))
	r.want(err == nil, "the subscription has ended: %v", err)
	return sub.Health
}

// publish changes a topic and sends a publish request.
func (r *harness) publish(topic, body string) {
	r.topics.change(topic, body)
	got := r.post(url.Values{"hub.mode": {"publish"}, "hub.url": {topic}}.Encode())
	r.want(got.status == http.StatusNoContent, "publish got %d %q, want 204", got.status, got.body)
}

// news distributes versions of the harbour. None of them replaces earlier ones.
func (r *harness) news(bodies ...string) {
	for _, body := range bodies {
		from := ""
		if r.cursor > 0 {
			from = fmt.Sprintf("%d-0", r.cursor)
		}
		r.cursor++
		r.must(r.store.Distribute(context.Background(), feed.HubStep{From: from, To: fmt.Sprintf("%d-0", r.cursor)}, []feed.Distribution{{
			Topic: harbour, ContentType: "application/atom+xml", Body: []byte(body),
		}}))
	}
	r.wake()
}

// awaitDeliveries waits for exactly count deliveries to a path.
func (r *harness) awaitDeliveries(path string, count int) []delivered {
	r.until(func() bool { return len(r.reader.deliveries(path)) >= count }, "delivery %d to %s", count, path)
	r.awaitIdle()
	all := r.reader.deliveries(path)
	r.want(len(all) == count, "%d deliveries to %s, want %d", len(all), path, count)
	return all
}

// awaitIdle waits until no delivery is due or in progress.
func (r *harness) awaitIdle() {
	r.until(func() bool {
		state, err := r.store.HubState(context.Background())
		r.must(err)
		all, err := r.store.Subscriptions(context.Background(), "", "", 1000)
		r.must(err)
		for _, s := range all {
			if s.Waiting && s.Health.Failures == 0 {
				return false
			}
		}
		return state.Ready+state.Planning == 0
	}, "the end of all deliveries")
}

// document is the document of a topic.
type document struct{ contentType, body string }

// topicList are the topics of the hub under test. A refresh distributes the document.
type topicList struct {
	store store.Nouns
	wake  func()

	mu        sync.Mutex
	all       map[string]document
	published []string
	err       error // of RefreshTopic
}

func (t *topicList) set(topic, contentType, body string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.all[topic] = document{contentType, body}
}

func (t *topicList) change(topic, body string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	d := t.all[topic]
	d.body = body
	t.all[topic] = d
}

func (t *topicList) remove(topic string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.all, topic)
}

func (t *topicList) get(topic string) (document, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	d, ok := t.all[topic]
	return d, ok
}

func (t *topicList) ResolveTopic(_ context.Context, written string) (string, error) {
	topic, err := feed.CanonicalURL(written)
	if err != nil {
		return "", feed.ErrNotFound
	}
	if _, ok := t.get(topic); !ok {
		return "", feed.ErrNotFound
	}
	return topic, nil
}

func (t *topicList) UpdateAliases(context.Context, []feed.Topic) error { return nil }

func (t *topicList) RefreshTopic(ctx context.Context, topic string) error {
	t.mu.Lock()
	t.published = append(t.published, topic)
	d, err := t.all[topic], t.err
	t.mu.Unlock()
	if err != nil {
		return err
	}
	_, err = t.store.DistributeServed(ctx, feed.Distribution{Topic: topic, ContentType: d.contentType, Body: []byte(d.body), Whole: true})
	t.wake()
	return err
}

func (t *topicList) PublishContent(ctx context.Context, topic, contentType string, body []byte) error {
	t.set(topic, contentType, string(body))
	return t.RefreshTopic(ctx, topic)
}

func (t *topicList) refreshes() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]string(nil), t.published...)
}

func (t *topicList) Document(_ context.Context, topic string, part feed.EntryRange) (feed.Distribution, error) {
	d, ok := t.get(topic)
	switch {
	case part.Before == "unknown":
		return feed.Distribution{}, feed.ErrConflict
	case !ok || d.body == "":
		return feed.Distribution{}, feed.ErrNotFound
	case part != feed.EntryRange{}:
		d.body += fmt.Sprintf(" %d before %q after %q", part.Count, part.Before, part.After)
	}
	return feed.Distribution{Topic: topic, ContentType: d.contentType, Body: []byte(d.body)}, nil
}

// subscriber is a server with a callback at each path. By default it confirms all verifications and accepts all deliveries.
type subscriber struct {
	*httptest.Server

	mu      sync.Mutex
	gets    []verification
	posts   []delivered
	confirm func(w http.ResponseWriter, req *http.Request, challenge string) // nil: 200 and the challenge
	take    func(w http.ResponseWriter, req *http.Request)                   // nil: 204
}

// verification is a GET request to a callback.
type verification struct {
	path, query string // as they came
	header      http.Header
	values      url.Values
}

// last returns the last value of a parameter: the one that the hub added.
func (v *verification) last(name string) string {
	all := v.values[name]
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1]
}

// delivered is a POST request to a callback.
type delivered struct {
	path, query, body string
	header            http.Header
	host              string
}

func newSubscriber(tb testing.TB) *subscriber {
	s := &subscriber{}
	s.Server = httptest.NewServer(s)
	tb.Cleanup(s.Close)
	return s
}

func (s *subscriber) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return
	}
	s.mu.Lock()
	confirm, take := s.confirm, s.take
	path := req.URL.EscapedPath()
	if req.Method == http.MethodGet {
		s.gets = append(s.gets, verification{path, req.URL.RawQuery, req.Header, req.URL.Query()})
	} else {
		s.posts = append(s.posts, delivered{path, req.URL.RawQuery, string(body), req.Header, req.Host})
	}
	s.mu.Unlock()
	all := req.URL.Query()["hub.challenge"]
	switch {
	case req.Method != http.MethodGet && take != nil:
		take(w, req)
	case req.Method != http.MethodGet:
		w.WriteHeader(http.StatusNoContent)
	case len(all) == 0: // denied
	case confirm != nil:
		confirm(w, req, all[len(all)-1])
	default:
		_, _ = io.WriteString(w, all[len(all)-1])
	}
}

func (s *subscriber) confirmWith(how func(w http.ResponseWriter, req *http.Request, challenge string)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.confirm = how
}

// confirmWithStatus responds to each verification with a status and the challenge.
func (s *subscriber) confirmWithStatus(status int) {
	s.confirmWith(func(w http.ResponseWriter, _ *http.Request, challenge string) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, challenge)
	})
}

func (s *subscriber) respondWith(how func(w http.ResponseWriter, req *http.Request)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.take = how
}

func (s *subscriber) verifications() []verification {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]verification(nil), s.gets...)
}

// deliveries returns the deliveries to a path.
func (s *subscriber) deliveries(path string) (all []delivered) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range s.posts {
		if d.path == path {
			all = append(all, d)
		}
	}
	return all
}
