package ingest_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/feedwire/feedwire/ingest"
	"github.com/feedwire/feedwire/ingest/fetch"
	"github.com/feedwire/feedwire/ingest/parser"
	"github.com/feedwire/feedwire/store/feed"
)

// loopback lets the tests' origins through the guard.
func loopback() []netip.Prefix {
	return []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}
}

// bench is an Ingester at work, with an origin to poll.
type bench struct {
	*memory
	url string
	reg *prometheus.Registry
	log lines

	wake chan struct{}
}

// poll starts an Ingester on one source that the handler serves. It is stopped when the test ends.
func poll(t *testing.T, opts ingest.Options, handler http.HandlerFunc) *bench {
	t.Helper()
	origin := httptest.NewServer(handler)
	t.Cleanup(origin.Close)
	b := &bench{memory: newMemory(origin.URL + "/feed"), url: origin.URL + "/feed", reg: prometheus.NewRegistry(), log: make(lines, 1000), wake: make(chan struct{}, 1)}
	opts.Logger, opts.Wake = slog.New(b.log), b.wake
	if opts.Fetch.AllowNetworks == nil {
		opts.Fetch.AllowNetworks = loopback()
	}
	opts.Registerer = b.reg
	run(t, ingest.New(b.memory, opts))
	return b
}

// run runs an Ingester until the test ends.
func run(t *testing.T, in *ingest.Ingester) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- in.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Run: %v", err)
		}
	})
}

// again polls the source once more.
func (b *bench) again(t *testing.T) feed.PollState {
	t.Helper()
	b.due(b.url)
	select {
	case b.wake <- struct{}{}:
	default:
	}
	return b.next(t)
}

func TestPollIsConditionalOnceItHasAnAnswer(t *testing.T) {
	const etag, modified = `W/"a-gzip"`, "Tue, 10 Jun 2025 14:05:00 GMT"
	requests := make(chan http.Header, 10)
	b := poll(t, ingest.Options{Fetch: fetch.Options{UserAgent: "feedwire/1 (+https://me.example/)"}}, func(w http.ResponseWriter, r *http.Request) {
		requests <- r.Header
		if r.Header.Get("If-None-Match") == etag && r.Header.Get("If-Modified-Since") == modified {
			w.Header().Set("ETag", `"b"`)
			w.WriteHeader(http.StatusNotModified)
			return
		}
		w.Header().Set("ETag", etag)
		w.Header().Set("Last-Modified", modified)
		fmt.Fprint(w, rss("<item><guid>1</guid></item><item><guid>2</guid></item>"))
	})

	first := b.next(t)
	h := <-requests
	if h.Get("If-None-Match")+h.Get("If-Modified-Since")+h.Get("Cookie")+h.Get("Referer") != "" {
		t.Errorf("first request has %v", h)
	}
	if h.Get("User-Agent") != "feedwire/1 (+https://me.example/)" || h.Get("Accept-Encoding") != "gzip" {
		t.Errorf("first request has %v", h)
	}
	if first.ETag != etag || first.LastModified != modified || first.Entries != 2 || first.Status != 200 || first.ErrorClass != "" ||
		first.LastDocument.IsZero() || first.NextReason != "first interval" || len(first.BodySum) != 64 {
		t.Errorf("got state %+v", first)
	}

	second := b.again(t)
	<-requests
	if second.Status != 304 || second.ETag != `"b"` || second.LastModified != modified || second.Entries != 2 ||
		second.BodySum != first.BodySum || !second.LastDocument.Equal(first.LastDocument) {
		t.Errorf("got state %+v", second)
	}
	if line := b.log.next(t, "poll"); line["level"].Any() != slog.LevelInfo {
		t.Errorf("logged %v", line)
	}
	line := b.log.next(t, "poll")
	if line["level"].Any() != slog.LevelDebug || line["source"].String() != b.url || line["status"].Int64() != 304 ||
		line["result"].String() != "unchanged" {
		t.Errorf("logged %v", line)
	}
	if n := counterValue(t, b.reg, "feedwire_polls_total", "unchanged"); n != 1 {
		t.Errorf("counted %v unchanged polls", n)
	}
}

