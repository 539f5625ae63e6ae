package signals_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"go.uber.org/goleak"

	"github.com/feedwire/feedwire/signals"
	"github.com/feedwire/feedwire/store/feed"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const site = "https://site.example/feed"

// outbox implements signals.Store in memory.
type outbox struct {
	mu    sync.Mutex
	all   []feed.Signal
	added chan struct{} // closed and replaced for each signal
	err   error
	calls int
	most  int                                    // bounds the signals of one response
	gate  func(after string, wait time.Duration) // called before each read if set
}

func newOutbox() *outbox { return &outbox{added: make(chan struct{}), most: 1000} }

// add appends a signal with the id n-0.
func (o *outbox) add(n int, kind feed.SignalKind, feedURL string) {
	o.append(feed.Signal{ID: strconv.Itoa(n) + "-0", Kind: kind, FeedURL: feedURL})
}

func (o *outbox) append(s feed.Signal) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.all = append(o.all, s)
	close(o.added)
	o.added = make(chan struct{})
}

func (o *outbox) fail(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.err = err
}

func (o *outbox) Signals(ctx context.Context, after string, limit int, wait time.Duration) ([]feed.Signal, error) {
	if o.gate != nil {
		o.gate(after, wait)
	}
	from, _ := strconv.Atoi(strings.TrimSuffix(after, "-0"))
	timeout := time.After(wait)
	for {
		o.mu.Lock()
		var news []feed.Signal
		for _, s := range o.all {
			if n, _ := strconv.Atoi(strings.TrimSuffix(s.ID, "-0")); n > from && len(news) < min(limit, o.most) {
				news = append(news, s)
			}
		}
		err, added := o.err, o.added
		o.calls++
		o.mu.Unlock()
		if err != nil || len(news) > 0 || wait == 0 {
			return news, err
		}
		select {
		case <-added:
		case <-timeout:
			return nil, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (o *outbox) LastSignal(context.Context) (string, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.calls++
	if len(o.all) == 0 || o.err != nil {
		return "", o.err
	}
	return o.all[len(o.all)-1].ID, nil
}

// readTimeout of the server under test: a stream must outlast it.
const readTimeout = time.Second

// serve runs Events over the outbox behind a real server until the test ends; stop ends Run before that.
func serve(t *testing.T, o *outbox, opts signals.Options) (url string, stop func()) {
	t.Helper()
	events := signals.New(o, opts)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- events.Run(ctx) }()
	srv := httptest.NewUnstartedServer(events)
	srv.Config.ReadTimeout = readTimeout
	srv.Start()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run: %v", err)
		}
	})
	t.Cleanup(func() { stop(); srv.Close() })
	return srv.URL, stop
}

// stream is a client's end of an event stream.
type stream struct {
	t    *testing.T
	resp *http.Response
	in   *bufio.Reader
}

func open(t *testing.T, url string, lastID string) *stream {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second) // a blocked test fails
	t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if lastID != "" {
		req.Header.Set("Last-Event-ID", lastID)
	}
	req.Close = true // a reused connection may be closing
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	s := &stream{t, resp, bufio.NewReader(resp.Body)}
	if resp.StatusCode == http.StatusOK {
		if got := s.block(); got != "retry: 2000\n" {
			t.Fatalf("the stream starts with %q, want the retry hint", got)
		}
	}
	return s
}

// block reads up to the next empty line. It returns "" if the stream has ended.
func (s *stream) block() string {
	var b strings.Builder
	for {
		line, err := s.in.ReadString('\n')
		if err != nil {
			return ""
		}
		if line == "\n" {
			return b.String()
		}
		b.WriteString(line)
	}
}

// ids reads n events and returns their ids.
func (s *stream) ids(n int) []string {
	s.t.Helper()
	var ids []string
	for len(ids) < n {
		block := s.block()
		if block == "" {
			s.t.Fatalf("the stream ended after %v, want %d events", ids, n)
		}
		if id, ok := strings.CutPrefix(block, "id: "); ok {
			id, _, _ = strings.Cut(id, "\n")
			ids = append(ids, id)
		}
	}
	return ids
}

