package republish_test

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/gzip"
	"github.com/mmcdole/gofeed"
	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/goleak"

	"github.com/feedwire/feedwire/publish/feedtest"
	"github.com/feedwire/feedwire/publish/republish"
	"github.com/feedwire/feedwire/store/feed"
)

var update = flag.Bool("update", false, "write the golden files")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// shelf keeps one source in memory, as republish.Store promises.
type shelf struct {
	mu       sync.Mutex
	source   feed.Source
	entries  []feed.Entry
	deleted  []feed.DeletedEntry
	version  int
	down     bool
	versions int           // reads of SourceVersion
	reads    int           // of Entries
	gate     chan struct{} // of SourceVersion; nil: open
	list     feed.ListPage // "sport", the only list

	discussed bool // the first entry has a thread
}

func (s *shelf) change(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
	s.version++
}

func (s *shelf) ask(id string) error {
	switch {
	case s.down:
		return feed.ErrUnavailable
	case id != s.source.ID:
		return feed.ErrNotFound
	}
	return nil
}

func (s *shelf) SourceVersion(_ context.Context, id string, _ int) (string, error) {
	if s.gate != nil {
		<-s.gate
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.versions++
	return fmt.Sprint(s.version), s.ask(id)
}

func (s *shelf) Source(_ context.Context, id string) (feed.Source, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.source, s.ask(id)
}

func (s *shelf) Entries(_ context.Context, _ string, limit int) ([]feed.Entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reads++
	return slices.Clone(s.entries[:min(limit, len(s.entries))]), nil
}

// Threads returns a thread with two comments for the first entry.
func (s *shelf) Threads(_ context.Context, _ string, entries []feed.Entry) (map[string]string, error) {
	if !s.discussed || len(entries) == 0 {
		return nil, nil
	}
	return map[string]string{entries[0].ID: "2"}, nil
}

func (s *shelf) Deleted(context.Context, string) ([]feed.DeletedEntry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.deleted), nil
}

func (s *shelf) ListVersion(_ context.Context, list string, _ int) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.down:
		return "", feed.ErrUnavailable
	case list != "sport":
		return "", feed.ErrNotFound
	}
	return fmt.Sprint(s.version), nil
}

func (s *shelf) ListEntries(context.Context, string, int) (feed.ListPage, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	page := s.list
	page.List = feed.EntryList{Name: "sport", Title: "sport"}
	return page, nil
}

var may = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// harbour is a source with entries of every kind: whole, without title, date, link, author or text.
func harbour() *shelf {
	const url = "https://harbour.example/feed.xml"
	return &shelf{
		source: feed.Source{
			ID: feed.SourceID(url), URL: url, Added: may,
			About: feed.About{Title: "Harbour & Coast", Description: "News of <b>ships</b>", Link: "https://harbour.example/", Language: "en-GB"},
		},
		entries: []feed.Entry{
			{
				FeedURL: url, GUID: "https://harbour.example/1", Link: "https://harbour.example/1", Title: "A bridge <opens>", Timestamp: may,
				Published: may, Updated: may.Add(time.Hour), Authors: []string{"Ann", "Ben"}, Summary: "In <i>short</i>",
				Content: `<p>Long <a href="/more">text</a> ]]&gt;<script>x</script><img src="a.png"></p>`,
				Extra: map[string]string{
					"categories": `[{"term":"bridges","scheme":"https://harbour.example/tags","label":"Bridges"},{"term":"c & d","scheme":"no address"}]`,
					"enclosures": `[{"url":"https://harbour.example/a.mp3","type":"audio/mpeg","length":"1234"},{"url":"/b.mp4"},{"url":"ftp://x.example/"}]`,
				},
			},
			{FeedURL: url, GUID: "no title", Link: "https://harbour.example/2", Content: "<p>Text without a title &amp; more</p>", Timestamp: may},
			{FeedURL: url, GUID: "no link", Title: "No link", Content: "text", Timestamp: may, Published: may},
			{FeedURL: url, GUID: "nothing at all", Timestamp: may},
			{FeedURL: url, GUID: "tag:harbour.example,2026:5", Title: "Only a title", Link: "https://harbour.example/5 5", Timestamp: may},
			{FeedURL: url, GUID: "bad \x01\xff\ufffe text", Title: "\x0b\xff", Content: "<p>a\x00b\x0c\xff]]></p>", Summary: "\x02", Timestamp: may, Authors: []string{"\x03", ""}},
			{FeedURL: url, GUID: "old", Title: "Old", Published: time.Date(1, 1, 1, 1, 0, 0, 0, time.UTC), Timestamp: may, Extra: map[string]string{"categories": "{", "enclosures": "["}},
		},
	}
}

