package publish_test

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mmcdole/gofeed"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"go.uber.org/goleak"

	"github.com/feedwire/feedwire/publish"
	"github.com/feedwire/feedwire/publish/arrival"
	"github.com/feedwire/feedwire/store/feed"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const crawler = "facebookexternalhit/1.1"

// production is a feed as the configuration would give it.
func production() feed.Outgoing {
	return feed.Outgoing{
		Type: "production", Title: "News", Link: "https://example.org/", Description: "All the news", Language: "en",
		RetireAfter: feed.ImportAfter, Counted: []string{"facebookexternalhit", "Facebot", "meta-externalagent"},
	}
}

// site is a running server.
type site struct {
	*httptest.Server
	reg       *prometheus.Registry
	publisher *publish.Publisher
}

// serve runs a Publisher of one feed behind a real server until the test ends.
func serve(t testing.TB, store publish.Store, f feed.Outgoing, opts publish.Options) *site {
	t.Helper()
	s := &site{reg: prometheus.NewRegistry()}
	opts.Registerer = s.reg
	opts.PublicURL = "https://wire.example"
	p := publish.New(store, []feed.Outgoing{f}, opts)
	mux := http.NewServeMux()
	mux.Handle("/feed/{type}", p)
	mux.HandleFunc("/feed/{type}/{article}", p.ServeArticle)
	s.publisher = p
	s.Server = httptest.NewUnstartedServer(mux)
	watcher := arrival.NewWatcher(200 * time.Millisecond)
	s.Listener = watcher.Listener(s.Listener)
	s.Config.ConnContext = watcher.ConnContext
	s.Start()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- p.Run(ctx) }()
	eventually(t, "Run runs", func() bool { return p.Running(f.Type) }) // until then Flush waits for nothing
	t.Cleanup(func() {
		s.Close()
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Run: %v", err)
		}
	})
	return s
}

// fetch makes one request and reads all of the answer. Header come as pairs.
func (s *site) fetch(t testing.TB, method, agent string, header ...string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.URL+"/feed/production", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("User-Agent", agent)
	req.Header.Set("Accept-Encoding", "identity")
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := s.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(body)
}

// eventually waits for something that another goroutine is about to do.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if ok() {
			return
		}
	}
	t.Fatalf("not within a minute: %s", what)
}

func TestFifthFetchOmitsTheArticle(t *testing.T) {
	for _, keepAlive := range []bool{true, false} {
		t.Run(fmt.Sprintf("keep-alive %v", keepAlive), func(t *testing.T) {
			m := newMemory(stories(3)...)
			var transitions atomic.Int32
			s := serve(t, m, production(), publish.Options{
				OnPromoted: func(_ string, uuids []string) { transitions.Add(int32(len(uuids))) },
			})
			s.Client().Transport.(*http.Transport).DisableKeepAlives = !keepAlive
			for i := 1; i <= 5; i++ {
				if !keepAlive { // the client of the last fetch closes its connection in the background
					eventually(t, "closed", func() bool { return s.publisher.Left("production") })
				}
				resp, body := s.fetch(t, "GET", crawler)
				want := 3
				if i == 5 {
					want = 0
				}
				if got := strings.Count(body, "<item>"); got != want {
					t.Fatalf("fetch %d holds %d articles, want %d", i, got, want)
				}
				if got := resp.Header.Get("X-Feedwire-Impressions"); got != "counted" {
					t.Errorf("fetch %d says %q", i, got)
				}
				if i < 4 { // a document that changes without the version would hide a mistake here
					if _, promoted := m.counts(); promoted != 0 {
						t.Fatalf("promoted after %d fetches", i)
					}
				}
			}
			if n := transitions.Load(); n != 3 {
				t.Errorf("told of %d promotions, want 3", n)
			}
		})
	}
}

