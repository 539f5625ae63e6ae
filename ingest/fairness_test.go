package ingest_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/feedwire/feedwire/ingest"
	"github.com/feedwire/feedwire/store/feed"
)

// trickle is a body of which a byte comes each second, for ever.
type trickle struct{ ctx context.Context }

func (t trickle) Read(p []byte) (int, error) {
	select {
	case <-time.After(time.Second):
		return copy(p, " "), nil
	case <-t.ctx.Done():
		return 0, t.ctx.Err()
	}
}

func (t trickle) Close() error { return nil }

// Each tarpit keeps a worker for two seconds at first, so that the last in a row of sources that are due together waits for its
// share of those at most.
func TestTarpitsDoNotDelayOtherSources(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ tarpits, good, workers int }{{50, 50, 16}, {100, 100, 64}, {100, 50, 16}, {400, 50, 16}} {
		t.Run(fmt.Sprintf("%d of %d with %d workers", c.tarpits, c.tarpits+c.good, c.workers), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				store := newMemory()
				add := func(kind string, count int) (urls []string) {
					for i := range count {
						url := fmt.Sprintf("http://%s%d.example/", kind, i)
						store.sources[url] = &feed.Source{URL: url, Interval: time.Minute, Poll: feed.PollState{NextPoll: time.Now()}}
						urls = append(urls, url)
					}
					return urls
				}
				good := add("good", c.good)
				tarpits := append(add("silent", c.tarpits/2), add("trickling", c.tarpits/2)...)
				begun, atOnce, most := time.Now(), 0, 0
				var mu sync.Mutex
				count := func(n int) {
					mu.Lock()
					defer mu.Unlock()
					atOnce += n
					most = max(most, atOnce)
				}
				stop := start(t, store, ingest.Options{Workers: c.workers}, func(r *http.Request) (*http.Response, error) {
					switch {
					case strings.HasPrefix(r.URL.Host, "silent"):
						count(1)
						<-r.Context().Done()
						count(-1)
						return nil, r.Context().Err()
					case strings.HasPrefix(r.URL.Host, "trickling"):
						resp, err := answers(r, 200, nil, "")
						resp.Body = trickle{r.Context()}
						return resp, err
					}
					return answers(r, 200, nil, rss("<item><guid>1</guid></item>"))
				})
				time.Sleep(10*time.Minute + 30*time.Second)
				stop()
				share := time.Duration(c.tarpits/c.workers+1)*2*time.Second + time.Second
				for _, url := range good {
					polls := store.polls[url]
					if first := polls[0].Sub(begun); first > share || len(polls) < 10-c.tarpits/200 {
						t.Errorf("%s was polled %d times, first after %v", url, len(polls), first)
					}
					for i := 1; i < len(polls); i++ {
						if late := polls[i].Sub(polls[i-1]) - time.Minute; late > share {
							t.Errorf("%s: poll %d came %v late", url, i, late)
						}
					}
				}
				for _, url := range tarpits {
					if got := store.poll(url); got.ErrorClass != "timeout" || got.Errors < 3 || got.Errors > 5 {
						t.Errorf("a tarpit is %+v", got)
					}
				}
				if most > 33*c.workers {
					t.Errorf("%d silent servers were waited for at once", most)
				}
				for url, took := range store.fastest() { // one whose time is up just now may still be in the slow pool
					if strings.Contains(url, "good") == (took >= 8*time.Second) {
						t.Errorf("%s: the shortest poll took %v", url, took)
					}
				}
			})
		})
	}
}

