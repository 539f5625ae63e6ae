package delivery_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/signals/delivery"
	"github.com/feedwire/feedwire/store/feed"
)

// whsec is a secret, and key its decoded form.
const (
	whsec = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	key   = "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
)

// message is a received webhook or ping.
type message struct {
	path, id, contentType, problem string
	Type                           string
	Timestamp                      time.Time
	Data                           feed.Signal
	body                           string
}

// mailbox receives webhooks and checks them by Standard Webhooks.
type mailbox struct {
	*httptest.Server
	failing atomic.Bool

	mu  sync.Mutex
	all []message
}

func newMailbox(t *testing.T) *mailbox {
	m := &mailbox{}
	m.Server = httptest.NewServer(m)
	t.Cleanup(m.Close)
	return m
}

func (m *mailbox) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	got := message{path: r.URL.Path, id: r.Header.Get("webhook-id"), contentType: r.Header.Get("Content-Type"), body: string(body)}
	if err := json.Unmarshal(body, &got); err != nil {
		got.problem = err.Error()
	}
	secret, _ := base64.StdEncoding.DecodeString(key)
	mac := hmac.New(sha256.New, secret)
	stamp := r.Header.Get("webhook-timestamp")
	mac.Write([]byte(got.id + "." + stamp + "." + string(body)))
	if r.Header.Get("webhook-signature") != "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)) {
		got.problem = "signature " + r.Header.Get("webhook-signature")
	}
	if n, err := strconv.ParseInt(stamp, 10, 64); err != nil || time.Since(time.Unix(n, 0)).Abs() > time.Minute {
		got.problem = "timestamp " + stamp
	}
	m.mu.Lock()
	m.all = append(m.all, got)
	m.mu.Unlock()
	if m.failing.Load() {
		w.WriteHeader(http.StatusBadGateway)
	}
}

func (m *mailbox) got(path string) (all []message) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, g := range m.all {
		if g.path == path {
			all = append(all, g)
		}
	}
	return all
}

// titles returns the signals of messages, in a word each.
func titles(all []message) (told []string) {
	for _, g := range all {
		line := g.Type
		if g.Data.Post != nil {
			line += " " + g.Data.Post.Title
		}
		told = append(told, line)
	}
	return told
}

// runOutlets runs an engine with outlets until the test ends.
func (d *harness) runOutlets(outlets ...delivery.Outlet) *delivery.Engine {
	d.tb.Helper()
	e := delivery.NewEngine(d.Nouns(), outlets, &http.Transport{}, delivery.Options{Now: d.Now, Timeout: 5 * time.Second})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- e.Run(ctx) }()
	d.tb.Cleanup(func() {
		cancel()
		<-ended
	})
	return e
}

// webhook creates a webhook with a filter.
func (d *harness) webhook(url string, f feed.SignalFilter) feed.Subscription {
	d.tb.Helper()
	sub := feed.Subscription{Topic: f.Topic(), Callback: url, Kind: feed.KindWebhook, Secret: whsec}
	if err := d.Hub.Subscribe(context.Background(), &sub); err != nil {
		d.tb.Fatal(err)
	}
	return sub
}

// lists signals the lists whose digests changed.
func (d *harness) lists(all ...feed.ListDigest) {
	d.tb.Helper()
	if _, err := d.Rankings.SignalLists(context.Background(), all); err != nil {
		d.tb.Fatal(err)
	}
}

// document returns a document with posts of these titles. The guid is the first word.
func (d *harness) document(feedURL string, posts ...string) {
	d.tb.Helper()
	ctx := context.Background()
	source, _, err := d.Sources.AddSource(ctx, feed.Source{ID: feed.SourceID(feedURL), URL: feedURL, Added: d.Now()})
	if err != nil {
		d.tb.Fatal(err)
	}
	doc := feed.Document{About: feed.About{Title: "T"}}
	for _, title := range posts {
		guid, _, _ := strings.Cut(title, " ")
		doc.Entries = append(doc.Entries, feed.Entry{FeedURL: feedURL, GUID: guid, Title: title, Timestamp: d.Now()})
	}
	if _, err := d.Entries.SaveEntries(ctx, feed.Claim{Source: source}, doc); err != nil {
		d.tb.Fatal(err)
	}
}

