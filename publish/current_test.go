package publish_test

import (
	"context"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/feedwire/feedwire/publish"
	"github.com/feedwire/feedwire/store/feed"
)

// ask fetches a feed of p without a network.
func ask(p *publish.Publisher, agent string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("GET", "/feed/production", nil)
	r.SetPathValue("type", "production")
	r.Header.Set("User-Agent", agent)
	w := httptest.NewRecorder()
	p.ServeHTTP(w, r)
	return w
}

func TestWhichRequestsReadTheStore(t *testing.T) {
	for _, tt := range []struct {
		name, agent string
		retireAfter int
		after       time.Duration
		changed     bool
		looks       int
	}{
		{"not counted, soon", "curl/8", 4, 50 * time.Millisecond, false, 0},
		{"not counted, later", "curl/8", 4, 51 * time.Millisecond, false, 1},
		{"not counted, after a change here", "curl/8", 4, 0, true, 1},
		{"counted, articles retire", crawler, 4, 0, false, 1},
		{"counted, articles stay", crawler, 0, 50 * time.Millisecond, false, 0},
		{"counted, articles stay, later", crawler, 0, 51 * time.Millisecond, false, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := newMemory(stories(1)...)
				f := production()
				f.RetireAfter = tt.retireAfter
				p := publish.New(m, []feed.Outgoing{f}, publish.Options{})
				run(t, p)
				ask(p, "curl/8")
				time.Sleep(tt.after)
				if tt.changed {
					p.Changed("production")
				}
				before := m.looks()
				for range 3 {
					ask(p, tt.agent)
					synctest.Wait()
				}
				want := tt.looks
				if tt.agent == crawler && tt.retireAfter > 0 {
					want = 3 // each of them
				}
				if looks := m.looks() - before; looks != want {
					t.Errorf("three requests made %d looks, want %d", looks, want)
				}
			})
		})
	}
}

// Requests are served while a look is under way, until what the last look brought is 100 ms old.
func TestBackgroundRefreshDelaysNoRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory(stories(1)...)
		p := publish.New(m, []feed.Outgoing{production()}, publish.Options{})
		run(t, p)
		ask(p, "curl/8")
		m.set(func() { m.slow = 60 * time.Millisecond })
		time.Sleep(60 * time.Millisecond)
		before, start := m.looks(), time.Now()
		ask(p, "curl/8")
		synctest.Wait()
		if looks := m.looks() - before; looks != 1 {
			t.Errorf("got %d looks, want 1", looks)
		}
		time.Sleep(40 * time.Millisecond) // 100 ms after the first look
		for range 10 {
			ask(p, "curl/8")
		}
		if spent := time.Since(start); spent != 40*time.Millisecond {
			t.Errorf("requests waited %v for a look that is not due", spent-40*time.Millisecond)
		}
		time.Sleep(time.Millisecond)
		ask(p, "curl/8") // waits for a look that begins after the one under way
		if took := time.Since(start) - 41*time.Millisecond; took != 79*time.Millisecond {
			t.Errorf("a request after 101 ms took %v, want 79ms", took)
		}
	})
}

// run runs p until the test ends.
func run(t *testing.T, p *publish.Publisher) {
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- p.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	synctest.Wait()
}