// A thousand sources whose servers never finish are due before another source, for the first time or after they answered before, and
// again and again. They do not take two seconds each from the other one.
func TestACrowdOfTarpitsDoesNotStarveASource(t *testing.T) {
	t.Parallel()
	const tarpits, workers, good = 300, 4, "http://good.example/"
	for _, c := range []struct {
		kind  string
		known bool
		wait  time.Duration // until the first poll, at most
	}{
		{"silent", false, 10 * time.Second},
		{"trickling", false, 10 * time.Second},
		{"silent", true, 25 * time.Second},
		{"trickling", true, 25 * time.Second},
	} {
		t.Run(fmt.Sprintf("%s, known %t", c.kind, c.known), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				store, begun := newMemory(), time.Now()
				store.finished = make(chan *feed.PollState, 100*tarpits)
				for i := range tarpits {
					url := fmt.Sprintf("http://tarpit%d.example/", i)
					source := &feed.Source{URL: url, Interval: time.Minute, Poll: feed.PollState{NextPoll: begun}}
					if c.known {
						source.Poll.LastOK = begun.Add(-time.Minute)
					}
					store.sources[url] = source
				}
				store.sources[good] = &feed.Source{URL: good, Interval: time.Minute, Poll: feed.PollState{NextPoll: begun.Add(time.Second)}}
				atOnce, most := 0, 0
				var mu sync.Mutex
				count := func(n int) {
					mu.Lock()
					defer mu.Unlock()
					atOnce += n
					most = max(most, atOnce)
				}
				stop := start(t, store, ingest.Options{Workers: workers}, func(r *http.Request) (*http.Response, error) {
					if r.URL.Host == "good.example" {
						time.Sleep(500 * time.Millisecond)
						return answers(r, 200, nil, rss("<item><guid>1</guid></item>"))
					}
					count(1)
					context.AfterFunc(r.Context(), func() { count(-1) })
					if c.kind == "silent" {
						<-r.Context().Done()
						return nil, r.Context().Err()
					}
					resp, err := answers(r, 200, nil, "")
					resp.Body = trickle{r.Context()}
					return resp, err
				})
				time.Sleep(10 * time.Minute)
				stop()
				mu.Lock()
				defer mu.Unlock()
				polls := store.polls[good]
				var waited, later time.Duration
				for i, at := range polls {
					if i == 0 {
						waited = at.Sub(begun)
					} else {
						later = max(later, at.Sub(polls[i-1])-66*time.Second) // its interval and the jitter
					}
				}
				if waited > c.wait || later > 5*time.Second || store.poll(good).Errors > 0 {
					t.Errorf("%d polls, the first after %v, another %v late, %+v", len(polls), waited, later, store.poll(good))
				}
				if most > 2*33*workers { // those that were just evicted count as well
					t.Errorf("%d servers were waited for at once", most)
				}
			})
		})
	}
}

func TestLeaseIsRenewedWhileAFetchLasts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newMemory("http://slow.example/", "http://lost.example/")
		store.sources["http://slow.example/"].Request.Timeout = 5 * time.Minute
		store.sources["http://lost.example/"].Request.Timeout = 5 * time.Minute
		broken := make(chan time.Time, 1)
		stop := start(t, store, ingest.Options{Lease: time.Minute}, func(r *http.Request) (*http.Response, error) {
			if r.URL.Host == "lost.example" {
				<-r.Context().Done()
				broken <- time.Now()
				return nil, r.Context().Err()
			}
			time.Sleep(4 * time.Minute)
			return answers(r, 200, nil, rss("<item><guid>1</guid></item>"))
		})
		begun := time.Now()
		time.Sleep(50 * time.Second)
		store.mu.Lock()
		store.leases["http://lost.example/"] = "another daemon's"
		store.mu.Unlock()
		if after := (<-broken).Sub(begun); after > 2*time.Minute {
			t.Errorf("the fetch under a lost lease was broken off after %v", after)
		}
		time.Sleep(4 * time.Minute)
		stop()
		if got := store.poll("http://slow.example/"); got.Entries != 1 || store.renewed < 8 {
			t.Errorf("renewed %d times, state %+v", store.renewed, got)
		}
		if got := store.poll("http://lost.example/"); !got.LastPoll.IsZero() {
			t.Errorf("the lost poll left %+v", got)
		}
	})
}

func TestLocalOutageIsNotCountedAgainstSources(t *testing.T) {
	down := func(r *http.Request) (*http.Response, error) {
		return nil, &net.OpError{Op: "dial", Err: errors.New("network is unreachable")}
	}
	cases := []struct {
		name  string
		hosts int
		fails func(host int) bool
		blame int // sources with a counted error, at least
		most  int // and at most
	}{
		{"everything fails", 40, func(int) bool { return true }, 0, 9},
		{"a third fails", 40, func(i int) bool { return i%3 == 0 }, 13, 14},
		{"few sources", 9, func(int) bool { return true }, 9, 9},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := newMemory()
				for i := range c.hosts {
					url := fmt.Sprintf("http://h%d.example/", i)
					due := time.Now().Add(time.Duration(i) * time.Millisecond) // in this order
					store.sources[url] = &feed.Source{URL: url, Interval: time.Hour, Poll: feed.PollState{NextPoll: due}}
				}
				stop := start(t, store, ingest.Options{Workers: 1}, func(r *http.Request) (*http.Response, error) {
					var i int
					_, _ = fmt.Sscanf(r.URL.Host, "h%d.", &i)
					if c.fails(i) {
						return down(r)
					}
					return answers(r, 200, nil, rss(""))
				})
				time.Sleep(30 * time.Second)
				stop()
				blamed := 0
				for _, s := range store.sources {
					if s.Poll.Errors > 0 {
						blamed++
					} else if s.Poll.ErrorClass != "" && (!strings.Contains(s.Poll.Advice(), "this machine") ||
						!strings.Contains(s.Poll.NextReason, "outage") || time.Until(s.Poll.NextPoll) > time.Hour+time.Minute) {
						t.Errorf("%s: %s; next %s", s.URL, s.Poll.Advice(), s.Poll.NextReason)
					}
				}
				if blamed < c.blame || blamed > c.most {
					t.Errorf("%d sources are blamed, want %d to %d", blamed, c.blame, c.most)
				}
			})
		})
	}
}