// wharf serves the feeds of sources until the test ends.
type wharf struct {
	*httptest.Server
	reg   *prometheus.Registry
	feeds *republish.Server
	id    string
}

func serve(t testing.TB, s *shelf, opts republish.Options) *wharf {
	t.Helper()
	w := &wharf{reg: prometheus.NewRegistry(), id: s.source.ID}
	opts.Registerer = w.reg
	opts.HubURL = "https://wire.example/hub"
	w.feeds = republish.New(s, "https://wire.example", opts)
	mux := http.NewServeMux()
	for _, format := range []string{"rss", "atom", "json"} {
		mux.Handle("/sources/{id}/feed."+format, w.feeds)
	}
	mux.HandleFunc("/lists/{list}", w.feeds.ServeList)
	w.Server = httptest.NewServer(mux)
	t.Cleanup(w.Close)
	return w
}

// fetch makes one request and reads all of the answer. Header come as pairs.
func (w *wharf) fetch(t testing.TB, format string, header ...string) (*http.Response, string) {
	t.Helper()
	return w.fetchPath(t, "GET", "/sources/"+w.id+"/feed."+format, header...)
}

func (w *wharf) fetchPath(t testing.TB, method, path string, header ...string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, w.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept-Encoding", "identity")
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := w.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	content, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(content)
}

// valid fails where a feed breaks a rule, or two other readers cannot read it.
func valid(t *testing.T, format, content string, items int) *gofeed.Feed {
	t.Helper()
	check := map[string]func([]byte) []string{"rss": feedtest.RSS, "atom": feedtest.Atom, "json": feedtest.JSONFeed}[format]
	if faults := check([]byte(content)); len(faults) > 0 {
		t.Errorf("%s: %q\n%.2000s", format, faults, content)
	}
	if format == "json" {
		if !json.Valid([]byte(content)) {
			t.Errorf("no JSON: %.2000s", content)
		}
	} else {
		d := xml.NewDecoder(strings.NewReader(content))
		for {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", format, err)
			}
		}
	}
	read, err := gofeed.NewParser().ParseString(content)
	if err != nil {
		t.Fatalf("%s: gofeed: %v", format, err)
	}
	if len(read.Items) != items {
		t.Errorf("%s: gofeed reads %d items, want %d", format, len(read.Items), items)
	}
	return read
}

