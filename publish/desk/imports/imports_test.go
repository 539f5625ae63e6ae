package imports_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/publish/desk/imports"
	"github.com/feedwire/feedwire/publish/web/webtest"
	"github.com/feedwire/feedwire/store/feed"
)

const siteURL = "https://site.example/feed.xml"

// newDesk returns a desk with imports, which do not run yet.
func newDesk(store imports.Store, now func() time.Time, opts imports.Options) (*webtest.Desk, *imports.Imports) {
	d := webtest.New(now)
	is := imports.New(store, d.Kit, opts)
	is.SetFeeds(feed.OutgoingFeeds{{Type: "production"}, {Type: "development", TwinOf: "production"}})
	d.Mount(is)
	return d, is
}

// listing is a desk whose ReadOPML gives what a test wants, at work until the test ends.
type listing struct {
	t      *testing.T
	store  *fakeStore
	desk   *webtest.Desk
	listed []feed.ListedSource
	panics []string // the components that OnPanic was told of
}

func newListing(t *testing.T, store *fakeStore, listed ...feed.ListedSource) *listing {
	t.Helper()
	l := &listing{t: t, store: store, listed: listed}
	t.Cleanup(l.another(store))
	return l
}

// start starts an import and returns its job.
func (l *listing) start(query string) feed.JobReport {
	l.t.Helper()
	rec := l.desk.Call(http.MethodPost, "/api/v1/opml"+query, "<opml/>")
	if rec.Code != http.StatusAccepted {
		l.t.Fatalf("%d %s", rec.Code, rec.Body)
	}
	job := webtest.Read[feed.JobReport](l.t, rec)
	if got, want := rec.Header().Get("Location"), "/api/v1/jobs/"+job.ID; got != want {
		l.t.Errorf("Location %s, want %s", got, want)
	}
	return job
}

func (l *listing) job(id, query string) feed.JobReport {
	l.t.Helper()
	rec := l.desk.Call(http.MethodGet, "/api/v1/jobs/"+id+query, "")
	if rec.Code != http.StatusOK {
		l.t.Fatalf("%d %s", rec.Code, rec.Body)
	}
	return webtest.Read[feed.JobReport](l.t, rec)
}

// listed makes the feed of a list.
func listed(url string, change ...func(*feed.ListedSource)) feed.ListedSource {
	l := feed.ListedSource{Source: feed.Source{ID: feed.SourceID(url), URL: url, About: feed.About{Title: "T " + url}}}
	for _, c := range change {
		c(&l)
	}
	return l
}

func TestImportReportsTheResultOfEachFeed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		filters := feed.Filters{Keep: []feed.Filter{{Field: "any", Match: "x"}}}
		l := newListing(t, storeWith(siteURL),
			listed("https://new.example/", func(l *feed.ListedSource) {
				l.Source.Filters, l.Source.Paused, l.Source.Categories = filters, true, []string{"News"}
			}),
			listed(siteURL, func(l *feed.ListedSource) { l.Source.Publish = feed.PublishManual }),
			listed("ftp://x/", func(l *feed.ListedSource) { l.Problem = "no web address" }),
			listed("https://own.example/", func(l *feed.ListedSource) { l.Source.Feeds, l.Source.Publish = []string{}, feed.PublishAuto }),
			listed("https://other.example/", func(l *feed.ListedSource) { l.Source.Feeds = []string{"nope"} }),
			listed("https://slow.example/", func(l *feed.ListedSource) { l.Source.Interval = 1000 * time.Hour }),
			listed("https://patient.example/", func(l *feed.ListedSource) { l.Source.Request.Timeout = time.Hour }),
		)
		before := l.store.sources[feed.SourceID(siteURL)]
		job := l.start("")
		synctest.Wait()
		got := l.job(job.ID, "")
		if got.State != feed.JobDone || got.Added != 2 || got.Known != 1 || got.Refused != 4 || got.Total != 7 || got.Next != 7 {
			t.Errorf("got %+v", got.Job)
		}
		var outcomes []string
		for _, r := range got.Results {
			outcomes = append(outcomes, string(r.Outcome)+" "+r.URL+" "+strings.SplitN(r.Reason, ";", 2)[0])
		}
		want := []string{
			"added https://new.example/ ", "known " + siteURL + " ", "refused ftp://x/ no web address", "added https://own.example/ ",
			`refused https://other.example/ there is no outgoing feed "nope"`,
			"refused https://slow.example/ its interval is 1000h0m0s",
			"refused https://patient.example/ its timeout is 1h0m0s",
		}
		if diff := cmp.Diff(want, outcomes); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		added := l.store.sources[feed.SourceID("https://new.example/")]
		if !added.Paused || !cmp.Equal(added.Filters, filters) || !cmp.Equal(added.Feeds, []string{"production"}) ||
			added.Publish != feed.PublishManual || !cmp.Equal(added.Categories, []string{"News"}) {
			t.Errorf("added %+v", added)
		}
		if own := l.store.sources[feed.SourceID("https://own.example/")]; len(own.Feeds) != 0 || own.Publish != feed.PublishAuto {
			t.Errorf("the settings of the list are lost: %+v", own)
		}
		if diff := cmp.Diff(before, l.store.sources[feed.SourceID(siteURL)]); diff != "" {
			t.Errorf("a known source was changed:\n%s", diff)
		}
	})
}