func TestPollWithoutNewsIsLoggedAtDebugUnlessTheSourceRecovered(t *testing.T) {
	answers := []int{200, 500, 304, 304}
	var n atomic.Int64
	b := poll(t, ingest.Options{}, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("ETag", `"a"`)
		status := answers[n.Add(1)-1]
		w.WriteHeader(status)
		if status == http.StatusOK {
			fmt.Fprint(w, document("one"))
		}
	})
	b.next(t)
	for i, want := range []slog.Level{slog.LevelInfo, slog.LevelInfo, slog.LevelInfo, slog.LevelDebug} {
		if i > 0 {
			b.again(t)
		}
		if line := b.log.next(t, "poll"); line["level"].Any() != want || line["status"].Int64() != int64(answers[i]) {
			t.Errorf("poll %d logged %v, want level %v", i, line, want)
		}
	}
}

func TestUnchangedBodyKeepsNewValidatorsAndSavesNothing(t *testing.T) {
	var n atomic.Int64
	b := poll(t, ingest.Options{}, func(w http.ResponseWriter, _ *http.Request) {
		if n.Add(1) < 3 {
			w.Header().Set("ETag", fmt.Sprintf(`"%d"`, n.Load()))
		}
		fmt.Fprint(w, rss("<item><guid>1</guid></item>"))
	})
	b.next(t)
	b.mu.Lock()
	b.saveErr = errors.New("must not be called")
	b.mu.Unlock()
	if state := b.again(t); state.ETag != `"2"` || state.ErrorClass != "" || state.Entries != 1 {
		t.Errorf("got state %+v", state)
	}
	if state := b.again(t); state.ETag != "" {
		t.Errorf("kept validator %q, which is no longer sent", state.ETag)
	}
}

func TestValidatorsThatCannotBeSentBackAreNotKept(t *testing.T) {
	var n atomic.Int64
	b := poll(t, ingest.Options{}, func(w http.ResponseWriter, _ *http.Request) {
		if n.Add(1) == 1 {
			w.Header().Set("ETag", `"`+strings.Repeat("x", 5000)+`"`)
			w.Header().Set("Last-Modified", "a date of \x80 kinds")
		}
		fmt.Fprint(w, rss("<item><guid>1</guid></item>"))
	})
	if state := b.next(t); state.ETag != "" || state.LastModified != "a date of \x80 kinds" {
		t.Errorf("got state %+v", state)
	}
	if state := b.again(t); state.ErrorClass != "" {
		t.Errorf("got state %+v", state)
	}
}

func TestValidatorsAreKeptOnlyWithTheEntries(t *testing.T) {
	var body atomic.Value
	body.Store(rss("<item><guid>1</guid></item>"))
	b := poll(t, ingest.Options{}, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("ETag", fmt.Sprintf(`"%d"`, len(body.Load().(string))))
		fmt.Fprint(w, body.Load())
	})
	first := b.next(t)

	body.Store("<rss><channel><item><title>cut")
	state := b.again(t)
	if state.ETag != first.ETag || state.BodySum != first.BodySum || state.ErrorClass != "parse" || state.Errors != 1 {
		t.Errorf("after a damaged document: %+v", state)
	}

	body.Store(rss("<item><guid>1</guid></item><item><guid>2</guid></item>"))
	b.mu.Lock()
	b.saveErr = errors.New("script failed")
	b.mu.Unlock()
	state = b.again(t)
	if state.ETag != first.ETag || state.ErrorClass != "store" || state.Errors != 1 {
		t.Errorf("after a failure of the store, which is not counted against the source: %+v", state)
	}

	b.mu.Lock()
	b.saveErr = nil
	b.mu.Unlock()
	state = b.again(t)
	if state.ETag == first.ETag || state.ErrorClass != "" || state.Errors != 0 || state.Entries != 2 {
		t.Errorf("after a success: %+v", state)
	}
}

