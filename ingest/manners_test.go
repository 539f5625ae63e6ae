package ingest_test

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/feedwire/feedwire/ingest"
	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// world is a host that is polled by two daemons on one Redis, in a time of its own. Both daemons are started anew again
// and again.
type world struct {
	t     *testing.T
	dial  store.DialFunc
	opts  ingest.Options
	mu    sync.Mutex // guards what follows: the origin runs beside the test
	now   time.Time
	log   []asked
	busy  int
	faux  []string // what was wrong with requests
	serve func(w http.ResponseWriter, r *http.Request, a asked)

	origin *httptest.Server
	wires  []*ingest.Ingester
	store  *store.Store
	ended  []func()
}

// asked is a request that the origin got.
type asked struct {
	at          time.Time
	path        string
	header      http.Header
	conditional bool
}

const politePause = 2 * time.Second

func newWorld(t *testing.T, dial store.DialFunc, opts ingest.Options) *world {
	w := &world{t: t, dial: dial, opts: opts, now: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)}
	w.opts.Fetch.AllowNetworks, w.opts.Now = loopback(), w.clock
	w.origin = httptest.NewServer(http.HandlerFunc(w.answer))
	w.restart()
	t.Cleanup(func() {
		w.stop()
		w.origin.Close()
	})
	return w
}

func (w *world) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

// ingestStore is what the daemon gives to ingest.
type ingestStore struct {
	*store.EntryStore
	*store.SourceStore
}

// restart replaces both daemons.
func (w *world) restart() {
	w.stop()
	for _, owner := range []string{"a", "b"} {
		s, err := store.New(store.Options{
			Dial: w.dial, Now: w.clock, Owner: owner, Prefix: w.t.Name() + ":", HostDelay: politePause, SpareSelf: true, PollFloor: 5 * time.Minute,
		})
		if err != nil {
			w.t.Fatal(err)
		}
		in := ingest.New(ingestStore{s.Entries, s.Sources}, w.opts)
		w.store, w.wires = s, append(w.wires, in)
		w.ended = append(w.ended, in.Transport().CloseIdleConnections, func() { _ = s.Close() })
	}
}

func (w *world) stop() {
	for _, end := range w.ended {
		end()
	}
	w.ended, w.wires = nil, nil
}

// answer notes a request and what is wrong with it whatever the rule is, and serves it.
func (w *world) answer(rw http.ResponseWriter, r *http.Request) {
	a := asked{path: r.URL.Path, header: r.Header, conditional: r.Header.Get("If-None-Match")+r.Header.Get("If-Modified-Since") != ""}
	w.mu.Lock()
	a.at = w.now
	w.busy++
	hop := strings.HasPrefix(r.URL.Path, "/to/") // the client was sent here by the request before
	if w.busy > 1 {
		w.faux = append(w.faux, "two requests at the same time")
	}
	if n := len(w.log); n > 0 && !hop && a.at.Sub(w.log[n-1].at) < politePause {
		w.faux = append(w.faux, fmt.Sprintf("%s asked %v after the request before", a.path, a.at.Sub(w.log[n-1].at)))
	}
	for _, name := range []string{"Cookie", "Referer", "Pragma", "Cache-Control"} {
		if r.Header.Get(name) != "" {
			w.faux = append(w.faux, "sent "+name)
		}
	}
	if r.Method != http.MethodGet || r.URL.RawQuery != "" || !strings.Contains(r.Header.Get("User-Agent"), "(+http") ||
		r.Header.Get("Accept-Encoding") != "gzip" || !strings.HasSuffix(r.Header.Get("Accept"), "*/*;q=0.1") {
		w.faux = append(w.faux, fmt.Sprintf("%s %s with %v", r.Method, r.URL, r.Header))
	}
	w.log = append(w.log, a)
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		w.busy--
		w.mu.Unlock()
	}()
	w.serve(rw, r, a)
}

func (w *world) add(paths ...string) {
	w.t.Helper()
	for _, path := range paths {
		w.addSource(feed.Source{URL: w.origin.URL + path})
	}
}

func (w *world) addSource(source feed.Source) {
	w.t.Helper()
	if _, _, err := w.store.Sources.AddSource(w.t.Context(), source); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) state(path string) feed.PollState {
	w.t.Helper()
	source, err := w.store.Sources.SourceByURL(w.t.Context(), w.origin.URL+path)
	if err != nil {
		w.t.Fatal(err)
	}
	return source.Poll
}

