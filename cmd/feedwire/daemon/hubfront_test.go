package daemon

import (
	"errors"
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
	"github.com/feedwire/feedwire/signals/websub"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// reader subscribes at a daemon's hub: it confirms everything, and keeps what comes.
type reader struct {
	*httptest.Server
	mu  sync.Mutex
	got []*http.Request // deliveries, with the body as a form value "body"
	ask []url.Values    // of GETs
}

func newReader(t *testing.T) *reader {
	r := &reader{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		r.mu.Lock()
		defer r.mu.Unlock()
		if req.Method == http.MethodGet {
			r.ask = append(r.ask, req.URL.Query())
			_, _ = io.WriteString(w, req.URL.Query().Get("hub.challenge"))
			return
		}
		req.Form = url.Values{"body": {string(body)}}
		r.got = append(r.got, req)
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *reader) deliveries() []*http.Request {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.got)
}

func (r *reader) asked() []url.Values {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.ask)
}

// hub sends a form to the daemon's hub, and returns the answer.
func (d *daemon) hub(form url.Values) (int, string) {
	d.t.Helper()
	resp, err := d.Http.PostForm(d.Base+"/hub", form)
	if err != nil {
		d.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(resp.Body)
	return resp.StatusCode, string(body)
}

// subscribes makes a subscription, which the reader confirms.
func (d *daemon) subscribes(r *reader, topic, callback string) {
	d.t.Helper()
	if code, said := d.hub(url.Values{
		"hub.mode": {"subscribe"}, "hub.topic": {topic}, "hub.callback": {callback}, "hub.secret": {"hush"},
	}); code != http.StatusAccepted {
		d.t.Fatalf("answered %d %s", code, said)
	}
	wiretest.Eventually(d.t, "subscribed", func() bool {
		_, err := d.app.store.Hub.Subscription(d.t.Context(), feed.SubscriptionID(topic, callback))
		return err == nil
	})
}

// The whole walk of a subscriber through a running daemon: a source and an outgoing feed are subscribed to, the publisher
// says that there is news, and it comes, signed.
func TestSubscriberHearsOfNews(t *testing.T) {
	t.Parallel()
	o, r := wiretest.NewOrigin(t), newReader(t)
	o.Set("/a", wiretest.Posts(1)...)
	source := o.URL + "/a"
	d := start(t, storetest.RedisAOF(t), "sources:\n  - url: "+source+"\n    feeds: [production]\n    publish: auto\n")
	served := d.app.cfg().PublicURL + "/feed/production"
	d.untilPolled(source)
	d.subscribes(r, source, r.URL+"/source?k=1")
	d.subscribes(r, served, r.URL+"/served")
	o.Set("/a", wiretest.Posts(3)...)
	if code, said := d.hub(url.Values{"hub.mode": {"publish"}, "hub.url": {source, served}}); code != http.StatusNoContent {
		t.Fatalf("publish answered %d %s", code, said)
	}
	latest := func(path string) (found *http.Request) {
		for _, got := range r.deliveries() {
			if got.URL.Path == path && strings.Contains(got.Form.Get("body"), "Post 2") {
				found = got
			}
		}
		return found
	}
	for path, topic := range map[string]string{"/source": source, "/served": served} {
		wiretest.Eventually(t, "news at "+path, func() bool { return latest(path) != nil })
		got := latest(path)
		if err := websub.Verify(got.Header, "hush", []byte(got.Form.Get("body"))); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		if said := websub.Discover(got.Header, nil, d.Base); said.Self != topic || len(said.Hubs) != 1 || !strings.HasSuffix(said.Hubs[0], "/hub") {
			t.Errorf("%s links to %+v", path, said)
		}
		if got.Header.Get("Content-Type") != "application/rss+xml; charset=utf-8" {
			t.Errorf("%s is %s", path, got.Header.Get("Content-Type"))
		}
	}
	for token, want := range map[string]int{"": http.StatusForbidden, d.Token: http.StatusOK} {
		for _, topic := range []string{source, served} {
			req, _ := http.NewRequest(http.MethodGet, d.Base+"/hub?hub.mode=retrieve&hub.topic="+url.QueryEscape(topic), nil)
			req.Header.Set("Authorization", "Bearer "+token)
			resp, err := d.Http.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			body, _ := io.ReadAll(resp.Body)
			resp.Body.Close()
			if resp.StatusCode != want || want == http.StatusOK && !strings.Contains(string(body), "Post 2") {
				t.Errorf("retrieving %s is answered %d %.80s", topic, resp.StatusCode, body)
			}
		}
	}
}

// Who has the token retrieves the entries of a source, all or those around one, and gets them with a subscription.
func TestEntriesOfASourceAreRetrieved(t *testing.T) {
	t.Parallel()
	o, r := wiretest.NewOrigin(t), newReader(t)
	o.Set("/a", wiretest.Posts(12)...)
	source := o.URL + "/a"
	d := start(t, storetest.RedisAOF(t), "sources:\n  - url: "+source+"\n")
	d.untilPolled(source)
	said := func(req *http.Request) (int, []string) {
		req.SetBasicAuth("any", d.Token)
		resp, err := d.Http.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, _ := io.ReadAll(resp.Body)
		var guids []string
		for _, part := range strings.Split(string(body), `<guid isPermaLink="false">`)[1:] {
			guid, _, _ := strings.Cut(part, "<")
			guids = append(guids, guid)
		}
		return resp.StatusCode, guids
	}
	retrieve := func(part string) (int, []string) {
		req, _ := http.NewRequest(http.MethodGet, d.Base+"/hub?hub.mode=retrieve&hub.topic="+url.QueryEscape(source)+part, nil)
		return said(req)
	}
	status, all := retrieve("&count=50")
	if status != http.StatusOK || len(all) != 12 {
		t.Fatalf("answered %d %v", status, all)
	}
	for part, want := range map[string][]string{
		"": all[:10], "&count=3": all[:3], "&count=2&before=" + all[4]: all[5:7], "&count=2&after=" + all[4]: all[2:4], "&after=" + all[0]: nil,
	} {
		if status, got := retrieve(part); status != http.StatusOK || !slices.Equal(got, want) {
			t.Errorf("%s: answered %d %v, want %v", part, status, got, want)
		}
	}
	if status, _ := retrieve("&before=unknown"); status != http.StatusNotFound {
		t.Errorf("before an unknown one: answered %d", status)
	}
	form := url.Values{"hub.mode": {"subscribe"}, "hub.topic": {source}, "hub.callback": {r.URL + "/cb"}, "retrieve": {"true"}}
	req, _ := http.NewRequest(http.MethodPost, d.Base+"/hub", strings.NewReader(form.Encode()))
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if status, got := said(req); status != http.StatusOK || !slices.Equal(got, all[:10]) {
		t.Errorf("the subscription is answered %d %v", status, got)
	}
	served := url.QueryEscape(d.app.cfg().PublicURL + "/feed/production")
	req, _ = http.NewRequest(http.MethodGet, d.Base+"/hub?hub.mode=retrieve&count=1&hub.topic="+served, nil)
	if status, _ := said(req); status != http.StatusNotFound {
		t.Errorf("a part of an outgoing feed is answered %d", status)
	}
}

// What the Recommendation demands of a publisher (section 4): each feed names the hub and itself, in the headers of GET and
// HEAD and in the document.
func TestFeedsNameTheHub(t *testing.T) {
	t.Parallel()
	d := start(t, storetest.RedisAOF(t), "")
	topic := d.app.cfg().PublicURL + "/feed/production"
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		req, _ := http.NewRequest(method, d.Base+"/feed/production", nil)
		resp, err := d.Http.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		want := websub.Topic{Hubs: []string{hubURL(d.app.cfg())}, Self: topic}
		for where, got := range map[string]websub.Topic{
			"headers": websub.Discover(resp.Header, nil, d.Base), "document": websub.Discover(nil, body, d.Base),
		} {
			if where == "document" && method == http.MethodHead {
				continue
			}
			if got.Self != want.Self || !slices.Equal(got.Hubs, want.Hubs) {
				t.Errorf("the %s of %s name %+v, want %+v", where, method, got, want)
			}
		}
	}
}