func TestPollFailuresHaveClassReasonAndNextTry(t *testing.T) {
	t.Parallel()
	zip := func(s []byte) []byte {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		_, _ = w.Write(s)
		_ = w.Close()
		return b.Bytes()
	}
	bomb := zip(bytes.Repeat([]byte("A"), 2<<20))
	redirect := func(to string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", to)
			w.WriteHeader(http.StatusFound)
		}
	}
	status := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
	}
	cases := []struct {
		name    string
		handler http.HandlerFunc
		want    feed.FailureClass
		says    string
	}{
		{"web page", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<!doctype html><html>") }, "not_a_feed", "web page"},
		{"nothing", func(http.ResponseWriter, *http.Request) {}, "not_a_feed", "empty"},
		{"no content", status(204), "not_a_feed", "204"},
		{"304 to an unconditional request", status(304), "not_a_feed", "304"},
		{"damaged", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<rss><channel>") }, "parse", "validator"},
		{"too many values", func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, `{"items":[],"authors":[`+strings.Repeat("1,", 250_000)+`1]}`)
		}, "limits", "200000 values"},
		{"not found", status(404), "http_4xx", "404"},
		{"too often", status(429), "http_429", "429"},
		{"broken server", status(503), "http_5xx", "503"},
		{"gzip bomb", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(bomb)
		}, "too_large", "fetch.max_bytes"},
		{"damaged gzip", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(bomb[:100])
		}, "connect", "reached"},
		{"gzip in gzip", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip, gzip")
			_, _ = w.Write(zip(zip([]byte("x"))))
		}, "not_a_feed", "does not accept"},
		{"endless", func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				if _, err := w.Write(bytes.Repeat([]byte("<a>"), 10_000)); err != nil {
					return
				}
			}
		}, "too_large", "fetch.max_bytes"},
		{"drip", func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				_, _ = w.Write([]byte("<"))
				_ = http.NewResponseController(w).Flush()
				select {
				case <-time.After(20 * time.Millisecond):
				case <-r.Context().Done():
				}
			}
		}, "timeout", "fetch.timeout"},
		{"silence", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "timeout", "fetch.timeout"},
		{"hang up", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "connect", "reached"},
		{"shorter than said", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			_, _ = w.Write([]byte("<rss>"))
		}, "connect", "reached"},
		{"huge header", func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X", strings.Repeat("x", 100_000)) }, "too_large", "header"},
		{"redirect loop", redirect("/feed"), "redirect_limit", "more than 5"},
		{"redirect to a file", redirect("file:///etc/passwd"), "redirect_limit", `"file"`},
		{"redirect to gopher", redirect("gopher://127.0.0.1/"), "redirect_limit", `"gopher"`},
		{"redirect with a password", redirect("http://a:b@127.0.0.1/"), "redirect_limit", "user name"},
		{"redirect to a private address", redirect("http://169.254.169.254/latest/"), "blocked_address", "169.254.169.254"},
		{"redirect to a host that is not there", redirect("http://no..such..name/"), "dns", "host name"},
		{"redirect to nowhere", status(302), "", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			opts := ingest.Options{MaxEntries: 10, Fetch: fetch.Options{Timeout: 20 * time.Second, MaxBytes: 1 << 20}}
			if c.want == feed.FailureTimeout {
				opts.Fetch.Timeout = 300 * time.Millisecond
			}
			b := poll(t, opts, c.handler)
			state := b.next(t)
			if c.want == "" {
				if state.ErrorClass == "" {
					t.Errorf("got state %+v, want a failure", state)
				}
				return
			}
			if state.ErrorClass != string(c.want) || !strings.Contains(state.ErrorText+state.Advice(), c.says) || state.Errors != 1 {
				t.Errorf("got %s after %d errors: %s; want %s, saying %q", state.ErrorClass, state.Errors, state.ErrorText, c.want, c.says)
			}
			if wait := time.Until(state.NextPoll); wait < 50*time.Second || wait > 2*time.Hour {
				t.Errorf("next try in %v (%s)", wait, state.NextReason)
			}
			b.log.next(t, "poll")
			if n := counterValue(t, b.reg, "feedwire_poll_failures_total", string(c.want)); n != 1 {
				t.Errorf("counted %v failures of class %s", n, c.want)
			}
		})
	}
}

func TestCertificatesAreVerifiedAndDowngradesRefused(t *testing.T) {
	plain := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, rss("")) }))
	defer plain.Close()
	safe := httptest.NewUnstartedServer(http.RedirectHandler(plain.URL, http.StatusMovedPermanently))
	safe.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0) // it complains of the refused handshake
	safe.StartTLS()
	defer safe.Close()
	store := newMemory(safe.URL + "/")
	in := ingest.New(store, ingest.Options{Fetch: fetch.Options{AllowNetworks: loopback()}})
	run(t, in)
	if state := store.next(t); state.ErrorClass != "tls" {
		t.Errorf("got %s: %s", state.ErrorClass, state.ErrorText)
	}

	trusting := newMemory(safe.URL + "/")
	in = ingest.New(trusting, ingest.Options{Fetch: fetch.Options{AllowNetworks: loopback()}})
	in.Transport().TLSClientConfig = &tls.Config{RootCAs: safe.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs}
	run(t, in)
	if state := trusting.next(t); state.ErrorClass != "redirect_limit" || !strings.Contains(state.ErrorText, "unprotected") {
		t.Errorf("got %s: %s", state.ErrorClass, state.ErrorText)
	}
}