// The first request while the store hangs waits for it, and no other: a loop looks for the store, until it is back.
func TestNoRequestWaitsForAStoreThatIsAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory(stories(1)...)
		p := publish.New(m, []feed.Outgoing{production()}, publish.Options{})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- p.Run(ctx) }()
		ask(p, "curl/8")
		synctest.Wait()
		m.set(func() { m.slow = time.Hour })
		p.Changed("production")

		start := time.Now()
		answers := make(chan time.Duration)
		for range 10 { // one looks, and the others wait for the look after that
			go func() {
				if w := ask(p, "curl/8"); w.Code != 200 || w.Header().Get("X-Feedwire-Stale") != "1" {
					t.Errorf("got %d, stale %q", w.Code, w.Header().Get("X-Feedwire-Stale"))
				}
				answers <- time.Since(start)
			}()
		}
		for range 10 {
			if took := <-answers; took > 2*time.Second {
				t.Errorf("an answer took %v", took)
			}
		}
		looks := m.looks()
		start = time.Now()
		for range 100 {
			ask(p, crawler)
		}
		if took := time.Since(start); took > 0 || m.looks() != looks {
			t.Errorf("100 requests took %v and made %d looks", took, m.looks()-looks)
		}
		time.Sleep(time.Minute)
		if n := m.looks() - looks; n < 15 || n > 60 {
			t.Errorf("the store was looked for %d times in a minute", n)
		}
		m.set(func() { m.slow = 0 })
		time.Sleep(4 * time.Second) // the look that hangs, and the pause after it
		if w := ask(p, "curl/8"); w.Header().Get("X-Feedwire-Stale") != "" {
			t.Error("still stale, 4 s after the store is back")
		}
		cancel()
		if err := <-ended; err != nil || m.done() != 100 || m.total() != 4 {
			t.Errorf("got %d fetches with %d impressions, %v; want 100, of which 4 count", m.done(), m.total(), err)
		}
	})
}

func TestRequestFindsTheStoreAgainIfRunDoesNot(t *testing.T) {
	m := newMemory(stories(1)...)
	m.down = true
	p := publish.New(m, []feed.Outgoing{production()}, publish.Options{})
	if w := ask(p, "curl/8"); w.Code != 503 || !strings.Contains(w.Body.String(), "Try again in 5 seconds") {
		t.Errorf("got %d %q", w.Code, w.Body.String())
	}
	m.set(func() { m.down = false })
	if w := ask(p, "curl/8"); w.Code != 200 {
		t.Errorf("no request looks for the store after that: got %d", w.Code)
	}
}

// More User-Agents than are remembered, and longer ones, are told apart all the same.
func TestManyUserAgentsAreDistinguished(t *testing.T) {
	p := publish.New(newMemory(stories(1)...), []feed.Outgoing{production()}, publish.Options{})
	for i := range 600 {
		padding := strings.Repeat("x", i)
		for agent, want := range map[string]string{
			padding + " FaceBot/" + strconv.Itoa(i): "counted", padding + " reader/" + strconv.Itoa(i): "ignored; agent",
		} {
			for range 2 {
				if got := ask(p, agent).Header().Get("X-Feedwire-Impressions"); got != want {
					t.Fatalf("agent %d: got %q, want %q", i, got, want)
				}
			}
		}
	}
}

// panicking is a store whose next answer to FeedVersion is a panic where armed is set.
type panicking struct {
	*memory
	armed atomic.Bool
}

func (p *panicking) FeedVersion(ctx context.Context, typ string) (string, error) {
	if p.armed.Swap(false) {
		panic("cannot be")
	}
	return p.memory.FeedVersion(ctx, typ)
}

func TestPanicOfTheWatchHarmsNoRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &panicking{memory: newMemory(stories(1)...)}
		var panics []string
		p := publish.New(m, []feed.Outgoing{production()}, publish.Options{OnPanic: func(c string) { panics = append(panics, c) }})
		run(t, p)
		ask(p, "curl/8")
		m.set(func() { m.down = true })
		p.Changed("production")
		ask(p, "curl/8")
		synctest.Wait()
		m.armed.Store(true)
		time.Sleep(4 * time.Second)
		if m.armed.Load() || !slices.Equal(panics, []string{"feed"}) {
			t.Fatalf("panics reported: %q", panics)
		}
		m.set(func() { m.down = false })
		time.Sleep(4 * time.Second)
		if w := ask(p, "curl/8"); w.Code != 200 || w.Header().Get("X-Feedwire-Stale") != "" {
			t.Errorf("got %d, stale %q", w.Code, w.Header().Get("X-Feedwire-Stale"))
		}
	})
}