// live lets time pass: both daemons poll what falls due.
func (w *world) live(d time.Duration) {
	w.t.Helper()
	end := w.clock().Add(d)
	for n := 1; ; n++ {
		if n%5 == 0 {
			w.restart()
		}
		var polls sync.WaitGroup
		for _, in := range w.wires {
			polls.Go(func() { in.Step(context.Background()) })
		}
		polls.Wait()
		due, err := w.store.Sources.NextDue(w.t.Context())
		if err != nil {
			w.t.Fatal(err)
		}
		w.mu.Lock()
		if due.IsZero() || due.After(end) {
			w.now = end
			w.mu.Unlock()
			return
		}
		if due.After(w.now) {
			w.now = due
		}
		w.mu.Unlock()
	}
}

// of are the requests for a path.
func (w *world) of(path string) (all []asked) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, a := range w.log {
		if a.path == path {
			all = append(all, a)
		}
	}
	return all
}

// gaps are the times between requests.
func gaps(all []asked) (d []time.Duration) {
	for i := 1; i < len(all); i++ {
		d = append(d, all[i].at.Sub(all[i-1].at))
	}
	return d
}

// check is the verdict on a list of demands: the first that is not met.
func check(demands ...error) error { return errors.Join(demands...) }

func want(ok bool, format string, args ...any) error {
	if ok {
		return nil
	}
	return fmt.Errorf(format, args...)
}

// document is a feed of one item of that guid.
func document(guid string) string { return rss("<item><guid>" + guid + "</guid></item>") }

