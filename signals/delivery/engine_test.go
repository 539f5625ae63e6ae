package delivery_test

import (
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/signals/delivery"
	"github.com/feedwire/feedwire/store/feed"
)

func TestDeliveryFollowsTheRecommendation(t *testing.T) {
	each(t, func(t *testing.T, d *harness) {
		r := newReader(t, nil)
		d.subscribe(r.callback("/cb?k=9f&k=a+b"), "secret/cb")
		d.subscribe(r.callback("/open"), "")
		d.run(delivery.Options{HubURL: "https://hub.example/hub"})
		d.news("<feed/>", false)
		eventually(t, "two deliveries", func() bool { return len(r.got()) == 2 })
		for _, g := range r.got() {
			if g.path == "/open" {
				if g.header.Get("X-Hub-Signature") != "" {
					t.Error("signed without a secret")
				}
				continue
			}
			if g.problem != "" || g.body != "<feed/>" || g.header.Get("Content-Type") != "application/atom+xml" {
				t.Errorf("delivered %+v", g)
			}
			want := `<https://hub.example/hub>; rel="hub", <` + harbour + `>; rel="self"`
			if got := g.header.Values("Link"); len(got) != 1 || got[0] != want {
				t.Errorf("Link is %q", got)
			}
			if len(g.header.Values("X-Idempotency-Key")) != 0 {
				t.Error("the field for net/http was sent")
			}
		}
	})
}

func TestVersionsArriveOnceAndInOrder(t *testing.T) {
	each(t, func(t *testing.T, d *harness) {
		r := newReader(t, nil)
		const subscribers, versions = 40, 12
		for n := range subscribers {
			d.subscribe(r.callback(numbered(n)), "secret"+numbered(n))
		}
		d.run(delivery.Options{})
		var want []string
		for v := range versions {
			want = append(want, "version "+strconv.Itoa(v))
			d.news(want[v], false)
		}
		eventually(t, "all deliveries", func() bool { return len(r.got()) >= subscribers*versions })
		for n := range subscribers {
			if diff := cmp.Diff(want, r.bodies(numbered(n))); diff != "" {
				t.Errorf("subscriber %d (-want +got):\n%s", n, diff)
			}
		}
		if n := len(r.got()); n != subscribers*versions {
			t.Errorf("%d deliveries, want %d", n, subscribers*versions)
		}
	})
}

// failingReader responds with a status while it is failing, and counts the attempts. It starts failing.
func failingReader(t *testing.T, status int, failing *atomic.Bool, tries *atomic.Int32) *reader {
	failing.Store(true)
	return newReader(t, func(w http.ResponseWriter, _ *http.Request) {
		tries.Add(1)
		if failing.Load() {
			w.WriteHeader(status)
		}
	})
}

func TestFailedDeliveryIsRetriedBeforeLaterVersions(t *testing.T) {
	each(t, func(t *testing.T, d *harness) {
		var failing atomic.Bool
		var tries atomic.Int32
		r := failingReader(t, http.StatusInternalServerError, &failing, &tries)
		id := d.subscribe(r.callback("/cb"), "secret/cb")
		e, _ := d.run(delivery.Options{})
		d.news("one", false)
		health := func() feed.Health {
			sub, err := d.Hub.Subscription(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			return sub.Health
		}
		for n := 1; n <= 4; n++ {
			eventually(t, "a failure is stored", func() bool { return health().Failures == n })
			h := health()
			nominal := 10 * time.Second << (n - 1)
			if wait := h.Next.Sub(h.Last); wait < nominal/2-time.Millisecond || wait > nominal+time.Millisecond || h.Status != 500 || h.Reason != "5xx" {
				t.Errorf("failure %d: %+v, the next attempt after %v", n, h, wait)
			}
			if n == 2 {
				d.news("two", false)
			}
			d.Advance(h.Next.Sub(d.Now()))
			e.Wake()
		}
		failing.Store(false)
		eventually(t, "a failure or a delivery", func() bool { return health().Failures != 4 })
		d.Advance(time.Hour)
		eventually(t, "both versions", func() bool { return len(r.got()) == 2 })
		if diff := cmp.Diff([]string{"one", "two"}, r.bodies("/cb")); diff != "" {
			t.Error(diff)
		}
		eventually(t, "good health", func() bool { return health() == feed.Health{} })
	})
}

func TestOnlyGoneEndsASubscription(t *testing.T) {
	each(t, func(t *testing.T, d *harness) {
		var status atomic.Int32
		r := newReader(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "http://127.0.0.1:1/elsewhere")
			w.WriteHeader(int(status.Load()))
		})
		id := d.subscribe(r.callback("/cb"), "secret/cb")
		e, _ := d.run(delivery.Options{})
		failures := 0
		status.Store(301)
		d.news("one", false)
		for _, code := range []int32{301, 302, 307, 400, 401, 403, 404, 429, 500} {
			failures++
			var h feed.Health
			eventually(t, "failure", func() bool {
				sub, err := d.Hub.Subscription(t.Context(), id)
				if err != nil {
					t.Fatalf("after %d: %v", code, err)
				}
				h = sub.Health
				return h.Failures == failures
			})
			if h.Status != int(code) {
				t.Errorf("the failure is %+v, want status %d", h, code)
			}
			next := []int32{301, 302, 307, 400, 401, 403, 404, 429, 500, 410}[failures]
			status.Store(next)
			d.Advance(h.Next.Sub(d.Now()))
			e.Wake()
		}
		eventually(t, "gone", func() bool { _, err := d.Hub.Subscription(t.Context(), id); return err != nil })
	})
}