func TestImportChoicesOverrideTheList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newListing(t, newFakeStore(), listed("https://a.example/", func(l *feed.ListedSource) {
			l.Source.Feeds, l.Source.Publish = []string{"production"}, feed.PublishManual
		}))
		l.start("?feeds=development&publish=auto")
		synctest.Wait()
		got := l.store.sources[feed.SourceID("https://a.example/")]
		if !cmp.Equal(got.Feeds, []string{"development"}) || got.Publish != feed.PublishAuto {
			t.Errorf("got %+v", got)
		}
	})
}

func TestDryRunAddsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newListing(t, newFakeStore(), listed("https://a.example/"))
		job := l.start("?dry_run=1")
		synctest.Wait()
		if got := l.job(job.ID, ""); !got.DryRun || got.Added != 1 || len(l.store.sources) != 0 {
			t.Errorf("got %+v, %d sources", got, len(l.store.sources))
		}
	})
}

func TestResultsAreReadInPages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newListing(t, newFakeStore())
		for i := range 230 {
			l.listed = append(l.listed, listed(fmt.Sprintf("https://h.example/%d", i)))
		}
		job := l.start("")
		synctest.Wait()
		var all []feed.JobResult
		for {
			got := l.job(job.ID, fmt.Sprintf("?limit=100&from=%d", len(all)))
			if len(got.Results) == 0 {
				break
			}
			all = append(all, got.Results...)
		}
		for i, r := range all {
			if want := fmt.Sprintf("https://h.example/%d", i); r.URL != want {
				t.Fatalf("result %d is of %s, want %s", i, r.URL, want)
			}
		}
		if len(all) != 230 {
			t.Errorf("%d results", len(all))
		}
	})
}

// another starts a desk on a store, which serves the calls from now on, and returns a function that stops it.
func (l *listing) another(store imports.Store) (stop func()) {
	d, jobs := newDesk(store, time.Now, imports.Options{
		ReadOPML: func([]byte, string) ([]feed.ListedSource, error) { return l.listed, nil },
		OnPanic:  func(component string) { l.panics = append(l.panics, component) },
	})
	l.desk = d
	ctx, cancel := context.WithCancel(l.t.Context())
	done := make(chan error, 1)
	go func() { done <- jobs.Run(ctx) }()
	return func() {
		cancel()
		if err := <-done; err != nil {
			l.t.Errorf("Run: %v", err)
		}
	}
}

// failing is a store that adds a source each 100 ms, until it fails for one daemon.
type failing struct {
	*fakeStore
	mu    sync.Mutex
	err   error // of every call of this daemon
	later error // of the calls after as many sources as after
	after int
	again bool // an earlier process of the daemon was killed, with all jobs
}

func (s *failing) failure() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

func (s *failing) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = err
}

func (s *failing) AddSource(ctx context.Context, src feed.Source) (feed.Source, bool, error) {
	select {
	case <-time.After(100 * time.Millisecond):
	case <-ctx.Done():
		return src, false, feed.ErrUnavailable
	}
	if err := s.failure(); err != nil {
		return src, false, err
	}
	stored, created, err := s.fakeStore.AddSource(ctx, src)
	if s.after--; s.after == 0 {
		s.fail(s.later)
	}
	return stored, created, err
}

func (s *failing) ReclaimJobs(context.Context) (n int, err error) {
	defer s.lock()()
	for id := range s.claims {
		if job := s.jobs[id]; s.again {
			job.State = feed.JobWaiting
			s.jobs[id], n = job, n+1
		}
	}
	return n, nil
}