// TestGoodManners is an origin that grades its client. Each rule is one line of what servers expect of a feed fetcher;
// besides, every request is looked at: one at a time, two seconds apart, honest about who asks, without cookies.
func TestGoodManners(t *testing.T) {
	t.Parallel()
	const odd = `W/"a b-gzip"`
	const oddDate = "tue, 10 jun 2025 14:05:00 GMT+0"
	notModified := func(w http.ResponseWriter, a asked, etag, body string) {
		w.Header().Set("ETag", etag)
		if a.header.Get("If-None-Match") == etag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		_, _ = io.WriteString(w, body)
	}
	status := func(code int) func(*world) {
		return func(w *world) {
			w.serve = func(rw http.ResponseWriter, _ *http.Request, _ asked) { rw.WriteHeader(code) }
		}
	}
	redirect := func(code int, elsewhere string) func(*world) {
		return func(w *world) {
			w.serve = func(rw http.ResponseWriter, r *http.Request, a asked) {
				if r.URL.Path == "/to/there" {
					notModified(rw, a, `"there"`, document(elsewhere))
					return
				}
				if w.now.Sub(time.Date(2026, 3, 3, 0, 0, 0, 0, time.UTC)) < 0 {
					_, _ = io.WriteString(rw, document("1"))
					return
				}
				http.Redirect(rw, r, "/to/there", code)
			}
		}
	}
	rules := []struct {
		name    string
		opts    ingest.Options
		serve   func(*world)
		live    time.Duration
		verdict func(*world) error
	}{
		{"validators go back byte for byte, and only the first request is unconditional", ingest.Options{}, func(w *world) {
			w.serve = func(rw http.ResponseWriter, _ *http.Request, a asked) {
				rw.Header()["Etag"], rw.Header()["Last-Modified"] = []string{odd}, []string{oddDate}
				if a.conditional {
					rw.WriteHeader(http.StatusNotModified)
					return
				}
				_, _ = io.WriteString(rw, document("1"))
			}
		}, 5 * 24 * time.Hour, func(w *world) error {
			all := w.of("/feed")
			for _, a := range all[1:] {
				if a.header.Get("If-None-Match") != odd || a.header.Get("If-Modified-Since") != oddDate {
					return fmt.Errorf("sent %q", a.header)
				}
			}
			return check(want(!all[0].conditional, "the first was conditional"), want(len(all) > 5, "asked %d times", len(all)))
		}},
		{"each validator of each 200 and 304 is taken over, also alone and with the same body", ingest.Options{}, func(w *world) {
			w.serve = func(rw http.ResponseWriter, _ *http.Request, _ asked) {
				n := len(w.of("/feed"))
				if n%4 != 0 {
					rw.Header().Set("ETag", fmt.Sprintf(`"%d"`, n))
				}
				if n%4 == 2 {
					rw.WriteHeader(http.StatusNotModified)
					return
				}
				_, _ = io.WriteString(rw, document("1"))
			}
		}, 5 * 24 * time.Hour, func(w *world) error {
			for i, a := range w.of("/feed")[1:] {
				expect := ""
				if n := i + 1; n%4 != 0 {
					expect = fmt.Sprintf(`"%d"`, n)
				}
				if got := a.header.Get("If-None-Match"); got != expect {
					return fmt.Errorf("request %d has %q, want %q", i+2, got, expect)
				}
			}
			return nil
		}},
		{"a document that cannot be used leaves the validators as they were", ingest.Options{}, func(w *world) {
			w.serve = func(rw http.ResponseWriter, _ *http.Request, _ asked) {
				if n := len(w.of("/feed")); n > 1 {
					rw.Header().Set("ETag", `"bad"`)
					_, _ = io.WriteString(rw, "<!doctype html><html>")
					return
				}
				rw.Header().Set("ETag", `"good"`)
				_, _ = io.WriteString(rw, document("1"))
			}
		}, 5 * 24 * time.Hour, func(w *world) error {
			all := w.of("/feed")
			return want(all[len(all)-1].header.Get("If-None-Match") == `"good"`, "sent %q", all[len(all)-1].header)
		}},
		{"nothing is asked for while it is fresh", ingest.Options{}, func(w *world) {
			w.serve = func(rw http.ResponseWriter, _ *http.Request, a asked) {
				rw.Header().Set("Cache-Control", "public, max-age=36000")
				rw.Header().Set("Age", "3600")
				notModified(rw, a, `"1"`, document("1"))
			}
		}, 5 * 24 * time.Hour, func(w *world) error {
			for _, d := range gaps(w.of("/feed")) {
				if d < 9*time.Hour {
					return fmt.Errorf("asked again after %v", d)
				}
			}
			return nil
		}},
		{"Expires counts as freshness", ingest.Options{}, func(w *world) {
			w.serve = func(rw http.ResponseWriter, _ *http.Request, a asked) {
				rw.Header().Set("Date", "Tue, 10 Jun 2025 14:00:00 GMT")
				rw.Header().Set("Expires", "Tue, 10 Jun 2025 20:00:00 GMT")
				notModified(rw, a, `"1"`, document("1"))
			}
		}, 5 * 24 * time.Hour, func(w *world) error {
			for _, d := range gaps(w.of("/feed")) {
				if d < 6*time.Hour {
					return fmt.Errorf("asked again after %v", d)
				}
			}
			return nil
		}},
		{"429 with Retry-After silences the host", ingest.Options{Interval: time.Hour}, func(w *world) {
			w.add("/other")
			w.serve = func(rw http.ResponseWriter, _ *http.Request, a asked) {
				if a.path == "/feed" && len(w.of("/feed")) == 3 {
					rw.Header().Set("Retry-After", "28800")
					rw.WriteHeader(http.StatusTooManyRequests)
					return
				}
				notModified(rw, a, `"1"`, document("1"))
			}
		}, 24 * time.Hour, func(w *world) error {
			told := w.of("/feed")[2].at
			for _, a := range w.log {
				if a.at.After(told) && a.at.Sub(told) < 8*time.Hour {
					return fmt.Errorf("%s asked %v after the 429", a.path, a.at.Sub(told))
				}
			}
			return want(len(w.of("/other")) > 10, "the other feed was forgotten")
		}},
		{"503 with Retry-After, as a date, silences the feed alone", ingest.Options{Interval: time.Hour}, func(w *world) {
			w.add("/other")
			w.serve = func(rw http.ResponseWriter, _ *http.Request, a asked) {
				if a.path == "/feed" && len(w.of("/feed")) == 3 {
					rw.Header().Set("Retry-After", a.at.Add(8*time.Hour).Format(http.TimeFormat))
					rw.WriteHeader(http.StatusServiceUnavailable)
					return
				}
				notModified(rw, a, `"1"`, document("1"))
			}
		}, 24 * time.Hour, func(w *world) error {
			all := w.of("/feed")
			return check(
				want(all[3].at.Sub(all[2].at) >= 8*time.Hour-time.Second, "asked again after %v", all[3].at.Sub(all[2].at)),
				want(len(w.of("/other")) > 20, "the other feed was asked %d times", len(w.of("/other"))))
		}},
		{"a short Retry-After of an hourly feed is no hour", ingest.Options{Interval: time.Hour}, func(w *world) {
			w.serve = func(rw http.ResponseWriter, _ *http.Request, a asked) {
				if len(w.of("/feed")) == 3 {
					rw.Header().Set("Retry-After", "5")
					rw.WriteHeader(http.StatusServiceUnavailable)
					return
				}
				notModified(rw, a, `"1"`, document("1"))
			}
		}, 24 * time.Hour, func(w *world) error {
			all := w.of("/feed")
			gap := all[3].at.Sub(all[2].at)
			return want(gap >= 15*time.Minute && gap < 17*time.Minute, "asked again after %v", gap)
		}},
		{"a server in trouble is asked ever more rarely, at last once a week", ingest.Options{}, status(500),
			60 * 24 * time.Hour, func(w *world) error {
				all := gaps(w.of("/feed"))
				for i, d := range all[1:] {
					if d < all[i]*8/10 {
						return fmt.Errorf("asked after %v and then after %v", all[i], d)
					}
				}
				return check(
					want(all[0] >= 15*time.Minute, "asked again after %v", all[0]),
					want(all[len(all)-1] >= 7*24*time.Hour, "in the end every %v", all[len(all)-1]),
					want(w.state("/feed").Gone == false && len(all) > 30, "given up after %d", len(all)))
			}},
		{"404 is no reason to hurry", ingest.Options{Interval: time.Minute}, status(404), 7 * 24 * time.Hour, func(w *world) error {
			all := gaps(w.of("/feed"))
			return check(want(all[0] >= time.Hour, "asked again after %v", all[0]), want(len(all) < 15, "asked %d times", len(all)))
		}},
		{"410 is asked once more after a day, and then never", ingest.Options{Interval: time.Minute}, status(410), 60 * 24 * time.Hour,
			func(w *world) error {
				all := gaps(w.of("/feed"))
				return check(want(len(all) == 1 && all[0] >= 24*time.Hour, "asked after %v", all), want(w.state("/feed").Gone, "not gone"))
			}},
		{"410 by mistake is forgiven", ingest.Options{}, func(w *world) {
			w.serve = func(rw http.ResponseWriter, _ *http.Request, a asked) {
				if n := len(w.of("/feed")); n == 2 || n == 9 {
					rw.WriteHeader(http.StatusGone)
					return
				}
				notModified(rw, a, `"1"`, document("1"))
			}
		}, 30 * 24 * time.Hour, func(w *world) error { return want(!w.state("/feed").Gone, "gone") }},
		{"308 moves a source when it is proven, and the old address is asked once a month", ingest.Options{}, redirect(308, "1"),
			100 * 24 * time.Hour, func(w *world) error {
				move, old := w.state("/feed").Move, w.of("/feed")
				last := old[len(old)-4 : len(old)-1]
				return check(
					want(strings.HasSuffix(move.To, "/to/there") && !move.Adopted.IsZero(), "not moved: %+v", move),
					want(move.Adopted.Sub(move.Since) >= 3*24*time.Hour, "moved after %v", move.Adopted.Sub(move.Since)),
					want(last[1].at.Sub(last[0].at) >= 30*24*time.Hour, "the old address is asked after %v", last[1].at.Sub(last[0].at)),
					want(w.state("/feed").ETag == `"there"`, "the new address has no validators"))
			}},
		{"301 to someone else's feed moves nothing", ingest.Options{}, redirect(301, "parked"), 30 * 24 * time.Hour, func(w *world) error {
			return want(w.state("/feed").Move.Adopted.IsZero(), "moved to a stranger: %+v", w.state("/feed").Move)
		}},
		{"302 and 307 are for this time only", ingest.Options{}, redirect(307, "1"), 30 * 24 * time.Hour, func(w *world) error {
			return want(w.state("/feed").Move == feed.Move{}, "moved: %+v", w.state("/feed").Move)
		}},
		{"a server that says 304 for ever is asked in full once in 14 days", ingest.Options{}, func(w *world) {
			w.serve = func(rw http.ResponseWriter, _ *http.Request, a asked) {
				rw.Header().Set("ETag", `"1"`)
				if a.conditional {
					rw.WriteHeader(http.StatusNotModified)
					return
				}
				_, _ = io.WriteString(rw, document(fmt.Sprint(len(w.of("/feed")))))
			}
		}, 60 * 24 * time.Hour, func(w *world) error {
			var full []asked
			for _, a := range w.of("/feed") {
				if !a.conditional {
					full = append(full, a)
				}
			}
			for _, d := range gaps(full) {
				if d < 14*24*time.Hour || d > 16*24*time.Hour {
					return fmt.Errorf("asked in full after %v", d)
				}
			}
			return want(len(full) == 5, "asked in full %d times", len(full))
		}},
		{"a silent feed is asked twice a day at most, a busy one no more than every 15 minutes", ingest.Options{}, func(w *world) {
			w.serve = func(rw http.ResponseWriter, _ *http.Request, a asked) {
				etag := "1"
				if a.path == "/busy" {
					etag = a.at.Truncate(10 * time.Minute).Format("02150405")
				}
				notModified(rw, a, `"`+etag+`"`, document(etag))
			}
			w.live(18 * 24 * time.Hour)
			w.add("/busy")
		}, 2 * 24 * time.Hour, func(w *world) error {
			w.restart()
			silent, busy := gaps(w.of("/feed")), gaps(w.of("/busy"))
			return check(
				want(silent[len(silent)-1] > 12*time.Hour, "the silent one is asked every %v", silent[len(silent)-1]),
				want(busy[len(busy)-1] >= 15*time.Minute && busy[len(busy)-1] < 40*time.Minute, "the busy one is asked every %v", busy[len(busy)-1]))
		}},
		{"many feeds of one host take turns", ingest.Options{Interval: 10 * time.Minute}, func(w *world) {
			for i := range 40 {
				w.add(fmt.Sprintf("/feed%d", i))
			}
			w.serve = func(rw http.ResponseWriter, _ *http.Request, a asked) {
				time.Sleep(time.Duration(rand.IntN(2000)) * time.Microsecond)
				notModified(rw, a, `"1"`, document("1"))
			}
		}, time.Hour, func(w *world) error {
			for i := range 40 {
				if n := len(w.of(fmt.Sprintf("/feed%d", i))); n < 4 || n > 7 {
					return fmt.Errorf("feed %d was asked %d times in an hour", i, n)
				}
			}
			return nil
		}},
		{"a person who asks for a poll again and again gets one in 5 minutes", ingest.Options{}, func(w *world) {
			w.serve = func(rw http.ResponseWriter, _ *http.Request, a asked) { notModified(rw, a, `"1"`, document("1")) }
			for range 60 {
				w.live(30 * time.Second)
				if err := w.store.Sources.PollSource(w.t.Context(), feed.SourceID(w.origin.URL+"/feed"), 0); err != nil {
					w.t.Error(err)
				}
			}
		}, 0, func(w *world) error {
			for _, d := range gaps(w.of("/feed")) {
				if d < 5*time.Minute {
					return fmt.Errorf("asked again after %v", d)
				}
			}
			return want(len(w.of("/feed")) >= 6, "asked %d times", len(w.of("/feed")))
		}},
		{"secrets of a source stay at its host", ingest.Options{}, func(w *world) {
			w.addSource(feed.Source{URL: w.origin.URL + "/feed", Request: feed.Request{
				Username: "ada", Password: "pw", Headers: map[string]string{"X-Key": "k", "Accept-Language": "de"},
			}})
			elsewhere := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
				w.mu.Lock()
				defer w.mu.Unlock()
				if h := r.Header; h.Get("Authorization")+h.Get("X-Key")+h.Get("Accept-Language") != "" {
					w.faux = append(w.faux, fmt.Sprintf("secrets went elsewhere: %v", h))
				}
				_, _ = io.WriteString(rw, document("1"))
			}))
			w.t.Cleanup(elsewhere.Close)
			w.serve = func(rw http.ResponseWriter, r *http.Request, _ asked) {
				http.Redirect(rw, r, elsewhere.URL, http.StatusMovedPermanently)
			}
		}, 20 * 24 * time.Hour, func(w *world) error {
			user, password, _ := (&http.Request{Header: w.of("/feed")[0].header}).BasicAuth()
			return check(
				want(user == "ada" && password == "pw" && w.of("/feed")[0].header.Get("X-Key") == "k", "sent %v", w.of("/feed")[0].header),
				want(!w.state("/feed").Move.Adopted.IsZero(), "not moved"))
		}},
		{"compressed documents are taken", ingest.Options{}, func(w *world) {
			w.serve = func(rw http.ResponseWriter, _ *http.Request, _ asked) {
				rw.Header().Set("Content-Encoding", "gzip")
				z := gzip.NewWriter(rw)
				_, _ = io.WriteString(z, document("1"))
				_ = z.Close()
			}
		}, time.Hour, func(w *world) error { return want(w.state("/feed").Entries == 1, "got %+v", w.state("/feed")) }},
	}
	dial := storetest.Redis(t)
	for _, rule := range rules {
		t.Run(rule.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, dial, rule.opts)
			w.add("/feed")
			rule.serve(w)
			w.live(rule.live)
			if err := rule.verdict(w); err != nil {
				t.Error(err)
			}
			for _, wrong := range w.faux[:min(5, len(w.faux))] {
				t.Error(wrong)
			}
			t.Logf("%d requests", len(w.log))
		})
	}
}
