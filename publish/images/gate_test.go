package images_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/feedwire/feedwire/publish/images"
	"github.com/feedwire/feedwire/publish/web/webtest"
	"github.com/feedwire/feedwire/store/feed"
)

// network has hosts with one picture. Hosts that hang accept requests and never answer.
type network struct {
	picture []byte

	mu     sync.Mutex
	hangs  bool // hosts whose name begins with "hangs"
	asked  map[string]int
	active map[string]int
}

func (n *network) RoundTrip(r *http.Request) (*http.Response, error) {
	host := r.URL.Hostname()
	n.mu.Lock()
	n.asked[host]++
	n.active[host]++
	hangs := n.hangs && strings.HasPrefix(host, "hangs")
	n.mu.Unlock()
	defer func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.active[host]--
	}()
	if hangs {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(bytes.NewReader(n.picture)), Request: r}, nil
}

// newNetwork returns a network, and a function that returns a desk of the account with an id.
func newNetwork(t *testing.T) (*network, *images.Images, func(id int64) *webtest.Desk) {
	n := &network{picture: noise(t, 1000), hangs: true, asked: make(map[string]int), active: make(map[string]int)}
	sign := func(text string) string { return fmt.Sprintf("%x", text) }
	all := images.New(images.Options{Dir: t.TempDir(), Now: time.Now, Sign: sign}, images.Limits{Cache: 1 << 20})
	all.SetTransport(n)
	return n, all, func(id int64) *webtest.Desk {
		d := webtest.New(time.Now)
		d.Visitor.Account = feed.Account{ID: id}
		d.Mount(all)
		return d
	}
}

func TestHostThatHangsDelaysOnlyItsOwnImages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, all, deskOf := newNetwork(t)
		ann, bob, start := deskOf(1), deskOf(2), time.Now()
		const many = 300
		path := func(i int) string { return all.URL(fmt.Sprintf("https://hangs.example/%d.png", i)) }
		var responses [many]struct {
			code   int
			header http.Header
		}
		var done sync.WaitGroup
		for i := range many {
			done.Go(func() {
				w := ann.Call(http.MethodGet, path(i), "")
				responses[i].code, responses[i].header = w.Code, w.Header()
			})
		}
		synctest.Wait()
		if got := n.active["hangs.example"]; got != 2 {
			t.Errorf("%d images of the host are fetched at once", got)
		}
		for name, desk := range map[string]*webtest.Desk{"ann": ann, "bob": bob} {
			w := desk.Call(http.MethodGet, all.URL("https://works.example/"+name+".png"), "")
			if waited := time.Since(start); w.Code != http.StatusOK || waited != 0 {
				t.Errorf("%s gets %d after %v for an image of another host", name, w.Code, waited)
			}
		}
		done.Wait()
		if waited := time.Since(start); waited > 15*time.Second {
			t.Errorf("the last response came after %v", waited)
		}

		n.hangs = false
		failed := 0
		for i, got := range responses {
			want := http.StatusOK
			switch cacheControl := got.header.Get("Cache-Control"); {
			case got.code == http.StatusBadGateway && cacheControl == "private, max-age=600":
				want = http.StatusBadGateway
				failed++
			case got.code != http.StatusServiceUnavailable || cacheControl != "no-store" || got.header.Get("Retry-After") == "":
				t.Fatalf("got %d %v", got.code, got.header)
			}
			if w := ann.Call(http.MethodGet, path(i), ""); w.Code != want {
				t.Fatalf("after %d, an image of the host that works again gets %d", got.code, w.Code)
			}
		}
		if asked := n.asked["hangs.example"]; failed == 0 || asked != many {
			t.Errorf("%d images failed, and the host was asked %d times for %d images", failed, asked, many)
		}
	})
}

func TestReaderOfManyHostsThatHangDelaysNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, all, deskOf := newNetwork(t)
		ann, bob := deskOf(1), deskOf(2)
		var done sync.WaitGroup
		for i := range 50 {
			done.Go(func() { ann.Call(http.MethodGet, all.URL(fmt.Sprintf("https://hangs%d.example/a.png", i)), "") })
		}
		synctest.Wait()
		active := 0
		for _, count := range n.active {
			active += count
		}
		if active != 4 {
			t.Errorf("%d images are fetched at once for a reader", active)
		}
		start := time.Now()
		w := bob.Call(http.MethodGet, all.URL("https://works.example/a.png"), "")
		if waited := time.Since(start); w.Code != http.StatusOK || waited != 0 {
			t.Errorf("another reader gets %d after %v", w.Code, waited)
		}
		done.Wait()
	})
}
