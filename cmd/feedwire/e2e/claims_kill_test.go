package e2e

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/store/storetest"
)

// stallingReader is a host with subscribers. While it stalls it does not respond to deliveries.
type stallingReader struct {
	*httptest.Server
	stalls  atomic.Bool
	waiting atomic.Int32 // deliveries without a response

	mu  sync.Mutex
	got map[string]bool // callbacks that have accepted a delivery since the last reset
}

func newStallingReader(t *testing.T) *stallingReader {
	r := &stallingReader{got: make(map[string]bool)}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.Method == http.MethodGet {
			_, _ = w.Write([]byte(req.FormValue("hub.challenge")))
			return
		}
		_, _ = io.Copy(io.Discard, req.Body) // the server notices the end of a connection only then
		if r.stalls.Load() {
			r.waiting.Add(1)
			<-req.Context().Done() // until the daemon is killed
			return
		}
		r.mu.Lock()
		r.got[req.URL.Path] = true
		r.mu.Unlock()
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *stallingReader) reset() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waiting.Store(0)
	clear(r.got)
}

func (r *stallingReader) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.got)
}

// The program is killed while subscribers do not respond. After its restart it repeats these deliveries at once, although its claims
// last for three minutes. The log has the longest time from the start of the process to the last delivery.
func TestClaimsOfADaemonKilledAtRandomMoments(t *testing.T) {
	t.Parallel()
	const subscribers = 20
	b, r := newPublisher(t), newStallingReader(t)
	p := wiretest.BuildProgram(t, fmt.Sprintf("store: {redis: \"unix://%s\"}\nhub: {timeout: 1m}", storetest.RedisAOF(t).Addr()))
	p.Start()
	p.Ready()
	b.enter(p)
	for n := range subscribers {
		resp, err := http.PostForm("http://"+p.Address+"/hub", url.Values{
			"hub.mode": {"subscribe"}, "hub.topic": {b.topic}, "hub.callback": {fmt.Sprintf("%s/%d", r.URL, n)},
		})
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
	}
	wiretest.Eventually(t, "subscribed", func() bool { return len(subscriptions(t, p)) == subscribers })
	var longest, afterReady time.Duration
	for n := range kills {
		r.reset()
		r.stalls.Store(true)
		b.publish(p)
		wiretest.Eventually(t, "a delivery under way", func() bool { return r.waiting.Load() > 0 })
		time.Sleep(rand.N(300 * time.Millisecond))
		p.Kill()
		r.stalls.Store(false)
		start := time.Now()
		p.Start()
		p.Ready()
		ready := time.Now()
		wiretest.Within(t, 90*time.Second, fmt.Sprintf("kill %d: all deliveries", n+1), func() bool { return r.count() == subscribers })
		longest, afterReady = max(longest, time.Since(start)), max(afterReady, time.Since(ready))
	}
	t.Logf("%d kills: delivered at most %v after the start of the process, %v after it was ready", kills,
		longest.Round(time.Millisecond), afterReady.Round(time.Millisecond))
}
