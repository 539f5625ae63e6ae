package daemon

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
	"time"

	"github.com/feedwire/feedwire/cmd/feedwire/cli"
	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/publish/desk/hub"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// hidden is the secret part of a callback.
const hidden = "capability-9f3"

// subscribeTo makes a subscription to the source of a daemon.
func subscribeTo(t *testing.T, d *daemon, src feed.Source, host string) feed.Subscription {
	t.Helper()
	sub := feed.Subscription{
		Topic: src.URL, Callback: "http://" + host + "/" + hidden, Kind: feed.KindWebSub, Secret: "s3cret", Lease: 240 * time.Hour,
	}
	if err := d.app.store.Hub.Subscribe(t.Context(), &sub); err != nil {
		t.Fatal(err)
	}
	return sub
}

// useWays gives a daemon a paused subscription to a source, a dead letter of it, and a webhook.
func useWays(t *testing.T, d *daemon, redis *storetest.Server, src feed.Source) (reader feed.Subscription, letter string, hook hub.Webhook) {
	t.Helper()
	reader = subscribeTo(t, d, src, "127.0.0.1:1")
	if err := d.app.store.Hub.PauseSubscription(t.Context(), reader.ID); err != nil {
		t.Fatal(err)
	}
	if made, err := d.app.store.Hub.DistributeServed(t.Context(), feed.Distribution{Topic: src.URL, ContentType: "text/plain", Body: []byte("news")}); err != nil || !made {
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
	t.Parallel()
	d, web, src := startFor(t)
	in := newInbox(t)
	hook := mustJSON[hub.Webhook](t, "webhook", "add", in.URL+"/posts", "--kind", "post_created", "--source", src.URL)
	if out := must(t, "webhook", "test", hook.ID); out != "accepted: 200 OK\n" {
		t.Errorf("webhook test says %q", out)
	}
	web.Set("/feed.xml", append(wiretest.Posts(2), wiretest.Post("p9", "Fresh", "<p>Body</p>"))...)
	d.poll(src)
	wiretest.Eventually(t, "told", func() bool { return len(in.got("/posts")) >= 2 })
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
	far := mustJSON[hub.Webhook](t, "webhook", "add", "http://192.168.99.99/")
	fails(t, cli.ExitFailed, "add it to fetch.allow_networks", "webhook", "test", far.ID)
	in.Close()
	fails(t, cli.ExitFailed, "rejected the test message: the server cannot be reached", "webhook", "test", hook.ID)
}

func TestConfiguredSubscriptionsAreUsed(t *testing.T) {
	t.Parallel()
	in := newInbox(t)
	d := start(t, storetest.RedisAOF(t), fmt.Sprintf(
		"hub:\n  ping: [%[1]s/hub]\nwebhooks:\n  - url: %[1]s/hook\n    kinds: [feed_created]\npublic_url: https://wire.example.org\n", in.URL))
	// The daemon serves while it configures; a webhook hears nothing of what came before it.
	var hooks feed.Page[hub.Webhook]
	wiretest.Eventually(t, "configured", func() bool {
		d.do(http.MethodGet, "/api/v1/webhooks", nil, &hooks)
		return len(hooks.Items) > 0
	})
	web := wiretest.NewOrigin(t)
	web.Set("/feed.xml", wiretest.Posts(1)...)
	d.add(web.URL+"/feed.xml", map[string]any{"publish": "auto"})
	wiretest.Eventually(t, "told of the feed", func() bool { return len(in.got("/hook")) > 0 })
	const topic = "https://wire.example.org/feed/production"
	wiretest.Eventually(t, "another hub told", func() bool {
		for _, body := range in.got("/hub") {
			form, err := url.ParseQuery(body)
			if err == nil && form.Get("hub.mode") == "publish" && form.Get("hub.url") == topic {
				return true
			}
		}
		return false
	})
	if len(hooks.Items) != 1 || !hooks.Items[0].Signed {
		t.Errorf("the API shows %+v", hooks.Items)
	}
	// A restart keeps the generated secret.
	before, err := d.app.store.Hub.Subscription(t.Context(), hooks.Items[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	d.app.configureSubscriptions(t.Context())
	if after, err := d.app.store.Hub.Subscription(t.Context(), before.ID); err != nil || after.Secret != before.Secret {
		t.Errorf("the secret was changed, %v", err)
	}
}