func TestValidatorsGoWithTheirOwnURLOnly(t *testing.T) {
	var moved atomic.Bool
	type seen struct{ path, etag, referer string }
	requests := make(chan seen, 10)
	b := poll(t, ingest.Options{}, func(w http.ResponseWriter, r *http.Request) {
		requests <- seen{r.URL.Path, r.Header.Get("If-None-Match"), r.Header.Get("Referer")}
		switch {
		case r.URL.Path == "/elsewhere/feed" && r.Header.Get("If-None-Match") == `"theirs"`:
			w.WriteHeader(http.StatusNotModified)
		case r.URL.Path == "/elsewhere/feed":
			w.Header().Set("ETag", `"theirs"`)
			fmt.Fprint(w, rss("<item><guid>1</guid><link>a</link></item>"))
		case moved.Load():
			http.Redirect(w, r, "/elsewhere/feed#part", http.StatusFound)
		default:
			w.Header().Set("ETag", `"ours"`)
			fmt.Fprint(w, rss(""))
		}
	})
	expect := func(want ...seen) {
		t.Helper()
		for _, w := range want {
			if got := <-requests; got != w {
				t.Errorf("got request %+v, want %+v", got, w)
			}
		}
	}
	if state := b.next(t); state.ETag != `"ours"` || state.Validated != b.url {
		t.Fatalf("got state %+v", state)
	}
	expect(seen{path: "/feed"})
	moved.Store(true)
	state := b.again(t)
	expect(seen{path: "/feed", etag: `"ours"`}, seen{path: "/elsewhere/feed"})
	if state.ETag != `"theirs"` || !strings.HasSuffix(state.Validated, "/elsewhere/feed") || state.Entries != 1 {
		t.Errorf("got state %+v", state)
	}
	state = b.again(t)
	expect(seen{path: "/feed"}, seen{path: "/elsewhere/feed", etag: `"theirs"`})
	if state.Status != 304 || state.ErrorClass != "" || state.Move.To != "" {
		t.Errorf("got state %+v", state)
	}
}

func TestGzipIsRequestedAndDecoded(t *testing.T) {
	b := poll(t, ingest.Options{}, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Accept-Encoding") == "gzip" {
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			defer z.Close()
			_, _ = io.WriteString(z, rss("<item><guid>1</guid></item>"))
		}
	})
	if state := b.next(t); state.Entries != 1 {
		t.Errorf("got state %+v", state)
	}
}

func TestOneBadSourceHarmsNoOther(t *testing.T) {
	good := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, rss("<item><guid>1</guid></item>"))
	}))
	defer good.Close()
	store := newMemory(good.URL+"/good", good.URL+"/bad")
	store.onSave = func(claim feed.Claim) {
		if strings.HasSuffix(claim.Source.URL, "/bad") {
			panic("cannot be")
		}
	}
	panics := make(chan string, 1)
	run(t, ingest.New(store, ingest.Options{OnPanic: func(c string) { panics <- c }, Fetch: fetch.Options{AllowNetworks: loopback()}}))
	if state := store.next(t); state.Entries != 1 {
		t.Errorf("got state %+v", state)
	}
	if got := <-panics; got != "poll" {
		t.Errorf("panic reported for %q", got)
	}
}

func TestLostLeaseWritesNothing(t *testing.T) {
	saved := make(chan struct{})
	var b *bench
	ready := make(chan struct{})
	b = poll(t, ingest.Options{}, func(w http.ResponseWriter, _ *http.Request) {
		<-ready
		fmt.Fprint(w, rss("<item><guid>1</guid></item>"))
	})
	b.onSave = func(claim feed.Claim) {
		b.mu.Lock()
		b.leases[claim.Source.URL] = "someone else's"
		b.mu.Unlock()
		close(saved)
	}
	close(ready)
	<-saved
	if line := b.log.next(t, "poll"); line["result"].String() != "error" || !strings.Contains(line["err"].String(), "lease lost") {
		t.Errorf("logged %v", line)
	}
	select {
	case state := <-b.finished:
		t.Errorf("state was stored: %+v", *state)
	default:
	}
}

