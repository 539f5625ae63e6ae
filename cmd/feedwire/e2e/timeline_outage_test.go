package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/store/storetest"
)

// outageReader reads the pages of a timeline again and again, and fails the test if one is wrong.
type outageReader struct {
	t            *testing.T
	base, name   string
	down         *atomic.Bool // no command of the daemon reaches Redis
	fresh, stale atomic.Int32 // pages
	read         map[string]bool
	seen         map[int64]bool // posts of pages that were not stale
}

// outagePage is a page of GET /feed.
type outagePage struct {
	Posts []struct {
		ID int64 `json:"id"`
	} `json:"posts"`
	Next string `json:"next_cursor"`
}

// run walks until stop is closed.
func (r *outageReader) run(stop <-chan struct{}) {
	for {
		select {
		case <-stop:
			return
		case <-time.After(20 * time.Millisecond):
			r.walk()
		}
	}
}

// walk reads all pages. If none of them is stale, they have every post that was there before, once.
func (r *outageReader) walk() {
	before, got, whole := maps.Clone(r.seen), make(map[int64]bool), true
	for query := ""; ; {
		page, current := r.page("/feed" + query)
		whole = whole && current
		for _, p := range page.Posts {
			if got[p.ID] && whole {
				r.t.Errorf("%s got post %d twice", r.name, p.ID)
			}
			got[p.ID] = true
			r.seen[p.ID] = r.seen[p.ID] || current
		}
		if page.Next == "" {
			break
		}
		query = "?cursor=" + page.Next
	}
	for id, seen := range before {
		if whole && seen && !got[id] {
			r.t.Errorf("%s no longer gets post %d", r.name, id)
		}
	}
}

// page reads a page, and reports whether it is current. A stale page has been read before; a request without any gets 503.
func (r *outageReader) page(path string) (page outagePage, current bool) {
	req, err := http.NewRequestWithContext(r.t.Context(), http.MethodGet, r.base+path, nil)
	if err != nil {
		r.t.Error(err)
		return page, false
	}
	req.Header.Set("X-Remote-User", r.name)
	down := r.down.Load()
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		r.t.Error(err)
		return page, false
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		r.t.Error(err)
		return page, false
	}
	stale := resp.Header.Get("X-Feedwire-Stale") == "1" && resp.Header.Get("Age") != ""
	known := path + " " + string(body)
	switch {
	case resp.StatusCode == http.StatusServiceUnavailable && resp.Header.Get("Retry-After") != "":
		return page, false
	case resp.StatusCode != http.StatusOK:
		r.t.Errorf("%s gets %d for %s: %.300s", r.name, resp.StatusCode, path, body)
		return page, false
	case stale && !r.read[known]:
		r.t.Errorf("%s gets a stale %s that it did not read before: %.300s", r.name, path, body)
	case stale:
		r.stale.Add(1)
	case down && r.down.Load():
		r.t.Errorf("%s gets a %s that is not marked as stale: %.300s", r.name, path, body)
	default:
		r.read[known] = true
		r.fresh.Add(1)
	}
	if err := json.Unmarshal(body, &page); err != nil {
		r.t.Errorf("%s: %v", path, err)
	}
	return page, !stale
}

// B8: while Redis is cut off or hangs, readers get pages that they had before, marked as stale, or 503. When it is back, they get current
// pages within five seconds, and no timeline has lost an entry.
func TestFaultsOfTimelines(t *testing.T) {
	t.Parallel()
	redis := storetest.RedisAOF(t)
	line := storetest.NewLine(t, redis.Dial)
	n := newNewsroomAt(t, redis, fmt.Sprintf(`store: {redis: "redis://%s", timeout: 2s}
auth: {proxy_header: X-Remote-User, proxy_networks: [127.0.0.0/8]}`, line.Addr()), "FEEDWIRE_STORE_TIMEOUT=2s")
	var down atomic.Bool
	var readers []*outageReader
	var all sync.WaitGroup
	stop := make(chan struct{})
	for _, name := range followers {
		r := &outageReader{t: t, base: "http://" + n.Address, name: name, down: &down, read: make(map[string]bool), seen: make(map[int64]bool)}
		readers = append(readers, r)
		all.Go(func() { r.run(stop) })
	}
	end := sync.OnceFunc(func() { close(stop); all.Wait() })
	t.Cleanup(end)
	// each waits until all readers have got another page of a kind.
	each := func(limit time.Duration, what string, pages func(*outageReader) *atomic.Int32) {
		t.Helper()
		for _, r := range readers {
			before := pages(r).Load()
			wiretest.Within(t, limit, r.name+" gets "+what, func() bool { return pages(r).Load() > before })
		}
	}
	fresh, stale := func(r *outageReader) *atomic.Int32 { return &r.fresh }, func(r *outageReader) *atomic.Int32 { return &r.stale }
	for range outages {
		for _, fault := range []struct{ name, toxic string }{{"cut", "reset_peer"}, {"stall", "timeout"}} {
			n.post()
			each(wiretest.Patience, "a page", fresh)
			line.Disturb(fault.toxic, map[string]int{"timeout": 0}) // at once, and never
			down.Store(true)
			each(wiretest.Patience, "its last page", stale)
			n.post()
			down.Store(false)
			line.Heal()
			healed := time.Now()
			each(wiretest.Recovery, "a current page", fresh)
			t.Logf("after a %s, current pages in %v", fault.name, time.Since(healed).Round(time.Millisecond))
		}
	}
	end()
	n.settle()
}