func TestVersionsAreTriedOnceAfterTheHorizon(t *testing.T) {
	each(t, func(t *testing.T, d *harness) {
		var failing atomic.Bool
		var tries atomic.Int32
		r := failingReader(t, http.StatusBadGateway, &failing, &tries)
		id := d.subscribe(r.callback("/cb"), "secret/cb")
		e, _ := d.run(delivery.Options{})
		letters := func() []feed.DeadLetter {
			all, err := d.Hub.DeadLetters(t.Context(), "", 10)
			if err != nil {
				t.Fatal(err)
			}
			return all
		}
		d.news("one", false)
		eventually(t, "the first attempt", func() bool { sub, _ := d.Hub.Subscription(t.Context(), id); return sub.Health.Failures == 1 })
		d.Advance(25 * time.Hour)
		e.Wake()
		eventually(t, "a dead letter", func() bool { return len(letters()) == 1 })
		d.news("two", false)
		eventually(t, "another dead letter", func() bool { return len(letters()) == 2 })
		if n := tries.Load(); n != 3 {
			t.Errorf("%d attempts, want 3", n)
		}
		failing.Store(false)
		d.news("three", false)
		eventually(t, "the next version", func() bool { return slices.Equal(r.bodies("/cb"), []string{"three"}) })
		eventually(t, "good health", func() bool { sub, _ := d.Hub.Subscription(t.Context(), id); return sub.Health == feed.Health{} })
		for _, l := range letters() {
			if err := d.Hub.ReplayDeadLetter(t.Context(), l.ID); err != nil {
				t.Error(err)
			}
			e.Wake()
		}
		eventually(t, "replay", func() bool { return slices.Contains(r.bodies("/cb"), "one") && slices.Contains(r.bodies("/cb"), "two") })
	})
}

func TestExpiredSubscriptionGetsNothing(t *testing.T) {
	each(t, func(t *testing.T, d *harness) {
		r := newReader(t, nil)
		id := d.subscribe(r.callback("/cb"), "secret/cb")
		d.Advance(101 * time.Hour)
		d.run(delivery.Options{})
		d.news("one", false)
		eventually(t, "the end", func() bool { _, err := d.Hub.Subscription(t.Context(), id); return err != nil })
		if n := len(r.got()); n != 0 {
			t.Errorf("%d deliveries after the lease", n)
		}
	})
}

func TestSlowSubscribersDelayNoOthers(t *testing.T) {
	each(t, func(t *testing.T, d *harness) {
		release := make(chan struct{})
		var once sync.Once
		free := func() { once.Do(func() { close(release) }) }
		r := newReader(t, func(_ http.ResponseWriter, req *http.Request) {
			if n, _ := strconv.Atoi(req.URL.Path[len("/cb/"):]); n%20 == 0 {
				<-release
			}
		})
		t.Cleanup(free)
		const subscribers = 200
		for n := range subscribers {
			d.subscribe(r.callback(numbered(n)), "secret"+numbered(n))
		}
		_, stop := d.run(delivery.Options{Workers: 4})
		d.news("one", false)
		eventually(t, "all but the slow ones", func() bool { return len(r.got()) == subscribers-subscribers/20 })
		free()
		eventually(t, "the slow ones too", func() bool { return len(r.got()) == subscribers })
		stop()
	})
}

func TestStalledHostIsSuspendedAndProbed(t *testing.T) {
	each(t, func(t *testing.T, d *harness) {
		var ill atomic.Bool
		var tries atomic.Int32
		ill.Store(true)
		bad := newReader(t, func(w http.ResponseWriter, _ *http.Request) {
			tries.Add(1)
			if ill.Load() {
				w.WriteHeader(http.StatusServiceUnavailable)
			}
		})
		good := newReader(t, nil)
		const subscribers = 300
		for n := range subscribers {
			d.subscribe(bad.callback(numbered(n)), "secret"+numbered(n))
		}
		d.subscribe(good.callback("/cb"), "secret/cb")
		e, _ := d.run(delivery.Options{})
		d.news("one", false)
		eventually(t, "the healthy one", func() bool { return len(good.got()) == 1 })
		untried := func() (n int) {
			state, err := d.Hub.HubState(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return state.Ready
		}
		eventually(t, "all deliveries to the host are postponed", func() bool { return untried() == 0 })
		if n := tries.Load(); n < 10 || n > 30 {
			t.Errorf("%d attempts before the suspension", n)
		}
		before := tries.Load()
		d.Advance(80 * time.Second) // the break is 60 s, and its end is spread over 10 s
		e.Wake()
		eventually(t, "a probe", func() bool { return tries.Load() > before })
		eventually(t, "postponed again", func() bool { return untried() == 0 })
		if n := tries.Load() - before; n != 1 {
			t.Errorf("%d attempts after the suspension, want one probe", n)
		}
		ill.Store(false)
		d.Advance(150 * time.Second)
		eventually(t, "all of the host", func() bool { return len(bad.subscribers()) == subscribers })
	})
}

func TestRetryAfterDelaysTheHost(t *testing.T) {
	each(t, func(t *testing.T, d *harness) {
		r := newReader(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "3600")
			w.WriteHeader(http.StatusTooManyRequests)
		})
		id := d.subscribe(r.callback("/cb"), "secret/cb")
		d.run(delivery.Options{})
		d.news("one", false)
		var h feed.Health
		eventually(t, "failure", func() bool {
			sub, _ := d.Hub.Subscription(t.Context(), id)
			h = sub.Health
			return h.Failures == 1
		})
		if wait := h.Next.Sub(h.Last); wait < 3599*time.Second || wait > 3601*time.Second {
			t.Errorf("the next attempt is after %v", wait)
		}
	})
}
