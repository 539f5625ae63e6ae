//go:build !race

package daemon

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// mostAtStart and mostSeries bound the series of a daemon with two feeds: when it has started, and whatever it has gone
// through.
const (
	mostAtStart = 1600
	mostSeries  = 2000
)

// Whatever is asked for, the number of series stays bounded.
func TestRequestsDoNotMakeSeries(t *testing.T) {
	t.Parallel()
	d := start(t, storetest.RedisAOF(t), "")
	atStart := series(t, d, "")
	t.Logf("%d series at the start", atStart)
	if atStart >= mostAtStart {
		t.Errorf("there are %d series at the start, want fewer than %d", atStart, mostAtStart)
	}
	ask := func(method, path string) error {
		req, err := http.NewRequestWithContext(t.Context(), method, d.Base+path, http.NoBody)
		if err != nil {
			return err
		}
		req.Header.Set("User-Agent", word())
		if rand.IntN(2) == 0 {
			req.Header.Set("Authorization", "Bearer "+d.Token)
		}
		resp, err := d.Http.Do(req)
		if err != nil {
			return err
		}
		return resp.Body.Close()
	}
	prefixes := []string{
		"/", "/api/v1/", "/api/v1/sources/", "/api/v1/articles/", "/feed/", "/assets/", "//", "/a/../", "/push/", "/hub/", "/sources/",
	}
	methods := []string{http.MethodGet, http.MethodPost, http.MethodHead, http.MethodDelete, "PROPFIND", word()}
	visit := func(words int) {
		var all errgroup.Group
		all.SetLimit(8)
		for i := range words {
			all.Go(func() error { return ask(methods[i%len(methods)], prefixes[i/len(methods)%len(prefixes)]+word()) })
		}
		if err := all.Wait(); err != nil {
			t.Fatal(err)
		}
	}
	visit(1000)
	n := series(t, d, "")
	t.Logf("%d series after 1,000 requests", n)
	// There are as many as there are answers to each of the routes that were asked for, and 1,000 more make none.
	if kinds := len(prefixes) * len(methods) * 2; n > atStart+kinds {
		t.Errorf("1,000 requests of %d kinds made %d series of %d", kinds, n, atStart)
	}
	if n >= mostSeries {
		t.Errorf("there are %d series, want fewer than %d", n, mostSeries)
	}
}

// Sources of any address make no series, polled or not.
func TestSourcesDoNotMakeSeries(t *testing.T) {
	t.Parallel()
	const sources = 1000
	d := start(t, storetest.RedisAOF(t), "")
	before := series(t, d, "")
	var all errgroup.Group
	all.SetLimit(16)
	for range sources {
		all.Go(func() error {
			_, _, err := d.app.store.Sources.AddSource(context.Background(), feed.Source{URL: fmt.Sprintf("http://127.%d.%d.%d:1/%s",
				rand.IntN(256), rand.IntN(256), 1+rand.IntN(254), word())})
			return err
		})
	}
	if err := all.Wait(); err != nil {
		t.Fatal(err)
	}
	wiretest.Eventually(t, "all polled", func() bool { return polls(t, d, "error") >= sources })
	if after := series(t, d, ""); after != before {
		t.Errorf("%d sources made %d series of %d", sources, after, before)
	}
}

// polls is how many polls a daemon has counted with a result.
func polls(t *testing.T, d *daemon, result string) (n int) {
	t.Helper()
	families, err := d.app.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if f.GetName() == "feedwire_polls_total" && m.GetLabel()[0].GetValue() == result {
				n = int(m.GetCounter().GetValue())
			}
		}
	}
	return n
}

func word() string { return fmt.Sprintf("w%016x", rand.Uint64()) }

// series counts the series of a daemon as Prometheus keeps them, classic buckets included, of metrics by the start of
// their names.
func series(t *testing.T, d *daemon, starts ...string) (n int) {
	t.Helper()
	families, err := d.app.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if !slices.ContainsFunc(starts, func(start string) bool { return strings.HasPrefix(f.GetName(), start) }) {
			continue
		}
		for _, m := range f.GetMetric() {
			n++
			if h := m.GetHistogram(); h != nil {
				n += len(h.GetBucket()) + 2 // +Inf and the sum
			}
		}
	}
	return n
}

// Exemplars are for OpenMetrics, and ids only: an address may hold a secret.
func TestExemplarsAreIDs(t *testing.T) {
	t.Parallel()
	d, web, in := start(t, storetest.RedisAOF(t), ""), wiretest.NewOrigin(t), newInbox(t)
	web.Set("/feed.xml", wiretest.Posts(1)...)
	d.do(http.MethodPost, "/api/v1/webhooks", map[string]any{"url": in.URL + "/hook"}, nil)
	d.add(web.URL+"/feed.xml", nil)
	scrape := func(accept string) string {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, d.Base+"/metrics", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Accept", accept)
		resp, err := d.Http.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(body)
	}
	const open = "application/openmetrics-text; version=1.0.0"
	wiretest.Eventually(t, "delivered", func() bool { return strings.Contains(scrape(open), "# {delivery_id=") })
	got := make(map[string]bool)
	for _, exemplar := range regexp.MustCompile(`# \{[^}]*\}`).FindAllString(scrape(open), -1) {
		m := regexp.MustCompile(`^# \{([a-z_]+)="[0-9a-zA-Z-]+"\}$`).FindStringSubmatch(exemplar)
		if m == nil {
			t.Fatalf("an exemplar is %s", exemplar)
		}
		got[m[1]] = true
	}
	if !got["poll_id"] || !got["delivery_id"] || len(got) != 2 {
		t.Errorf("there are exemplars %v, want poll_id and delivery_id", got)
	}
	if strings.Contains(scrape("text/plain"), "# {") {
		t.Error("there are exemplars in the text format, which has none")
	}
}

// Each histogram is there for a Prometheus that reads native ones and for one that does not.
func TestHistogramsAreNativeAndClassic(t *testing.T) {
	t.Parallel()
	a, err := newApp(t.Context(), wiretest.Config(t, ""), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.close() })
	families, err := a.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, f := range families {
		for _, m := range f.GetMetric() {
			h := m.GetHistogram()
			if h == nil || !strings.HasPrefix(f.GetName(), "feedwire_") {
				continue
			}
			seen++
			if h.Schema == nil || len(h.GetBucket()) == 0 {
				t.Errorf("%s is native: %v, and has %d classic buckets", f.GetName(), h.Schema != nil, len(h.GetBucket()))
			}
		}
	}
	if seen == 0 {
		t.Error("there are no histograms")
	}
}

func TestAreasOfTheURLMap(t *testing.T) {
	t.Parallel()
	for route, want := range map[string]string{
		feedRoute: "feeds", "/sources/{id}/feed.atom": "republished", listFeedRoute: "republished", "/lists/{list}": "pages", "/sources/{id}": "pages", "/push/{token}": "push", "/hub": "hub",
		"/api/v1/events": "events", "/api/v1/sources/{id}": "api", "/assets/desk.css": "assets", "/readyz": "operations",
		"/-/healthy": "operations", "/{$}": "pages", "/feeds/{type}": "pages", otherRoute: "other",
	} {
		if got := areaOf(route); got != want {
			t.Errorf("%s is in %s, want %s", route, got, want)
		}
	}
}
