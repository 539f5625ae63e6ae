package main

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/feedwire/feedwire/config"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestMain(m *testing.M) {
	if size := os.Getenv(benchOriginSize); size != "" {
		serveBenchOrigin(size)
		return
	}
	if kind := os.Getenv(benchAnswer); kind != "" {
		serveBenchAnswer(kind)
		return
	}
	// Subscribers of the programs that tests start have their callbacks on this machine.
	if err := os.Setenv("FEEDWIRE_HUB_ALLOW_NETWORKS", callbacksHere); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m, storetest.IgnoreLines(), goleak.Cleanup(func(code int) {
		removeBuilds()
		os.Exit(code)
	}))
}

// callbacksHere is the network in which tests have their subscribers.
const callbacksHere = "127.0.0.0/8"

const facebook = "facebookexternalhit/1.1"

// item is one post of the test origin.
type item struct{ guid, title, body string }

// origin serves feeds that a test changes, with validators.
type origin struct {
	*httptest.Server
	mu    sync.Mutex
	items map[string][]item // by path, newest last
	raw   map[string][]byte // documents as they are, by path
	link  string            // the header field Link, where there is one
}

func newOrigin(t *testing.T) *origin {
	o := &origin{items: make(map[string][]item), raw: make(map[string][]byte)}
	o.Server = httptest.NewServer(o)
	t.Cleanup(o.Close)
	return o
}

func (o *origin) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	o.mu.Lock()
	body, ok := o.raw[r.URL.Path]
	if !ok {
		body = o.render(o.items[r.URL.Path])
	}
	link := o.link
	o.mu.Unlock()
	w.Header().Set("Content-Type", "application/xml")
	if link != "" {
		w.Header().Set("Link", link)
	}
	w.Header().Set("Etag", fmt.Sprintf(`"%x"`, len(body)+int(sum(body))))
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
}

func sum(b []byte) (n uint32) {
	for _, c := range b {
		n = n*31 + uint32(c)
	}
	return n
}

func (o *origin) render(items []item) []byte {
	var b bytes.Buffer
	b.WriteString(`<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><title>Test</title><link>http://x.example/</link><description>d</description>`)
	for _, it := range items {
		b.WriteString("<item><title>")
		_ = xml.EscapeText(&b, []byte(it.title))
		fmt.Fprintf(&b, "</title><guid isPermaLink=\"false\">%s</guid><link>http://x.example/%s</link><content:encoded><![CDATA[%s]]></content:encoded></item>",
			it.guid, it.guid, it.body)
	}
	b.WriteString("</channel></rss>")
	return b.Bytes()
}

func (o *origin) set(path string, items ...item) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.items[path] = slices.Clone(items) // the caller may go on with its own
}

// posts makes n items.
func posts(n int) (all []item) {
	for i := range n {
		all = append(all, item{fmt.Sprintf("p%d", i), fmt.Sprintf("Post %d", i), fmt.Sprintf("<p>Body of post %d.</p>", i)})
	}
	return all
}

// daemon is a daemon that runs inside the test.
type daemon struct {
	*client
	t   *testing.T
	app *app
}

// testConfig writes and loads a configuration that allows loopback.
func testConfig(t *testing.T, yaml string) *config.Config {
	t.Helper()
	return quick(t, testLoader(t, yaml))
}

// quick loads a configuration with passwords that cost little to compare.
func quick(t *testing.T, load func() (*config.Config, error)) *config.Config {
	t.Helper()
	cfg, err := load()
	if err != nil {
		t.Fatal(err)
	}
	cfg.Auth.Cost = 4 // under the race detector the usual one takes seconds
	return cfg
}

// testLoader writes such a configuration and returns what loads it.
func testLoader(t *testing.T, yaml string) func() (*config.Config, error) {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "feedwire.yaml")
	text := fmt.Sprintf("data_dir: %s\nlisten: 127.0.0.1:0\n%s", filepath.Join(dir, "data"), yaml)
	if !strings.Contains(yaml, "allow_networks") {
		text += "\nfetch:\n  allow_networks: [127.0.0.0/8]\n  host_delay: 0s\n  min_interval: 0s\n"
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var env []string
	if !strings.Contains(yaml, "hub: {allow_networks") {
		env = []string{"FEEDWIRE_HUB_ALLOW_NETWORKS=" + callbacksHere}
	}
	return func() (*config.Config, error) { return config.Load(path, env, nil) }
}

// start runs a daemon on a Redis until the test ends.
func start(t *testing.T, redis *storetest.Server, yaml string) *daemon {
	t.Helper()
	return startAt(t, "unix://"+redis.Addr(), "", yaml, nil)
}

