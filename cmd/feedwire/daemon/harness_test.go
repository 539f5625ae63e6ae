package daemon

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/feedwire/feedwire/cmd/feedwire/client"
	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestMain(m *testing.M) {
	// Subscribers of the programs that tests start have their callbacks on this machine.
	if err := os.Setenv("FEEDWIRE_HUB_ALLOW_NETWORKS", wiretest.Loopback); err != nil {
		panic(err)
	}
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: dialNameServer}
	goleak.VerifyTestMain(m, storetest.IgnoreLines(), storetest.IgnoreAnalysis(), goleak.Cleanup(func(code int) {
		wiretest.RemoveBuilds()
		os.Exit(code)
	}))
}

// noNames makes all names unknown but those of /etc/hosts. A test sets it instead of the resolver, which a dial may read that its
// request no longer waits for.
var noNames atomic.Bool

func dialNameServer(ctx context.Context, network, address string) (net.Conn, error) {
	if noNames.Load() {
		return nil, errors.New("there is no name server")
	}
	return (&net.Dialer{}).DialContext(ctx, network, address)
}

// daemon is a daemon that runs inside the test.
type daemon struct {
	*client.Client
	t   *testing.T
	app *app
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

// startAt is startWith for any store; prepare may be nil. The first lines of yaml may be more settings of the store, indented: first of
// them its timeout.
func startAt(t *testing.T, url, prefix, yaml string, prepare func(*app)) *daemon {
	t.Helper()
	log := io.Discard
	if testing.Verbose() {
		log = t.Output()
	}
	return startLogging(t, url, prefix, yaml, log, prepare)
}

// startLogging is startAt for a daemon whose log the test reads.
func startLogging(t *testing.T, url, prefix, yaml string, log io.Writer, prepare func(*app)) *daemon {
	t.Helper()
	if prefix != "" {
		prefix = fmt.Sprintf("  prefix: %q\n", prefix)
	}
	if !strings.HasPrefix(yaml, "  timeout:") {
		yaml = "  timeout: " + wiretest.StoreTimeout + "\n" + yaml
	}
	load := wiretest.Loader(t, fmt.Sprintf("store:\n  redis: %q\n%s%s", url, prefix, yaml))
	cfg := wiretest.Quick(t, load)
	a, err := newApp(t.Context(), cfg, slog.New(slog.NewTextHandler(log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	a.load = load
	d := &daemon{client.New("http://"+a.listener.Addr().String(), a.token, time.Minute), t, a}
	if prepare != nil {
		prepare(a)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- a.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		d.Http.CloseIdleConnections()
		if err := <-done; err != nil {
			t.Errorf("the daemon ended with %v", err)
		}
	})
	operations := *d
	if a.admin != nil {
		client := *d.Client
		client.Base = "http://" + a.admin.Addr().String()
		operations.Client = &client
	}
	wiretest.Eventually(t, "ready", func() bool { return operations.status("/readyz") == http.StatusOK })
	return d
}

func (d *daemon) do(method, path string, in, out any) {
	d.t.Helper()
	if err := d.Call(d.t.Context(), method, path, in, out); err != nil {
		d.t.Fatalf("%s %s: %v", method, path, err)
	}
}

func (d *daemon) status(path string) int {
	resp, err := d.Http.Get(d.Base + path)
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
	d.untilPolled(s.URL)
	d.do(http.MethodGet, "/api/v1/sources/"+s.ID, nil, &s)
	return s
}

// untilPolled waits for the first poll of a source, which the configuration may still be adding.
func (d *daemon) untilPolled(url string) feed.Source {
	d.t.Helper()
	var s feed.Source
	wiretest.Eventually(d.t, "polled", func() (ok bool) {
		var err error
		s, err = d.app.store.Sources.SourceByURL(d.t.Context(), url)
		return err == nil && !s.Poll.LastPoll.IsZero()
	})
	return s
}

// untilIndexed waits until the index of the search has the entries that are stored now.
func (d *daemon) untilIndexed() {
	d.t.Helper()
	wiretest.Eventually(d.t, "indexed", func() bool { return !d.app.entries.Incomplete() })
}

func (d *daemon) source(url string) (s feed.Source) {
	d.t.Helper()
	d.do(http.MethodGet, "/api/v1/sources/"+feed.SourceID(url), nil, &s)
	return s
}

// poll polls a source and waits for the end of it.
func (d *daemon) poll(s feed.Source) feed.Source {
	d.t.Helper()
	after, err := client.Poll(d.t.Context(), d.Client, s.ID, nil)
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

// fetch takes a feed as a client does and gives its guids; the connection is closed in the end, as curl does. Like a client, it asks
// again while the store does not answer in time.
func (d *daemon) fetch(typ, agent string, set func(*http.Request)) (status int, guids []string, header http.Header) {
	d.t.Helper()
	wiretest.Eventually(d.t, "answered", func() bool {
		status, guids, header = d.fetchOnce(typ, agent, set)
		return status != http.StatusServiceUnavailable
	})
	return status, guids, header
}

func (d *daemon) fetchOnce(typ, agent string, set func(*http.Request)) (status int, guids []string, header http.Header) {
	d.t.Helper()
	req, err := http.NewRequestWithContext(d.t.Context(), http.MethodGet, d.Base+"/feed/"+typ, nil)
	if err != nil {
		d.t.Fatal(err)
	}
	req.Header.Set("User-Agent", agent)
	req.Close = true
	if set != nil {
		set(req)
	}
	resp, err := d.Http.Do(req)
	if err != nil {
		d.t.Fatal(err)
	}
	defer resp.Body.Close()
	var doc wiretest.Document
	if resp.StatusCode == http.StatusOK && req.Method == http.MethodGet {
		if err := xml.NewDecoder(resp.Body).Decode(&doc); err != nil {
			d.t.Fatalf("feed %s: %v", typ, err)
		}
	}
	return resp.StatusCode, doc.GUIDs, resp.Header
}

// metric sums a counter or gauge of the daemon over the series that hold a label pair; an empty pair takes all.
func (d *daemon) metric(name, label, value string) (sum float64) {
	d.t.Helper()
	families, err := d.app.registry.Gather()
	if err != nil {
		d.t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() != name {
			continue
		}
		for _, m := range f.GetMetric() {
			match := label == ""
			for _, l := range m.GetLabel() {
				match = match || l.GetName() == label && l.GetValue() == value
			}
			if match {
				sum += m.GetCounter().GetValue() + m.GetGauge().GetValue() // one of them is zero
			}
		}
	}
	return sum
}