func TestOnlyTheConsumersCompleteFetchesCount(t *testing.T) {
	tests := []struct {
		name, method, agent string
		header              []string
		verdict             string
		code                int
	}{
		{"consumer", "GET", crawler, nil, "counted", 200},
		{"consumer, any case", "GET", "FaceBot/1", nil, "counted", 200},
		{"head", "HEAD", crawler, nil, "ignored; head", 200},
		{"another agent", "GET", "curl/8", nil, "ignored; agent", 200},
		{"no agent", "GET", "", nil, "ignored; agent", 200},
		{"prefetch", "GET", crawler, []string{"Sec-Purpose", "prefetch;prerender"}, "ignored; prefetch", 200},
		{"unnamed document", "GET", crawler, []string{"If-None-Match", "*"}, "ignored; unnamed document", 304},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := newMemory(stories(1)...)
			s := serve(t, m, production(), publish.Options{})
			resp, _ := s.fetch(t, tt.method, tt.agent, tt.header...)
			if got := resp.Header.Get("X-Feedwire-Impressions"); got != tt.verdict || resp.StatusCode != tt.code {
				t.Errorf("got %d %q, want %d %q", resp.StatusCode, got, tt.code, tt.verdict)
			}
			s.fetch(t, "GET", crawler) // on the same connection: it sees what the first one recorded
			want := 0
			if tt.verdict == "counted" {
				want = 1
			}
			if got := m.total(); got != want {
				t.Errorf("got %d impressions, want %d", got, want)
			}
		})
	}
}

func TestNotModifiedToTheConsumerCounts(t *testing.T) {
	m := newMemory(stories(1)...)
	s := serve(t, m, production(), publish.Options{})
	first, _ := s.fetch(t, "GET", crawler)
	for i := 2; i <= 4; i++ {
		resp, body := s.fetch(t, "GET", crawler, "If-None-Match", first.Header.Get("ETag"))
		if resp.StatusCode != http.StatusNotModified || body != "" {
			t.Fatalf("fetch %d: got %d with %d bytes", i, resp.StatusCode, len(body))
		}
	}
	resp, body := s.fetch(t, "GET", crawler, "If-None-Match", first.Header.Get("ETag"))
	if resp.StatusCode != http.StatusOK || strings.Contains(body, "<item>") {
		t.Errorf("fifth fetch: got %d %q", resp.StatusCode, body)
	}
}

func TestCredentialsMakeTheConsumer(t *testing.T) {
	f := production()
	f.Username, f.Password = "fb", "secret"
	m := newMemory(stories(1)...)
	var failures atomic.Int32
	s := serve(t, m, f, publish.Options{OnCredentials: func(_ *http.Request, right bool) {
		if !right {
			failures.Add(1)
		}
	}})
	basic := func(user, password string) string {
		req, _ := http.NewRequest("GET", "/", nil)
		req.SetBasicAuth(user, password)
		return req.Header.Get("Authorization")
	}
	for _, wrong := range []string{basic("fb", "guess"), basic("other", "secret"), basic("", ""), "Bearer x"} {
		resp, body := s.fetch(t, "GET", crawler, "Authorization", wrong)
		if resp.StatusCode != 401 || !strings.HasPrefix(resp.Header.Get("WWW-Authenticate"), `Basic realm="feed production"`) ||
			strings.Contains(body, "Story") {
			t.Errorf("%s: got %d %q", wrong, resp.StatusCode, resp.Header.Get("WWW-Authenticate"))
		}
	}
	resp, _ := s.fetch(t, "GET", "anyone", "Authorization", basic("fb", "secret"))
	if resp.StatusCode != 200 || resp.Header.Get("Cache-Control") != "private, no-cache" {
		t.Errorf("right credentials: got %d, %q", resp.StatusCode, resp.Header.Get("Cache-Control"))
	}
	s.fetch(t, "HEAD", "x", "Authorization", basic("fb", "secret"))
	eventually(t, "the fetch with credentials is recorded", func() bool { return m.total() > 0 })
	if m.total() != 1 || failures.Load() != 4 {
		t.Errorf("got %d impressions and %d failures, want 1 and 4", m.total(), failures.Load())
	}
}

