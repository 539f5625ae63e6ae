package ingest_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/feedwire/feedwire/ingest"
	"github.com/feedwire/feedwire/ingest/fetch"
	"github.com/feedwire/feedwire/signals/websub"
	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// wall is a clock that a test sets.
type wall struct {
	mu  sync.Mutex
	now time.Time
}

func (w *wall) Now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

func (w *wall) advance(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
}

// personsFloor is the time from a poll to one that a person asks for.
const personsFloor = 10 * time.Second

// pushed is a source, its hub, and a daemon that subscribes there, on a store of its own and at a time of its own.
type pushed struct {
	t      *testing.T
	clock  *wall
	store  *store.Store
	redis  *storetest.Redigo
	in     *ingest.Ingester
	sub    *ingest.Subscriber
	reg    *prometheus.Registry
	log    *bytes.Buffer
	origin *httptest.Server
	hub    *httptest.Server
	daemon *httptest.Server

	mu      sync.Mutex
	header  http.Header                              // of the origin's answers
	status  int                                      // likewise; 0: 200
	body    string                                   // likewise
	asked   []url.Values                             // requests to the hub
	answer  func(http.ResponseWriter, *http.Request) // of the hub; nil: 202
	onFetch func()                                   // called while the origin answers
	fetches int
}

// safeBuffer may be written by several goroutines.
type safeBuffer struct {
	mu sync.Mutex
	b  *bytes.Buffer
}

func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

// setting is what a test may choose about the daemon.
type setting struct {
	allow       []netip.Prefix
	deaf        bool           // it has no callback URL
	dial        store.DialFunc // its store; nil: a Redis
	pushEntries int            // that the hub may push in a minute; 0: any number
	dayEntries  int            // that the source may have in a day; 0: any number
	adaptive    bool           // how often the source is polled, which is hourly otherwise
	source      feed.Source    // as it is added; its URL is filled in
}

// push builds all of it. Nothing is polled or asked until the test says so.
func push(t *testing.T, allow []netip.Prefix) *pushed {
	t.Helper()
	return pushTo(t, setting{allow: allow})
}

// pushTo builds a daemon with a setting of its own.
func pushTo(t *testing.T, set setting) *pushed {
	t.Helper()
	p := &pushed{
		t: t, clock: &wall{now: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)}, reg: prometheus.NewRegistry(),
		log: &bytes.Buffer{}, header: http.Header{},
	}
	if set.dial == nil {
		set.dial = storetest.Redis(t)
	}
	p.redis = storetest.Commands(t, set.dial)
	p.store = storetest.New(t, store.Options{Dial: set.dial, Now: p.clock.Now, PollFloor: personsFloor, PushEntries: set.pushEntries,
		DayEntries: set.dayEntries})
	p.origin = httptest.NewServer(http.HandlerFunc(p.serveSource))
	p.hub = httptest.NewServer(http.HandlerFunc(p.serveHub))
	mux := http.NewServeMux()
	p.daemon = httptest.NewServer(mux)
	for _, s := range []*httptest.Server{p.origin, p.hub, p.daemon} {
		t.Cleanup(s.Close)
	}
	interval, callback := time.Hour, p.daemon.URL+"/push/"
	if set.adaptive {
		interval = 0
	}
	if set.deaf {
		callback = ""
	}
	p.in = ingest.New(ingestStore{p.store.Entries, p.store.Sources}, ingest.Options{
		Interval: interval, Fetch: fetch.Options{AllowNetworks: set.allow, MaxBytes: 1 << 20}, Registerer: p.reg, Now: p.clock.Now,
		Logger: slog.New(slog.NewTextHandler(&safeBuffer{b: p.log}, nil)),
	})
	p.in.SetJitter(0)
	p.sub = ingest.NewSubscriber(p.in, p.store.Sources, callback)
	mux.Handle("/push/{token}", p.sub)
	t.Cleanup(func() { p.in.Transport().CloseIdleConnections() })
	set.source.URL = p.origin.URL + "/feed"
	if _, _, err := p.store.Sources.AddSource(t.Context(), set.source); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.keepsSecrets)
	p.publish("1")
	return p
}

func (p *pushed) serveSource(w http.ResponseWriter, _ *http.Request) {
	p.mu.Lock()
	p.fetches++
	onFetch, body, status := p.onFetch, p.body, max(p.status, http.StatusOK)
	for k, v := range p.header {
		w.Header()[k] = v
	}
	p.mu.Unlock()
	if onFetch != nil {
		onFetch()
	}
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}