func TestWebhookGetsSignalsThatMatchItsFilter(t *testing.T) {
	each(t, func(t *testing.T, d *harness) {
		m := newMailbox(t)
		const other = "https://other.example/feed"
		d.webhook(m.URL+"/all", feed.SignalFilter{})
		d.webhook(m.URL+"/changes", feed.SignalFilter{Kinds: []feed.SignalKind{feed.PostModified}})
		d.webhook(m.URL+"/other", feed.SignalFilter{Kinds: []feed.SignalKind{feed.FeedCreated, feed.PostCreated}, Source: other})
		d.runOutlets(delivery.Webhooks()...)

		d.document(harbour, "one", "two")
		d.document(other, "three")
		eventually(t, "the first messages", func() bool { return len(m.got("/all")) >= 5 })
		d.document(harbour, "one again", "two") // not before: a post is told as it is when it is distributed
		eventually(t, "all messages", func() bool {
			return len(m.got("/changes")) >= 1 && len(m.got("/other")) >= 2 && len(m.got("/all")) >= 6
		})
		for path, want := range map[string][]string{
			"/all": {"feed_created", "post_created one", "post_created two", "feed_created", "post_created three",
				"post_modified one again"},
			"/changes": {"post_modified one again"},
			"/other":   {"feed_created", "post_created three"},
		} {
			got := m.got(path)
			if diff := cmp.Diff(want, titles(got)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", path, diff)
			}
			seen := make(map[string]bool)
			for _, g := range got {
				if g.problem != "" || g.contentType != "application/json" || g.id == "" || seen[g.id] || !g.Timestamp.Equal(g.Data.Time) {
					t.Errorf("%s got %+v", path, g)
				}
				seen[g.id] = true
			}
		}
		change := m.got("/changes")[0].Data.Changed["title"]
		if change != (feed.Change{From: "one", To: "one again"}) {
			t.Errorf("the change is %+v", change)
		}
	})
}

