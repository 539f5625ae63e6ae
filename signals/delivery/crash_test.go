package delivery_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/feedwire/feedwire/signals/delivery"
	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// crashing is the store and the network of one engine. From the crash point on, no call of the engine has an effect, as after a
// kill.
type crashing struct {
	engineStore
	http.RoundTripper
	point string // "before POST", "after FinishDeliveries" ...
	left  atomic.Int32

	dead  atomic.Bool
	died  chan struct{}
	ended chan struct{} // ends the calls of the dead
}

var errDead = fmt.Errorf("dead: %w", feed.ErrConflict) // a conflict is not retried

func newCrashing(s *store.Store, point string, nth int) *crashing {
	m := &crashing{
		engineStore: s.Nouns(), RoundTripper: &http.Transport{MaxIdleConnsPerHost: 64}, point: point, died: make(chan struct{}), ended: make(chan struct{}),
	}
	m.left.Store(int32(nth))
	return m
}

// at is a point where it can crash.
func (m *crashing) at(point string) error {
	if !m.dead.Load() && point == m.point && m.left.Add(-1) == 0 {
		m.dead.Store(true)
		close(m.died)
	}
	if m.dead.Load() {
		<-m.ended
		return errDead
	}
	return nil
}

// around calls a function between two points.
func (m *crashing) around(name string, call func() error) error {
	if err := m.at("before " + name); err != nil {
		return err
	}
	err := call()
	if dead := m.at("after " + name); dead != nil {
		return dead
	}
	return err
}

func (m *crashing) BareSignals(ctx context.Context, after string, limit int, wait time.Duration) (all []feed.Signal, err error) {
	err = m.around("BareSignals", func() error { all, err = m.engineStore.BareSignals(ctx, after, limit, wait); return err })
	return all, err
}

func (m *crashing) HubProgress(ctx context.Context) (p feed.HubProgress, err error) {
	err = m.around("HubProgress", func() error { p, err = m.engineStore.HubProgress(ctx); return err })
	return p, err
}

func (m *crashing) HaveSubscribers(ctx context.Context, topics []string) (have []bool, err error) {
	err = m.around("HaveSubscribers", func() error { have, err = m.engineStore.HaveSubscribers(ctx, topics); return err })
	return have, err
}

func (m *crashing) FilterTopics(ctx context.Context) (topics []string, err error) {
	err = m.around("FilterTopics", func() error { topics, err = m.engineStore.FilterTopics(ctx); return err })
	return topics, err
}

func (m *crashing) LoadPosts(ctx context.Context, signals []feed.Signal) error {
	return m.around("LoadPosts", func() error { return m.engineStore.LoadPosts(ctx, signals) })
}

func (m *crashing) Distribute(ctx context.Context, step feed.HubStep, all []feed.Distribution) error {
	if len(all) == 0 {
		return m.engineStore.Distribute(ctx, step, all)
	}
	return m.around("Distribute", func() error { return m.engineStore.Distribute(ctx, step, all) })
}

func (m *crashing) Version(ctx context.Context, topic string, version int64) (d feed.Distribution, err error) {
	err = m.around("Version", func() error { d, err = m.engineStore.Version(ctx, topic, version); return err })
	return d, err
}

func (m *crashing) PlanDeliveries(ctx context.Context, _ int) (planned int, more bool, err error) {
	err = m.around("PlanDeliveries", func() error { planned, more, err = m.engineStore.PlanDeliveries(ctx, 7); return err })
	return planned, more, err
}

func (m *crashing) ClaimDeliveries(ctx context.Context, w feed.DeliveryClaim) (all []feed.Delivery, after string, next time.Time, err error) {
	err = m.around("ClaimDeliveries", func() error { all, after, next, err = m.engineStore.ClaimDeliveries(ctx, w); return err })
	if len(all) == 0 && m.point == "after ClaimDeliveries" && !m.dead.Load() {
		m.left.Add(1) // only one that claims something counts
	}
	return all, after, next, err
}

func (m *crashing) FinishDeliveries(ctx context.Context, all []feed.DeliveryResult) (lost, again int, err error) {
	err = m.around("FinishDeliveries", func() error { lost, again, err = m.engineStore.FinishDeliveries(ctx, all); return err })
	return lost, again, err
}

func (m *crashing) RemoveSubscription(ctx context.Context, d feed.Delivery) error {
	return m.around("RemoveSubscription", func() error { return m.engineStore.RemoveSubscription(ctx, d) })
}