func TestSubscribersAddSourcesWhereTheyMay(t *testing.T) {
	t.Parallel()
	o, r := wiretest.NewOrigin(t), newReader(t)
	o.Set("/a", wiretest.Posts(1)...)
	o.Set("/b", wiretest.Posts(1)...)
	ask := func(d *daemon, topic string) int {
		code, _ := d.hub(url.Values{"hub.mode": {"subscribe"}, "hub.topic": {topic}, "hub.callback": {r.URL + "/cb"}})
		return code
	}
	if code := ask(start(t, storetest.RedisAOF(t), ""), o.URL+"/a"); code != http.StatusNotFound {
		t.Errorf("subscribing to a topic that the hub does not have: got status %d", code)
	}
	d := start(t, storetest.RedisAOF(t), "hub:\n  open_topics: 1\n")
	d.subscribes(r, o.URL+"/a", r.URL+"/first")
	if got := d.source(o.URL + "/a"); !slices.Equal(got.Categories, []string{"hub"}) {
		t.Errorf("the source is of the categories %v", got.Categories)
	}
	for topic, reason := range map[string]string{o.URL + "/b": "the hub accepts no more topics"} {
		if code := ask(d, topic); code != http.StatusAccepted {
			t.Errorf("%s: answered %d", topic, code)
		}
		wiretest.Eventually(t, "denied: "+topic, func() bool {
			return slices.ContainsFunc(r.asked(), func(q url.Values) bool {
				return q.Get("hub.mode") == "denied" && q.Get("hub.topic") == topic && q.Get("hub.reason") == reason
			})
		})
	}
}