func (p *pushed) serveHub(w http.ResponseWriter, r *http.Request) {
	_ = r.ParseForm()
	p.mu.Lock()
	p.asked = append(p.asked, r.PostForm)
	answer := p.answer
	p.mu.Unlock()
	if answer != nil {
		answer(w, r)
		return
	}
	w.WriteHeader(http.StatusAccepted)
}

// topic is the name of the source at its hub.
func (p *pushed) topic() string { return p.origin.URL + "/topic" }

// publish lets the source list the posts with these guids, and name its hub.
func (p *pushed) publish(guids ...string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.body = p.document(p.hub.URL, guids...)
	return p.body
}

func (p *pushed) document(hub string, guids ...string) string {
	var items strings.Builder
	for _, g := range guids {
		fmt.Fprintf(&items, `<item><guid>%s</guid><title>Post %[1]s</title></item>`, g)
	}
	return fmt.Sprintf(`<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel><title>Source</title>
		<atom:link rel="hub" href="%s"/><atom:link rel="self" href="%s"/>%s</channel></rss>`, hub, p.topic(), items.String())
}

func (p *pushed) set(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f()
}

// poll polls the source, which must be due.
func (p *pushed) poll() {
	p.t.Helper()
	if n, err := p.in.PollDue(p.t.Context()); n != 1 || err != nil {
		p.t.Fatalf("polled %d sources, %v", n, err)
	}
}

// turn does all that is due about subscriptions.
func (p *pushed) turn() {
	p.t.Helper()
	for {
		n, err := p.sub.Turn(p.t.Context())
		if err != nil {
			p.t.Fatal(err)
		}
		if n == 0 {
			return
		}
	}
}

// source is the source as it is stored.
func (p *pushed) source() feed.Source {
	p.t.Helper()
	s, err := p.store.Sources.SourceByURL(p.t.Context(), p.origin.URL+"/feed")
	if err != nil {
		p.t.Fatal(err)
	}
	return s
}

// isDue reports whether the source is to be polled now.
func (p *pushed) isDue() bool {
	p.t.Helper()
	next, err := p.store.Sources.NextDue(p.t.Context())
	if err != nil {
		p.t.Fatal(err)
	}
	return !next.After(p.clock.Now())
}

// inState checks the state of the subscription.
func (p *pushed) inState(want feed.PushState) feed.Push {
	p.t.Helper()
	got := p.source().Push
	if got.State != want {
		p.t.Fatalf("push is %q, want %q: %+v", got.State, want, got)
	}
	return got
}

// request is the last request to the hub, of so many.
func (p *pushed) request(count int) url.Values {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.asked) != count {
		p.t.Fatalf("the hub got %d requests, want %d: %v", len(p.asked), count, p.asked)
	}
	return p.asked[count-1]
}

// get asks a callback to confirm, as hubs do.
func (p *pushed) get(callback string, query url.Values) (int, string) {
	p.t.Helper()
	return p.do(http.MethodGet, callback+"?"+query.Encode(), "", nil)
}

