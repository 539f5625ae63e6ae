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

// eventually waits until a condition holds.
func eventually(tb testing.TB, what string, holds func() bool) {
	tb.Helper()
	for start := time.Now(); !holds(); time.Sleep(2 * time.Millisecond) {
		if time.Since(start) > time.Minute {
			tb.Fatalf("not in a minute: %s", what)
		}
	}
}

// breach is a demand of a check that the hub under test does not meet.
type breach string

// rig is a hub under test: front, verification and engine on a store of its own, its topics, and a subscriber, all of
// which speak through sockets. Faults may stand between its parts.
type rig struct {
	tb       testing.TB
	patience time.Duration // for what has to happen
	clock    clock
	store    *faultyStore
	front    *hub.Front
	engine   *delivery.Engine // nil: nobody started it yet
	start    func()           // starts the engine
	served   *httptest.Server
	client   *http.Client
	topics   *topics
	reader   *subscriber
	cursor   int // of the outbox, as far as news moved it
}

// newRig builds a hub with a fault; nil: none.
func newRig(tb testing.TB, f *fault) *rig {
	tb.Helper()
	if f == nil {
		f = &fault{}
	}
	r := &rig{tb: tb, patience: 30 * time.Second}
	if f.name != "" {
		r.patience = 2 * time.Second
	}
	s := storetest.New(tb, store.Options{Dial: storetest.Memory(tb), Now: r.clock.Now, Timeout: 20 * time.Second})
	r.store = &faultyStore{engineStore: engineStore{s.Hub, s.Signals}, f: f, changed: make(chan struct{}, 1)}
	r.reader = newSubscriber(tb)
	r.topics = &topics{store: r.store.HubStore, all: make(map[string]document), wake: r.wake}
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
	var transport http.RoundTripper = base
	if f.call != nil {
		transport = f.call(base)
	}
	opts := hub.FrontOptions{
		URL: r.served.URL + "/hub", Timeout: r.patience / 2, Now: r.clock.Now, Trusted: func(req *http.Request) bool {
			return req.Header.Get("Authorization") == "Bearer token"
		},
		Replay: r.store.ReplaySubscription,
		Limits: hub.DefaultLimits(),
	}
	none := hub.Rate{Every: time.Nanosecond, Burst: 1000}
	opts.Limits.PerHost, opts.Limits.PerCallback, opts.Limits.ConcurrentPerHost = none, none, 64
	if f.options != nil {
		f.options(&opts)
	}
	r.front = hub.NewFront(r.store, r.topics, transport, opts)
	r.start = sync.OnceFunc(func() {
		r.engine = delivery.NewEngine(r.store, nil, transport, delivery.Options{HubURL: r.served.URL + "/hub", Now: r.clock.Now, Timeout: r.patience})
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan error, 1)
		go func() { ended <- r.engine.Run(ctx) }()
		tb.Cleanup(func() { cancel(); <-ended })
	})
	return r
}

// want ends the check unless something holds.
func (r *rig) want(holds bool, format string, args ...any) {
	if !holds {
		panic(breach(fmt.Sprintf(format, args...)))
	}
}

// must ends the check if something that the rig itself needs fails.
func (r *rig) must(err error) { r.want(err == nil, "the rig: %v", err) }

// until waits for something, and ends the check if it does not come.
func (r *rig) until(holds func() bool, format string, args ...any) {
	for start := time.Now(); !holds(); time.Sleep(2 * time.Millisecond) {
		r.want(time.Since(start) < r.patience, "not in time: "+format, args...)
	}
}

func (r *rig) wake() {
	r.start()
	select {
	case r.store.changed <- struct{}{}:
	default:
	}
}

// post sends a form to the hub as it is written, and returns the answer.
func (r *rig) post(form string, header ...string) reply {
	req, err := http.NewRequest(http.MethodPost, r.served.URL+"/hub", strings.NewReader(form))
	r.must(err)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return r.do(req, header...)
}

func (r *rig) get(query string, header ...string) reply {
	req, err := http.NewRequest(http.MethodGet, r.served.URL+"/hub"+query, nil)
	r.must(err)
	return r.do(req, header...)
}

type reply struct {
	status int
	header http.Header
	body   string
}

func (r *rig) do(req *http.Request, header ...string) reply {
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
		if header[i+1] == "" {
			req.Header.Del(header[i])
		}
	}
	resp, err := r.client.Do(req)
	r.want(err == nil, "the hub does not answer: %v", err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	r.must(err)
	return reply{resp.StatusCode, resp.Header, string(body)}
}

// form is a request with the three parameters, and more in pairs. An empty value leaves the parameter out.
func (r *rig) form(mode, callback string, more ...string) string {
	v := url.Values{"hub.mode": {mode}, "hub.topic": {harbour}, "hub.callback": {callback}}
	for i := 0; i < len(more); i += 2 {
		v.Set(more[i], more[i+1])
		if more[i+1] == "" {
			v.Del(more[i])
		}
	}
	return v.Encode()
}

// ask makes a request that the hub must accept.
func (r *rig) ask(mode, callback string, more ...string) {
	got := r.post(r.form(mode, callback, more...))
	r.want(got.status == http.StatusAccepted, "%s answered %d %q, want 202", mode, got.status, got.body)
}

// refused makes a request that the hub must refuse by a status, naming the parameter in plain text.
func (r *rig) refused(status int, names, form string) {
	got := r.post(form)
	r.want(got.status == status, "answered %d, want %d: %.80s", got.status, status, form)
	r.want(strings.Contains(got.body, names), "the answer %q does not name %s", got.body, names)
	r.want(strings.HasPrefix(got.header.Get("Content-Type"), "text/plain"), "the answer is %s", got.header.Get("Content-Type"))
	r.verify()
	r.want(len(r.reader.asked()) == 0, "a refused request led to a GET")
}

