package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/feedwire/feedwire/publish/desk"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// useWays gives a daemon a paused subscription to a source, a dead letter of it, and a webhook.
func useWays(t *testing.T, d *daemon, redis *storetest.Server, src feed.Source) (reader feed.Subscription, letter string, hook desk.Webhook) {
	t.Helper()
	reader = subscribeTo(t, d, src, "127.0.0.1:1")
	if err := d.app.store.PauseSubscription(t.Context(), reader.ID); err != nil {
		t.Fatal(err)
	}
	if made, err := d.app.store.DistributeServed(t.Context(), feed.Distribution{Topic: src.URL, ContentType: "text/plain", Body: []byte("news")}); err != nil || !made {
		t.Fatalf("made a version: %v, %v", made, err)
	}
	letter = "1795206000000-0"
	storetest.Commands(t, redis.Dial).Do("XADD", "hub:dead", letter, "subscription", reader.ID, "topic", src.URL, "first", 1, "last", 1)
	d.do(http.MethodPost, "/api/v1/webhooks", map[string]any{"url": "http://127.0.0.1:1/"}, &hook)
	return reader, letter, hook
}

// inbox receives what a daemon sends.
type inbox struct {
	*httptest.Server
	mu  sync.Mutex
	all []string // path and body
}

func newInbox(t *testing.T) *inbox {
	i := &inbox{}
	i.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		i.mu.Lock()
		defer i.mu.Unlock()
		i.all = append(i.all, r.URL.Path+" "+string(body))
	}))
	t.Cleanup(i.Close)
	return i
}

// got are the bodies that came to a path.
func (i *inbox) got(path string) (all []string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, line := range i.all {
		if body, ok := strings.CutPrefix(line, path+" "); ok {
			all = append(all, body)
		}
	}
	return all
}

func TestWebhooksGetWhatIsNew(t *testing.T) {
	d, web, src := startFor(t)
	in := newInbox(t)
	hook := mustJSON[desk.Webhook](t, "webhook", "add", in.URL+"/posts", "--kind", "post_created", "--source", src.URL)
	if out := must(t, "webhook", "test", hook.ID); out != "taken: 200 OK\n" {
		t.Errorf("webhook test says %q", out)
	}
	web.set("/feed.xml", append(posts(2), item{"p9", "Fresh", "<p>Body</p>"})...)
	d.poll(src)
	eventually(t, "told", func() bool { return len(in.got("/posts")) >= 2 })
	var told struct {
		Type string
		Data feed.Signal
	}
	if err := json.Unmarshal([]byte(in.got("/posts")[1]), &told); err != nil {
		t.Fatal(err)
	}
	if told.Type != "post_created" || told.Data.Post == nil || told.Data.Post.Title != "Fresh" || told.Data.FeedURL != src.URL {
		t.Errorf("told is %+v", told)
	}
	far := mustJSON[desk.Webhook](t, "webhook", "add", "http://192.168.99.99/")
	fails(t, exitFailed, "add it to fetch.allow_networks", "webhook", "test", far.ID)
	in.Close()
	fails(t, exitFailed, "did not take it: its server cannot be reached", "webhook", "test", hook.ID)
}

func TestWaysOfTheConfigurationAreUsed(t *testing.T) {
	t.Parallel()
	in := newInbox(t)
	d := start(t, storetest.RedisAOF(t), fmt.Sprintf(
		"hub:\n  ping: [%[1]s/hub]\nwebhooks:\n  - url: %[1]s/hook\n    kinds: [feed_created]\npublic_url: https://wire.example.org\n", in.URL))
	web := newOrigin(t)
	web.set("/feed.xml", posts(1)...)
	d.add(web.URL+"/feed.xml", map[string]any{"publish": "auto"})
	eventually(t, "told of the feed", func() bool { return len(in.got("/hook")) > 0 })
	const topic = "https://wire.example.org/feed/production"
	eventually(t, "another hub told", func() bool {
		for _, body := range in.got("/hub") {
			form, err := url.ParseQuery(body)
			if err == nil && form.Get("hub.mode") == "publish" && form.Get("hub.url") == topic {
				return true
			}
		}
		return false
	})
	var hooks feed.Page[desk.Webhook]
	d.do(http.MethodGet, "/api/v1/webhooks", nil, &hooks)
	if len(hooks.Items) != 1 || !hooks.Items[0].Signed {
		t.Errorf("the API shows %+v", hooks.Items)
	}
	// Once more, as after a restart: the secret that was made stays.
	before, err := d.app.store.Subscription(t.Context(), hooks.Items[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.app.configureWays(t.Context()); err != nil {
		t.Fatal(err)
	}
	if after, err := d.app.store.Subscription(t.Context(), before.ID); err != nil || after.Secret != before.Secret {
		t.Errorf("the secret was changed, %v", err)
	}
}

func TestSignalsAreToldInALine(t *testing.T) {
	const url = "https://blog.example.org/feed.xml"
	for want, s := range map[string]feed.Signal{
		"feed_created   " + url: {Kind: feed.FeedCreated},
		"feed_modified  " + url + `  title: "Harbour" → "The Harbour"`: {
			Kind: feed.FeedModified, Changed: map[string]feed.Change{"title": {From: "Harbour", To: "The Harbour"}},
		},
		"feed_modified  " + url + "  held: 30 new, 2 changed": {Kind: feed.FeedModified, Held: feed.Held{Created: 30, Modified: 2}},
		"post_created   Entry:2 A bridge opens":               {Kind: feed.PostCreated, GUID: "p", Entry: "Entry:2", Post: &feed.Entry{Title: "A bridge opens"}},
		"post_modified  Entry:2 p":                            {Kind: feed.PostModified, GUID: "p", Entry: "Entry:2"},
	} {
		s.FeedURL = url
		if got := describe(&s); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