func (m *crashing) ExpireSubscriptions(ctx context.Context, limit int) (n int, err error) {
	err = m.around("ExpireSubscriptions", func() error { n, err = m.engineStore.ExpireSubscriptions(ctx, limit); return err })
	return n, err
}

func (m *crashing) AnnounceDaemon(ctx context.Context, daemon string, silence time.Duration) (silent []string, err error) {
	err = m.around("AnnounceDaemon", func() error { silent, err = m.engineStore.AnnounceDaemon(ctx, daemon, silence); return err })
	return silent, err
}

func (m *crashing) ReleaseDeliveries(ctx context.Context, daemon string, silence time.Duration) (n int, err error) {
	err = m.around("ReleaseDeliveries", func() error { n, err = m.engineStore.ReleaseDeliveries(ctx, daemon, silence); return err })
	return n, err
}

func (m *crashing) HubState(ctx context.Context) (s feed.HubState, err error) {
	err = m.around("HubState", func() error { s, err = m.engineStore.HubState(ctx); return err })
	return s, err
}

// RoundTrip sends a POST request.
func (m *crashing) RoundTrip(req *http.Request) (resp *http.Response, err error) {
	err = m.around("POST", func() error { resp, err = m.RoundTripper.RoundTrip(req); return err })
	if err != nil && resp != nil {
		_ = resp.Body.Close()
	}
	return resp, err
}

// runCrashing runs an engine that crashes. The returned function ends its goroutines.
func (d *harness) runCrashing(m *crashing, outlets ...delivery.Outlet) (end func()) {
	d.tb.Helper()
	return d.runCrashingWith(m, outlets, delivery.Options{})
}

func (d *harness) runCrashingWith(m *crashing, outlets []delivery.Outlet, opts delivery.Options) (end func()) {
	d.tb.Helper()
	opts.Now = d.Now
	e := delivery.NewEngine(m, outlets, m, opts)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- e.Run(ctx) }()
	end = sync.OnceFunc(func() {
		cancel()
		close(m.ended)
		<-ended
		m.RoundTripper.(*http.Transport).CloseIdleConnections()
	})
	d.tb.Cleanup(end)
	return end
}

// harbourClaim adds the harbour as a source and returns a claim for its documents.
func (d *harness) harbourClaim() feed.Claim {
	d.tb.Helper()
	if _, _, err := d.Sources.AddSource(context.Background(), feed.Source{URL: harbour}); err != nil {
		d.tb.Fatal(err)
	}
	return feed.Claim{Source: feed.Source{URL: harbour}}
}

// save saves a document with one new post.
func (d *harness) save(c feed.Claim, n int) {
	d.tb.Helper()
	number := strconv.Itoa(n)
	post := feed.Entry{FeedURL: harbour, GUID: "tag:harbour.example,2026:" + number, Timestamp: d.Now(), Title: number, Link: "http://harbour.example/" + number}
	if _, err := d.Entries.SaveEntries(context.Background(), c, feed.Document{Partial: true, Entries: []feed.Entry{post}}); err != nil {
		d.tb.Fatal(err)
	}
}

// titlesOutlet distributes the titles of the new and changed posts of a source, a line each.
func titlesOutlet() delivery.Outlet {
	return delivery.Outlet{
		Topics: func(feedURL string) []string { return []string{feedURL} },
		Make: func(_ context.Context, topic string, news delivery.News) ([]feed.Distribution, error) {
			var body []byte
			for _, s := range news.Signals {
				if s.Post != nil {
					body = append(body, s.Post.Title+"\n"...)
				}
			}
			if body == nil {
				return nil, nil
			}
			return []feed.Distribution{{Topic: topic, ContentType: "text/plain", Body: body}}, nil
		},
	}
}

// titles returns the titles that one subscriber has received, in order.
func (r *reader) titles(path string) (all []string) {
	for _, body := range r.bodies(path) {
		all = append(all, strings.Fields(body)...)
	}
	return all
}

// checkReceived fails the test unless each subscriber has received each post at least once and in order, and repetitions have the
// same id.
func (r *reader) checkReceived(t *testing.T, subscribers []int, posts int) {
	t.Helper()
	for _, n := range subscribers {
		path := numbered(n)
		if got := r.titles(path); len(got) != posts {
			t.Errorf("subscriber %d got %v, want %d posts", n, got, posts)
		} else {
			for i, title := range got {
				if title != strconv.Itoa(i) {
					t.Errorf("subscriber %d got %v", n, got)
					break
				}
			}
		}
	}
	bodies := make(map[string]string)
	for _, g := range r.got() {
		if g.problem != "" {
			t.Errorf("%s: %s", g.path, g.problem)
		}
		if was, known := bodies[g.id]; known && was != g.body {
			t.Errorf("two deliveries have the id %s", g.id)
		}
		bodies[g.id] = g.body
	}
	if len(bodies) > posts { // posts that are saved in the same millisecond go out together
		t.Errorf("%d deliveries by id, want at most %d", len(bodies), posts)
	}
}

