package daemon

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/ingest"
	"github.com/feedwire/feedwire/signals/websub"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// pages serves documents of any content type.
type pages struct {
	*httptest.Server
	mu  sync.Mutex
	all map[string]webPage
}

type webPage struct{ contentType, body, link string }

func newPages(t *testing.T) *pages {
	p := &pages{all: make(map[string]webPage)}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		page, ok := p.all[r.URL.Path]
		p.mu.Unlock()
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", page.contentType)
		if page.link != "" {
			w.Header().Set("Link", page.link)
		}
		_, _ = io.WriteString(w, page.body)
	}))
	t.Cleanup(p.Close)
	return p
}

// set sets the page at a path and returns its URL.
func (p *pages) set(path string, page webPage) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all[path] = page
	return p.URL + path
}

// published sends a publish request that the hub must accept.
func (d *daemon) published(topic string) {
	d.t.Helper()
	if code, said := d.hub(url.Values{"hub.mode": {"publish"}, "hub.url": {topic}}); code != http.StatusNoContent {
		d.t.Fatalf("publish got %d %s, want 204", code, said)
	}
}

// deliveredTo waits for the first delivery to a path.
func (r *reader) deliveredTo(t *testing.T, path string) (got *http.Request) {
	t.Helper()
	wiretest.Eventually(t, "delivered to "+path, func() bool {
		all := r.deliveries()
		if i := slices.IndexFunc(all, func(d *http.Request) bool { return d.URL.Path == path }); i >= 0 {
			got = all[i]
		}
		return got != nil
	})
	return got
}

const openHub = "hub:\n  open_topics: 20\n"

func TestTopicsHaveAnyContentType(t *testing.T) {
	t.Parallel()
	p, r := newPages(t), newReader(t)
	d := start(t, storetest.RedisAOF(t), openHub)
	types := map[string]string{
		"/page": "text/html; charset=utf-8", "/text": "text/plain;charset=iso-8859-1", "/image": "image/png", "/data": "application/json",
		"/odd": "application/x-odd+thing",
	}
	body := func(path string, n int) string { return fmt.Sprintf("<html>%s %d \x00\xff\r\n", path, n) }
	for path, contentType := range types {
		d.subscribes(r, p.set(path, webPage{contentType, body(path, 1), ""}), r.URL+path)
	}
	for path, contentType := range types {
		d.published(p.set(path, webPage{contentType, body(path, 2), ""}))
	}
	for path, contentType := range types {
		got := r.deliveredTo(t, path)
		if got.Form.Get("body") != body(path, 2) || got.Header.Get("Content-Type") != contentType {
			t.Errorf("%s: got %q of type %q", path, got.Form.Get("body"), got.Header.Get("Content-Type"))
		}
		if err := websub.Verify(got.Header, "hush", []byte(got.Form.Get("body"))); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		if said := websub.Discover(got.Header, nil, d.Base); said.Self != p.URL+path || len(said.Hubs) != 1 {
			t.Errorf("%s links to %+v", path, said)
		}
	}
	if topics, bytes, err := d.app.store.Topics.OpenTopicCounts(t.Context()); topics != len(types) || bytes == 0 || err != nil {
		t.Errorf("%d topics have %d bytes, %v", topics, bytes, err)
	}
	if found, _ := d.app.catalog.Document(t.Context(), p.URL+"/page", feed.EntryRange{}); string(found.Body) != body("/page", 2) {
		t.Errorf("the document is %q", found.Body)
	}
}

func TestOpenTopicsAreCheckedAtAnInterval(t *testing.T) {
	t.Parallel()
	p, r := newPages(t), newReader(t)
	d := start(t, storetest.RedisAOF(t), openHub+"  open_interval: 1s\n")
	topic := p.set("/page", webPage{"text/html", "<html>1", ""})
	d.subscribes(r, topic, r.URL+"/cb")
	checked, err := d.app.store.Topics.OpenTopic(t.Context(), topic)
	if err != nil {
		t.Fatal(err)
	}
	wiretest.Eventually(t, "checked again", func() bool {
		now, err := d.app.store.Topics.OpenTopic(t.Context(), topic)
		return err == nil && now.Checked.After(checked.Checked)
	})
	if all := r.deliveries(); len(all) != 0 {
		t.Errorf("%d deliveries without a change", len(all))
	}
	p.set("/page", webPage{"text/html", "<html>2", ""})
	if got := r.deliveredTo(t, "/cb"); got.Form.Get("body") != "<html>2" {
		t.Errorf("got %q", got.Form.Get("body"))
	}
}