func TestOnlyCompleteFetchesCount(t *testing.T) {
	for _, keepAlive := range []bool{true, false} {
		t.Run(fmt.Sprintf("keep-alive %v", keepAlive), func(t *testing.T) {
			m := newMemory(story(1, "<p>"+strings.Repeat("words and ", 150_000)+"</p>"))
			p := publish.New(m, []feed.Outgoing{production()}, publish.Options{})
			mux := http.NewServeMux()
			mux.Handle("/feed/{type}", p)
			watcher := arrival.NewWatcher(200 * time.Millisecond)
			s := httptest.NewUnstartedServer(mux)
			s.Listener = watcher.Listener(s.Listener)
			s.Config.ConnContext = watcher.ConnContext
			s.Start()
			defer s.Close()
			s.Client().Transport.(*http.Transport).DisableKeepAlives = !keepAlive
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error, 1)
			go func() { done <- p.Run(ctx) }()
			for _, complete := range []bool{false, true} {
				req, _ := http.NewRequestWithContext(t.Context(), "GET", s.URL+"/feed/production", nil)
				req.Header.Set("User-Agent", crawler)
				req.Header.Set("Accept-Encoding", "identity")
				resp, err := s.Client().Do(req)
				if err != nil {
					t.Fatal(err)
				}
				if complete {
					_, err = io.Copy(io.Discard, resp.Body)
				}
				resp.Body.Close()
				if err != nil {
					t.Fatal(err)
				}
			}
			eventually(t, "the complete fetch is recorded", func() bool { return m.total() > 0 })
			cancel()
			if err := <-done; err != nil || m.total() != 1 {
				t.Errorf("got %d impressions, %v; want the one of the complete fetch", m.total(), err)
			}
		})
	}
}

func FuzzRequestHeaders(f *testing.F) {
	f.Add(`W/"a", "b"`, "gzip;q=0.5, *", "Mon, 02 Jan 2006 15:04:05 GMT", crawler)
	f.Add(`*,"`, "gzip;q=-1,identity;;", "", "")
	p := publish.New(newMemory(stories(1)...), []feed.Outgoing{production()}, publish.Options{Queue: 1 << 40})
	f.Fuzz(func(t *testing.T, match, accept, since, agent string) {
		r := httptest.NewRequest("GET", "/feed/production", nil)
		r.SetPathValue("type", "production")
		r.Header = http.Header{
			"If-None-Match": {match}, "Accept-Encoding": {accept}, "If-Modified-Since": {since}, "User-Agent": {agent},
		}
		w := httptest.NewRecorder()
		p.ServeHTTP(w, r)
		if w.Code != 200 && w.Code != 304 || (w.Code == 304) != (w.Body.Len() == 0) {
			t.Errorf("got %d with %d bytes", w.Code, w.Body.Len())
		}
	})
}

func TestManyCrawlersPromoteEachArticleOnceAtFourImpressions(t *testing.T) {
	m := newMemory(stories(50)...)
	s := serve(t, m, production(), publish.Options{})
	s.Client().Transport.(*http.Transport).MaxIdleConnsPerHost = 64
	var complete atomic.Int32
	var wg sync.WaitGroup
	for range 64 {
		wg.Go(func() {
			for range 200 {
				_, body := s.fetch(t, "GET", crawler)
				if !strings.Contains(body, "<item>") {
					return
				}
				complete.Add(1)
			}
			t.Error("the feed did not become empty")
		})
	}
	wg.Wait()
	impressions, promoted := m.counts()
	for _, n := range impressions {
		if n != 4 {
			t.Errorf("an article was promoted at %d impressions, want 4", n)
		}
	}
	if promoted != 50 || len(m.promoted) != 50 || complete.Load() < 4 {
		t.Errorf("got %d promotions after %d fetches, want 50 after at least 4", promoted, complete.Load())
	}
}

func TestConcurrentRequestsShareOneRefresh(t *testing.T) {
	m := newMemory(stories(1)...)
	s := serve(t, m, production(), publish.Options{})
	s.Client().Transport.(*http.Transport).MaxIdleConnsPerHost = 64
	s.fetch(t, "GET", "curl/8")
	m.set(func() { m.slow, m.versions = 100*time.Millisecond, 0 })
	s.publisher.Changed("production")
	var wg sync.WaitGroup
	for range 64 {
		wg.Go(func() { s.fetch(t, "GET", "curl/8") })
	}
	wg.Wait()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.versions > 20 || m.versions < 1 || m.renders != 1 {
		t.Errorf("64 requests made %d version reads and %d renderings, want at most 20 and 1", m.versions, m.renders)
	}
}

func TestNextRequestShowsAChange(t *testing.T) {
	m := newMemory(stories(1)...)
	s := serve(t, m, production(), publish.Options{})
	for i := 1; i <= 50; i++ {
		_, body := s.fetch(t, "GET", "curl/8")
		if got := strings.Count(body, "<item>"); got != i {
			t.Fatalf("got %d articles after %d were published", got, i)
		}
		m.set(func() {
			m.articles = append(m.articles, story(i, "<p>More</p>"))
			m.version++
		})
		s.publisher.Changed("production")
	}
}