// After a kill at any step, the next engine continues. The store in memory ends with its daemon, so there it has nothing to continue.
func TestKillAtAnyStepLosesAndReordersNothing(t *testing.T) {
	t.Parallel()
	points := []struct {
		name string
		nth  int
	}{
		{"after HubProgress", 1}, {"after BareSignals", 1}, {"after HaveSubscribers", 1}, {"after LoadPosts", 1},
		{"before Distribute", 1}, {"after Distribute", 1},
		{"before PlanDeliveries", 1}, {"after PlanDeliveries", 1}, {"after PlanDeliveries", 3},
		{"before ClaimDeliveries", 1}, {"after ClaimDeliveries", 1},
		{"before Version", 1}, {"after Version", 1},
		{"before POST", 1}, {"before POST", 20}, {"after POST", 1}, {"after POST", 20},
		{"before FinishDeliveries", 1}, {"after FinishDeliveries", 1},
		{"before RemoveSubscription", 1}, {"after RemoveSubscription", 1},
		{"before ExpireSubscriptions", 1}, {"after ExpireSubscriptions", 1},
	}
	for _, p := range points {
		t.Run(fmt.Sprintf("%s %d", p.name, p.nth), func(t *testing.T) {
			t.Parallel()
			d := newHarness(t, storetest.Redis(t))
			r := newReader(t, func(w http.ResponseWriter, req *http.Request) {
				if strings.HasPrefix(req.URL.Path, "/gone") {
					w.WriteHeader(http.StatusGone)
				}
			})
			var subscribers []int
			for n := range 50 { // more than are queued with the version
				subscribers = append(subscribers, n)
				d.subscribe(r.callback(numbered(n)), "secret"+numbered(n))
			}
			gone := d.subscribe(r.callback("/gone"), "secret/gone")
			c := d.harbourClaim()
			m := newCrashing(d.Store, p.name, p.nth)
			told := func(n int) bool { // all have so many posts
				return !slices.ContainsFunc(subscribers, func(i int) bool { return len(r.titles(numbered(i))) < n })
			}
			d.save(c, 0)
			end := d.runCrashing(m, titlesOutlet())
			posts := 1
			eventually(t, "the engine reached the crash point", func() bool {
				select {
				case <-m.died:
					return true
				default:
				}
				if posts < 3 && told(posts) { // it was over in fewer steps: once more
					d.save(c, posts)
					posts++
				}
				return false
			})
			if posts < 3 {
				d.save(c, posts)
				posts++
			}
			end()
			d.Advance(31 * time.Second) // the fences of its claims
			d.runWith([]delivery.Outlet{titlesOutlet()}, delivery.Options{})
			for ; posts < 3; posts++ {
				d.save(c, posts)
			}
			eventually(t, "all posts arrived", func() bool { return told(3) })
			r.checkReceived(t, subscribers, 3)
			eventually(t, "gone", func() bool {
				_, err := d.Hub.Subscription(t.Context(), gone)
				return errors.Is(err, feed.ErrNotFound)
			})
		})
	}
}

// A process that is suspended before it sends, until its claim has ended, sends nothing when it resumes.
func TestSuspendedEngineSendsNothingAfterItsFence(t *testing.T) {
	each(t, func(t *testing.T, d *harness) {
		r := newReader(t, nil)
		var subscribers []int
		for n := range 10 {
			subscribers = append(subscribers, n)
			d.subscribe(r.callback(numbered(n)), "secret"+numbered(n))
		}
		c := d.harbourClaim()
		asleep := &sleeper{Store: d.Nouns(), RoundTripper: &http.Transport{}, begun: make(chan struct{}, 100), woken: make(chan struct{})}
		first := delivery.NewEngine(asleep, []delivery.Outlet{titlesOutlet()}, asleep, delivery.Options{Now: d.Now, Timeout: 20 * time.Second})
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan error, 1)
		go func() { ended <- first.Run(ctx) }()
		d.save(c, 0)
		<-asleep.begun
		asleep.mu.Lock()
		wake := sync.OnceFunc(func() { close(asleep.woken); asleep.mu.Unlock() })
		defer func() { wake(); cancel(); <-ended }()
		d.Advance(61 * time.Second)
		d.runWith([]delivery.Outlet{titlesOutlet()}, delivery.Options{})
		d.save(c, 1)
		complete := func() bool {
			for _, n := range subscribers {
				if len(r.titles(numbered(n))) < 2 {
					return false
				}
			}
			return true
		}
		eventually(t, "the other engine took over", complete)
		before := len(r.got())
		wake()
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		ended <- nil
		if n := len(r.got()); n != before {
			t.Errorf("%d deliveries after the fence", n-before)
		}
		r.checkReceived(t, subscribers, 2)
	})
}