func (p *pushed) do(method, to, body string, header http.Header) (int, string) {
	p.t.Helper()
	req, err := http.NewRequestWithContext(p.t.Context(), method, to, strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	for k, v := range header {
		req.Header[k] = v
	}
	resp, err := p.daemon.Client().Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	defer resp.Body.Close()
	said, err := io.ReadAll(resp.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	if method == http.MethodGet && resp.StatusCode == http.StatusOK &&
		(!strings.HasPrefix(resp.Header.Get("Content-Type"), "text/plain") || resp.Header.Get("X-Content-Type-Options") != "nosniff") {
		p.t.Errorf("the challenge comes back as %v", resp.Header)
	}
	return resp.StatusCode, string(said)
}

// verify is the query of a verification.
func (p *pushed) verify(mode feed.HubMode, lease string) url.Values {
	return url.Values{
		"hub.mode": {string(mode)}, "hub.topic": {p.topic()}, "hub.challenge": {"ch4llenge"}, "hub.lease_seconds": {lease},
	}
}

// deliver pushes a body with a signature over it.
func (p *pushed) deliver(to url.Values, method string, body string) int {
	p.t.Helper()
	code, _ := p.do(http.MethodPost, to.Get("hub.callback"), body, signed(to, method, body))
	return code
}

func signed(to url.Values, method, body string) http.Header {
	return http.Header{
		"Content-Type": {"application/rss+xml"}, websub.SignatureHeader: {websub.Sign(method, to.Get("hub.secret"), []byte(body))},
	}
}

// push delivers a body and returns the response with its Retry-After.
func (p *pushed) push(to url.Values, body string) (code int, said, retry string) {
	p.t.Helper()
	req, err := http.NewRequestWithContext(p.t.Context(), http.MethodPost, to.Get("hub.callback"), strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	req.Header = signed(to, websub.SHA512, body)
	resp, err := p.daemon.Client().Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return resp.StatusCode, string(text), resp.Header.Get("Retry-After")
}

// subscribe goes through the life of a subscription up to where it is active for ten days, and returns the request.
func (p *pushed) subscribe() url.Values {
	p.t.Helper()
	p.poll()
	p.inState(feed.PushPending)
	p.turn()
	asked := p.request(1)
	if code, said := p.get(asked.Get("hub.callback"), p.verify(feed.HubSubscribe, "864000")); code != http.StatusOK || said != "ch4llenge" {
		p.t.Fatalf("verification answered %d %q", code, said)
	}
	p.inState(feed.PushActive)
	return asked
}

// counts checks how many entries and signals of new posts there are.
func (p *pushed) counts(entries int) {
	p.t.Helper()
	if n := p.redis.Int("ZCARD", p.origin.URL+"/feed:sort"); n != entries {
		p.t.Errorf("there are %d entries, want %d", n, entries)
	}
	signals, err := p.store.Signals.BareSignals(p.t.Context(), "", 1000, 0)
	if err != nil {
		p.t.Fatal(err)
	}
	created := map[string]int{}
	for _, s := range signals {
		switch s.Kind {
		case feed.PostCreated:
			created[s.GUID]++
		case feed.PostModified, feed.FeedModified:
			p.t.Errorf("there is a signal %+v", s)
		}
	}
	for guid, n := range created {
		if n != 1 {
			p.t.Errorf("%d signals of post %s", n, guid)
		}
	}
	if len(created) != entries {
		p.t.Errorf("signals of %d posts, want %d", len(created), entries)
	}
}

// requests is how many requests to subscribe were counted with a result.
func (p *pushed) requests(result string) float64 {
	p.t.Helper()
	return p.counted("feedwire_push_requests_total", result)
}

// delivered is how many deliveries were counted with a result.
func (p *pushed) delivered(result string) float64 {
	p.t.Helper()
	return p.counted("feedwire_push_deliveries_total", result)
}

func (p *pushed) counted(name, result string) float64 {
	p.t.Helper()
	families, err := p.reg.Gather()
	if err != nil {
		p.t.Fatal(err)
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			l := m.GetLabel()
			if f.GetName() == name && l[len(l)-1].GetValue() == result && (len(l) == 1 || l[0].GetValue() == "subscribe") {
				return m.GetCounter().GetValue()
			}
		}
	}
	p.t.Fatalf("%s does not count %s", name, result)
	return 0
}

// keepsSecrets looks that no token or secret was ever logged or shown.
func (p *pushed) keepsSecrets() {
	p.mu.Lock()
	defer p.mu.Unlock()
	sources, err := p.store.Sources.Sources(context.Background())
	if err != nil {
		p.t.Fatal(err)
	}
	shown, err := json.Marshal(sources)
	if err != nil {
		p.t.Error(err)
	}
	for _, asked := range p.asked {
		token := asked.Get("hub.callback")[strings.LastIndex(asked.Get("hub.callback"), "/")+1:]
		for _, private := range []string{asked.Get("hub.secret"), token} {
			if private != "" && strings.Contains(p.log.String()+string(shown), private) {
				p.t.Errorf("%s is shown:\n%s\n%s", private, shown, p.log)
			}
		}
	}
}

func TestSubscribesWhereTheDocumentNamesAHub(t *testing.T) {
	p := push(t, loopback())
	asked := p.subscribe()
	if asked.Get("hub.mode") != "subscribe" || asked.Get("hub.topic") != p.topic() || asked.Get("hub.lease_seconds") != "864000" ||
		asked.Get("hub.verify") != "async" || len(asked.Get("hub.secret")) != 64 {
		t.Errorf("asked for %v", asked)
	}
	if token := strings.TrimPrefix(asked.Get("hub.callback"), p.daemon.URL+"/push/"); len(token) < 22 {
		t.Errorf("the callback is %s", asked.Get("hub.callback"))
	}
	got := p.source().Push
	if !got.LeaseEnd.Equal(p.clock.Now().Add(240*time.Hour)) || got.Hub != p.hub.URL || got.Errors != 0 {
		t.Errorf("got %+v", got)
	}
	p.clock.advance(time.Hour)
	p.poll() // planned when there was no subscription yet
	if s := p.source(); s.Poll.NextPoll.Sub(p.clock.Now()) != 12*time.Hour || s.Poll.NextReason != "slowly: its hub pushes" {
		t.Errorf("next poll in %v, %s", s.Poll.NextPoll.Sub(p.clock.Now()), s.Poll.NextReason)
	}
	p.request(1)
	if n := p.requests("accepted"); n != 1 {
		t.Errorf("counted %v requests", n)
	}
}

func TestHubInTheHeadersCountsBeforeTheDocument(t *testing.T) {
	p := push(t, loopback())
	p.set(func() {
		p.header.Set("Link", fmt.Sprintf(`<%s>; rel="hub", <%s>; rel="self"`, p.hub.URL+"/right", p.origin.URL+"/other"))
	})
	p.poll()
	if got := p.inState(feed.PushPending); got.Hub != p.hub.URL+"/right" || got.Topic != p.origin.URL+"/other" {
		t.Errorf("got %+v", got)
	}
}

func TestOnlyOwnRequestsAreConfirmed(t *testing.T) {
	p := push(t, loopback())
	p.poll()
	p.turn()
	callback := p.request(1).Get("hub.callback")
	refused := func(name, to string, query url.Values) {
		t.Helper()
		if code, said := p.get(to, query); code != http.StatusNotFound || strings.Contains(said, "ch4llenge") {
			t.Errorf("%s: answered %d %q", name, code, said)
		}
	}
	other := p.verify(feed.HubSubscribe, "864000")
	other.Set("hub.topic", p.topic()+"?invalid")
	refused("another topic", callback, other)
	refused("another mode", callback, p.verify(feed.HubUnsubscribe, ""))
	refused("another token", p.daemon.URL+"/push/AAAAAAAAAAAAAAAAAAAAAAAAAA", p.verify(feed.HubSubscribe, "864000"))
	refused("a lease of a second", callback, p.verify(feed.HubSubscribe, "1"))
	refused("no query", callback, nil)
	long := p.verify(feed.HubSubscribe, "864000")
	long.Set("hub.challenge", strings.Repeat("c", 600))
	refused("a long challenge", callback, long)
	p.inState(feed.PushPending)

	if code, _ := p.get(callback, p.verify(feed.HubSubscribe, "864000")); code != http.StatusOK {
		t.Errorf("the right one got %d", code)
	}
	p.clock.advance(5 * time.Minute)
	if code, _ := p.get(callback, p.verify(feed.HubSubscribe, "864000")); code != http.StatusOK {
		t.Errorf("a repeated one got %d", code)
	}
	p.clock.advance(time.Hour)
	refused("one that was not requested", callback, p.verify(feed.HubSubscribe, "60"))
	if code, _ := p.do(http.MethodPut, callback, "", nil); code != http.StatusMethodNotAllowed {
		t.Errorf("PUT got %d", code)
	}
}

func TestSubscriptionIsRenewedBeforeItsLeaseEnds(t *testing.T) {
	p := push(t, loopback())
	first := p.subscribe()
	p.clock.advance(8*24*time.Hour - time.Second)
	p.turn()
	p.request(1)
	p.clock.advance(time.Second)
	p.turn()
	again := p.request(2)
	if again.Get("hub.callback") != first.Get("hub.callback") || again.Get("hub.secret") != first.Get("hub.secret") {
		t.Error("the renewal has another callback or secret")
	}
	p.inState(feed.PushActive)
	if code, _ := p.get(again.Get("hub.callback"), p.verify(feed.HubSubscribe, "86400")); code != http.StatusOK {
		t.Fatalf("the renewal was answered %d", code)
	}
	if got := p.inState(feed.PushActive); !got.LeaseEnd.Equal(p.clock.Now().Add(24 * time.Hour)) {
		t.Errorf("got %+v", got)
	}
}

func TestLeasesAreBounded(t *testing.T) {
	for said, want := range map[string]time.Duration{"": 240 * time.Hour, "0": 240 * time.Hour, "99999999": 336 * time.Hour, "60": time.Minute, "5": 5 * time.Second} {
		p := push(t, loopback())
		p.poll()
		p.turn()
		p.get(p.request(1).Get("hub.callback"), p.verify(feed.HubSubscribe, said))
		if got := p.inState(feed.PushActive); !got.LeaseEnd.Equal(p.clock.Now().Add(want)) {
			t.Errorf("lease %q ends in %v, want %v", said, got.LeaseEnd.Sub(p.clock.Now()), want)
		}
	}
}

func TestSilentHubGivesWayToPolling(t *testing.T) {
	p := push(t, loopback())
	first := p.subscribe()
	p.clock.advance(time.Hour)
	p.poll() // and now slowly
	p.set(func() {
		p.answer = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }
	})
	for p.inState(feed.PushActive); p.clock.Now().Before(p.source().Push.LeaseEnd); {
		p.clock.advance(time.Hour)
		if _, err := p.in.PollDue(t.Context()); err != nil {
			t.Fatal(err)
		}
		p.turn()
	}
	if s := p.source(); s.Push.State != feed.PushPending || !p.isDue() {
		t.Fatalf("after the lease push is %+v, next poll %v", s.Push, s.Poll.NextPoll)
	}
	p.poll()
	if next := p.source().Poll.NextPoll.Sub(p.clock.Now()); next != time.Hour {
		t.Errorf("next poll in %v", next)
	}

	p.set(func() { p.answer = nil })
	p.clock.advance(25 * time.Hour)
	p.turn()
	p.mu.Lock()
	var last url.Values
	for _, asked := range p.asked {
		if asked.Get("hub.mode") == "subscribe" {
			last = asked
		}
	}
	p.mu.Unlock()
	if last.Get("hub.callback") == first.Get("hub.callback") || last.Get("hub.secret") == first.Get("hub.secret") {
		t.Error("after a silence hub and subscriber have the old callback or secret")
	}
	p.get(last.Get("hub.callback"), p.verify(feed.HubSubscribe, "864000"))
	p.inState(feed.PushActive)
}

func TestEntryThatWasNotPushedEndsSlowPolling(t *testing.T) {
	p := push(t, loopback())
	asked := p.subscribe()
	p.clock.advance(time.Hour)
	p.publish("1", "2") // when there was no subscription yet, as far as anybody knows
	p.poll()
	p.inState(feed.PushActive)
	p.publish("1", "2", "3")
	p.clock.advance(12 * time.Hour)
	p.poll()
	if got := p.inState(feed.PushSilent); got.Missed != 1 || got.ErrorText == "" {
		t.Errorf("got %+v", got)
	}
	if next := p.source().Poll.NextPoll.Sub(p.clock.Now()); next != time.Hour {
		t.Errorf("next poll in %v", next)
	}
	if code := p.deliver(asked, websub.SHA256, p.publish("1", "2", "3", "4")); code != http.StatusAccepted {
		t.Errorf("delivery got %d", code)
	}
	p.inState(feed.PushActive)
	p.counts(4)
}

func TestDeliveriesBecomeEntriesUnderEachSignature(t *testing.T) {
	p := push(t, loopback())
	asked := p.subscribe()
	for i, method := range []string{websub.SHA1, websub.SHA256, websub.SHA384, websub.SHA512} {
		body := p.document(p.hub.URL, fmt.Sprint("push", i))
		if code := p.deliver(asked, method, body); code != http.StatusAccepted {
			t.Errorf("%s got %d", method, code)
		}
	}
	p.counts(5)
	if got := p.source().Push; got.Pushes != 4 || !got.LastPush.Equal(p.clock.Now()) {
		t.Errorf("got %+v", got)
	}
	body := strings.Replace(p.document(p.hub.URL, "gz"), "<title>Source</title>", "<title>The hub's title</title>", 1)
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = io.WriteString(z, body)
	_ = z.Close()
	code, _ := p.do(http.MethodPost, asked.Get("hub.callback"), packed.String(), http.Header{
		"Content-Encoding": {"gzip"}, websub.SignatureHeader: {websub.Sign(websub.SHA256, asked.Get("hub.secret"), []byte(body))},
	})
	if code != http.StatusAccepted {
		t.Errorf("gzip got %d", code)
	}
	p.counts(6)
	if got := p.source().About.Title; got != "Source" {
		t.Errorf("the feed is called %q by its hub", got)
	}
	if n := counterValue(t, p.reg, "feedwire_push_deliveries_total", "new_entries"); n != 5 {
		t.Errorf("counted %v deliveries", n)
	}
}

func TestDeliveriesWithoutAGoodSignatureAreIgnored(t *testing.T) {
	p := push(t, loopback())
	asked := p.subscribe()
	p.clock.advance(time.Minute)
	body, callback := p.document(p.hub.URL, "forged"), asked.Get("hub.callback")
	good := websub.Sign(websub.SHA256, asked.Get("hub.secret"), []byte(body))
	for name, header := range map[string]http.Header{
		"none":  {},
		"wrong": {websub.SignatureHeader: {good + "0000"}},
		"other": {websub.SignatureHeader: {websub.Sign(websub.SHA256, "guess", []byte(body))}},
	} {
		if code, _ := p.do(http.MethodPost, callback, body, header); code != http.StatusForbidden {
			t.Errorf("signature %s: got %d", name, code)
		}
	}
	p.counts(1)
	if s := p.source(); s.Push.State != feed.PushSilent || s.Push.Refused != 3 || !p.isDue() {
		t.Errorf("after three of them push is %+v, next poll %v", s.Push, s.Poll.NextPoll)
	}
	p.clock.advance(time.Hour)
	p.turn()
	p.mu.Lock()
	var modes []string
	for _, asked := range p.asked {
		modes = append(modes, asked.Get("hub.mode"))
	}
	renewed := p.asked[1]
	if p.asked[1].Get("hub.mode") != "subscribe" {
		renewed = p.asked[2]
	}
	p.mu.Unlock()
	if renewed.Get("hub.secret") == asked.Get("hub.secret") || renewed.Get("hub.callback") == callback || len(modes) != 3 {
		t.Errorf("asked again for %v", modes)
	}
	if code := p.deliver(asked, websub.SHA256, body); code != http.StatusGone {
		t.Errorf("the old callback got %d", code)
	}
	if n := counterValue(t, p.reg, "feedwire_push_deliveries_total", "unsigned"); n != 1 {
		t.Errorf("counted %v unsigned deliveries", n)
	}
	if n := counterValue(t, p.reg, "feedwire_push_deliveries_total", "bad_signature"); n != 2 {
		t.Errorf("counted %v bad signatures", n)
	}
}

func TestPingMakesTheSourceDue(t *testing.T) {
	for name, body := range map[string]string{
		"empty": "", "no feed": "<html><body>new posts</body></html>", "no entry": `<rss version="2.0"><channel></channel></rss>`,
	} {
		t.Run(name, func(t *testing.T) {
			p := push(t, loopback())
			asked := p.subscribe()
			p.publish("1", "2")
			p.clock.advance(time.Minute)
			if code := p.deliver(asked, websub.SHA256, body); code != http.StatusAccepted {
				t.Errorf("got %d", code)
			}
			p.poll()
			p.counts(2)
			p.inState(feed.PushActive)
			if n := counterValue(t, p.reg, "feedwire_push_deliveries_total", "ping"); n != 1 {
				t.Errorf("counted %v pings", n)
			}
		})
	}
}

func TestPingDuringAPollLeadsToAnother(t *testing.T) {
	p := push(t, loopback())
	asked := p.subscribe()
	p.clock.advance(time.Hour)
	p.set(func() {
		p.onFetch = func() {
			p.publish("1", "2") // too late for the answer that is on its way
			if code := p.deliver(asked, websub.SHA256, ""); code != http.StatusAccepted {
				t.Errorf("got %d", code)
			}
			p.set(func() { p.onFetch = nil })
		}
	})
	p.poll()
	p.counts(1)
	p.clock.advance(3 * time.Second)
	p.poll()
	p.counts(2)
}

func TestHugeDeliveryIsRefused(t *testing.T) {
	p := push(t, loopback())
	asked := p.subscribe()
	body := strings.Repeat("x", 1<<20+1)
	if code := p.deliver(asked, websub.SHA256, body); code != http.StatusRequestEntityTooLarge {
		t.Errorf("got %d", code)
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = io.WriteString(z, strings.Repeat("x", 8<<20))
	_ = z.Close()
	code, _ := p.do(http.MethodPost, asked.Get("hub.callback"), packed.String(), http.Header{"Content-Encoding": {"gzip"}})
	if code != http.StatusRequestEntityTooLarge {
		t.Errorf("a bomb got %d", code)
	}
	for _, coding := range []string{"br", "gzip"} {
		if code, _ := p.do(http.MethodPost, asked.Get("hub.callback"), "x", http.Header{"Content-Encoding": {coding}}); code != http.StatusBadRequest {
			t.Errorf("%s got %d", coding, code)
		}
	}
	p.inState(feed.PushActive)
	p.counts(1)
}

func TestDeniedSubscriptionIsPolled(t *testing.T) {
	p := push(t, loopback())
	asked := p.subscribe()
	p.clock.advance(time.Minute)
	if code, _ := p.get(asked.Get("hub.callback"), url.Values{
		"hub.mode": {"denied"}, "hub.topic": {p.topic()}, "hub.reason": {"not for\nyou at " + asked.Get("hub.callback")},
	}); code != http.StatusOK {
		t.Errorf("got %d", code)
	}
	if s := p.source(); s.Push.State != feed.PushDenied || s.Push.ErrorText != "the hub refused: not for you at "+p.daemon.URL+"/push/…" || !p.isDue() {
		t.Errorf("got %+v, next poll %v", s.Push, s.Poll.NextPoll)
	}
	p.poll()
	p.inState(feed.PushDenied)
	p.clock.advance(7 * 24 * time.Hour)
	p.turn()
	p.inState(feed.PushPending)
}

func TestAnotherHubIsSubscribedToAndTheFirstOneLeft(t *testing.T) {
	p := push(t, loopback())
	old := p.subscribe()
	p.set(func() { p.body = p.document(p.hub.URL+"/second", "1") })
	p.clock.advance(time.Hour)
	p.poll()
	if got := p.inState(feed.PushPending); got.Hub != p.hub.URL+"/second" {
		t.Errorf("got %+v", got)
	}
	p.turn()
	p.request(3)
	var left url.Values
	for _, asked := range p.asked[1:] {
		if asked.Get("hub.mode") == "unsubscribe" {
			left = asked
		}
	}
	if left.Get("hub.callback") != old.Get("hub.callback") || left.Get("hub.secret") != "" {
		t.Errorf("left %v", left)
	}
	if code, said := p.get(old.Get("hub.callback"), p.verify(feed.HubUnsubscribe, "")); code != http.StatusOK || said != "ch4llenge" {
		t.Errorf("leaving was answered %d %q", code, said)
	}
	if code := p.deliver(old, websub.SHA256, "x"); code != http.StatusGone {
		t.Errorf("a late delivery got %d", code)
	}
	p.clock.advance(time.Hour)
	p.set(func() { p.body = strings.ReplaceAll(p.body, `rel="hub"`, `rel="none"`) })
	p.poll()
	if got := p.inState(feed.PushNone); got.Hub != "" {
		t.Errorf("without a hub push is %+v", got)
	}
}

func TestSecondHubIsSubscribedToIfTheFirstFails(t *testing.T) {
	for name, fail := range map[string]func(w http.ResponseWriter){
		"is dead":          func(w http.ResponseWriter) { w.WriteHeader(http.StatusBadGateway) },
		"refuses":          func(w http.ResponseWriter) { w.WriteHeader(http.StatusForbidden) },
		"does not confirm": func(w http.ResponseWriter) { w.WriteHeader(http.StatusAccepted) },
	} {
		t.Run(name, func(t *testing.T) {
			p := push(t, loopback())
			second := p.hub.URL + "/second"
			p.set(func() {
				p.body = strings.Replace(p.body, "<item>", `<atom:link rel="hub" href="`+second+`"/><item>`, 1)
				p.answer = func(w http.ResponseWriter, r *http.Request) {
					if r.URL.Path == "/second" {
						w.WriteHeader(http.StatusAccepted)
					} else {
						fail(w)
					}
				}
			})
			p.poll()
			if got := p.inState(feed.PushPending); got.Hub != p.hub.URL {
				t.Fatalf("the first hub is %s", got.Hub)
			}
			for range 2 {
				p.turn()
				p.clock.advance(24 * time.Hour)
			}
			p.poll()
			if got := p.inState(feed.PushPending); got.Hub != second {
				t.Fatalf("got %+v, want the second hub", got)
			}
		})
	}
}

func TestTopicWithoutSelfIsTheURLOfTheDocument(t *testing.T) {
	p := push(t, loopback())
	p.set(func() { p.body = strings.ReplaceAll(p.body, `rel="self"`, `rel="none"`) })
	p.poll()
	if got := p.inState(feed.PushPending); got.Topic != p.source().URL {
		t.Errorf("the topic is %s, want %s", got.Topic, p.source().URL)
	}
}

func TestPausedSourceLeavesItsHubAndComesBack(t *testing.T) {
	p := push(t, loopback())
	asked := p.subscribe()
	p.set(func() {
		p.answer = func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "down", http.StatusBadGateway) }
	})
	if err := p.store.Sources.SetPaused(t.Context(), p.source().ID, true, 0); err != nil {
		t.Fatal(err)
	}
	if code := p.deliver(asked, websub.SHA256, "x"); code != http.StatusGone {
		t.Errorf("a delivery got %d", code)
	}
	for range 10 { // the hub is asked a few times, and then no more
		p.turn()
		p.clock.advance(24 * time.Hour)
	}
	if got := p.request(6); got.Get("hub.mode") != "unsubscribe" {
		t.Errorf("asked for %v", got)
	}
	if n := p.redis.Int("HLEN", "push:tokens") + p.redis.Int("ZCARD", "push:due"); n != 0 {
		t.Errorf("%d traces of the subscription are left", n)
	}
	if err := p.store.Sources.SetPaused(t.Context(), p.source().ID, false, 0); err != nil {
		t.Fatal(err)
	}
	p.poll()
	p.inState(feed.PushPending)
}