func (s *failing) ClaimJob(ctx context.Context) (feed.JobClaim, error) {
	if err := s.failure(); err != nil {
		return feed.JobClaim{}, err
	}
	return s.fakeStore.ClaimJob(ctx)
}

func (s *failing) SaveJob(ctx context.Context, claim feed.JobClaim, before int, results []feed.JobResult) error {
	if err := s.failure(); err != nil {
		return err
	}
	return s.fakeStore.SaveJob(ctx, claim, before, results)
}

// An import resumes after its last saved result, and its report is that of an import without interruptions.
func TestInterruptedImportResumes(t *testing.T) {
	many := func() (all []feed.ListedSource) {
		for i := range 300 {
			all = append(all, listed(fmt.Sprintf("https://h.example/%d", i)))
		}
		return all
	}
	for name, c := range map[string]struct {
		away   error         // what the first daemon gets from its store after 130 sources
		back   time.Duration // after which it gets more
		stop   bool          // the first daemon is stopped after 13 s, else it goes on
		again  bool          // the second daemon is the first one, started again
		within time.Duration // in which the import is done
	}{
		"without a trouble":                        {within: 31 * time.Second},
		"by the next daemon when one stops":        {stop: true, within: 37 * time.Second},
		"by another daemon when one is killed":     {away: feed.ErrUnavailable, back: time.Hour, stop: true, within: 60 * time.Second},
		"by the same one when it is killed":        {away: feed.ErrUnavailable, back: time.Hour, stop: true, again: true, within: 37 * time.Second},
		"by the same one when the store is back":   {away: feed.ErrUnavailable, back: 10 * time.Second, within: 50 * time.Second},
		"by another one when one loses its store":  {away: feed.ErrUnavailable, back: time.Hour, within: 60 * time.Second},
		"by another one when one hangs for a time": {away: feed.ErrUnavailable, back: 40 * time.Second, within: 60 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := &listing{t: t, store: newFakeStore(), listed: many()}
				first := &failing{fakeStore: l.store, later: c.away, after: 130}
				stop := l.another(first)
				begun := time.Now()
				job := l.start("")
				time.Sleep(13*time.Second + 50*time.Millisecond)
				if c.stop {
					stop()
				}
				stopSecond := l.another(&failing{fakeStore: l.store, again: c.again})
				defer stopSecond()
				if !c.stop {
					defer stop()
				}
				var got feed.JobReport
				for !got.Ended() && time.Since(begun) < 5*time.Minute {
					if time.Sleep(time.Second); time.Since(begun) > c.back {
						first.fail(nil)
					}
					got = l.job(job.ID, "?limit=1000")
				}
				if took := time.Since(begun); took > c.within {
					t.Errorf("it took %v", took)
				}
				if got.State != feed.JobDone || got.Added != 300 || len(got.Results) != 300 || len(l.store.sources) != 300 {
					t.Fatalf("got %+v, %d results, %d sources", got.Job, len(got.Results), len(l.store.sources))
				}
				for i, r := range got.Results {
					if want := fmt.Sprintf("https://h.example/%d", i); r.URL != want || r.Outcome != feed.JobAdded {
						t.Fatalf("result %d is %+v", i, r)
					}
				}
			})
		})
	}
}

func TestImportThatEndsItsDaemonFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &listing{t: t, store: newFakeStore(), listed: []feed.ListedSource{listed("https://a.example/")}}
		stop := l.another(&failing{fakeStore: l.store})
		job := l.start("")
		for range 15 {
			time.Sleep(50 * time.Millisecond) // into the work on its only source
			stop()
			stop = l.another(&failing{fakeStore: l.store})
		}
		stop()
		if got := l.job(job.ID, ""); got.State != feed.JobInterrupted || !strings.Contains(got.Error, "import the list again") {
			t.Errorf("got %+v", got)
		}
	})
}

func TestSourceThatCannotBeStoredIsRefusedAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &listing{t: t, store: newFakeStore(), listed: []feed.ListedSource{listed("https://a.example/"), listed("https://b.example/")}}
		store := &failing{fakeStore: l.store, err: errors.New("wrong kind of value")}
		stop := l.another(&onlySources{store})
		job := l.start("")
		time.Sleep(150 * time.Millisecond)
		store.fail(nil)
		time.Sleep(time.Second)
		stop()
		got := l.job(job.ID, "")
		if got.State != feed.JobDone || got.Refused != 1 || got.Added != 1 || !strings.Contains(got.Results[0].Reason, "the log") {
			t.Errorf("got %+v", got)
		}
	})
}