// A subscriber of the source gets no comment, no vote and no list, and nothing because of one.
func TestOtherChangesReachWebhooksThatNameItsKind(t *testing.T) {
	each(t, func(t *testing.T, d *harness) {
		m, r := newMailbox(t), newReader(t, nil)
		const top, hot = "https://wire.example/lists/top.rss", "https://wire.example/lists/hot.rss"
		d.lists(feed.ListDigest{List: "top", FeedURL: top, Digest: "1"})
		d.Advance(time.Minute)
		d.webhook(m.URL+"/lists", feed.SignalFilter{Kinds: []feed.SignalKind{feed.ListModified}})
		d.webhook(m.URL+"/top", feed.SignalFilter{Kinds: []feed.SignalKind{feed.ListModified}, Source: top})
		d.webhook(m.URL+"/all", feed.SignalFilter{})
		d.webhook(m.URL+"/comments", feed.SignalFilter{Kinds: []feed.SignalKind{feed.CommentCreated, feed.EntryVoted}, Source: harbour})
		d.subscribe(r.callback("/cb"), "secret/cb")
		kinds := delivery.Outlet{
			Topics: func(feedURL string) []string { return []string{feedURL} },
			Make: func(_ context.Context, topic string, news delivery.News) ([]feed.Distribution, error) {
				body := ""
				for _, s := range news.Signals {
					body += string(s.Kind) + "\n"
				}
				return []feed.Distribution{{Topic: topic, ContentType: "text/plain", Body: []byte(body)}}, nil
			},
		}
		d.runOutlets(append(delivery.Webhooks(), kinds)...)
		d.document(harbour, "one")
		eventually(t, "the post", func() bool { return len(m.got("/all")) == 2 })
		posts, err := d.Entries.Entries(t.Context(), harbour, 1)
		if err == nil {
			posts[0].Link = "http://harbour.example/one"
			err = d.Community.Offer(t.Context(), posts)
		}
		if err != nil {
			t.Fatal(err)
		}
		n, _ := strconv.ParseInt(posts[0].Number(), 10, 64)
		if _, err := d.Community.AddComment(t.Context(), n, 7, feed.NoParent, "c"); err != nil {
			t.Fatal(err)
		}
		if _, err := d.Community.VoteOnNews(t.Context(), &posts[0], 7, feed.VoteUp); err != nil {
			t.Fatal(err)
		}
		if _, err := d.SignalVotes(t.Context()); err != nil {
			t.Fatal(err)
		}
		d.lists(feed.ListDigest{List: "top", FeedURL: top, Digest: "2"}, feed.ListDigest{List: "hot", FeedURL: hot, Digest: "1"})
		d.document(harbour, "one", "two")
		eventually(t, "the changes and the post after them", func() bool {
			return len(m.got("/comments")) >= 2 && len(m.got("/lists")) >= 2 && len(m.got("/top")) >= 1 && len(m.got("/all")) >= 3 && len(r.got()) >= 3
		})
		if diff := cmp.Diff([]string{"feed_created", "post_created one", "post_created two"}, titles(m.got("/all"))); diff != "" {
			t.Errorf("the webhook for all (-want +got):\n%s", diff)
		}
		got := m.got("/comments")
		if s := got[0].Data; len(got) != 2 || s.Kind != feed.CommentCreated || s.Entry != posts[0].ID || s.Comment != 1 || s.Post != nil {
			t.Errorf("the webhook for comments got %+v", got)
		}
		if s := got[1].Data; got[1].Type != "entry_voted" || s.Kind != feed.EntryVoted || s.Entry != posts[0].ID || s.Votes.Up != 1 || s.Votes.Down != 0 || s.Post != nil {
			t.Errorf("the webhook for votes got %+v", got[1])
		}
		var lists []string
		for _, path := range []string{"/lists", "/top"} {
			for _, one := range m.got(path) {
				lists = append(lists, path+" "+one.Type+" "+one.Data.List+" "+one.Data.FeedURL+" "+one.Data.Digest)
			}
		}
		want := []string{"/lists list_modified top " + top + " 2", "/lists list_modified hot " + hot + " 1", "/top list_modified top " + top + " 2"}
		if diff := cmp.Diff(want, lists); diff != "" {
			t.Errorf("the webhooks for lists (-want +got):\n%s", diff)
		}
		var all []string
		for _, one := range r.got() {
			all = append(all, one.body)
		}
		if diff := cmp.Diff([]string{"feed_created\n", "post_created\n", "post_created\n"}, all); diff != "" {
			t.Errorf("the subscriber of the source (-want +got):\n%s", diff)
		}
	})
}

func TestWebhookIsRetriedWithItsIDAndInOrder(t *testing.T) {
	each(t, func(t *testing.T, d *harness) {
		m := newMailbox(t)
		m.failing.Store(true)
		sub := d.webhook(m.URL+"/a", feed.SignalFilter{Kinds: []feed.SignalKind{feed.PostCreated}})
		e := d.runOutlets(delivery.Webhooks()...)
		d.document(harbour, "one", "two")
		eventually(t, "an attempt", func() bool { return len(m.got("/a")) == 1 })
		m.failing.Store(false)
		eventually(t, "the failure is stored", func() bool {
			s, err := d.Hub.Subscription(t.Context(), sub.ID)
			return err == nil && s.Health.Failures == 1
		})
		d.Advance(30 * time.Second)
		e.Wake()
		eventually(t, "both posts", func() bool { return len(m.got("/a")) == 3 })
		got := m.got("/a")
		if diff := cmp.Diff([]string{"post_created one", "post_created one", "post_created two"}, titles(got)); diff != "" {
			t.Error(diff)
		}
		if got[0].id != got[1].id || got[1].id == got[2].id || got[0].body != got[1].body {
			t.Errorf("the ids are %s, %s, %s", got[0].id, got[1].id, got[2].id)
		}
	})
}

