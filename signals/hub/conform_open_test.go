package hub_test

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/feedwire/feedwire/ingest"
	"github.com/feedwire/feedwire/ingest/fetch"
	"github.com/feedwire/feedwire/signals/hub"
	"github.com/feedwire/feedwire/signals/topics"
	"github.com/feedwire/feedwire/signals/websub"
	"github.com/feedwire/feedwire/store/feed"
)

// origin is a server with documents of any content type, each at a path.
type origin struct {
	*httptest.Server
	mu  sync.Mutex
	all map[string]response
}

// response is what the origin answers. Without a Content-Type the field is missing.
type response struct {
	document
	status int    // 0: 200
	etag   string // empty: none
}

func (o *origin) set(path string, what response) (topic string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.all[path] = what
	return o.URL + path
}

func (o *origin) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	o.mu.Lock()
	what, known := o.all[req.URL.Path]
	o.mu.Unlock()
	if !known {
		what.status = http.StatusNotFound
	}
	w.Header()["Content-Type"] = nil // so that the server does not guess it
	if what.contentType != "" {
		w.Header().Set("Content-Type", what.contentType)
	}
	if what.etag != "" {
		w.Header().Set("ETag", what.etag)
		if req.Header.Get("If-None-Match") == what.etag {
			what.status, what.body = http.StatusNotModified, ""
		}
	}
	w.WriteHeader(cmp.Or(what.status, http.StatusOK))
	_, _ = w.Write([]byte(what.body))
}

// noFeeds has neither outgoing nor republished feeds.
type noFeeds struct {
	topics.OutgoingFeeds
	topics.RepublishedFeeds
}

func (noFeeds) Topics() map[string]string { return nil }
func (noFeeds) SourceOf(string) string    { return "" }
func (noFeeds) ListOf(string) string      { return "" }
func (noFeeds) Document(context.Context, string) (feed.Distribution, error) {
	return feed.Distribution{}, feed.ErrNotFound
}

// open lets the hub under test accept open topics, runs it, and returns a server of documents.
func (r *harness) open() *origin {
	o := &origin{all: make(map[string]response)}
	o.Server = httptest.NewServer(o)
	r.tb.Cleanup(o.Close)
	fetcher := ingest.NewTopicFetcher(fetch.Options{AllowNetworks: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Timeout: r.patience}, r.clock.Now)
	catalog := topics.New(r.stores.Nouns(), topics.Options{
		HubURL: r.served.URL + "/hub", PublicURL: r.served.URL, Outgoing: noFeeds{}, Republished: noFeeds{}, Now: r.clock.Now,
		Open: func() topics.OpenOptions {
			return topics.OpenOptions{Topics: 20, Bytes: 1 << 20, Interval: time.Hour}
		},
		Discover: func(context.Context, string) ([]feed.Candidate, error) { return nil, errors.New("no feed") },
		Fetch: func(ctx context.Context, t *feed.OpenTopic) (feed.OpenDocument, error) {
			d, err := fetcher.Fetch(ctx, t)
			if r.fault.fetch != nil {
				r.fault.fetch(&d, &err)
			}
			return d, err
		},
	})
	r.options.AddTopic = catalog.AddTopic
	if r.fault.options != nil {
		r.fault.options(&r.options)
	}
	r.front = hub.NewFront(r.store, catalog, r.transport, r.options)
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { _ = r.front.Run(ctx) })
	running.Go(func() { _ = catalog.Run(ctx) })
	r.tb.Cleanup(func() { cancel(); running.Wait() })
	r.wake() // starts the engine
	return o
}

// subscribeOpen subscribes a path of the reader to an open topic.
func (r *harness) subscribeOpen(path, topic string) {
	callback := r.reader.URL + path
	r.request("subscribe", callback, "hub.topic", topic, "hub.secret", "hush")
	r.until(func() bool { return r.subscribed(topic, callback) }, "the subscription to %s", topic)
}

// announce sends a publish request, long enough after the last check, and waits until the topic is checked.
func (r *harness) announce(topic string) {
	r.clock.Advance(2 * time.Second)
	before, err := r.store.OpenTopic(context.Background(), topic)
	r.must(err)
	got := r.post("hub.mode=publish&hub.url=" + topic)
	r.want(got.status == http.StatusNoContent, "publish got %d %q, want 204", got.status, got.body)
	r.until(func() bool {
		now, err := r.store.OpenTopic(context.Background(), topic)
		r.must(err)
		return now.Checked.After(before.Checked) && now.Sum != "" // without a sum it is not distributed yet
	}, "the check of %s", topic)
}

