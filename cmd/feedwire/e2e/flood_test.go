package e2e

import (
	"context"
	"encoding/xml"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// With the defaults TestFlood takes seconds. make test-faults pushes a million entries in a minute.
var (
	floodEntries  = flag.Int("flood", 20_000, "entries that a hub pushes in TestFlood")
	floodDocument = flag.Int("flood-document", 100, "entries in a document")
	floodRate     = flag.Int("flood-rate", 1_000_000/60, "entries in a second")
	floodLimit    = flag.Int("flood-limit", 1000, "fetch.push_entries; 0 for no limit")
	floodDay      = flag.Int("flood-day", 10_000, "fetch.day_entries; 0 for no limit")
	floodLate     = flag.Duration("flood-late", 30*time.Second, "how late posts of another source may be; other tests run meanwhile")
)

const (
	floodPushes = 8     // concurrent deliveries of the hub
	floodMemory = 200e6 // bytes that Redis may use
)

// pushed is a source with a hub of its own, an outgoing feed and a subscriber.
type pushed struct {
	*wiretest.Hub
	name  string // of the outgoing feed
	web   *wiretest.Origin
	topic string

	mu   sync.Mutex
	told map[string]time.Time // by guid: when the subscriber got the post first
}

func newPushed(t *testing.T, name string) *pushed {
	p := &pushed{Hub: wiretest.NewHub(t), name: name, web: wiretest.NewOrigin(t), told: make(map[string]time.Time)}
	p.topic = p.web.URL + "/feed.xml"
	p.web.Link = fmt.Sprintf(`<%s>; rel="hub", <%s>; rel="self"`, p.URL, p.topic)
	p.web.Set("/feed.xml", wiretest.Post("first", "First", "<p>Text.</p>"))
	return p
}

// enter makes it a source of the daemon, and waits until its hub and its subscriber are subscribed.
func (p *pushed) enter(t *testing.T, daemon *wiretest.Process) {
	t.Helper()
	in := map[string]any{"url": p.topic, "publish": "auto"}
	if err := daemon.Client().Call(t.Context(), http.MethodPost, "/api/v1/sources", in, nil); err != nil {
		t.Fatal(err)
	}
	wiretest.Eventually(t, "subscribed to the hub of "+p.name, func() bool { return len(p.Requests()) == 1 })
	subscriber := httptest.NewServer(http.HandlerFunc(p.take))
	t.Cleanup(subscriber.Close)
	before := len(subscriptions(t, daemon))
	resp, err := http.PostForm("http://"+daemon.Address+"/hub", url.Values{
		"hub.mode": {"subscribe"}, "hub.topic": {p.topic}, "hub.callback": {subscriber.URL},
	})
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	wiretest.Eventually(t, "subscribed to "+p.name, func() bool { return len(subscriptions(t, daemon)) == before+1 })
}

// take confirms the subscription and accepts deliveries.
func (p *pushed) take(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		_, _ = io.WriteString(w, r.FormValue("hub.challenge"))
		return
	}
	var doc wiretest.Document
	if body, err := io.ReadAll(r.Body); err != nil || xml.Unmarshal(body, &doc) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, guid := range doc.GUIDs {
		if _, known := p.told[guid]; !known {
			p.told[guid] = time.Now()
		}
	}
}

// delivered returns how many posts the subscriber has got, and when it got one of them.
func (p *pushed) delivered(guid string) (posts int, at time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.told), p.told[guid]
}

// flood pushes entries at -flood-rate, whatever is answered, and counts the answers.
func (p *pushed) flood(entries int) map[int]int {
	var mu sync.Mutex
	answers := make(map[int]int)
	documents := make(chan int)
	var hub sync.WaitGroup
	for range floodPushes {
		hub.Go(func() {
			for first := range documents {
				var items []wiretest.Item
				for n := first; n < min(first+*floodDocument, entries); n++ {
					items = append(items, wiretest.Post(fmt.Sprintf("p%d", n), fmt.Sprintf("Post %d", n), "<p>Text.</p>"))
				}
				status := p.Deliver(string(p.web.Render(items)), nil)
				mu.Lock()
				answers[status] += len(items)
				mu.Unlock()
			}
		})
	}
	began := time.Now()
	for first := 0; first < entries; first += *floodDocument {
		time.Sleep(time.Until(began.Add(time.Duration(first) * time.Second / time.Duration(*floodRate))))
		documents <- first
	}
	close(documents)
	hub.Wait()
	return answers
}