// onlySources fails for sources only.
type onlySources struct{ *failing }

func (s *onlySources) ClaimJob(ctx context.Context) (feed.JobClaim, error) {
	return s.fakeStore.ClaimJob(ctx)
}

func (s *onlySources) SaveJob(ctx context.Context, claim feed.JobClaim, before int, results []feed.JobResult) error {
	return s.fakeStore.SaveJob(ctx, claim, before, results)
}

func TestPanicFailsItsImportOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newListing(t, newFakeStore(), listed("https://a.example/"))
		l.store.sources = nil // writing into it panics
		job := l.start("")
		synctest.Wait()
		if got := l.job(job.ID, ""); got.State != feed.JobInterrupted {
			t.Errorf("got %+v", got)
		}
		l.store.sources = map[string]feed.Source{}
		job = l.start("")
		synctest.Wait()
		if got := l.job(job.ID, ""); got.State != feed.JobDone {
			t.Errorf("the next one: %+v", got)
		}
		if !slices.Equal(l.panics, []string{"import"}) {
			t.Errorf("panics reported: %q", l.panics)
		}
	})
}

func TestInvalidImportsAreRefused(t *testing.T) {
	d, _ := newDesk(newFakeStore(), webtest.Noon, imports.Options{ReadOPML: func(body []byte, _ string) ([]feed.ListedSource, error) {
		if string(body) == "bad" {
			return nil, errors.New("this is no OPML document")
		}
		return []feed.ListedSource{listed("https://a.example/")}, nil
	}})
	for _, tt := range []struct {
		query, body string
		status      int
		want        string
	}{
		{"", "bad", http.StatusBadRequest, "no OPML document"},
		{"?dry_run=maybe", "x", http.StatusBadRequest, "dry_run"},
		{"?feeds=nope", "x", http.StatusBadRequest, "there is no outgoing feed"},
		{"?publish=often", "x", http.StatusBadRequest, "manual or auto"},
		{"", strings.Repeat("x", 8<<20+1), http.StatusRequestEntityTooLarge, "8 MiB"},
	} {
		rec := d.Call(http.MethodPost, "/api/v1/opml"+tt.query, tt.body)
		if rec.Code != tt.status || !strings.Contains(rec.Body.String(), tt.want) {
			t.Errorf("%s %.10s: got %d %s", tt.query, tt.body, rec.Code, rec.Body)
		}
	}
	for _, path := range []string{"/api/v1/jobs/none", "/api/v1/jobs/a:results", "/api/v1/jobs/A"} {
		if rec := d.Call(http.MethodGet, path, ""); rec.Code != http.StatusNotFound {
			t.Errorf("%s: got %d", path, rec.Code)
		}
	}
}

func TestNoMoreThanFourImportsRunAtATime(t *testing.T) {
	d, _ := newDesk(newFakeStore(), webtest.Noon, imports.Options{ // not running
		ReadOPML: func([]byte, string) ([]feed.ListedSource, error) { return nil, nil },
	})
	for i, want := range []int{202, 202, 202, 202, 409} {
		if rec := d.Call(http.MethodPost, "/api/v1/opml", "x"); rec.Code != want {
			t.Errorf("import %d: got %d %s", i, rec.Code, rec.Body)
		}
	}
	// A list is not even read if it cannot be imported.
	if rec := d.Call(http.MethodPost, "/api/v1/opml", strings.Repeat("x", 8<<20+1)); rec.Code != http.StatusConflict {
		t.Errorf("a list that is too large got %d %s", rec.Code, rec.Body)
	}
}

func TestListThatStopsHalfwayIsRefused(t *testing.T) {
	d, _ := newDesk(newFakeStore(), webtest.Noon, imports.Options{})
	ctx, gone := context.WithCancel(t.Context())
	gone() // net/http ends the context with the connection
	rec := httptest.NewRecorder()
	d.ServeHTTP(rec, httptest.NewRequestWithContext(ctx, http.MethodPost, "/api/v1/opml", iotest.ErrReader(io.ErrUnexpectedEOF)))
	if rec.Code != http.StatusBadRequest || !strings.Contains(rec.Body.String(), "incomplete") {
		t.Errorf("got %d %s", rec.Code, rec.Body)
	}
}