func numbers(from, to int) []string {
	var ids []string
	for n := from; n <= to; n++ {
		ids = append(ids, strconv.Itoa(n)+"-0")
	}
	return ids
}

func expect(t *testing.T, got, want []string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("unexpected events (-want +got):\n%s", diff)
	}
}

func TestStreamSendsNewSignalsOnly(t *testing.T) {
	t.Parallel()
	o := newOutbox()
	o.add(1, feed.PostCreated, site)
	url, _ := serve(t, o, signals.Options{})
	s := open(t, url, "")
	o.add(2, feed.PostModified, site)
	if got, want := s.block(), "id: 2-0\nevent: post_modified\ndata: {\"id\":\"2-0\",\"kind\":\"post_modified\",\"feed_url\":\""+site+"\"}\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := s.resp.Header.Get("Content-Type"); got != "text/event-stream" {
		t.Errorf("Content-Type is %q", got)
	}
}

func TestStreamSendsVotesAndLists(t *testing.T) {
	t.Parallel()
	o := newOutbox()
	url, _ := serve(t, o, signals.Options{})
	s := open(t, url+"?kind=entry_voted&kind=list_modified", "")
	o.add(1, feed.PostCreated, site)
	o.append(feed.Signal{ID: "2-0", Kind: feed.EntryVoted, FeedURL: site, Entry: "Entry:5", Votes: feed.SignalVotes{Score: 1795206432.5, Up: 3, Down: 2}})
	want := "id: 2-0\nevent: entry_voted\ndata: {\"id\":\"2-0\",\"kind\":\"entry_voted\",\"feed_url\":\"" + site +
		"\",\"entry\":\"Entry:5\",\"votes\":{\"score\":1795206432.5,\"up\":3,\"down\":2}}\n"
	if got := s.block(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	const top = "https://wire.example/lists/top.rss"
	o.append(feed.Signal{ID: "3-0", Kind: feed.ListModified, FeedURL: top, List: "top", Digest: "d"})
	want = "id: 3-0\nevent: list_modified\ndata: {\"id\":\"3-0\",\"kind\":\"list_modified\",\"feed_url\":\"" + top + "\",\"digest\":\"d\",\"list\":\"top\"}\n"
	if got := s.block(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestStreamReplaysFromTheLastEventID(t *testing.T) {
	t.Parallel()
	o := newOutbox()
	for n := 1; n <= 250; n++ { // more than two reads
		o.add(n, feed.PostCreated, site)
	}
	url, _ := serve(t, o, signals.Options{})
	for _, tt := range []struct {
		name, query, header string
		first               int
	}{
		{"header", "", "7-0", 8},
		{"parameter", "?after=249-0", "", 250},
		{"header before parameter", "?after=1-0", "200-0", 201},
		{"all stored signals", "?after=", "", 1},
		{"zero", "?after=0", "", 1},
		{"zero in full", "", "0-0", 1},
		{"without the second number", "?after=249", "", 250},
	} {
		t.Run(tt.name, func(t *testing.T) {
			expect(t, open(t, url+tt.query, tt.header).ids(251-tt.first), numbers(tt.first, 250))
		})
	}
}

func TestStreamLosesAndRepeatsNothingBetweenReplayAndLive(t *testing.T) {
	t.Parallel()
	o := newOutbox()
	for n := 1; n <= 150; n++ {
		o.add(n, feed.PostCreated, site)
	}
	var mu sync.Mutex
	added := 150
	o.gate = func(string, time.Duration) { // 20 signals arrive before each of the first three reads for the replay or the reader
		mu.Lock()
		defer mu.Unlock()
		for n := 0; n < 20 && added < 210; n++ {
			added++
			o.add(added, feed.PostCreated, site)
		}
	}
	url, _ := serve(t, o, signals.Options{})
	s := open(t, url, "0-0")
	got := s.ids(210)
	o.add(211, feed.PostCreated, site)
	expect(t, append(got, s.ids(1)...), numbers(1, 211))
}

func TestStreamReplaysAllInSmallBatches(t *testing.T) {
	t.Parallel()
	o := newOutbox()
	o.most = 3
	for n := 1; n <= 20; n++ {
		o.add(n, feed.PostCreated, site)
	}
	url, _ := serve(t, o, signals.Options{})
	s := open(t, url, "0-0")
	got := s.ids(20)
	o.add(21, feed.PostCreated, site)
	expect(t, append(got, s.ids(1)...), numbers(1, 21))
}

func TestStreamFilters(t *testing.T) {
	t.Parallel()
	o := newOutbox()
	o.add(1, feed.FeedCreated, site)
	o.add(2, feed.PostCreated, site)
	o.add(3, feed.PostCreated, "https://other.example/feed")
	o.add(4, feed.PostModified, site)
	url, _ := serve(t, o, signals.Options{})
	for _, tt := range []struct {
		query        string
		before, live []string
	}{
		{"?after=&kind=post_created", []string{"2-0", "3-0"}, []string{"5-0", "6-0"}},
		{"?after=&kind=post_created&kind=post_modified", []string{"2-0", "3-0", "4-0"}, []string{"5-0", "6-0"}},
		{"?after=&feed_url=" + site, []string{"1-0", "2-0", "4-0"}, []string{"5-0"}},
	} {
		s := open(t, url+tt.query, "")
		expect(t, s.ids(len(tt.before)), tt.before)
		defer func() { expect(t, s.ids(len(tt.live)), tt.live) }()
	}
	o.add(5, feed.PostCreated, site)
	o.add(6, feed.PostCreated, "https://other.example/feed")
}

func TestStreamRejectsInvalidParameters(t *testing.T) {
	t.Parallel()
	url, _ := serve(t, newOutbox(), signals.Options{})
	for _, tt := range []struct{ name, query, header, field string }{
		{"header", "", "yesterday", "Last-Event-ID"},
		{"half an id", "?after=12-", "", "after"},
		{"the other half", "?after=-12", "", "after"},
		{"three numbers", "?after=1-0-0", "", "after"},
		{"fraction", "", "1.5", "Last-Event-ID"},
		{"too large", "?after=18446744073709551616", "", "after"},
		{"negative", "?after=-1-0", "", "after"},
		{"kind", "?kind=post_created&kind=rumour", "", "kind"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			resp := open(t, url+tt.query, tt.header).resp
			var p feed.Problem
			if err := json.NewDecoder(resp.Body).Decode(&p); err != nil {
				t.Fatal(err)
			}
			if resp.StatusCode != 400 || p.Status != 400 || len(p.Errors) != 1 || p.Errors[0].Field != tt.field {
				t.Errorf("got %d %+v, want 400 that names %s", resp.StatusCode, p, tt.field)
			}
			if got := resp.Header.Get("Content-Type"); got != feed.ProblemType {
				t.Errorf("Content-Type is %q", got)
			}
		})
	}
}

func TestStreamRejectsOtherMethods(t *testing.T) {
	t.Parallel()
	for _, method := range []string{http.MethodPost, http.MethodDelete, http.MethodPut, http.MethodHead} {
		rec := httptest.NewRecorder()
		signals.New(newOutbox(), signals.Options{}).ServeHTTP(rec, httptest.NewRequest(method, "/api/v1/events", nil))
		var p feed.Problem
		if err := json.Unmarshal(rec.Body.Bytes(), &p); err != nil {
			t.Fatal(err)
		}
		if rec.Code != http.StatusMethodNotAllowed || p.Status != rec.Code || rec.Header().Get("Allow") != http.MethodGet {
			t.Errorf("%s: got %d %+v, Allow %q", method, rec.Code, p, rec.Header().Get("Allow"))
		}
		if got := rec.Header().Get("Content-Type"); got != feed.ProblemType {
			t.Errorf("%s: Content-Type is %q", method, got)
		}
	}
}

func TestConcurrentStreamsAreLimited(t *testing.T) {
	t.Parallel()
	reg := prometheus.NewRegistry()
	url, _ := serve(t, newOutbox(), signals.Options{MaxClients: 1, Registerer: reg})
	open(t, url, "")
	second := open(t, url, "")
	if got := second.resp.StatusCode; got != http.StatusServiceUnavailable {
		t.Errorf("the second stream got %d, want 503", got)
	}
	if second.resp.Header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	if err := testutil.GatherAndCompare(reg, strings.NewReader(`
# HELP feedwire_event_streams_refused_total Requests for an event stream while as many were open as may be.
# TYPE feedwire_event_streams_refused_total counter
feedwire_event_streams_refused_total 1
`), "feedwire_event_streams_refused_total"); err != nil {
		t.Error(err)
	}
}

func TestIdleStreamHasHeartbeats(t *testing.T) {
	t.Parallel()
	url, _ := serve(t, newOutbox(), signals.Options{Heartbeat: readTimeout / 2})
	s := open(t, url, "")
	for range 3 { // longer than the read timeout of the server
		if got := s.block(); !strings.HasPrefix(got, ":") {
			t.Fatalf("got %q, want a comment", got)
		}
	}
}

// blockedWriter is a connection whose client has stopped reading: each write waits until it is released.
type blockedWriter struct {
	*httptest.ResponseRecorder
	wrote   chan string
	release chan struct{}
}

func (w *blockedWriter) Write(b []byte) (int, error) {
	w.wrote <- string(b)
	<-w.release
	return len(b), nil
}

func TestSlowClientIsDisconnected(t *testing.T) {
	t.Parallel()
	reg := prometheus.NewRegistry()
	o := newOutbox()
	reading := make(chan struct{}, 100)
	o.gate = func(_ string, wait time.Duration) {
		if wait > 0 { // the reader follows the outbox
			reading <- struct{}{}
		}
	}
	events := signals.New(o, signals.Options{Buffer: 2, Registerer: reg})
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	wg.Go(func() { _ = events.Run(ctx) })
	other := &blockedWriter{httptest.NewRecorder(), make(chan string), make(chan struct{})}
	close(other.release) // this client reads everything
	wg.Go(func() { events.ServeHTTP(other, httptest.NewRequestWithContext(ctx, http.MethodGet, "/", nil)) })
	<-other.wrote
	<-reading

	w := &blockedWriter{httptest.NewRecorder(), make(chan string), make(chan struct{}, 1)}
	served := make(chan struct{})
	go func() {
		events.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/?after=", nil))
		close(served)
	}()
	<-w.wrote // the retry hint, which is read
	w.release <- struct{}{}
	o.add(1, feed.PostCreated, site)
	<-w.wrote // the first event, which is not read
	<-other.wrote
	for n := 2; n <= 5; n++ {
		o.add(n, feed.PostCreated, site)
		<-other.wrote // then all earlier events have been sent
	}
	close(w.release)
	<-served
	if err := testutil.GatherAndCompare(reg, strings.NewReader(`
# HELP feedwire_event_streams_ended_total Event streams that ended, by reason.
# TYPE feedwire_event_streams_ended_total counter
feedwire_event_streams_ended_total{reason="client"} 0
feedwire_event_streams_ended_total{reason="slow"} 1
feedwire_event_streams_ended_total{reason="stop"} 0
feedwire_event_streams_ended_total{reason="store"} 0
`), "feedwire_event_streams_ended_total"); err != nil {
		t.Error(err)
	}
}

func TestStreamsEndWithTheDaemon(t *testing.T) {
	t.Parallel()
	url, stop := serve(t, newOutbox(), signals.Options{})
	s := open(t, url, "")
	stop()
	if got := s.block(); got != "" {
		t.Errorf("got %q after Run ended", got)
	}
	if got := open(t, url, "").resp.StatusCode; got != http.StatusServiceUnavailable {
		t.Errorf("a stream opened after Run ended got %d, want 503", got)
	}
}

func TestStreamWithFailedReplayEndsAndResumes(t *testing.T) {
	t.Parallel()
	o := newOutbox()
	o.add(1, feed.PostCreated, site)
	url, _ := serve(t, o, signals.Options{Heartbeat: 20 * time.Millisecond})
	first := open(t, url, "0-0")
	expect(t, first.ids(1), numbers(1, 1))
	if got := first.block(); !strings.HasPrefix(got, ":") { // the replay is over
		t.Fatalf("got %q, want a comment", got)
	}
	o.fail(feed.ErrUnavailable)
	if got := open(t, url, "").resp.StatusCode; got != http.StatusServiceUnavailable {
		t.Errorf("a new stream without a store got %d, want 503", got)
	}
	if got := open(t, url, "0-0").block(); got != "" {
		t.Errorf("a replay without a store sent %q", got)
	}
	o.fail(nil)
	o.add(2, feed.PostCreated, site)
	expect(t, first.ids(1), numbers(2, 2))
	expect(t, open(t, url, "1-0").ids(1), numbers(2, 2))
}

func TestFirstStreamWithoutStoreIsRejected(t *testing.T) {
	t.Parallel()
	o := newOutbox()
	o.fail(feed.ErrUnavailable)
	url, _ := serve(t, o, signals.Options{})
	for _, last := range []string{"", "0-0"} {
		if resp := open(t, url, last).resp; resp.StatusCode != http.StatusServiceUnavailable || resp.Header.Get("Retry-After") == "" {
			t.Errorf("after %q: got %d, Retry-After %q", last, resp.StatusCode, resp.Header.Get("Retry-After"))
		}
	}
}

func TestReaderBacksOffWhileStoreIsUnavailable(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := newOutbox()
		o.fail(errors.New("connection refused"))
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		events := signals.New(o, signals.Options{})
		go events.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, http.MethodGet, "/", nil))
		if err := events.Run(ctx); err != nil {
			t.Errorf("Run: %v", err)
		}
		if o.calls < 30 || o.calls > 40 { // the delay grows to 2 s
			t.Errorf("%d reads in a minute, want about 34", o.calls)
		}
	})
}