func TestAcceptIgnoresKnownEntries(t *testing.T) {
	store := newMemory(feedURL)
	claims, _ := store.ClaimSources(t.Context(), 1, time.Minute)
	reg := prometheus.NewRegistry()
	in := ingest.New(store, ingest.Options{Registerer: reg})
	accept := func(items string) feed.Saved {
		t.Helper()
		_, saved, err := in.Accept(t.Context(), claims[0], parser.Raw{Body: []byte(rss(items)), URL: feedURL, Received: received}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return saved
	}
	one, two := "<item><guid>1</guid><title>A</title></item>", "<item><guid>2</guid></item><item/>"
	if got := accept(one + two); got != (feed.Saved{Created: 2}) {
		t.Errorf("first: %+v", got)
	}
	if got := accept(one + two); got != (feed.Saved{Unchanged: 2}) {
		t.Errorf("again: %+v", got)
	}
	if got := accept(strings.Replace(one, "A", "B", 1) + two); got != (feed.Saved{Modified: 1, Unchanged: 1}) {
		t.Errorf("edited: %+v", got)
	}
	for outcome, want := range map[string]float64{"new": 2, "updated": 1, "duplicate": 3, "rejected": 3} {
		if got := counterValue(t, reg, "feedwire_entries_ingested_total", outcome); got != want {
			t.Errorf("counted %v %s, want %v", got, outcome, want)
		}
	}
}

func TestMetricsAreWellNamedAndThereFromTheStart(t *testing.T) {
	reg := prometheus.NewPedanticRegistry()
	ingest.New(newMemory(), ingest.Options{Registerer: reg})
	problems, err := testutil.GatherAndLint(reg)
	if err != nil || len(problems) > 0 {
		t.Errorf("lint: %v, %v", problems, err)
	}
	for name, series := range map[string]int{
		"feedwire_polls_total": 3, "feedwire_poll_failures_total": 16, "feedwire_poll_duration_seconds": 3,
		"feedwire_poll_response_size_bytes": 1, "feedwire_poll_lag_seconds": 1, "feedwire_polls_in_flight": 1,
		"feedwire_last_successful_poll_timestamp_seconds": 1, "feedwire_entries_ingested_total": 4, "feedwire_entry_age_seconds": 1,
	} {
		if n, err := testutil.GatherAndCount(reg, name); err != nil || n != series {
			t.Errorf("%s: %d series (%v), want %d", name, n, err, series)
		}
	}
}

// counterValue returns the value of the counter that has this one label value.
func counterValue(t testing.TB, reg *prometheus.Registry, name, label string) float64 {
	t.Helper()
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if f.GetName() == name && len(m.GetLabel()) == 1 && m.GetLabel()[0].GetValue() == label {
				return m.GetCounter().GetValue()
			}
		}
	}
	t.Fatalf("no counter %s with %q", name, label)
	return 0
}

// lines is a slog.Handler that hands each record on.
type lines chan slog.Record

func (l lines) Enabled(context.Context, slog.Level) bool      { return true }
func (l lines) Handle(_ context.Context, r slog.Record) error { l <- r; return nil }
func (l lines) WithAttrs([]slog.Attr) slog.Handler            { return l }
func (l lines) WithGroup(string) slog.Handler                 { return l }

// next waits for a record with this message and returns its level and attributes.
func (l lines) next(t testing.TB, message string) map[string]slog.Value {
	t.Helper()
	for {
		select {
		case r := <-l:
			if r.Message != message {
				continue
			}
			attrs := map[string]slog.Value{slog.LevelKey: slog.AnyValue(r.Level)}
			r.Attrs(func(a slog.Attr) bool { attrs[a.Key] = a.Value; return true })
			return attrs
		case <-time.After(time.Minute):
			t.Fatalf("nothing logged %q within a minute", message)
		}
	}
}

func TestArticlesAreRefreshedUntilItSucceedsAfterANewerParser(t *testing.T) {
	var calls atomic.Int64
	fails := errors.New("cannot refresh")
	opts := ingest.Options{OnReread: func(context.Context, string) error {
		if calls.Add(1) == 1 {
			return fails
		}
		return nil
	}}
	b := poll(t, opts, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, rss("<item><guid>1</guid></item>")) })
	b.next(t)
	b.again(t)
	if n := calls.Load(); n != 0 {
		t.Fatalf("%d refreshes before an upgrade", n)
	}
	b.mu.Lock()
	b.sources[b.url].Poll.Generation = -1 // as if an older parser had read it
	b.mu.Unlock()
	if state := b.again(t); state.ErrorText == "" || state.Generation != -1 {
		t.Errorf("a refresh failed, and the poll left %+v", state)
	}
	for range 2 {
		if state := b.again(t); state.ErrorText != "" || state.Generation == -1 {
			t.Errorf("the poll left %+v", state)
		}
	}
	if n := calls.Load(); n != 2 {
		t.Errorf("%d refreshes, want the failed one and its repetition", n)
	}
}