func TestFeedsAreValidInEachFormat(t *testing.T) {
	s := harbour()
	w := serve(t, s, republish.Options{})
	for format, mediaType := range map[string]string{
		"rss": "application/rss+xml; charset=utf-8", "atom": "application/atom+xml; charset=utf-8", "json": "application/feed+json; charset=utf-8",
	} {
		resp, content := w.fetch(t, format)
		if resp.StatusCode != 200 || resp.Header.Get("Content-Type") != mediaType || resp.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Fatalf("%s: got %d %v", format, resp.StatusCode, resp.Header)
		}
		read := valid(t, format, content, len(s.entries))
		self := "https://wire.example/sources/" + w.id + "/feed." + format
		if want := fmt.Sprintf(`<https://wire.example/hub>; rel="hub", <%s>; rel="self"`, self); resp.Header.Get("Link") != want {
			t.Errorf("%s: Link is %s, want %s", format, resp.Header.Get("Link"), want)
		}
		for _, want := range []string{self, "https://wire.example/hub"} {
			if !strings.Contains(content, want) {
				t.Errorf("%s: %s is missing", format, want)
			}
		}
		first := read.Items[0]
		if format == "rss" { // whose titles are HTML
			first.Title = html.UnescapeString(first.Title)
		}
		if read.Title != "Harbour & Coast" || first.Title != "A bridge <opens>" || first.Link != "https://harbour.example/1" {
			t.Errorf("%s: got %q, %q, %q", format, read.Title, first.Title, first.Link)
		}
		if !strings.Contains(content, "Ben") || len(first.Categories) != 2 || first.PublishedParsed == nil || !first.PublishedParsed.Equal(may) {
			t.Errorf("%s: got authors %v, categories %v, published %v", format, first.Authors, first.Categories, first.PublishedParsed)
		}
		const text = `<p>Long <a href="https://harbour.example/more">text</a> ]]&gt;<img src="https://harbour.example/a.png"/></p>`
		if first.Content != text {
			t.Errorf("%s: got content %s", format, first.Content)
		}
		for _, file := range []string{"https://harbour.example/a.mp3", "1234", "https://harbour.example/b.mp4", "video/mp4"} {
			if !strings.Contains(content, file) {
				t.Errorf("%s: of the enclosures %s is missing", format, file)
			}
		}
	}
}

func TestFeedsMatchGoldenFiles(t *testing.T) {
	w := serve(t, harbour(), republish.Options{})
	for _, format := range []string{"rss", "atom", "json"} {
		_, content := w.fetch(t, format)
		path := filepath.Join("testdata", "golden", "source."+format)
		if *update {
			if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), content); diff != "" {
			t.Errorf("%s differs (-want +got); check it, then run go test ./publish/republish -update:\n%s", path, diff)
		}
	}
}

func TestEntryWithAThreadCarriesItsComments(t *testing.T) {
	s, dates := harbour(), regexp.MustCompile(`<(updated|pubDate)>[^<]*|"date_modified":"[^"]*"`)
	s.entries[0].ID = "Entry:5"
	w := serve(t, s, republish.Options{ThreadURL: func(n string) string { return "https://talk.example/news/" + n }})
	for format, want := range map[string]string{
		"rss": "<comments>https://talk.example/news/%s</comments>", "atom": `href="https://talk.example/news/%s"`, "json": `"comments":"https://talk.example/news/%s"`,
	} {
		want := fmt.Sprintf(want, "5")
		s.change(func() { s.discussed = false })
		_, without := w.fetch(t, format)
		s.change(func() { s.discussed = true })
		_, with := w.fetch(t, format)
		if strings.Contains(without, want) || strings.Count(with, want) != 1 {
			t.Errorf("%s: %s is in the feed %d times", format, want, strings.Count(with, want))
		}
		if diff := cmp.Diff(dates.FindAllString(without, -1), dates.FindAllString(with, -1)); diff != "" {
			t.Errorf("%s: the thread changes dates:\n%s", format, diff)
		}
	}
}

func TestEmptySourceHasAFeed(t *testing.T) {
	const url = "http://192.0.2.1/x"
	w := serve(t, &shelf{source: feed.Source{ID: feed.SourceID(url), URL: url}}, republish.Options{})
	for _, format := range []string{"rss", "atom", "json"} {
		_, content := w.fetch(t, format)
		valid(t, format, content, 0)
	}
}