func TestHubThatRefusesIsLeftAlone(t *testing.T) {
	p := push(t, loopback())
	p.set(func() {
		p.answer = func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, "no such topic for "+r.PostForm.Get("hub.callback")+r.PostForm.Get("hub.secret"), http.StatusNotFound)
		}
	})
	p.poll()
	p.turn()
	got := p.inState(feed.PushPending)
	if got.Errors != 1 || !strings.Contains(got.ErrorText, "404 Not Found: no such topic") {
		t.Errorf("got %+v", got)
	}
	p.clock.advance(24*time.Hour - time.Second)
	p.turn()
	p.request(1)
	p.clock.advance(time.Second)
	p.turn()
	p.request(2)

	p.set(func() {
		p.answer = func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "7200")
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	p.clock.advance(24 * time.Hour)
	p.turn()
	p.request(3)
	p.clock.advance(2*time.Hour - time.Second)
	p.turn()
	p.request(3)
	p.clock.advance(time.Second)
	p.turn()
	p.request(4)
}

func TestHubMaySendTheRequestElsewhere(t *testing.T) {
	for status, requests := range map[int]int{301: 1, 302: 1, 303: 1, 307: 2, 308: 2} {
		p := push(t, loopback())
		p.set(func() {
			p.answer = func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/" || r.URL.Path == "" {
					http.Redirect(w, r, "/there", status)
				}
			}
		})
		p.poll()
		p.turn()
		if got := p.request(requests); got.Get("hub.mode") != "subscribe" {
			t.Errorf("%d: the hub got %v", status, got)
		}
	}
}