func TestCanonicalURLOfADocumentIsTheTopic(t *testing.T) {
	t.Parallel()
	p, r := newPages(t), newReader(t)
	d := start(t, storetest.RedisAOF(t), openHub)
	canonical := p.set("/page", webPage{"text/html", "<html><head><link rel=self href=/page></head>1", ""})
	d.subscribesAs(r, p.set("/page.html", webPage{"text/html", "<html><head><link rel=self href=/page></head>", ""}), canonical, r.URL+"/link")
	d.subscribesAs(r, p.set("/image", webPage{"image/png", "png", "</page>; rel=self"}), canonical, r.URL+"/header")
	for _, q := range r.asked() {
		if q.Get("hub.topic") == canonical {
			t.Errorf("the verification has another topic than the request: %v", q)
		}
	}
	p.set("/page", webPage{"text/html", "<html><head><link rel=self href=/page></head>2", ""})
	d.published(p.URL + "/page.html") // any of its names
	for _, path := range []string{"/link", "/header"} {
		got := r.deliveredTo(t, path)
		if said := websub.Discover(got.Header, nil, d.Base); said.Self != canonical || !strings.HasSuffix(got.Form.Get("body"), "2") {
			t.Errorf("%s got %q of %+v", path, got.Form.Get("body"), said)
		}
	}
}

// subscribesAs subscribes to a topic whose name is another one.
func (d *daemon) subscribesAs(r *reader, topic, name, callback string) {
	d.t.Helper()
	if code, said := d.hub(url.Values{"hub.mode": {"subscribe"}, "hub.topic": {topic}, "hub.callback": {callback}}); code != http.StatusAccepted {
		d.t.Fatalf("got %d %s", code, said)
	}
	wiretest.Eventually(d.t, "subscribed", func() bool {
		_, err := d.app.store.Hub.Subscription(d.t.Context(), feed.SubscriptionID(name, callback))
		return err == nil
	})
}

func TestPublishingAddsATopic(t *testing.T) {
	t.Parallel()
	p, r := newPages(t), newReader(t)
	topic := p.set("/page", webPage{"text/html", "<html>1", ""})
	if code, _ := start(t, storetest.RedisAOF(t), "").hub(url.Values{"hub.mode": {"publish"}, "hub.url": {topic}}); code != http.StatusNotFound {
		t.Errorf("a hub without open topics responds %d", code)
	}
	d := start(t, storetest.RedisAOF(t), openHub)
	d.published(topic)
	wiretest.Eventually(t, "added", func() bool {
		_, err := d.app.store.Topics.OpenTopic(t.Context(), topic)
		return err == nil
	})
	d.subscribes(r, topic, r.URL+"/cb")
	d.published(p.set("/page", webPage{"text/html", "<html>2", ""}))
	if got := r.deliveredTo(t, "/cb"); got.Form.Get("body") != "<html>2" {
		t.Errorf("got %q", got.Form.Get("body"))
	}
	if err := d.app.store.Hub.Unsubscribe(t.Context(), feed.SubscriptionID(topic, r.URL+"/cb")); err != nil {
		t.Fatal(err)
	}
	if removed, err := d.app.catalog.RemoveIdle(t.Context(), 0); err != nil || !slices.Equal(removed, []string{topic}) {
		t.Errorf("removed %v, %v", removed, err)
	}
}

func TestOpenTopicsAreRefused(t *testing.T) {
	t.Parallel()
	p, r := newPages(t), newReader(t)
	big := p.set("/big", webPage{"text/plain", strings.Repeat("x", 2000), ""})
	small := p.set("/small", webPage{"text/plain", "x", ""})
	for _, c := range []struct{ options, topic, reason string }{
		{"  open_bytes: 1KiB\n", big, "the topic is too large"},
		{"  open_hosts: [pages.example.org]\n", small, "the hub accepts no topics of this host"},
		{"", p.URL + "/missing", "the topic cannot be fetched"},
	} {
		d := start(t, storetest.RedisAOF(t), openHub+c.options)
		if code, said := d.hub(url.Values{"hub.mode": {"subscribe"}, "hub.topic": {c.topic}, "hub.callback": {r.URL + "/cb"}}); code != http.StatusAccepted {
			t.Errorf("%s got %d %s", c.topic, code, said)
		}
		wiretest.Eventually(t, "denied: "+c.reason, func() bool {
			return slices.ContainsFunc(r.asked(), func(q url.Values) bool {
				return q.Get("hub.mode") == "denied" && q.Get("hub.topic") == c.topic && q.Get("hub.reason") == c.reason
			})
		})
	}
}