func TestLargePostIsSentWithoutText(t *testing.T) {
	post := &feed.Entry{FeedURL: harbour, GUID: "g", Title: "kept", Content: strings.Repeat("x", 300<<10)}
	made, err := delivery.Webhooks()[1].Make(t.Context(), feed.SignalFilter{}.Topic(), delivery.News{FeedURL: harbour, Signals: []feed.Signal{
		{Kind: feed.PostCreated, FeedURL: harbour, GUID: "g", Post: post},
	}})
	if err != nil || len(made) != 1 || len(made[0].Body) > 256<<10 || !strings.Contains(string(made[0].Body), `"title":"kept"`) {
		t.Errorf("%d distributions, %v", len(made), err)
	}
	if len(post.Content) != 300<<10 {
		t.Error("the post itself lost its text")
	}
}

func TestTestMessageReachesTheWebhook(t *testing.T) {
	m := newMailbox(t)
	e := delivery.NewEngine(nil, nil, &http.Transport{DisableKeepAlives: true}, delivery.Options{})
	sub := feed.Subscription{Topic: feed.SignalFilter{}.Topic(), Callback: m.URL + "/a", Kind: feed.KindWebhook, Secret: whsec}
	if status, reason := e.Test(t.Context(), sub); status != 200 || reason != "2xx" {
		t.Errorf("got %d, %s", status, reason)
	}
	if got := m.got("/a"); len(got) != 1 || got[0].Type != "test" || got[0].problem != "" {
		t.Errorf("it got %+v", got)
	}
	m.failing.Store(true)
	if status, reason := e.Test(t.Context(), sub); status != 502 || reason != "5xx" {
		t.Errorf("got %d, %s", status, reason)
	}
	m.Close()
	if status, reason := e.Test(t.Context(), sub); status != 0 || reason != "connect" {
		t.Errorf("got %d, %s", status, reason)
	}
}

func TestOtherHubIsPinged(t *testing.T) {
	each(t, func(t *testing.T, d *harness) {
		asked := make(chan string, 4)
		other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_ = r.ParseForm()
			asked <- r.PostForm.Encode() + " " + r.Header.Get("X-Hub-Signature") + r.Header.Get("Link")
			w.WriteHeader(http.StatusNoContent)
		}))
		t.Cleanup(other.Close)
		sub := feed.Subscription{Topic: harbour, Callback: other.URL + "/publish", Kind: feed.KindPing}
		if err := d.Hub.Subscribe(t.Context(), &sub); err != nil {
			t.Fatal(err)
		}
		gone := feed.Subscription{Topic: harbour, Callback: other.URL + "/former", Kind: feed.KindPing}
		if err := d.Hub.Subscribe(t.Context(), &gone); err != nil {
			t.Fatal(err)
		}
		d.run(delivery.Options{HubURL: "https://hub.example/hub", Pings: []string{sub.Callback}})
		d.news("<feed/>", true)
		select {
		case got := <-asked:
			const topic = "http%3A%2F%2Fharbour.example%2Ffeed.xml"
			if got != "hub.mode=publish&hub.topic="+topic+"&hub.url="+topic+" " {
				t.Errorf("the ping is %q", got)
			}
		case <-time.After(time.Minute):
			t.Fatal("no ping")
		}
		eventually(t, "removed, because it is no longer configured", func() bool {
			_, err := d.Hub.Subscription(t.Context(), gone.ID)
			return errors.Is(err, feed.ErrNotFound)
		})
		if len(asked) > 0 {
			t.Error("it was pinged")
		}
	})
}
