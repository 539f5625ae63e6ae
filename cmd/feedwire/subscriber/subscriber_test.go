package subscriber

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/ingest/fetch"
)

func TestSubscribeGivesUpOnAHubThatNeverCalls(t *testing.T) {
	t.Parallel()
	hub := wiretest.NewHub(t)
	hub.Answer = func(w http.ResponseWriter, _ *http.Request) bool {
		w.WriteHeader(http.StatusAccepted)
		return true
	}
	feedURL, _ := wiretest.Advertised(t, hub.URL)
	err := Run(t.Context(), feedURL, Options{
		Client: newClient(), Listen: "127.0.0.1:0", Out: io.Discard, Notes: io.Discard, patience: time.Millisecond,
	})
	if err == nil || !strings.Contains(err.Error(), "did not confirm it within 1ms; can it reach http://127.0.0.1:") {
		t.Errorf("it says %v", err)
	}
}

func newClient() *fetch.Client {
	return fetch.New(fetch.Options{AllowNetworks: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}, 1)
}

// output collects what a command writes.
type output struct {
	mu   sync.Mutex
	text strings.Builder
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) contains(text string) func() bool {
	return func() bool {
		o.mu.Lock()
		defer o.mu.Unlock()
		return strings.Contains(o.text.String(), text)
	}
}

// subscribe runs a subscriber of a document until the test ends, and returns its output once the hub has its subscription.
func subscribe(t *testing.T, url string, hub *wiretest.Hub) *output {
	t.Helper()
	out := &output{}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		ended <- Run(ctx, url, Options{Client: newClient(), Listen: "127.0.0.1:0", Out: out, Notes: io.Discard, rest: time.Nanosecond})
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	wiretest.Eventually(t, "subscribed", func() bool { return len(hub.Requests()) > 0 })
	return out
}

// names returns a page that names a hub.
func names(hub *wiretest.Hub, title string) []byte {
	return []byte("<html><head><title>" + title + "</title><link rel=hub href=" + hub.URL + "></head>")
}

func TestSubscriberFollowsTheDocumentToAnotherHub(t *testing.T) {
	t.Parallel()
	first, second, web := wiretest.NewHub(t), wiretest.NewHub(t), wiretest.NewOrigin(t)
	first.Lease = "1"
	web.SetRaw("/page", names(first, "One"))
	out := subscribe(t, web.URL+"/page", first)
	web.SetRaw("/page", names(second, "Two"))
	wiretest.Eventually(t, "subscribed at the second hub", func() bool { return len(second.Requests()) > 0 })
	wiretest.Eventually(t, "what no hub delivered is printed", out.contains("Two"))
}

func TestSubscriberPollsAfterAPing(t *testing.T) {
	t.Parallel()
	hub, web := wiretest.NewHub(t), wiretest.NewOrigin(t)
	render := func(items ...wiretest.Item) []byte {
		link := fmt.Sprintf(`<a:link xmlns:a="http://www.w3.org/2005/Atom" rel="hub" href=%q/>`, hub.URL)
		return []byte(strings.Replace(string(web.Render(items)), "<channel>", "<channel>"+link, 1))
	}
	web.SetRaw("/feed", render(wiretest.Posts(1)...))
	out := subscribe(t, web.URL+"/feed", hub)
	for ping, body := range map[string]string{"Empty": "", "Form": "hub.mode=publish", "Feed": string(render())} {
		web.SetRaw("/feed", render(wiretest.Post(ping, ping, "body")))
		if status := hub.Deliver(body, nil); status != http.StatusAccepted {
			t.Errorf("%s: got %d", ping, status)
		}
		wiretest.Eventually(t, "printed after the ping: "+ping, out.contains("  "+ping+"  "))
	}
}

func TestSubscriberPrintsPagesThatChange(t *testing.T) {
	t.Parallel()
	hub, web := wiretest.NewHub(t), wiretest.NewOrigin(t)
	web.SetRaw("/page", names(hub, "Harbour"))
	out := subscribe(t, web.URL+"/page", hub)
	for _, body := range []string{string(names(hub, "Harbour")), string(names(hub, "Lighthouse"))} {
		if status := hub.Deliver(body, func(r *http.Request) { r.Header.Set("Content-Type", "text/html") }); status != http.StatusAccepted {
			t.Errorf("got %d", status)
		}
	}
	wiretest.Eventually(t, "printed", out.contains("  Lighthouse  "+web.URL+"/page"))
	if out.contains("Harbour")() {
		t.Error("it prints what it has fetched before")
	}
}
