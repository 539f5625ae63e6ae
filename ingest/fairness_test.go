package ingest_test

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/feedwire/feedwire/ingest"
	"github.com/feedwire/feedwire/store/feed"
)

func TestTarpitsKeepNobodyWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var good []string
		store := newMemory()
		for i := range 50 {
			tarpit, fine := fmt.Sprintf("http://tar%d.example/", i), fmt.Sprintf("http://good%d.example/", i)
			for _, url := range []string{tarpit, fine} {
				store.sources[url] = &feed.Source{URL: url, Interval: time.Minute, Poll: feed.PollState{NextPoll: time.Now()}}
			}
			good = append(good, fine)
		}
		begun := time.Now()
		stop := start(t, store, ingest.Options{}, func(r *http.Request) (*http.Response, error) {
			if strings.HasPrefix(r.URL.Host, "tar") {
				<-r.Context().Done()
				return nil, r.Context().Err()
			}
			return answers(r, 200, nil, rss("<item><guid>1</guid></item>"))
		})
		time.Sleep(10*time.Minute + 30*time.Second)
		stop()
		for _, url := range good {
			polls := store.polls[url]
			if first := polls[0].Sub(begun); first > 10*time.Second || len(polls) < 10 {
				t.Errorf("%s was polled %d times, first after %v", url, len(polls), first)
			}
			for i := 1; i < len(polls); i++ {
				if late := polls[i].Sub(polls[i-1]) - time.Minute; late > 5*time.Second {
					t.Errorf("%s: poll %d came %v late", url, i, late)
				}
			}
		}
		if got := store.poll("http://tar7.example/"); got.ErrorClass != "timeout" {
			t.Errorf("a tarpit is %+v", got)
		}
	})
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

func TestOutageOnThisSideIsNobodysFault(t *testing.T) {
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
					} else if s.Poll.ErrorClass != "" && (!strings.Contains(s.Poll.WayOut(), "this machine") ||
						!strings.Contains(s.Poll.NextReason, "outage") || time.Until(s.Poll.NextPoll) > time.Hour+time.Minute) {
						t.Errorf("%s: %s; next %s", s.URL, s.Poll.WayOut(), s.Poll.NextReason)
					}
				}
				if blamed < c.blame || blamed > c.most {
					t.Errorf("%d sources are blamed, want %d to %d", blamed, c.blame, c.most)
				}
			})
		})
	}
}