func TestSynchronousHubIsAnswered(t *testing.T) {
	p := push(t, loopback())
	p.set(func() {
		p.answer = func(w http.ResponseWriter, r *http.Request) {
			resp, err := p.daemon.Client().Get(r.PostForm.Get("hub.callback") + "?" + p.verify(feed.HubSubscribe, "3600").Encode())
			if err != nil || resp.StatusCode != http.StatusOK {
				t.Errorf("verification got %v, %v", resp, err)
			}
			resp.Body.Close()
			w.WriteHeader(http.StatusNoContent)
		}
	})
	p.poll()
	p.turn()
	p.inState(feed.PushActive)
}

func TestNothingIsSubscribedWithoutACallbackURL(t *testing.T) {
	p := pushTo(t, setting{allow: loopback(), deaf: true})
	p.poll()
	p.turn()
	if got := p.inState(feed.PushNone); got.Hub != p.hub.URL {
		t.Errorf("got %+v", got)
	}
	if n := len(p.asked); n != 0 {
		t.Errorf("the hub got %d requests", n)
	}
}

func TestRunSubscribesAndStops(t *testing.T) {
	p := push(t, loopback())
	p.clock.advance(0)
	done := make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { done <- p.sub.Run(ctx) }()
	asked := make(chan struct{})
	p.set(func() { p.answer = func(http.ResponseWriter, *http.Request) { close(asked) } })
	p.poll()
	select {
	case <-asked:
	case <-time.After(time.Minute):
		t.Error("the hub was not asked")
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestHubWithoutEncryptionIsNotBelievedAboutASourceWithIt(t *testing.T) {
	p := push(t, loopback())
	if err := p.store.Sources.RemoveSource(t.Context(), p.source().ID, 0); err != nil {
		t.Fatal(err)
	}
	p.origin = httptest.NewTLSServer(http.HandlerFunc(p.serveSource))
	t.Cleanup(p.origin.Close)
	p.in.Transport().TLSClientConfig = p.origin.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
	if _, _, err := p.store.Sources.AddSource(t.Context(), feed.Source{URL: p.origin.URL + "/feed"}); err != nil {
		t.Fatal(err)
	}
	p.publish("1")
	asked := p.subscribe()
	p.clock.advance(time.Minute)
	if code := p.deliver(asked, websub.SHA256, p.document(p.hub.URL, "forged")); code != http.StatusAccepted {
		t.Errorf("got %d", code)
	}
	p.counts(1)
	if !p.isDue() {
		t.Error("the source is not polled for it")
	}
}

func TestPushDuringAPollIsNotMissed(t *testing.T) {
	p := push(t, loopback())
	asked := p.subscribe()
	p.clock.advance(time.Hour)
	p.poll()
	p.clock.advance(12 * time.Hour)
	body := p.publish("1", "2")
	p.set(func() {
		p.onFetch = func() { // the poll will find what is pushed at the same moment
			if code := p.deliver(asked, websub.SHA256, strings.Replace(body, "<guid>2</guid>", "<guid>3</guid>", 1)); code != http.StatusAccepted {
				t.Errorf("got %d", code)
			}
		}
	})
	p.poll()
	p.inState(feed.PushActive)
}
