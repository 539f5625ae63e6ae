package ingest_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/feedwire/feedwire/ingest"
	"github.com/feedwire/feedwire/store/feed"
)

// network answers requests in memory, so that time can be a test's own.
type network func(*http.Request) (*http.Response, error)

func (n network) RoundTrip(r *http.Request) (*http.Response, error) { return n(r) }

// answers makes a response.
func answers(r *http.Request, status int, header http.Header, body string) (*http.Response, error) {
	if header == nil {
		header = http.Header{}
	}
	return &http.Response{
		Status: fmt.Sprintf("%d %s", status, http.StatusText(status)), StatusCode: status, Header: header,
		Body: io.NopCloser(strings.NewReader(body)), Request: r,
	}, nil
}

// start runs an Ingester over a network within a synctest bubble; the returned function stops it.
func start(t *testing.T, store *memory, opts ingest.Options, n network) (stop func()) {
	t.Helper()
	in := ingest.New(store, opts)
	in.SetTransport(n)
	in.SetJitter(0)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- in.Run(ctx) }()
	return func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Run: %v", err)
		}
	}
}

// live polls what becomes due until d has passed, within a synctest bubble. Unlike Run it sleeps until a source is due.
func live(t *testing.T, in *ingest.Ingester, store *memory, d time.Duration) {
	t.Helper()
	for end := time.Now().Add(d); ; {
		in.Step(t.Context())
		due, err := store.NextDue(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if due.IsZero() || due.After(end) {
			time.Sleep(time.Until(end))
			return
		}
		time.Sleep(time.Until(due))
	}
}

func TestRunKeepsTheInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newMemory("http://a.example/", "http://b.example/")
		store.sources["http://b.example/"].Interval = 5 * time.Second
		stop := start(t, store, ingest.Options{Interval: time.Minute}, func(r *http.Request) (*http.Response, error) {
			return answers(r, 200, nil, rss("<item><guid>1</guid></item>"))
		})
		time.Sleep(10*time.Minute + 30*time.Second)
		stop()
		if a, b := len(store.polls["http://a.example/"]), len(store.polls["http://b.example/"]); a != 11 || b < 120 || b > 127 {
			t.Errorf("polled %d and %d times", a, b)
		}
	})
}

func TestErrorsDelayTheNextPoll(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name   string
		status int
		header http.Header
		want   []time.Duration // between polls
		reason string
	}{
		{"broken", 503, nil, []time.Duration{time.Minute, 2 * time.Minute, 4 * time.Minute, 8 * time.Minute}, "retry after error 5"},
		{"missing", 404, nil, []time.Duration{time.Hour, 2 * time.Hour, 4 * time.Hour}, "retry after error 4"},
		{"missing for long", 404, nil, []time.Duration{24 * time.Hour}, "retry after error 9"},
		{"asked to wait", 503, http.Header{"Retry-After": {"7200"}}, []time.Duration{2 * time.Hour, 2 * time.Hour}, "Retry-After"},
		{"asked to wait a little", 503, http.Header{"Retry-After": {"5"}}, []time.Duration{time.Minute, time.Minute}, "soon after Retry-After"},
		{"limited", 429, http.Header{"Retry-After": {"5"}}, []time.Duration{time.Minute, time.Minute}, "soon after Retry-After"},
		{"fresh", 200, http.Header{"Cache-Control": {"max-age=7200"}}, []time.Duration{2 * time.Hour, 2 * time.Hour}, "Cache-Control"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				store := newMemory("http://a.example/")
				if strings.HasSuffix(c.name, "for long") {
					store.sources["http://a.example/"].Poll.Errors = 7
				}
				in := ingest.New(store, ingest.Options{Interval: time.Minute})
				in.SetJitter(0)
				in.SetTransport(network(func(r *http.Request) (*http.Response, error) {
					return answers(r, c.status, c.header, rss(""))
				}))
				total := time.Duration(0)
				for _, d := range c.want {
					total += d
				}
				live(t, in, store, total+30*time.Second)
				polls := store.polls["http://a.example/"]
				if len(polls) != len(c.want)+1 {
					t.Fatalf("polled %d times, want %d", len(polls), len(c.want)+1)
				}
				for i, want := range c.want {
					if got := polls[i+1].Sub(polls[i]).Round(10 * time.Second); got != want {
						t.Errorf("poll %d came %v after the one before, want %v", i+1, got, want)
					}
				}
				if got := store.poll("http://a.example/").NextReason; got != c.reason {
					t.Errorf("next poll for reason %q, want %q", got, c.reason)
				}
			})
		})
	}
}