// sleeper is the store and the network of a process that is suspended: while mu is locked it claims nothing, and its requests
// wait until it resumes.
type sleeper struct {
	delivery.Store
	http.RoundTripper
	begun chan struct{}
	woken chan struct{}
	mu    sync.RWMutex
}

func (s *sleeper) Distribute(ctx context.Context, step feed.HubStep, all []feed.Distribution) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.Store.Distribute(ctx, step, all)
}

func (s *sleeper) PlanDeliveries(ctx context.Context, limit int) (planned int, more bool, err error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.Store.PlanDeliveries(ctx, limit)
}

func (s *sleeper) ClaimDeliveries(ctx context.Context, w feed.DeliveryClaim) (all []feed.Delivery, after string, next time.Time, err error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.Store.ClaimDeliveries(ctx, w)
}

func (s *sleeper) RoundTrip(req *http.Request) (*http.Response, error) {
	select {
	case s.begun <- struct{}{}:
	default:
	}
	<-s.woken
	return s.RoundTripper.RoundTrip(req)
}

// Engines that share a store deliver each version to each subscriber in order, even if subscribers fail occasionally.
func TestEnginesShareDeliveries(t *testing.T) {
	t.Parallel()
	d := newHarness(t, storetest.Redis(t))
	random := rand.New(rand.NewPCG(1, 2))
	var mu sync.Mutex
	r := newReader(t, func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		bad := random.IntN(10) == 0
		mu.Unlock()
		if bad {
			w.WriteHeader(http.StatusInternalServerError)
		}
	})
	var subscribers []int
	for n := range 50 {
		subscribers = append(subscribers, n)
		d.subscribe(r.callback(numbered(n)), "secret"+numbered(n))
	}
	c := d.harbourClaim()
	quick := delivery.Options{FirstRetry: 20 * time.Millisecond, MaxRetry: 20 * time.Millisecond}
	for range 3 {
		d.runWith([]delivery.Outlet{titlesOutlet()}, quick)
	}
	const posts = 20
	for n := range posts {
		d.save(c, n)
	}
	complete := func() bool {
		for _, n := range subscribers {
			if len(r.titles(numbered(n))) < posts {
				return false
			}
		}
		return true
	}
	eventually(t, "all posts arrived", complete)
	r.checkReceived(t, subscribers, posts)
}

// A store that is killed and restarted during a fan-out loses no delivery.
func TestStoreKilledDuringFanOutLosesNothing(t *testing.T) {
	server := storetest.RedisAOF(t)
	d := newHarness(t, server.Dial)
	began := make(chan struct{}, 1000)
	r := newReader(t, func(http.ResponseWriter, *http.Request) { began <- struct{}{} })
	var subscribers []int
	for n := range 200 {
		subscribers = append(subscribers, n)
		d.subscribe(r.callback(numbered(n)), "secret"+numbered(n))
	}
	c := d.harbourClaim()
	d.runWith([]delivery.Outlet{titlesOutlet()}, delivery.Options{})
	for n := range 3 {
		d.save(c, n)
		for range 60 {
			<-began
		}
		server.Kill()
		server.Restart()
	}
	complete := func() bool {
		for _, n := range subscribers {
			if len(r.titles(numbered(n))) < 3 {
				return false
			}
		}
		return true
	}
	// Claims whose reply was lost end with their lease. The clock advances only when nothing arrives: on a busy machine, deliveries in
	// progress would outlive theirs.
	quiet, deadline := 500*time.Millisecond, time.Now().Add(2*time.Minute)
	for arrived, since := 0, time.Now(); !complete() && time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if n := len(r.got()); n != arrived {
			arrived, since = n, time.Now()
		} else if time.Since(since) > quiet {
			d.Advance(time.Minute)
			quiet, since = 2*quiet, time.Now()
		}
	}
	r.checkReceived(t, subscribers, 3)
}