// verify lets the hub ask all callbacks that it may ask now.
func (r *rig) verify() {
	for idle := 0; idle < 2; idle++ { // what is done in one turn may ask for another
		rest, err := r.front.Poll(context.Background())
		r.must(err)
		if rest < 50*time.Millisecond {
			idle = 0
		}
	}
}

// subscribe makes an active subscription, and returns its callback.
func (r *rig) subscribe(path string, more ...string) (callback string) {
	callback = r.reader.URL + path
	before := len(r.reader.asked())
	r.ask("subscribe", callback, more...)
	r.verify()
	r.want(len(r.reader.asked()) == before+1, "%d GETs for one request", len(r.reader.asked())-before)
	return callback
}

// active reports whether there is a subscription of a callback to the harbour.
func (r *rig) active(callback string) bool {
	_, err := r.store.Subscription(context.Background(), feed.SubscriptionID(harbour, callback))
	if err != nil && !errors.Is(err, feed.ErrNotFound) {
		r.must(err)
	}
	return err == nil
}

// health is how deliveries to a callback go.
func (r *rig) health(callback string) feed.Health {
	sub, err := r.store.Subscription(context.Background(), feed.SubscriptionID(harbour, callback))
	r.want(err == nil, "the subscription has ended: %v", err)
	return sub.Health
}

// publish changes a topic and tells the hub of it.
func (r *rig) publish(topic, body string) {
	r.topics.change(topic, body)
	got := r.post(url.Values{"hub.mode": {"publish"}, "hub.url": {topic}}.Encode())
	r.want(got.status == http.StatusNoContent, "publish answered %d %q, want 204", got.status, got.body)
}

// news distributes versions of the harbour, none of which takes the place of the ones before.
func (r *rig) news(bodies ...string) {
	for _, body := range bodies {
		from := ""
		if r.cursor > 0 {
			from = fmt.Sprintf("%d-0", r.cursor)
		}
		r.cursor++
		r.must(r.store.Distribute(context.Background(), from, fmt.Sprintf("%d-0", r.cursor), []feed.Distribution{{
			Topic: harbour, ContentType: "application/atom+xml", Body: []byte(body),
		}}))
	}
	r.wake()
}

// gets waits for the deliveries to a path, which must be as many and no more.
func (r *rig) gets(path string, count int) []delivered {
	r.until(func() bool { return len(r.reader.deliveries(path)) >= count }, "delivery %d to %s", count, path)
	r.quiet()
	all := r.reader.deliveries(path)
	r.want(len(all) == count, "%d deliveries to %s, want %d", len(all), path, count)
	return all
}

// quiet waits until no delivery is under way or may start.
func (r *rig) quiet() {
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

// document is what a topic holds.
type document struct{ contentType, body string }

// topics are the topics of the hub under test. Publishing one distributes it as it is.
type topics struct {
	store *store.HubStore
	wake  func()

	mu        sync.Mutex
	all       map[string]document
	published []string
	err       error // of RefreshTopic
}

func (t *topics) set(topic, contentType, body string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.all[topic] = document{contentType, body}
}

func (t *topics) change(topic, body string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	d := t.all[topic]
	d.body = body
	t.all[topic] = d
}

func (t *topics) remove(topic string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.all, topic)
}

func (t *topics) get(topic string) (document, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	d, ok := t.all[topic]
	return d, ok
}

func (t *topics) ResolveTopic(_ context.Context, written string) (string, error) {
	topic, err := feed.CanonicalURL(written)
	if err != nil {
		return "", feed.ErrNotFound
	}
	if _, ok := t.get(topic); !ok {
		return "", feed.ErrNotFound
	}
	return topic, nil
}

func (t *topics) RefreshTopic(ctx context.Context, topic string) error {
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

func (t *topics) looks() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]string(nil), t.published...)
}

func (t *topics) Document(_ context.Context, topic string, part hub.Selection) (feed.Distribution, error) {
	d, ok := t.get(topic)
	switch {
	case part.Before == "unknown":
		return feed.Distribution{}, feed.ErrConflict
	case !ok || d.body == "":
		return feed.Distribution{}, feed.ErrNotFound
	case part != hub.Selection{}:
		d.body += fmt.Sprintf(" %d before %q after %q", part.Count, part.Before, part.After)
	}
	return feed.Distribution{Topic: topic, ContentType: d.contentType, Body: []byte(d.body)}, nil
}

// subscriber is a server of callbacks, told apart by their paths. It confirms what it is asked, and takes what it is sent,
// unless it is told otherwise.
type subscriber struct {
	*httptest.Server

	mu      sync.Mutex
	gets    []verification
	posts   []delivered
	confirm func(w http.ResponseWriter, req *http.Request, challenge string) // nil: 200 and the challenge
	take    func(w http.ResponseWriter, req *http.Request)                   // nil: 204
}

// verification is a GET at a callback.
type verification struct {
	path, query string // as they came
	header      http.Header
	values      url.Values
}

// last is the value of a parameter that the hub added behind those of the callback.
func (v *verification) last(name string) string {
	all := v.values[name]
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1]
}

// delivered is a POST at a callback.
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

func (s *subscriber) confirms(how func(w http.ResponseWriter, req *http.Request, challenge string)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.confirm = how
}

// answers lets each GET be answered by a status and the challenge.
func (s *subscriber) answers(status int) {
	s.confirms(func(w http.ResponseWriter, _ *http.Request, challenge string) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, challenge)
	})
}

func (s *subscriber) takes(how func(w http.ResponseWriter, req *http.Request)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.take = how
}

func (s *subscriber) asked() []verification {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]verification(nil), s.gets...)
}

// deliveries are those to one path.
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