// One source floods the daemon with its hub. Meanwhile another source is pushed one post at a time: each is in its outgoing feed
// and at its subscriber in time, and Redis stays small.
func TestFlood(t *testing.T) {
	t.Parallel()
	loud, quiet := newPushed(t, "loud"), newPushed(t, "quiet")
	var feeds strings.Builder
	for _, p := range []*pushed{loud, quiet} {
		fmt.Fprintf(&feeds, "\n  %s: {sources: [%q], publish: auto, impressions: {retire_after: 0}}", p.name, p.topic)
	}
	daemon := wiretest.BuildProgram(t, "feeds:"+feeds.String())
	daemon.Start("FEEDWIRE_PUBLIC_URL=http://"+daemon.Address, "FEEDWIRE_FETCH_PUSH=always", fmt.Sprintf("FEEDWIRE_FETCH_PUSH_ENTRIES=%d", *floodLimit),
		fmt.Sprintf("FEEDWIRE_FETCH_DAY_ENTRIES=%d", *floodDay))
	daemon.Ready()
	loud.enter(t, daemon)
	quiet.enter(t, daemon)
	loud.web.Set("/feed.xml", wiretest.Posts(1000)...) // what a poll finds

	over := make(chan struct{})
	began := time.Now()
	var answers map[int]int
	go func() {
		defer close(over)
		answers = loud.flood(*floodEntries)
	}()
	client := &http.Client{Timeout: time.Minute}
	defer client.CloseIdleConnections()
	var published, told []time.Duration // until each post was there
	for flooded := true; flooded; {
		select {
		case <-over:
			flooded = false
		default:
		}
		post := wiretest.Post(fmt.Sprintf("q%d", len(told)), "News", "<p>Text.</p>")
		uuid := feed.ArticleUUID(quiet.topic, post.GUID)
		pushed := time.Now()
		if status := quiet.Deliver(string(quiet.web.Render([]wiretest.Item{post})), nil); status != http.StatusAccepted {
			t.Fatalf("the push of %s was answered %d", post.GUID, status)
		}
		wiretest.Eventually(t, "published: "+post.GUID, func() bool {
			shown, err := wiretest.Crawl(client, "http://"+daemon.Address+"/feed/quiet", wiretest.Facebook)
			return err == nil && slices.Contains(shown, uuid)
		})
		published = append(published, time.Since(pushed))
		var at time.Time
		wiretest.Eventually(t, "delivered: "+post.GUID, func() bool { _, at = quiet.delivered(post.GUID); return !at.IsZero() })
		told = append(told, at.Sub(pushed))
		time.Sleep(time.Until(pushed.Add(500 * time.Millisecond)))
	}
	took := time.Since(began)
	peak := redisPeak(t, daemon)
	posts, _ := loud.delivered("")
	t.Logf("%d entries in %v, by status: %v; their subscriber got %d", *floodEntries, took.Round(time.Second/10), answers, posts)
	t.Logf("%d posts of the other source: published within %v, delivered within %v (medians %v, %v)", len(told),
		slices.Max(published), slices.Max(told), median(published), median(told))
	t.Logf("Redis used %.1f MB at most", peak/1e6)
	if late := max(slices.Max(published), slices.Max(told)); late > *floodLate {
		t.Errorf("a post of the other source came after %v", late)
	}
	if peak > floodMemory {
		t.Errorf("Redis used %.0f MB", peak/1e6)
	}
}

// redisPeak returns the most bytes that the private Redis of a daemon has used.
func redisPeak(t *testing.T, daemon *wiretest.Process) float64 {
	t.Helper()
	raw := storetest.Commands(t, func(ctx context.Context) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", filepath.Join(filepath.Dir(daemon.Config), "data", "redis", "redis.sock"))
	})
	for line := range strings.Lines(string(raw.Do("INFO", "memory").([]byte))) {
		if text, ok := strings.CutPrefix(line, "used_memory_peak:"); ok {
			n, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
	}
	t.Fatal("Redis does not say how much memory it used")
	return 0
}