func TestLastGoodDocumentIsServedAndCountedLater(t *testing.T) {
	m := newMemory(stories(2)...)
	s := serve(t, m, production(), publish.Options{})
	s.fetch(t, "GET", "curl/8")
	m.set(func() { m.down = true })
	for range 3 {
		resp, body := s.fetch(t, "GET", crawler)
		if resp.StatusCode != 200 || resp.Header.Get("X-Feedwire-Stale") != "1" || strings.Count(body, "<item>") != 2 {
			t.Fatalf("store down: got %d, stale %q", resp.StatusCode, resp.Header.Get("X-Feedwire-Stale"))
		}
	}
	m.set(func() { m.down, m.lose = false, 2 })
	eventually(t, "three fetches are recorded", func() bool { return m.total() == 6 })
	resp, _ := s.fetch(t, "GET", "curl/8")
	if resp.Header.Get("X-Feedwire-Stale") != "" {
		t.Error("still stale after the store is back")
	}
	eventually(t, "lost answers are asked for again", func() bool {
		m.mu.Lock()
		defer m.mu.Unlock()
		return m.lose == 0 && m.completed == 3 && m.records >= len(m.fetches)+2
	})
	if m.total() != 6 {
		t.Errorf("got %d impressions, want 6", m.total())
	}
}

func TestWithoutCopyRequestsFailWhileTheStoreIsAway(t *testing.T) {
	m := newMemory(stories(2)...)
	m.down = true
	s := serve(t, m, production(), publish.Options{})
	resp, _ := s.fetch(t, "GET", crawler)
	if resp.StatusCode != 503 || resp.Header.Get("Retry-After") != "5" {
		t.Errorf("got %d, Retry-After %q", resp.StatusCode, resp.Header.Get("Retry-After"))
	}
}

func TestFullQueueRefusesTheConsumer(t *testing.T) {
	m := newMemory(stories(2)...)
	s := serve(t, m, production(), publish.Options{Queue: 2})
	s.fetch(t, "GET", "curl/8")
	m.set(func() { m.down = true })
	for i, want := range []int{200, 200, 503} {
		if resp, _ := s.fetch(t, "GET", crawler); resp.StatusCode != want {
			t.Errorf("fetch %d: got %d, want %d", i, resp.StatusCode, want)
		}
	}
	if resp, _ := s.fetch(t, "GET", "curl/8"); resp.StatusCode != 200 {
		t.Errorf("another client: got %d", resp.StatusCode)
	}
	m.set(func() { m.down = false })
	eventually(t, "room for the consumer again", func() bool {
		resp, _ := s.fetch(t, "GET", crawler)
		return resp.StatusCode == 200
	})
}