func TestConditionalRequests(t *testing.T) {
	s := harbour()
	w := serve(t, s, republish.Options{})
	first, content := w.fetch(t, "rss")
	for _, header := range [][]string{{"If-None-Match", first.Header.Get("Etag")}, {"If-Modified-Since", first.Header.Get("Last-Modified")}} {
		resp, got := w.fetch(t, "rss", header...)
		if resp.StatusCode != 304 || got != "" || resp.Header.Get("Etag") != first.Header.Get("Etag") || resp.Header.Get("Link") == "" {
			t.Errorf("%v: got %d with %d bytes, %v", header, resp.StatusCode, len(got), resp.Header)
		}
	}
	packed, zipped := w.fetch(t, "rss", "Accept-Encoding", "gzip")
	r, err := gzip.NewReader(strings.NewReader(zipped))
	if err != nil {
		t.Fatal(err)
	}
	if plain, err := io.ReadAll(r); err != nil || string(plain) != content || packed.Header.Get("Etag") == first.Header.Get("Etag") {
		t.Errorf("gzip gives another document, or its name: %v", err)
	}
	if resp, got := w.fetchPath(t, "HEAD", "/sources/"+w.id+"/feed.rss"); resp.StatusCode != 200 || got != "" || resp.ContentLength != int64(len(content)) {
		t.Errorf("HEAD: got %d, length %d", resp.StatusCode, resp.ContentLength)
	}
	if s.reads != 1 {
		t.Errorf("the entries were read %d times for one version", s.reads)
	}
	s.change(func() { s.entries[0].Title = "Changed" })
	resp, got := w.fetch(t, "rss", "If-None-Match", first.Header.Get("Etag"))
	if resp.StatusCode != 200 || !strings.Contains(got, "Changed") {
		t.Errorf("after a change: got %d", resp.StatusCode)
	}
	s.change(func() {}) // of what the feed does not show
	if again, _ := w.fetch(t, "rss", "If-None-Match", resp.Header.Get("Etag")); again.StatusCode != 304 {
		t.Errorf("the same bytes again: got %d", again.StatusCode)
	}
}

// TestOnlyChangedEntriesAreCleaned holds whatever changes in an entry, and an entry taken from the last feed reads as before.
func TestOnlyChangedEntriesAreCleaned(t *testing.T) {
	s := harbour()
	w := serve(t, s, republish.Options{})
	cleaned := func() float64 { return series(t, w.reg, "feedwire_republish_entries_total") }
	for _, format := range []string{"rss", "atom", "json"} {
		w.fetch(t, format)
	}
	for i, change := range []func(e *feed.Entry){
		func(e *feed.Entry) { e.Title += "!" },
		func(e *feed.Entry) { e.Content += " http://harbour.example/" },
		func(e *feed.Entry) { e.Content += "s" }, // of which the digest knows nothing
		func(e *feed.Entry) { e.Updated = e.Updated.Add(time.Hour) },
		func(e *feed.Entry) { e.Authors = []string{"Ann,Ben"} },
		func(e *feed.Entry) { e.Extra = map[string]string{"enclosures": `[{"url":"/c.mp3"}]`} },
	} {
		s.change(func() { change(&s.entries[0]) })
		for _, format := range []string{"rss", "atom", "json"} {
			before := cleaned()
			_, content := w.fetch(t, format)
			if n := cleaned() - before; n != 1 {
				t.Errorf("change %d: %v entries of the %s were cleaned, want 1", i, n, format)
			}
			if _, fresh := serve(t, s, republish.Options{}).fetch(t, format); fresh != content {
				t.Errorf("change %d: the %s differs from one made anew", i, format)
			}
		}
	}
	s.change(func() {
		s.entries = append([]feed.Entry{{GUID: "new", Title: "New", Timestamp: may}}, s.entries[:5]...)
	})
	before := cleaned()
	_, content := w.fetch(t, "rss")
	valid(t, "rss", content, 6)
	if n := cleaned() - before; n != 1 {
		t.Errorf("for a new entry %v were cleaned", n)
	}
	s.change(func() { s.source.About.Link = "https://coast.example/" }) // what relative addresses are relative to
	before = cleaned()
	if w.fetch(t, "rss"); cleaned()-before != 6 {
		t.Errorf("for another site %v entries were cleaned, want all", cleaned()-before)
	}
}

func TestUnknownSourcesAndMethods(t *testing.T) {
	w := serve(t, harbour(), republish.Options{})
	if resp, _ := w.fetchPath(t, "GET", "/sources/unknown/feed.rss"); resp.StatusCode != 404 {
		t.Errorf("unknown source: got %d", resp.StatusCode)
	}
	if resp, _ := w.fetchPath(t, "POST", "/sources/"+w.id+"/feed.rss"); resp.StatusCode != 405 || resp.Header.Get("Allow") != "GET, HEAD" {
		t.Errorf("POST: got %d", resp.StatusCode)
	}
	if _, err := w.feeds.Document(t.Context(), "https://wire.example/sources/unknown/feed.rss"); !errors.Is(err, feed.ErrNotFound) {
		t.Errorf("got %v", err)
	}
}

