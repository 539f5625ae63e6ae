package daemon

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/cmd/feedwire/doctor"
	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/signals/websub"
	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// pushed is a delivery that a subscriber of this test has got.
type pushed struct {
	header http.Header
	body   string
}

// newSubscriber takes deliveries whose signature is good.
func newSubscriber(t *testing.T) (url string, got <-chan pushed) {
	t.Helper()
	deliveries := make(chan pushed, 10)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil {
			err = websub.Verify(r.Header, "secret", body)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusForbidden)
			return
		}
		deliveries <- pushed{r.Header, string(body)}
	}))
	t.Cleanup(srv.Close)
	return srv.URL, deliveries
}

// arrived is the next delivery.
func arrived(t *testing.T, got <-chan pushed) pushed {
	t.Helper()
	select {
	case p := <-got:
		return p
	case <-time.After(wiretest.Patience):
		t.Fatal("nothing was delivered in 20 s")
		panic("unreachable")
	}
}

// subscribeReader subscribes without asking the callback.
func subscribeReader(t *testing.T, d *daemon, topic, callback string) {
	t.Helper()
	sub := feed.Subscription{Topic: topic, Callback: callback, Kind: feed.KindWebSub, Secret: "secret", Lease: time.Hour}
	if err := d.app.store.Hub.Subscribe(t.Context(), &sub); err != nil {
		t.Fatal(err)
	}
}

// A subscriber gets the entries that it has selected, as JSON, and finds this in the list of its subscriptions.
func TestSubscribersChooseFormatAndEntries(t *testing.T) {
	t.Parallel()
	o, r := wiretest.NewOrigin(t), newReader(t)
	o.Set("/a", wiretest.Posts(1)...)
	topic := o.URL + "/a"
	d := start(t, storetest.RedisAOF(t), "sources:\n  - url: "+topic+"\n")
	d.untilPolled(topic)
	form := func(more url.Values) url.Values {
		all := url.Values{"hub.mode": {"subscribe"}, "hub.topic": {topic}, "hub.callback": {r.URL + "/some"}, "hub.secret": {"hush"}}
		maps.Copy(all, more)
		return all
	}
	if code, said := d.hub(form(url.Values{"hub.filter": {"titel=x"}})); code != http.StatusBadRequest || !strings.HasPrefix(said, "hub.filter: ") {
		t.Errorf("a filter without a field got %d %s", code, said)
	}
	if code, said := d.hub(form(url.Values{"hub.format": {"json"}, "hub.filter": {"title=post 2", "title=post 3"}})); code != http.StatusAccepted {
		t.Fatalf("got %d %s", code, said)
	}
	wiretest.Eventually(t, "subscribed", func() bool {
		_, err := d.app.store.Hub.Subscription(t.Context(), feed.SubscriptionID(topic, r.URL+"/some"))
		return err == nil
	})
	d.subscribes(r, topic, r.URL+"/all")
	for n := 2; n <= 4; n++ { // of the posts 1, 2 and 3 the last two are selected
		o.Set("/a", wiretest.Posts(n)...)
		d.published(topic)
		wiretest.Eventually(t, "delivered to all", func() bool {
			return slices.ContainsFunc(r.deliveries(), func(got *http.Request) bool {
				return got.URL.Path == "/all" && strings.Contains(got.Form.Get("body"), fmt.Sprintf("Post %d", n-1))
			})
		})
	}
	var all strings.Builder
	wiretest.Eventually(t, "delivered to some", func() bool {
		all.Reset()
		for _, got := range r.deliveries() {
			if got.URL.Path != "/some" {
				continue
			}
			body := got.Form.Get("body")
			if got.Header.Get("Content-Type") != "application/feed+json; charset=utf-8" || !json.Valid([]byte(body)) {
				t.Errorf("got %s %s", got.Header.Get("Content-Type"), body)
			}
			if err := websub.Verify(got.Header, "hush", []byte(body)); err != nil {
				t.Error(err)
			}
			all.WriteString(body)
		}
		return strings.Contains(all.String(), "Post 2") && strings.Contains(all.String(), "Post 3")
	})
	if strings.Contains(all.String(), "Post 1") {
		t.Errorf("an entry that was not selected is in %s", all.String())
	}
	code, said := d.hub(form(url.Values{"hub.mode": {"list"}}))
	if code != http.StatusOK || !strings.Contains(said, `"format":"json","filter":["title=post 2","title=post 3"]`) {
		t.Errorf("the list is %d %s", code, said)
	}
}