// Sources that subscribers added go with them; those that a person took over stay, and so do a person's own.
func TestSourcesGoWithTheirSubscribers(t *testing.T) {
	t.Parallel()
	o, r := wiretest.NewOrigin(t), newReader(t)
	for _, path := range []string{"/left", "/wanted", "/shown", "/sorted", "/own"} {
		o.Set(path, wiretest.Posts(1)...)
	}
	d := start(t, storetest.RedisAOF(t), "hub:\n  open_topics: 4\nsources:\n  - url: "+o.URL+"/own\n")
	s := d.app.store
	for _, path := range []string{"/left", "/wanted", "/shown", "/sorted"} {
		d.subscribes(r, o.URL+path, r.URL+path)
	}
	for _, src := range []feed.Source{
		{URL: o.URL + "/shown", Feeds: []string{"production"}}, {URL: o.URL + "/sorted", Categories: []string{"hub", "ships"}},
	} {
		if _, _, err := s.Sources.AddSource(t.Context(), src); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{"/left", "/shown", "/sorted"} {
		if err := s.Hub.Unsubscribe(t.Context(), feed.SubscriptionID(o.URL+path, r.URL+path)); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.app.closeTopics(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.source(o.URL + "/left") // is there for a day
	closed, err := d.app.catalog.RemoveIdle(t.Context(), 0)
	if err != nil || !slices.Equal(closed, []string{o.URL + "/left"}) {
		t.Errorf("closed %v, %v", closed, err)
	}
	if _, err := s.Sources.SourceByURL(t.Context(), o.URL+"/left"); !errors.Is(err, feed.ErrNotFound) {
		t.Errorf("the source that all have left: %v", err)
	}
	for _, path := range []string{"/wanted", "/shown", "/sorted", "/own"} {
		d.source(o.URL + path)
	}
	d.subscribes(r, o.URL+"/left", r.URL+"/again") // and adds it again
	d.source(o.URL + "/left")
}

// The request for a check is stored, so that it survives a kill of the daemon.
func TestPublishRequestsSoonAfterAPollShareOneStoredCheck(t *testing.T) {
	t.Parallel()
	o := wiretest.NewOrigin(t)
	o.Set("/a", wiretest.Posts(1)...)
	source := o.URL + "/a"
	d := start(t, storetest.RedisAOF(t), "sources:\n  - url: "+source+"\nfetch:\n  allow_networks: [127.0.0.0/8]\n  interval: 1h\n  min_interval: 30s\n")
	d.untilPolled(source)
	polled := d.source(source).Poll
	if polled.NextPoll.Sub(polled.LastPoll) < 30*time.Minute {
		t.Fatalf("it is polled again at %v anyway", polled.NextPoll)
	}
	for range 3 {
		if err := d.app.catalog.RefreshTopic(t.Context(), source); err != nil {
			t.Fatal(err)
		}
	}
	if wait := d.source(source).Poll.NextPoll.Sub(polled.LastPoll); wait < 9*time.Second || wait > 11*time.Second {
		t.Errorf("it is polled %v after the last poll, want 10 s", wait)
	}
}