func TestPrivateSourcesRequireTheToken(t *testing.T) {
	s := harbour()
	trusted := func(r *http.Request) bool { return r.Header.Get("Authorization") == "Bearer x" }
	w := serve(t, s, republish.Options{Trusted: trusted})
	w.fetch(t, "rss")
	s.change(func() { s.source.Request.Headers = map[string]string{"X-Api-Key": "k"} })
	if resp, content := w.fetch(t, "rss"); resp.StatusCode != 401 || strings.Contains(content, "bridge") || resp.Header.Get("WWW-Authenticate") == "" {
		t.Errorf("without the token: got %d", resp.StatusCode)
	}
	resp, content := w.fetch(t, "rss", "Authorization", "Bearer x")
	if resp.StatusCode != 200 || resp.Header.Get("Cache-Control") != "private, no-cache" || strings.Contains(content, "/hub") || resp.Header.Get("Link") != "" {
		t.Errorf("with the token: got %d %v", resp.StatusCode, resp.Header)
	}
	if _, err := w.feeds.Document(t.Context(), w.feeds.URLs(w.id)[0]); !errors.Is(err, feed.ErrNotFound) {
		t.Errorf("as a topic: got %v", err)
	}
	s.change(func() { s.source.Request.Headers = map[string]string{"Accept-Language": "de"} })
	if resp, _ := w.fetch(t, "rss"); resp.StatusCode != 200 {
		t.Errorf("with a harmless header field: got %d", resp.StatusCode)
	}
}

func TestLastGoodFeedIsServedWhileTheStoreIsAway(t *testing.T) {
	s := harbour()
	now := may
	w := serve(t, s, republish.Options{Now: func() time.Time { return now }})
	_, content := w.fetch(t, "atom")
	s.change(func() { s.down = true })
	for range 3 {
		if resp, got := w.fetch(t, "atom"); resp.StatusCode != 200 || got != content || resp.Header.Get("X-Feedwire-Stale") != "1" {
			t.Fatalf("got %d, stale %q", resp.StatusCode, resp.Header.Get("X-Feedwire-Stale"))
		}
	}
	if s.versions != 2 {
		t.Errorf("the store was asked %d times, want once before and once since it is away", s.versions)
	}
	if _, err := w.feeds.Document(t.Context(), w.feeds.URLs(w.id)[1]); !errors.Is(err, feed.ErrUnavailable) {
		t.Errorf("as a topic: got %v", err)
	}
	if resp, _ := w.fetch(t, "json"); resp.StatusCode != 503 || resp.Header.Get("Retry-After") != "5" {
		t.Errorf("without a copy: got %d", resp.StatusCode)
	}
	s.change(func() { s.down = false })
	now = now.Add(2 * time.Second)
	if resp, _ := w.fetch(t, "atom"); resp.StatusCode != 200 || resp.Header.Get("X-Feedwire-Stale") != "" {
		t.Errorf("after the outage: got %d, stale %q", resp.StatusCode, resp.Header.Get("X-Feedwire-Stale"))
	}
}

func TestClockSetBackKeepsNoStaleFeed(t *testing.T) {
	s := harbour()
	now := may
	w := serve(t, s, republish.Options{Now: func() time.Time { return now }})
	w.fetch(t, "atom")
	s.change(func() { s.down = true })
	w.fetch(t, "atom")
	s.change(func() { s.down = false })
	now = now.AddDate(0, 0, -1)
	if resp, _ := w.fetch(t, "atom"); resp.StatusCode != 200 || resp.Header.Get("X-Feedwire-Stale") != "" {
		t.Errorf("after the outage: got %d, stale %q", resp.StatusCode, resp.Header.Get("X-Feedwire-Stale"))
	}
}