func TestOutboxIsNotReadWithoutClients(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := newOutbox()
		ctx, cancel := context.WithCancel(t.Context())
		events := signals.New(o, signals.Options{})
		var wg sync.WaitGroup
		defer wg.Wait()
		defer cancel()
		wg.Go(func() { _ = events.Run(ctx) })
		o.add(1, feed.PostCreated, site)
		time.Sleep(time.Minute)
		if o.calls != 0 {
			t.Errorf("%d reads without clients", o.calls)
		}
		for n := 2; n < 10; n += 2 { // each connects after an idle period and gets the signals of its time
			request, disconnect := context.WithCancel(ctx)
			w := httptest.NewRecorder()
			served := make(chan struct{})
			go func() {
				defer close(served)
				events.ServeHTTP(w, httptest.NewRequestWithContext(request, http.MethodGet, "/", nil))
			}()
			synctest.Wait()
			o.add(n, feed.PostCreated, site)
			synctest.Wait()
			disconnect()
			<-served
			if got := strings.Count(w.Body.String(), "\nid: "); got != 1 || !strings.Contains(w.Body.String(), "id: "+strconv.Itoa(n)+"-0\n") {
				t.Errorf("a client that connected before signal %d got %q", n, w.Body)
			}
			o.add(n+1, feed.PostCreated, site)
			time.Sleep(time.Minute)
		}
	})
}