func TestRunRecordsPendingFetchesBeforeItReturns(t *testing.T) {
	m := newMemory(stories(1)...)
	p := publish.New(m, []feed.Outgoing{production()}, publish.Options{Logger: slog.New(slog.DiscardHandler)})
	for range 3 { // nothing records yet
		r := httptest.NewRequest("GET", "/feed/production", nil)
		r.SetPathValue("type", "production")
		r.Header.Set("User-Agent", crawler)
		p.ServeHTTP(httptest.NewRecorder(), r)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := p.Run(ctx); err != nil || m.total() != 3 {
		t.Errorf("got %d impressions, %v; want 3", m.total(), err)
	}
}

func TestOneChangeRendersOneItem(t *testing.T) {
	m, reg := newMemory(stories(100)...), prometheus.NewRegistry()
	p := publish.New(m, []feed.Outgoing{production()}, publish.Options{Registerer: reg})
	for i, want := range []float64{100, 101, 102} {
		if body := ask(p, "curl/8").Body.String(); i > 0 && strings.Count(body, "Edited") != i {
			t.Fatalf("change %d is not in the feed", i)
		}
		expected := fmt.Sprintf("# HELP feedwire_feed_renderings_total Articles rendered for an outgoing feed.\n"+
			"# TYPE feedwire_feed_renderings_total counter\nfeedwire_feed_renderings_total{feed=\"production\"} %v\n", want)
		if err := testutil.GatherAndCompare(reg, strings.NewReader(expected), "feedwire_feed_renderings_total"); err != nil {
			t.Errorf("after %d changes: %v", i, err)
		}
		m.set(func() {
			a := &m.articles[50+i]
			a.Digest += "+"
			a.Content = "<p>Edited</p>"
			m.version++
		})
		p.Changed("production")
	}
}

func TestFieldsReadAnewAreShown(t *testing.T) {
	m := newMemory(stories(1)...)
	f := production()
	f.Profile = "full-text"
	p := publish.New(m, []feed.Outgoing{f}, publish.Options{})
	ask(p, "curl/8")
	m.set(func() {
		m.articles[0].Fields = feed.FieldValues{"comments": "https://example.org/talk"}
		m.articles[0].Reread = time.Now()
		m.version++
	})
	p.Changed("production")
	if body := ask(p, "curl/8").Body.String(); !strings.Contains(body, "<comments>https://example.org/talk</comments>") {
		t.Errorf("the feed lacks the new field:\n%s", body)
	}
}

func TestInvalidArticleIsLeftOutAlone(t *testing.T) {
	list := stories(4)
	list[1].Canonical = "not a URL"
	list[2].Content = "<p>\x0b\x00 ok \xff\xfe &#11; &#xFFFE; ]]> \ufffe</p>"
	list[2].Title = "T\x0b]]>"
	list[2].Authors = []string{"A\x01"}
	m := newMemory(list...)
	s := serve(t, m, production(), publish.Options{})
	_, body := s.fetch(t, "GET", "curl/8")
	parsed, err := gofeed.NewParser().ParseString(body)
	if err != nil {
		t.Fatal(err)
	}
	if len(parsed.Items) != 3 || parsed.Items[0].Title != "Story 3" || parsed.Items[1].Title != "T]]>" {
		t.Errorf("got %d items, %q", len(parsed.Items), parsed.Items[1].Title)
	}
	m.set(func() { m.version++ })
	s.publisher.Changed("production")
	s.fetch(t, "GET", "curl/8")
	want := "# HELP feedwire_feed_render_failures_total Articles and documents that could not be rendered and were left out.\n" +
		"# TYPE feedwire_feed_render_failures_total counter\nfeedwire_feed_render_failures_total{feed=\"production\"} 1\n"
	if err := testutil.GatherAndCompare(s.reg, strings.NewReader(want), "feedwire_feed_render_failures_total"); err != nil {
		t.Error(err)
	}
	s.fetch(t, "GET", crawler)
	s.fetch(t, "GET", crawler) // on the same connection: it sees what the first one recorded
	if m.total() != 3 {
		t.Errorf("got %d impressions, want those of the 3 articles shown", m.total())
	}
}

func TestDocument(t *testing.T) {
	m := newMemory(stories(2)...)
	s := serve(t, m, production(), publish.Options{})
	resp, body := s.fetch(t, "GET", "curl/8")
	if got := resp.Header.Get("Content-Type"); got != "application/rss+xml; charset=utf-8" {
		t.Errorf("Content-Type %q", got)
	}
	at := m.articles[1].Published.Format(time.RFC3339)
	for _, want := range []string{
		`<atom:link href="https://wire.example/feed/production" rel="self" type="application/rss+xml">`,
		`<guid isPermaLink="false">` + m.articles[0].UUID + `</guid>`, "<pubDate>" + at + "</pubDate>",
		"<lastBuildDate>" + at + "</lastBuildDate>", "<author>Ann</author><author>Ben</author>", "<language>en</language>",
		"<description>Summary &amp; more</description>", "<content:encoded><![CDATA[<!doctype html>",
		`<link rel="canonical" href="https://example.org/1">`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("document lacks %s", want)
		}
	}
	if strings.Index(body, "Story 1") > strings.Index(body, "Story 0") {
		t.Error("the newest article does not come first")
	}
}

func TestUnknownFeedAndMethod(t *testing.T) {
	s := serve(t, newMemory(), production(), publish.Options{})
	for _, tt := range []struct {
		method, path string
		code         int
		text         string
	}{
		{"GET", "/feed/prod", 404, "Feeds: production"},
		{"POST", "/feed/production", 405, "GET and HEAD"},
	} {
		req, _ := http.NewRequestWithContext(t.Context(), tt.method, s.URL+tt.path, nil)
		resp, err := s.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode != tt.code || !strings.Contains(string(body), tt.text) {
			t.Errorf("%s %s: got %d %q", tt.method, tt.path, resp.StatusCode, body)
		}
	}
}