// openRows cover topics of any content type.
func openRows() []check {
	rows := []check{
		{"O02 another type of the same bytes is news", func(r *harness) {
			o := r.open()
			topic := o.set("/t", response{document: document{"text/plain", "{}"}})
			r.subscribeOpen("/cb", topic)
			o.set("/t", response{document: document{"application/json", "{}"}})
			r.announce(topic)
			got := r.awaitDeliveries("/cb", 1)[0]
			r.want(got.header.Get("Content-Type") == "application/json", "the type is %q", got.header.Get("Content-Type"))
		}},
		{"O03 the document of a new topic, and an unchanged one, are not news", func(r *harness) {
			o := r.open()
			topic := o.set("/t", response{document: document{"text/html", "<p>1"}})
			r.subscribeOpen("/cb", topic)
			r.announce(topic)
			r.awaitDeliveries("/cb", 0)
		}},
		{"O04 a failure, 204 and 304 are not news", func(r *harness) {
			o := r.open()
			topic := o.set("/t", response{document{"text/html", "<p>1"}, 0, `"1"`})
			r.subscribeOpen("/cb", topic)
			for _, status := range []int{http.StatusNoContent, http.StatusNotFound, http.StatusInternalServerError} {
				o.set("/t", response{document{"text/html", ""}, status, ""})
				r.announce(topic)
			}
			o.set("/t", response{document{"text/html", "<p>changed"}, 0, `"1"`}) // the server says 304
			r.announce(topic)
			r.awaitDeliveries("/cb", 0)
			o.set("/t", response{document{"text/html", "<p>2"}, 0, `"2"`})
			r.announce(topic)
			got := r.awaitDeliveries("/cb", 1)[0]
			r.want(got.body == "<p>2", "the body is %q", got.body)
		}},
		{"O08 a document that a proxy has changed is news", func(r *harness) {
			o := r.open()
			topic := o.set("/t", response{document: document{"text/html", "<p>1"}})
			r.subscribeOpen("/cb", topic)
			o.set("/t", response{document{"text/html", "<p>2"}, http.StatusNonAuthoritativeInfo, ""})
			r.announce(topic)
			got := r.awaitDeliveries("/cb", 1)[0]
			r.want(got.body == "<p>2", "the body is %q", got.body)
		}},
		{"O05 publishing an unknown document makes it a topic", func(r *harness) {
			o := r.open()
			topic := o.set("/t", response{document: document{"image/svg+xml", "<svg/>"}})
			got := r.post("hub.mode=publish&hub.url=" + topic)
			r.want(got.status == http.StatusNoContent, "publish got %d %q, want 204", got.status, got.body)
			r.until(func() bool {
				_, err := r.store.OpenTopic(context.Background(), topic)
				return err == nil
			}, "the new topic")
			r.subscribeOpen("/cb", topic)
			o.set("/t", response{document: document{"image/svg+xml", "<svg></svg>"}})
			r.announce(topic)
			r.want(r.awaitDeliveries("/cb", 1)[0].body == "<svg></svg>", "the body is another one")
		}},
		{"O06 a document that cannot be fetched is denied", func(r *harness) {
			o := r.open()
			missing := o.URL + "/missing"
			r.request("subscribe", r.reader.URL+"/cb", "hub.topic", missing)
			r.until(func() bool {
				all := r.reader.verifications()
				return len(all) > 0 && all[len(all)-1].last("hub.mode") == "denied" && all[len(all)-1].last("hub.topic") == missing
			}, "the denial")
			r.want(!r.subscribed(missing, r.reader.URL+"/cb"), "it is subscribed")
		}},
		{"O07 the owner lists and replays an open topic", func(r *harness) {
			o := r.open()
			topic := o.set("/t", response{document: document{"image/png", "\x89PNG\r\n"}})
			r.subscribeOpen("/cb", topic)
			const changed = "\x89PNG\r\n\x1a\n\x00\xff "
			o.set("/t", response{document: document{"image/png", changed}})
			r.announce(topic)
			r.awaitDeliveries("/cb", 1)
			owner := []string{"hub.topic", topic, "hub.secret", "hush"}
			got := r.post(r.form("list", r.reader.URL+"/cb", owner...))
			r.want(got.status == http.StatusOK && strings.Contains(got.body, topic) && strings.Contains(got.body, `"status":204`),
				"the list is %d %q", got.status, got.body)
			got = r.post(r.form("replay", r.reader.URL+"/cb", owner...))
			r.want(got.status == http.StatusAccepted, "the replay answered %d %q", got.status, got.body)
			again := r.awaitDeliveries("/cb", 2)[1]
			r.want(again.body == changed && again.header.Get("Content-Type") == "image/png", "the replay is %q %v", again.body, again.header)
			r.want(again.header.Get("X-Feedwire-Replay") == "1", "the replay is not marked")
		}},
	}
	for _, kind := range openKinds {
		rows = append(rows, check{kind.row, func(r *harness) {
			o := r.open()
			topic := o.set("/t", response{document: document{kind.contentType, kind.body + "before"}})
			r.subscribeOpen("/cb", topic)
			o.set("/t", response{document: kind.document})
			r.announce(topic)
			got := r.awaitDeliveries("/cb", 1)[0]
			r.want(got.body == kind.body, "%q became %q", kind.body, got.body)
			wanted := cmp.Or(kind.contentType, "application/octet-stream")
			r.want(got.header.Get("Content-Type") == wanted, "%q became %q", wanted, got.header.Get("Content-Type"))
			said := websub.Discover(got.header, nil, r.served.URL)
			r.want(said.Self == topic && len(said.Hubs) == 1, "the links are %+v", said)
			signedWith(r, got, "hush")
		}})
	}
	return rows
}

var openKinds = []struct {
	row string
	document
}{
	{"O01 HTML keeps its bytes", document{"text/html; charset=windows-1252", "\ufeff<!doctype html>\r\n<p>caf\xe9 <script>1 < 2</script>\n"}},
	{"O01 text keeps its charset", document{"Text/Plain;charset=iso-8859-1", "caf\xe9\r\nend \t"}},
	{"O01 JSON keeps its spelling", document{"application/json", "{ \"a\": 1.0,\n\t\"a\": \"\\u00e9</p>\" }\n"}},
	{"O01 XML keeps its spelling", document{"application/xml", "<?xml version='1.0'?>\n<a  b='&#xe9;'></a>"}},
	{"O01 images keep their bytes", document{"image/png", "\x89PNG\r\n\x1a\n\x00\x00\xff\xfe"}},
	{"O01 an empty document is news", document{"text/plain", ""}},
	{"O01 a document without a type is a stream of bytes", document{"", "<p>a guess"}},
}