func TestLargePostIsSentWithoutText(t *testing.T) {
	t.Parallel()
	o := newOutbox()
	post := feed.Entry{ID: "Entry:1", FeedURL: site, GUID: "g", Title: "T", Content: strings.Repeat("x", 1<<20)}
	o.all = []feed.Signal{{ID: "1-0", Kind: feed.PostCreated, FeedURL: site, Post: &post}}
	url, _ := serve(t, o, signals.Options{})
	block := open(t, url, "0-0").block()
	if len(block) > 1000 || !strings.Contains(block, `"title":"T"`) || strings.Contains(block, "content") {
		t.Errorf("got %d bytes: %.300s", len(block), block)
	}
	if len(post.Content) != 1<<20 {
		t.Error("the signal was modified")
	}
}

func TestBufferedEventsLosePostsThatWereTakenDown(t *testing.T) {
	t.Parallel()
	o := newOutbox()
	url, _ := serve(t, o, signals.Options{})
	follower := open(t, url, "")
	post := feed.Entry{ID: "Entry:1", FeedURL: site, GUID: "g", Title: "the title"}
	changed := map[string]feed.Change{"title": {From: "the old title", To: "the title"}}
	o.mu.Lock()
	o.all = append(o.all, feed.Signal{ID: "1-0", Kind: feed.PostModified, FeedURL: site, GUID: "g", Entry: "Entry:1", Changed: changed, Post: &post})
	o.mu.Unlock()
	o.add(2, feed.PostCreated, site) // it wakes the reader
	if block := follower.block(); !strings.Contains(block, "the title") {
		t.Fatalf("before the takedown: %s", block)
	}
	follower.block()
	o.mu.Lock()
	o.all[0].Post, o.all[0].Changed = nil, nil // as the store does; the stream reads it if the buffer begins later
	o.all = append(o.all, feed.Signal{ID: "3-0", Kind: feed.PostDeleted, FeedURL: site, GUID: "g", Entry: "Entry:1"})
	o.mu.Unlock()
	o.add(4, feed.PostCreated, site)
	follower.ids(2)
	if block := open(t, url, "0-0").block(); !strings.Contains(block, "id: 1-0") || strings.Contains(block, "title") {
		t.Errorf("after the takedown: %s", block)
	}
}