func TestConditionsAndEncodings(t *testing.T) {
	m := newMemory(stories(20)...)
	s := serve(t, m, production(), publish.Options{})
	plain, body := s.fetch(t, "GET", "curl/8")
	packed, raw := s.fetch(t, "GET", "curl/8", "Accept-Encoding", "gzip")
	zr, err := gzip.NewReader(strings.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	if unpacked, err := io.ReadAll(zr); err != nil || string(unpacked) != body {
		t.Errorf("gzip holds another document: %v", err)
	}
	etag, gzipTag, date := plain.Header.Get("ETag"), packed.Header.Get("ETag"), plain.Header.Get("Last-Modified")
	if gzipTag != strings.TrimSuffix(etag, `"`)+`-gzip"` || plain.Header.Get("Vary") != "Accept-Encoding" {
		t.Errorf("tags %s and %s, Vary %q", etag, gzipTag, plain.Header.Get("Vary"))
	}
	head, empty := s.fetch(t, "HEAD", "curl/8")
	if empty != "" || head.ContentLength != int64(len(body)) || head.Header.Get("ETag") != etag {
		t.Errorf("HEAD: %d bytes, length %d, tag %s", len(empty), head.ContentLength, head.Header.Get("ETag"))
	}
	tests := []struct {
		name   string
		header []string
		code   int
	}{
		{"same tag", []string{"If-None-Match", etag}, 304},
		{"weak tag", []string{"If-None-Match", "W/" + etag}, 304},
		{"in a list", []string{"If-None-Match", `"a,b" , ` + etag + `, "c"`}, 304},
		{"another tag", []string{"If-None-Match", `"other"`}, 200},
		{"broken tag", []string{"If-None-Match", `"other`}, 200},
		{"tag of another encoding", []string{"If-None-Match", gzipTag}, 200},
		{"tag of this encoding", []string{"If-None-Match", gzipTag, "Accept-Encoding", "gzip"}, 304},
		{"same date", []string{"If-Modified-Since", date}, 304},
		{"older date", []string{"If-Modified-Since", "Mon, 02 Jan 2006 15:04:05 GMT"}, 200},
		{"broken date", []string{"If-Modified-Since", "yesterday"}, 200},
		{"tag before date", []string{"If-None-Match", `"other"`, "If-Modified-Since", date}, 200},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			resp, _ := s.fetch(t, "GET", "curl/8", tt.header...)
			if resp.StatusCode != tt.code {
				t.Errorf("got %d, want %d", resp.StatusCode, tt.code)
			}
		})
	}
	for accept, want := range map[string]string{
		"": "", "gzip": "gzip", "br, gzip;q=0.8": "gzip", "gzip;q=0": "", "gzip; q=0.5, identity;q=1": "", "*": "gzip",
		"*;q=0.5, gzip;q=0": "", "identity": "", "GZIP": "gzip", "gzip;q=x": "", "deflate": "",
	} {
		resp, _ := s.fetch(t, "GET", "curl/8", "Accept-Encoding", accept)
		if got := resp.Header.Get("Content-Encoding"); got != want {
			t.Errorf("Accept-Encoding %q: got %q, want %q", accept, got, want)
		}
	}
}

func TestArticleAgesOutWithoutAnyChange(t *testing.T) {
	m := newMemory(stories(3)...)
	var ahead atomic.Int64
	s := serve(t, m, production(), publish.Options{Now: func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }})
	_, body := s.fetch(t, "GET", "curl/8")
	if strings.Count(body, "<item>") != 3 {
		t.Fatal("the feed does not start with three articles")
	}
	ahead.Store(int64(feed.DefaultWindow - 990*time.Second)) // the stories went out some 1000 seconds ago
	if _, body = s.fetch(t, "GET", "curl/8"); strings.Contains(body, "<item>") {
		t.Error("articles stay in the feed past its window")
	}
}

func TestMetricsExistFromTheStart(t *testing.T) {
	s := serve(t, newMemory(stories(1)...), production(), publish.Options{})
	if problems, err := testutil.GatherAndLint(s.reg); err != nil || len(problems) > 0 {
		t.Errorf("lint: %v %v", problems, err)
	}
	if n, _ := testutil.GatherAndCount(s.reg, "feedwire_feed_requests_total"); n != 30 {
		t.Errorf("got %d request series, want 6 codes of 5 clients", n)
	}
	if n, _ := testutil.GatherAndCount(s.reg, "feedwire_impressions_total"); n != 3 {
		t.Errorf("got %d impression series, want 3", n)
	}
}