func TestRunClaimsNoMoreThanItsWorkers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newMemory("http://a.example/", "http://b.example/", "http://c.example/", "http://d.example/", "http://e.example/")
		release := make(chan struct{})
		stop := start(t, store, ingest.Options{Workers: 2}, func(r *http.Request) (*http.Response, error) {
			<-release
			return answers(r, 200, nil, rss(""))
		})
		time.Sleep(time.Second) // none of them counts as slow yet
		if n := store.held(); n != 2 {
			t.Errorf("%d sources are claimed by 2 workers", n)
		}
		close(release)
		time.Sleep(5 * time.Second)
		if n := len(store.finished); n != 5 {
			t.Errorf("%d of 5 polls ended", n)
		}
		stop()
	})
}

func TestRunWaitsForAStoreThatIsAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newMemory("http://a.example/")
		store.fail(fmt.Errorf("dial: %w", feed.ErrUnavailable))
		log := make(lines, 1000)
		stop := start(t, store, ingest.Options{Logger: slog.New(log)}, func(r *http.Request) (*http.Response, error) {
			return answers(r, 200, nil, rss("<item><guid>1</guid></item>"))
		})
		time.Sleep(time.Minute)
		if n := store.asked(); n > 40 {
			t.Errorf("asked the store %d times in a minute", n)
		}
		if n := len(log); n != 1 {
			t.Errorf("logged %d lines while the store was away", n)
		}
		store.fail(nil)
		time.Sleep(3 * time.Second)
		if n := len(store.finished); n != 1 {
			t.Errorf("%d polls ended after the store came back", n)
		}
		if n := len(log); n != 3 { // away, back, the poll
			t.Errorf("logged %d lines", n)
		}
		stop()
	})
}

func TestPollOutlivesAShortAbsenceOfTheStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newMemory("http://a.example/")
		stop := start(t, store, ingest.Options{}, func(r *http.Request) (*http.Response, error) {
			store.fail(feed.ErrUnavailable)
			return answers(r, 200, nil, rss("<item><guid>1</guid></item>"))
		})
		time.Sleep(10 * time.Second)
		store.fail(nil)
		time.Sleep(3 * time.Second)
		if len(store.finished) != 1 || store.poll("http://a.example/").Entries != 1 {
			t.Errorf("got %+v", store.poll("http://a.example/"))
		}
		stop()
	})
}

func TestFailureOfTheStoreIsRetriedSoon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newMemory("http://a.example/")
		store.saveErr = errors.New("script failed")
		stop := start(t, store, ingest.Options{}, func(r *http.Request) (*http.Response, error) {
			return answers(r, 200, nil, rss("<item><guid>1</guid></item>"))
		})
		time.Sleep(10*time.Minute + 30*time.Second)
		stop()
		state := store.poll("http://a.example/")
		if n := len(store.polls["http://a.example/"]); n != 11 || state.Errors != 0 || state.ErrorClass != "store" {
			t.Errorf("polled %d times, state %+v", n, state)
		}
	})
}