func TestConcurrentRequestsShareOneRead(t *testing.T) {
	s := harbour()
	s.gate = make(chan struct{})
	w := serve(t, s, republish.Options{})
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			if resp, _ := w.fetch(t, "rss"); resp.StatusCode != 200 {
				t.Errorf("got %d", resp.StatusCode)
			}
		})
	}
	close(s.gate)
	wg.Wait()
	if renders := series(t, w.reg, "feedwire_republish_renders_total"); s.reads != 1 || renders != 1 {
		t.Errorf("the entries were read %d times and rendered %v times", s.reads, renders)
	}
}

// series is the value of a counter or gauge without labels.
func series(t *testing.T, reg *prometheus.Registry, name string) float64 {
	t.Helper()
	all, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range all {
		if family.GetName() == name {
			return family.GetMetric()[0].GetGauge().GetValue() + family.GetMetric()[0].GetCounter().GetValue()
		}
	}
	t.Fatalf("there is no %s", name)
	return 0
}

func TestCacheIsBounded(t *testing.T) {
	s := harbour()
	s.entries[0].Content = strings.Repeat("text ", 20_000)
	w := serve(t, s, republish.Options{CacheBytes: 150_000})
	for range 2 {
		for _, format := range []string{"rss", "atom"} {
			w.fetch(t, format)
		}
	}
	if s.reads != 4 {
		t.Errorf("two feeds of 100 KB are read %d times, want each time", s.reads)
	}
	if kept := series(t, w.reg, "feedwire_republish_stored_bytes"); kept <= 0 || kept > 150_000 {
		t.Errorf("%v bytes are kept", kept)
	}
}

func TestFeedIsBoundedInEntriesAndBytes(t *testing.T) {
	s := harbour()
	s.entries = nil
	for i := range 80 {
		s.entries = append(s.entries, feed.Entry{FeedURL: s.source.URL, GUID: fmt.Sprint(i), Title: fmt.Sprint(i), Timestamp: may, Content: strings.Repeat("text ", 2000)})
	}
	for want, opts := range map[int]republish.Options{50: {}, 3: {Bytes: 30_000}, 1: {Bytes: 1}, 7: {Entries: 7}} {
		_, content := serve(t, s, opts).fetch(t, "rss")
		valid(t, "rss", content, want)
	}
}

func TestURLsIdentifyTheirSource(t *testing.T) {
	again := republish.New(harbour(), "https://wire.example/base", republish.Options{})
	for _, url := range again.URLs("abc") {
		if again.SourceOf(url) != "abc" {
			t.Errorf("%s is of %q", url, again.SourceOf(url))
		}
	}
	for _, url := range []string{
		"https://wire.example/base/sources/abc/feed.xml", "https://wire.example/sources/abc/feed.rss", "https://wire.example/base/sources//feed.rss",
		"https://wire.example/base/sources/a/b/feed.rss", "https://wire.example/base/sources/abc/feed.rss?x", "",
	} {
		if id := again.SourceOf(url); id != "" {
			t.Errorf("%s is of %q", url, id)
		}
	}
}

func BenchmarkRepublish(b *testing.B) {
	s := harbour()
	s.entries = nil
	for i := range 50 {
		s.entries = append(s.entries, feed.Entry{
			FeedURL: s.source.URL, GUID: fmt.Sprint(i), Title: fmt.Sprint(i), Timestamp: may,
			Content: strings.Repeat("<p>The council <b>agreed</b> on the harbour.</p>", 100),
		})
	}
	again := republish.New(s, "https://wire.example", republish.Options{})
	url := again.URLs(s.source.ID)[0]
	get := func(b *testing.B) {
		if _, err := again.Document(b.Context(), url); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("kept", func(b *testing.B) {
		get(b)
		for b.Loop() {
			get(b)
		}
	})
	b.Run("changed", func(b *testing.B) {
		for b.Loop() {
			s.change(func() { s.entries[0].Title += "." })
			get(b)
		}
	})
}