func TestExportContainsAllSources(t *testing.T) {
	store := storeWith(siteURL, "https://b.example/")
	d, _ := newDesk(store, webtest.Noon, imports.Options{WriteOPML: func(w io.Writer, sources []feed.Source) error {
		_, err := fmt.Fprintf(w, "<opml>%d</opml>", len(sources))
		return err
	}})
	for _, path := range []string{"/api/v1/opml", "/sources/export"} {
		rec := d.Call(http.MethodGet, path, "")
		if rec.Code != http.StatusOK || rec.Body.String() != "<opml>2</opml>" || !strings.HasPrefix(rec.Header().Get("Content-Type"), "text/x-opml") {
			t.Errorf("%s: got %d %v %s", path, rec.Code, rec.Header(), rec.Body)
		}
	}
	store.err = feed.ErrUnavailable
	if rec := d.Call(http.MethodGet, "/api/v1/opml", ""); rec.Code != http.StatusServiceUnavailable {
		t.Errorf("without a store: %d", rec.Code)
	}
}

// upload sends a file by the form of the import page.
func upload(t *testing.T, d *webtest.Desk, text string, fields ...string) *httptest.ResponseRecorder {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	if text != "" {
		file, err := form.CreateFormFile("file", "list.opml")
		if err != nil {
			t.Fatal(err)
		}
		_, _ = file.Write([]byte(text)) // a buffer takes everything
	}
	for i := 0; i+1 < len(fields); i += 2 {
		if err := form.WriteField(fields[i], fields[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := form.Close(); err != nil {
		t.Fatal(err)
	}
	return d.Call(http.MethodPost, "/sources/import", body.String(), "Content-Type", form.FormDataContentType())
}

func TestFormImportsAListAndItsPageShowsTheProgress(t *testing.T) {
	var got string
	store := newFakeStore()
	d, _ := newDesk(store, webtest.Noon, imports.Options{ReadOPML: func(body []byte, _ string) ([]feed.ListedSource, error) {
		if got = string(body); !strings.HasPrefix(got, "<opml") {
			return nil, errors.New("it is no OPML")
		}
		return make([]feed.ListedSource, 3), nil
	}})
	get := func(path string) string { return d.Call(http.MethodGet, path, "").Body.String() }
	webtest.InOrder(t, get("/sources/import"), "<h1>OPML import</h1>", `type="file"`)
	rec := upload(t, d, "<opml/>", "publish", "auto", "dry_run", "1")
	to := rec.Header().Get("Location")
	if rec.Code != http.StatusSeeOther || !strings.HasPrefix(to, "/imports/") || got != "<opml/>" {
		t.Fatalf("got %d to %s, with %q", rec.Code, to, got)
	}
	webtest.InOrder(t, get(to), `http-equiv="refresh" content="2"`, `max="3" value="0"`, "0 added")
	id := strings.TrimPrefix(to, "/imports/")
	job := store.jobs[id]
	job.State, job.Added, job.Refused, job.DryRun = feed.JobDone, 2, 1, false
	store.jobs[id] = job
	store.results[id] = []feed.JobResult{
		{URL: "https://a.example/", Source: "0123456789ab", Outcome: feed.JobAdded}, {URL: "nonsense", Outcome: feed.JobRefused, Reason: "no address"},
	}
	html := get(to)
	webtest.InOrder(t, html, "Imported.", "2 added · 0 known · 1 refused, of 3", "nonsense", "no address", `href="/sources/0123456789ab"`)
	if strings.Contains(html, "http-equiv") {
		t.Error("the page of an import that has ended reloads")
	}
	for text, reason := range map[string]string{"": "Choose an OPML file", "nonsense": "It is no OPML", strings.Repeat("x", 9<<20): "larger than 8 MiB"} {
		rec := upload(t, d, text)
		if rec.Code != http.StatusUnprocessableEntity || !strings.Contains(rec.Body.String(), reason) {
			t.Errorf("%.20q: %d, without %q:\n%.2500s", text, rec.Code, reason, rec.Body)
		}
	}
	if rec := d.Call(http.MethodGet, "/imports/none", ""); rec.Code != http.StatusNotFound || !strings.Contains(rec.Body.String(), "kept for a day") {
		t.Errorf("an unknown import: %d %s", rec.Code, rec.Body)
	}
}