func TestStopGivesClaimsBackAndSavesWhatIsInHand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newMemory("http://slow.example/", "http://saving.example/")
		saving := make(chan struct{})
		store.onSave = func(feed.Claim) { <-saving }
		stop := start(t, store, ingest.Options{}, func(r *http.Request) (*http.Response, error) {
			if r.URL.Host == "slow.example" {
				<-r.Context().Done()
				return nil, r.Context().Err()
			}
			return answers(r, 200, nil, rss("<item><guid>1</guid></item>"))
		})
		time.Sleep(5*time.Second + 300*time.Millisecond) // the loop looks for what is due at full seconds, and would claim again what is released just then
		go func() {
			time.Sleep(time.Second)
			close(saving)
		}()
		begun := time.Now()
		stop()
		if took := time.Since(begun); took > 2*time.Second {
			t.Errorf("took %v to stop", took)
		}
		if store.released != 1 || len(store.finished) != 1 || store.held() != 0 {
			t.Errorf("%d released, %d finished, %d still claimed", store.released, len(store.finished), store.held())
		}
		if state := store.poll("http://slow.example/"); state.Errors != 0 {
			t.Errorf("the broken-off fetch was counted: %+v", state)
		}
	})
}

func TestStopDoesNotWaitLongForAStoreThatIsAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newMemory("http://a.example/")
		stop := start(t, store, ingest.Options{}, func(r *http.Request) (*http.Response, error) {
			store.fail(feed.ErrUnavailable)
			return answers(r, 200, nil, rss("<item><guid>1</guid></item>"))
		})
		time.Sleep(time.Second)
		begun := time.Now()
		stop()
		if took := time.Since(begun); took > ingest.SettleAtStop+time.Second {
			t.Errorf("took %v to stop", took)
		}
	})
}

func TestRunWakesWhenSomethingIsMadeDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, wake := newMemory("http://a.example/"), make(chan struct{}, 1)
		stop := start(t, store, ingest.Options{Interval: time.Hour, Wake: wake}, func(r *http.Request) (*http.Response, error) {
			return answers(r, 200, nil, rss("<item><guid>1</guid></item>"))
		})
		<-store.finished
		time.Sleep(10*time.Minute + 100*time.Millisecond) // it has just looked
		store.mu.Lock()
		store.sources["http://a.example/"].Poll.NextPoll = time.Now()
		store.mu.Unlock()
		asked := time.Now()
		wake <- struct{}{}
		<-store.finished
		if took := time.Since(asked); took > 100*time.Millisecond {
			t.Errorf("it took %v", took)
		}
		stop()
	})
}

// stuck is a store whose claims never come back once it is stuck, whatever their context says.
type stuck struct {
	*memory
	in, out chan struct{} // closed: it is stuck; it goes on
}

func (s stuck) ClaimSources(ctx context.Context, most int, lease time.Duration) ([]feed.Claim, error) {
	select {
	case <-s.in:
		<-s.out
	default:
	}
	return s.memory.ClaimSources(ctx, most, lease)
}

func TestRunTellsThatItTurnsUnlessItHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := stuck{newMemory("http://a.example/"), make(chan struct{}), make(chan struct{})}
		var turns atomic.Int32
		inMinute := func() int32 {
			turns.Store(0)
			time.Sleep(time.Minute)
			return turns.Load()
		}
		release := make(chan struct{})
		in := ingest.New(store, ingest.Options{Workers: 1, OnTurn: func() { turns.Add(1) }})
		in.SetTransport(network(func(r *http.Request) (*http.Response, error) {
			<-release
			return answers(r, 200, nil, rss(""))
		}))
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- in.Run(ctx) }()

		if n := inMinute(); n < 10 {
			t.Errorf("it turned %d times in a minute while its worker waited for a server", n)
		}
		close(release)
		if n := inMinute(); n < 10 {
			t.Errorf("it turned %d times in a minute with nothing to do", n)
		}
		store.fail(fmt.Errorf("dial: %w", feed.ErrUnavailable))
		if n := inMinute(); n < 10 {
			t.Errorf("it turned %d times in a minute without the store", n)
		}
		store.fail(nil)
		close(store.in)
		time.Sleep(10 * time.Second)
		if n := inMinute(); n != 0 {
			t.Errorf("it turned %d times in a minute while it hung", n)
		}
		close(store.out)
		if n := inMinute(); n < 10 {
			t.Errorf("it turned %d times in the minute after", n)
		}
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}