// A page in a private network is no topic, even if the sources of that network may be polled.
func TestOpenTopicsAreNotInNetworksOfSources(t *testing.T) {
	t.Parallel()
	p := newPages(t)
	cfg := *start(t, storetest.RedisAOF(t), openHub).app.cfg()
	cfg.Fetch.AllowNetworks, cfg.Hub.AllowNetworks = cfg.Hub.AllowNetworks, nil
	topics := ingest.NewTopicFetcher(topicFetchOptions(&cfg), time.Now)
	_, err := topics.Fetch(t.Context(), &feed.OpenTopic{URL: p.set("/page", webPage{"text/html", "<html>secret", ""})})
	if feed.ClassOf(err) != feed.FailureBlockedAddress {
		t.Errorf("a page of a private network is fetched: %v", err)
	}
}

// Subscribers of a feed that they added receive its document, those of other feeds its news.
func TestAddedFeedsAreDeliveredUnchanged(t *testing.T) {
	t.Parallel()
	o, r := wiretest.NewOrigin(t), newReader(t)
	o.Set("/added", wiretest.Posts(1)...)
	o.Set("/own", wiretest.Posts(1)...)
	d := start(t, storetest.RedisAOF(t), openHub+"sources:\n  - url: "+o.URL+"/own\n")
	for _, path := range []string{"/added", "/own"} {
		topic := o.URL + path
		d.subscribes(r, topic, r.URL+path)
		d.untilPolled(topic)
		o.Set(path, wiretest.Posts(2)...)
		d.published(topic)
	}
	want := string(o.Render(wiretest.Posts(2)))
	wiretest.Eventually(t, "the document of the added feed", func() bool {
		return slices.ContainsFunc(r.deliveries(), func(got *http.Request) bool {
			return got.URL.Path == "/added" && got.Form.Get("body") == want
		})
	})
	if got := r.deliveredTo(t, "/own"); got.Form.Get("body") == want {
		t.Error("the own feed is delivered unchanged")
	}
}

// publishes sends the content of a topic with the token of the daemon.
func (d *daemon) publishes(topic, contentType, body string) (status int, said string) {
	d.t.Helper()
	at := d.Base + "/hub?hub.mode=publish&hub.url=" + url.QueryEscape(topic)
	req, err := http.NewRequestWithContext(d.t.Context(), http.MethodPost, at, strings.NewReader(body))
	if err != nil {
		d.t.Fatal(err)
	}
	req.Header.Set("Content-Type", contentType)
	req.Header.Set("Authorization", "Bearer "+d.Token)
	resp, err := d.Http.Do(req)
	if err != nil {
		d.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(resp.Body)
	return resp.StatusCode, string(text)
}

func TestPublishersSendTheContentOfTopics(t *testing.T) {
	t.Parallel()
	p, r := newPages(t), newReader(t)
	d := start(t, storetest.RedisAOF(t), openHub)
	page := p.set("/page", webPage{"text/html", "<html>1", ""})
	rss := func(title string) string {
		return `<rss version="2.0"><channel><title>Test</title><link>http://x.example/</link><description>d</description>` +
			`<item><guid>` + title + `</guid><title>` + title + `</title></item></channel></rss>`
	}
	posts := p.set("/posts.xml", webPage{"application/rss+xml", rss("First"), ""})
	d.add(posts, nil)
	d.subscribes(r, page, r.URL+"/page")
	d.subscribes(r, posts, r.URL+"/posts")
	for _, c := range []struct{ topic, contentType, body string }{
		{page, "text/markdown", "# 2 \x00\xff\r\n"}, {posts, "application/rss+xml", rss("Second")},
	} {
		if status, said := d.publishes(c.topic, c.contentType, c.body); status != http.StatusNoContent {
			t.Fatalf("%s: got %d %s", c.topic, status, said)
		}
	}
	if got := r.deliveredTo(t, "/page"); got.Form.Get("body") != "# 2 \x00\xff\r\n" || got.Header.Get("Content-Type") != "text/markdown" {
		t.Errorf("got %q of type %q", got.Form.Get("body"), got.Header.Get("Content-Type"))
	}
	wiretest.Eventually(t, "the second post is delivered", func() bool {
		return slices.ContainsFunc(r.deliveries(), func(got *http.Request) bool {
			return got.URL.Path == "/posts" && strings.Contains(got.Form.Get("body"), "<title>Second</title>")
		})
	})
	for _, c := range []struct {
		topic, body, says string
		status            int
	}{
		{posts, "no feed", "not a feed", http.StatusUnprocessableEntity},
		{d.Base + "/feed/production", "<rss/>", "makes the content", http.StatusConflict},
		{p.URL + "/unknown", "a", "hub.url", http.StatusNotFound},
		{page, strings.Repeat("a", 1<<20+1), "1048576 bytes", http.StatusRequestEntityTooLarge},
	} {
		if status, said := d.publishes(c.topic, "text/plain", c.body); status != c.status || !strings.Contains(said, c.says) {
			t.Errorf("%s: got %d %s", c.topic, status, said)
		}
	}
}