// startWith is start for a daemon that prepare changes before it runs.
func startWith(t *testing.T, redis *storetest.Server, yaml string, prepare func(*app)) *daemon {
	t.Helper()
	return startAt(t, "unix://"+redis.Addr(), "", yaml, prepare)
}

// startAt is startWith for any store; prepare may be nil.
func startAt(t *testing.T, url, prefix, yaml string, prepare func(*app)) *daemon {
	t.Helper()
	if prefix != "" {
		prefix = fmt.Sprintf("  prefix: %q\n", prefix)
	}
	load := testLoader(t, fmt.Sprintf("store:\n  redis: %q\n%s%s", url, prefix, yaml))
	cfg := quick(t, load)
	log := io.Discard
	if testing.Verbose() {
		log = t.Output()
	}
	a, err := newApp(t.Context(), cfg, slog.New(slog.NewTextHandler(log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	a.load = load
	d := &daemon{&client{"http://" + a.listener.Addr().String(), a.token, &http.Client{Timeout: time.Minute}}, t, a}
	if prepare != nil {
		prepare(a)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- a.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		d.http.CloseIdleConnections()
		if err := <-done; err != nil {
			t.Errorf("the daemon ended with %v", err)
		}
	})
	operations := *d
	if a.admin != nil {
		client := *d.client
		client.base = "http://" + a.admin.Addr().String()
		operations.client = &client
	}
	eventually(t, "ready", func() bool { return operations.status("/readyz") == http.StatusOK })
	return d
}

// eventually waits for a state that other goroutines bring about.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	within(t, time.Minute, what, is)
}

// within waits for a state that takes its time.
func within(t *testing.T, limit time.Duration, what string, is func() bool) {
	t.Helper()
	deadline := time.Now().Add(limit)
	for !is() {
		if time.Now().After(deadline) {
			t.Fatalf("not %s after %v", what, limit)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func (d *daemon) do(method, path string, in, out any) {
	d.t.Helper()
	if err := d.call(d.t.Context(), method, path, in, out); err != nil {
		d.t.Fatalf("%s %s: %v", method, path, err)
	}
}

func (d *daemon) status(path string) int {
	resp, err := d.http.Get(d.base + path)
	if err != nil {
		return 0
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
	return resp.StatusCode
}

// add adds a source and waits for its first poll.
func (d *daemon) add(url string, settings map[string]any) feed.Source {
	d.t.Helper()
	in := map[string]any{"url": url}
	for k, v := range settings {
		in[k] = v
	}
	var s feed.Source
	d.do(http.MethodPost, "/api/v1/sources", in, &s)
	eventually(d.t, "polled", func() bool {
		d.do(http.MethodGet, "/api/v1/sources/"+s.ID, nil, &s)
		return !s.Poll.LastPoll.IsZero()
	})
	return s
}

// poll polls a source and waits for the end of it.
func (d *daemon) poll(s feed.Source) feed.Source {
	d.t.Helper()
	after, err := pollNow(d.t.Context(), d.client, s.ID, false)
	if err != nil {
		d.t.Fatal(err)
	}
	return after
}

func (d *daemon) articles(query string) []feed.Article {
	d.t.Helper()
	var page feed.Page[feed.Article]
	d.do(http.MethodGet, "/api/v1/articles?limit=200&"+query, nil, &page)
	return page.Items
}

func (d *daemon) signals() []feed.Signal {
	d.t.Helper()
	var page feed.Page[feed.Signal]
	d.do(http.MethodGet, "/api/v1/signals?limit=200", nil, &page)
	return page.Items
}

// fetch takes a feed as a client does and gives its guids; the connection is closed in the end, as curl does.
func (d *daemon) fetch(typ, agent string, set func(*http.Request)) (status int, guids []string, header http.Header) {
	d.t.Helper()
	req, err := http.NewRequestWithContext(d.t.Context(), http.MethodGet, d.base+"/feed/"+typ, nil)
	if err != nil {
		d.t.Fatal(err)
	}
	req.Header.Set("User-Agent", agent)
	req.Close = true
	if set != nil {
		set(req)
	}
	resp, err := d.http.Do(req)
	if err != nil {
		d.t.Fatal(err)
	}
	defer resp.Body.Close()
	var doc rssDocument
	if resp.StatusCode == http.StatusOK && req.Method == http.MethodGet {
		if err := xml.NewDecoder(resp.Body).Decode(&doc); err != nil {
			d.t.Fatalf("feed %s: %v", typ, err)
		}
	}
	return resp.StatusCode, doc.GUIDs, resp.Header
}

type rssDocument struct {
	GUIDs []string `xml:"channel>item>guid"`
}

// metric sums a counter or gauge of the daemon over the series that hold a label pair; an empty pair takes all.
func (d *daemon) metric(name, label, value string) float64 {
	d.t.Helper()
	return sumMetric(d.app.registry, name, label, value)
}
