package delivery_test

import (
	"flag"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/feedwire/feedwire/signals/delivery"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

var crowdSize = flag.Int("crowd", 3000, "subscriptions of TestCrowdAtOneHostHarmsNoOther")

// crowd is a host with very many subscribers of one topic.
type crowd struct {
	*httptest.Server
	got   []atomic.Int32 // deliveries by number of the subscriber
	total atomic.Int64   // subscribers that have got one
}

// serveAt starts a server at an address of this machine.
func serveAt(t *testing.T, address string, handler http.HandlerFunc) *httptest.Server {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", address+":0")
	if err != nil {
		t.Fatal(err)
	}
	s := &httptest.Server{Listener: l, Config: &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute}}
	s.Start()
	t.Cleanup(s.Close)
	return s
}

func (c *crowd) take(w http.ResponseWriter, r *http.Request) {
	n, err := strconv.Atoi(r.URL.Path[len("/cb/"):])
	if _, failed := io.Copy(io.Discard, r.Body); failed != nil || err != nil {
		return // it was cut off, and is no delivery
	}
	if c.got[n].Add(1) == 1 {
		c.total.Add(1)
	}
	w.WriteHeader(http.StatusNoContent)
}

// Very many subscribers of one topic at one host get a version, each once. Meanwhile the subscriber of another topic at another host
// gets one version after the other. go test ./signals/delivery -run Crowd -crowd 100000 -v prints how long each took.
func TestCrowdAtOneHostHarmsNoOther(t *testing.T) {
	const other = "http://island.example/feed.xml"
	size := *crowdSize
	d := newHarness(t, storetest.RedisAOF(t).Dial)
	c := &crowd{got: make([]atomic.Int32, size)}
	c.Server = serveAt(t, "127.0.0.1", c.take)
	came := make(chan struct{}, 1)
	quiet := serveAt(t, "127.0.0.2", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNoContent)
		came <- struct{}{}
	})
	const parts = 32
	var all sync.WaitGroup
	for part := range parts {
		all.Go(func() {
			for n := part; n < size; n += parts {
				d.subscribe(c.URL+numbered(n), "")
			}
		})
	}
	all.Wait()
	sub := feed.Subscription{Topic: other, Callback: quiet.URL + "/cb", Kind: feed.KindWebSub, Lease: 100 * time.Hour}
	if err := d.Hub.Subscribe(t.Context(), &sub); err != nil {
		t.Fatal(err)
	}
	d.run(delivery.Options{})

	start := time.Now()
	d.news("for the crowd", false)
	longest, meanwhile := time.Duration(0), 0
	for part := range 10 {
		storetest.Await(t, 10*time.Minute, "the next tenth", func() bool { return c.total.Load() > int64(part*size/10) })
		sent := time.Now()
		d.newsOf(other, "for the other "+strconv.Itoa(part), false)
		<-came
		if c.total.Load() < int64(size) {
			longest, meanwhile = max(longest, time.Since(sent)), meanwhile+1
		}
	}
	storetest.Await(t, 10*time.Minute, "the crowd is served", func() bool { return c.total.Load() == int64(size) })
	took := time.Since(start)
	if meanwhile == 0 {
		t.Error("the other subscriber got nothing until the crowd was served")
	}
	for n := range c.got {
		if got := c.got[n].Load(); got != 1 {
			t.Errorf("subscriber %d got %d deliveries", n, got)
		}
	}
	t.Logf("%d subscribers at one host in %v (%.0f/s); %d versions for the other subscriber meanwhile, each after %v at most",
		size, took.Round(time.Millisecond), float64(size)/took.Seconds(), meanwhile, longest.Round(time.Millisecond))
}