func TestClientCanOmitTexts(t *testing.T) {
	t.Parallel()
	o := newOutbox()
	post := feed.Entry{ID: "Entry:1", FeedURL: site, GUID: "g", Title: "T", Content: "the text", Summary: "the summary"}
	o.all = []feed.Signal{{ID: "1-0", Kind: feed.PostCreated, FeedURL: site, Post: &post}}
	url, _ := serve(t, o, signals.Options{})
	for _, tt := range []struct {
		query string
		text  bool
	}{{"?after=", true}, {"?after=&content=1", true}, {"?after=&content=0", false}} {
		block := open(t, url+tt.query, "").block()
		if strings.Contains(block, "the text") != tt.text || strings.Contains(block, "the summary") != tt.text || !strings.Contains(block, `"title":"T"`) {
			t.Errorf("%s: got %s", tt.query, block)
		}
	}
	if resp := open(t, url+"?content=few", "").resp; resp.StatusCode != http.StatusBadRequest {
		t.Errorf("invalid content: got %d", resp.StatusCode)
	}
}

func TestMetricsPassTheLint(t *testing.T) {
	t.Parallel()
	reg := prometheus.NewRegistry()
	signals.New(newOutbox(), signals.Options{Registerer: reg})
	problems, err := testutil.GatherAndLint(reg)
	if err != nil || len(problems) > 0 {
		t.Errorf("%v %v", problems, err)
	}
}

func FuzzResume(f *testing.F) {
	for _, id := range []string{"", "1-0", "18446744073709551615-18446744073709551615", "-", "1-", "x", "1-0\ndata: x"} {
		f.Add(id, "post_created", site)
	}
	f.Fuzz(func(t *testing.T, id, kind, feedURL string) {
		events := signals.New(newOutbox(), signals.Options{})
		ctx, cancel := context.WithCancel(context.Background())
		cancel() // a valid request ends at once
		req := httptest.NewRequestWithContext(ctx, http.MethodGet, "/", nil)
		req.Header["Last-Event-Id"] = []string{id}
		query := req.URL.Query()
		query.Set("kind", kind)
		query.Set("feed_url", feedURL)
		req.URL.RawQuery = query.Encode()
		rec := httptest.NewRecorder()
		events.ServeHTTP(rec, req)
		if strings.Contains(rec.Body.String(), "\ndata: ") {
			t.Errorf("the request was written to the stream: %q", rec.Body)
		}
		if rec.Code != http.StatusOK && rec.Code != http.StatusBadRequest {
			t.Error(fmt.Sprint("got ", rec.Code))
		}
	})
}