func TestSubscribersGetNewsOfASourceAndTheFeedItEntersAsServed(t *testing.T) {
	t.Parallel()
	d := start(t, storetest.RedisAOF(t), "")
	web := wiretest.NewOrigin(t)
	url := web.URL + "/feed.xml"
	web.Set("/feed.xml", wiretest.Posts(1)...)
	production, hub := d.app.cfg().PublicURL+"/feed/production", hubURL(d.app.cfg())
	callback, news := newSubscriber(t)
	subscribeReader(t, d, url, callback)
	callback, served := newSubscriber(t)
	subscribeReader(t, d, production, callback)
	src := d.add(url, map[string]any{"publish": "auto"})

	p := arrived(t, news)
	if !strings.Contains(p.body, "<rss") || !strings.Contains(p.body, "Post 0") || p.header.Get("Content-Type") != "application/rss+xml; charset=utf-8" {
		t.Errorf("delivered %v %s", p.header, p.body)
	}
	want := `<` + hub + `>; rel="hub", <` + url + `>; rel="self"`
	if got := p.header.Get("Link"); got != want {
		t.Errorf("Link is %s, want %s", got, want)
	}
	web.Set("/feed.xml", wiretest.Posts(2)...)
	d.poll(src)
	if p := arrived(t, news); !strings.Contains(p.body, "Post 1") || strings.Contains(p.body, "Post 0") {
		t.Errorf("the second delivery is not of the new entry alone: %s", p.body)
	}
	for {
		p := arrived(t, served)
		if !strings.Contains(p.body, "Post 1") {
			continue // as it was before
		}
		resp, err := d.Http.Get(d.Base + "/feed/production")
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err != nil || p.body != string(body) || p.header.Get("Content-Type") != resp.Header.Get("Content-Type") {
			t.Errorf("delivered %v %s, served %v %s, %v", p.header, p.body, resp.Header, body, err)
		}
		want := `<` + hub + `>; rel="hub", <` + production + `>; rel="self"`
		if p.header.Get("Link") != want || resp.Header.Get("Link") != want {
			t.Errorf("Link of the delivery is %q, of the feed %q, want %q", p.header.Get("Link"), resp.Header.Get("Link"), want)
		}
		return
	}
}

func TestFullDistributionIsTheDocumentOfTheSource(t *testing.T) {
	t.Parallel()
	d := start(t, storetest.RedisAOF(t), "hub:\n  distribution: full\n")
	web := wiretest.NewOrigin(t)
	url := web.URL + "/feed.xml"
	web.Set("/feed.xml", wiretest.Posts(2)...)
	callback, got := newSubscriber(t)
	subscribeReader(t, d, url, callback)
	d.add(url, nil)
	if p := arrived(t, got); p.body != string(web.Render(wiretest.Posts(2))) || p.header.Get("Content-Type") != "application/xml" {
		t.Errorf("delivered %v %s", p.header, p.body)
	}
}

// Strangers are not let in where the operator's own sources and webhooks may be.
func TestSubscribersStayOutOfNetworksThatTheOperatorOpenedForHimself(t *testing.T) {
	t.Parallel()
	web, in := wiretest.NewOrigin(t), newInbox(t)
	topic := web.URL + "/feed.xml"
	web.Set("/feed.xml", wiretest.Posts(1)...)
	d := start(t, storetest.RedisAOF(t), "fetch: {allow_networks: [127.0.0.0/8]}\nhub: {allow_networks: [192.0.2.0/24]}\n")
	callback, got := newSubscriber(t)
	subscribeReader(t, d, topic, callback)
	d.do(http.MethodPost, "/api/v1/webhooks", map[string]any{"url": in.URL + "/hook"}, nil)
	d.add(topic, nil)
	wiretest.Eventually(t, "a webhook told", func() bool { return len(in.got("/hook")) > 0 })
	wiretest.Eventually(t, "a blocked attempt", func() bool { return d.metric("feedwire_hub_delivery_attempts_total", "code_class", "blocked") > 0 })
	d.hub(url.Values{"hub.mode": {"subscribe"}, "hub.topic": {topic}, "hub.callback": {in.URL + "/new"}})
	wiretest.Eventually(t, "a blocked verification", func() bool { return d.metric("feedwire_hub_verifications_total", "result", "blocked") > 0 })
	if len(got) > 0 || len(in.got("/new")) > 0 {
		t.Error("a subscriber on this machine was reached")
	}
}

// The daemon gets another public_url. Subscribers of a former topic receive news.
func TestSubscribersOfAFormerPublicURLReceiveNews(t *testing.T) {
	t.Parallel()
	const former = "https://former.example"
	redis, web := storetest.RedisAOF(t), wiretest.NewOrigin(t)
	web.Set("/feed.xml", wiretest.Posts(1)...)
	topic := former + "/sources/" + feed.SourceID(web.URL+"/feed.xml") + "/feed.atom"
	callback, news := newSubscriber(t)
	before := storetest.New(t, store.Options{Dial: redis.Dial})
	if _, err := before.Topics.AddPublicURL(t.Context(), former); err != nil {
		t.Fatal(err)
	}
	sub := feed.Subscription{Topic: topic, Callback: callback, Kind: feed.KindWebSub, Secret: "secret", Lease: time.Hour}
	if err := before.Hub.Subscribe(t.Context(), &sub); err != nil {
		t.Fatal(err)
	}
	d := start(t, redis, "")
	src := d.add(web.URL+"/feed.xml", nil)
	for n := 2; ; n++ {
		p := arrived(t, news)
		if want := `<` + hubURL(d.app.cfg()) + `>; rel="hub", <` + topic + `>; rel="self"`; p.header.Get("Link") != want {
			t.Errorf("Link is %s, want %s", p.header.Get("Link"), want)
		}
		if strings.Contains(p.body, "Post 1") {
			break
		}
		web.Set("/feed.xml", wiretest.Posts(n)...)
		d.poll(src)
	}
	found := d.app.examine(t.Context())
	if !slices.ContainsFunc(found, func(f doctor.Finding) bool { return strings.Contains(f.What, former) }) {
		t.Errorf("the doctor does not name the former URL: %+v", found)
	}
}
