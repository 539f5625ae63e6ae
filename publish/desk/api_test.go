package desk_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/feedwire/feedwire/publish/desk/feeds"
	"github.com/feedwire/feedwire/publish/desk/overview"
	"github.com/feedwire/feedwire/store/feed"
)

const token = "open-sesame"

// options returns the desk options of a configured daemon at noon.
func options() deskOptions {
	return deskOptions{
		Feeds: outgoing(), Token: token, PublicURL: "https://wire.example/", Version: "1.0.0",
		StoreKind: func() string { return "embedded redis" }, Now: func() time.Time { return noon },
	}
}

// call sends a request with the token to a desk over the store.
func call(store deskStore, opts deskOptions, method, path, body string, header ...string) *httptest.ResponseRecorder {
	req := httptest.NewRequest(method, path, strings.NewReader(body))
	req.Header.Set("Authorization", "Bearer "+token)
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	rec := httptest.NewRecorder()
	newDesk(store, opts).Handler().ServeHTTP(rec, req)
	return rec
}

// get reads a JSON answer with status 200.
func get[T any](t *testing.T, store deskStore, path string) T {
	t.Helper()
	rec := call(store, options(), http.MethodGet, path, "")
	if rec.Code != http.StatusOK {
		t.Fatalf("GET %s: %d %s", path, rec.Code, rec.Body)
	}
	return read[T](t, rec)
}

func read[T any](t *testing.T, rec *httptest.ResponseRecorder) T {
	t.Helper()
	var v T
	if err := json.Unmarshal(rec.Body.Bytes(), &v); err != nil {
		t.Fatalf("%v in %s", err, rec.Body)
	}
	return v
}

func TestListsAndDetails(t *testing.T) {
	store := wire()
	if got := get[feed.Page[feed.Source]](t, store, "/api/v1/sources"); len(got.Items) != 4 {
		t.Errorf("%d sources, want 4", len(got.Items))
	}
	if got := get[feed.Page[feed.Entry]](t, store, "/api/v1/sources/"+feed.SourceID(siteURL)+"/entries?limit=2"); len(got.Items) != 2 {
		t.Errorf("%d entries, want 2", len(got.Items))
	}
	if got := get[feed.Entry](t, store, "/api/v1/entries/2"); got.GUID != "post-2" || got.Content == "" {
		t.Errorf("entry 2 is %+v", got)
	}
	uuid := feed.ArticleUUID(siteURL, "post-1")
	if got := get[feed.Article](t, store, "/api/v1/articles/"+uuid); len(got.Feeds["production"].Impressions) != 2 {
		t.Errorf("article is %+v", got)
	}
	if got := get[overview.Status](t, store, "/api/v1/status"); got.Version != "1.0.0" || got.Counts.Entries != 7 || got.Store != "embedded redis" {
		t.Errorf("status is %+v", got)
	}
	all := get[feed.Page[feeds.Feed]](t, store, "/api/v1/feeds").Items
	want := feeds.Feed{
		Type: "production", URL: "https://wire.example/feed/production", Title: "Example production", Profile: "instant-articles",
		Items: 3, Window: "24h0m0s", RetireAfter: 4, Articles: map[feed.State]int{
			feed.StateUnpublished: 1, feed.StatePublished: 3, feed.StateImported: 1, feed.StateExpired: 1, feed.StateWithdrawn: 1,
		},
	}
	if diff := cmp.Diff(want, all[0]); diff != "" {
		t.Errorf("another feed (-want +got):\n%s", diff)
	}
}

func TestListsIncludeContentOnlyOnRequest(t *testing.T) {
	store := wire()
	for uuid, a := range store.articles {
		a.Content = "<p>text</p>"
		store.articles[uuid] = a
	}
	for path, want := range map[string]bool{
		"/sources/" + feed.SourceID(siteURL) + "/entries":           false,
		"/sources/" + feed.SourceID(siteURL) + "/entries?content=0": false,
		"/sources/" + feed.SourceID(siteURL) + "/entries?content=1": true,
		"/entries/1": true,
		"/articles":  false,
		"/articles?feed=production&state=published":        false,
		"/articles/" + feed.ArticleUUID(siteURL, "post-1"): true,
		"/signals":           false,
		"/signals?content=1": true,
	} {
		rec := call(store, options(), http.MethodGet, "/api/v1"+path, "")
		if has := strings.Contains(rec.Body.String(), `"content":"`); rec.Code != 200 || has != want {
			t.Errorf("GET %s: got %d, with content: %v, want %v", path, rec.Code, has, want)
		}
	}
	if store.signals[0].Post.Content == "" {
		t.Error("the signal of the store was changed")
	}
}

func TestEmptyListsAreLists(t *testing.T) {
	for _, path := range []string{"/api/v1/sources", "/api/v1/articles", "/api/v1/signals", "/api/v1/articles?feed=production&state=published"} {
		rec := call(newFakeStore(), options(), http.MethodGet, path, "")
		if got := strings.TrimSpace(rec.Body.String()); got != `{"items":[]}` {
			t.Errorf("GET %s: %s", path, got)
		}
	}
}

func TestSignalsFollowTheOneNamed(t *testing.T) {
	store := wire()
	first := get[feed.Page[feed.Signal]](t, store, "/api/v1/signals?limit=5")
	rest := get[feed.Page[feed.Signal]](t, store, "/api/v1/signals?limit=5&after="+first.Next)
	if len(first.Items) != 5 || len(rest.Items) != 2 || rest.Next != rest.Items[1].ID {
		t.Errorf("got %d and %d signals, then %q", len(first.Items), len(rest.Items), rest.Next)
	}
	if end := get[feed.Page[feed.Signal]](t, store, "/api/v1/signals?after="+rest.Next); len(end.Items) != 0 || end.Next != "" {
		t.Errorf("after the last one came %+v", end)
	}
	if bare := get[feed.Page[feed.Signal]](t, store, "/api/v1/signals?after="+strings.TrimSuffix(first.Next, "-0")); !cmp.Equal(bare, rest) {
		t.Errorf("after the same place without its second number came %+v", bare)
	}
	if rest.Items[0].Kind != feed.PostModified || rest.Items[0].Post.Title == "" {
		t.Errorf("signal is %+v", rest.Items[0])
	}
}

func TestBadRequestsNameTheField(t *testing.T) {
	uuid := feed.ArticleUUID(siteURL, "post-4")
	for _, tt := range []struct {
		name, method, path, body string
		status                   int
		fields                   []string
	}{
		{"no url", "POST", "/sources", `{}`, 400, []string{"url"}},
		{"file url", "POST", "/sources", `{"url":"file:///etc/passwd"}`, 400, []string{"url"}},
		{"all at once", "POST", "/sources", `{"url":"x","feeds":["nowhere"],"publish":"now","interval":"1ms"}`, 400, []string{"url", "feeds", "publish", "interval"}},
		{"unknown field", "POST", "/sources", `{"url":"https://a.example/","colour":"red"}`, 400, []string{"colour"}},
		{"wrong type", "POST", "/sources", `{"url":"https://a.example/","feeds":"production"}`, 400, []string{"feeds"}},
		{"number for text", "POST", "/sources", `{"url":5}`, 400, []string{"url"}},
		{"no JSON", "POST", "/sources", `url=https://a.example/`, 400, nil},
		{"no body", "POST", "/sources", ``, 400, nil},
		{"two bodies", "POST", "/sources", `{"url":"https://a.example/"}{}`, 400, nil},
		{"a list", "POST", "/sources", `[]`, 400, nil},
		{"too large", "POST", "/sources", `{"url":"` + strings.Repeat("x", 1<<20) + `"}`, 413, nil},
		{"no such feed", "POST", "/articles/" + uuid + "/publish", `{"feed":"nowhere"}`, 400, []string{"feed"}},
		{"no feed", "POST", "/articles/" + uuid + "/withdraw", `{}`, 400, []string{"feed"}},
		{"limit", "GET", "/articles?limit=201", "", 400, []string{"limit"}},
		{"limit zero", "GET", "/signals?limit=0", "", 400, []string{"limit"}},
		{"days", "GET", "/articles?days=x", "", 400, []string{"days"}},
		{"cursor", "GET", "/articles?cursor=x", "", 400, []string{"cursor"}},
		{"state", "GET", "/articles?feed=production&state=lost", "", 400, []string{"state"}},
		{"state without feed", "GET", "/articles?state=published", "", 400, []string{"feed"}},
		{"feed", "GET", "/articles?feed=nowhere", "", 400, []string{"feed"}},
		{"after", "GET", "/signals?after=yesterday", "", 400, []string{"after"}},
		{"half an after", "GET", "/signals?after=12-", "", 400, []string{"after"}},
		{"content of signals", "GET", "/signals?content=yes", "", 400, []string{"content"}},
		{"content of entries", "GET", "/sources/" + feed.SourceID(siteURL) + "/entries?content=2", "", 400, []string{"content"}},
		{"cursor with state", "GET", "/articles?feed=production&state=published&cursor=x", "", 400, []string{"cursor"}},
		{"two wrong feeds", "POST", "/sources", `{"url":"https://a.example/","feeds":["a","b"]}`, 400, []string{"feeds"}},
		{"negative interval", "POST", "/sources", `{"url":"https://a.example/","interval":"-1s"}`, 400, []string{"interval"}},
		{"no such article", "POST", "/articles/" + feed.ArticleUUID("x", "y") + "/publish", `{"feed":"production"}`, 404, nil},
		{"no uuid", "GET", "/articles/x", "", 404, nil},
		{"no such source", "GET", "/sources/0123456789ab", "", 404, nil},
		{"no source id", "POST", "/sources/x/poll", "", 404, nil},
		{"no such entry", "GET", "/entries/99", "", 404, nil},
		{"no entry number", "GET", "/entries/x", "", 404, nil},
		{"no such path", "GET", "/nothing", "", 404, nil},
		{"no such path to post to", "POST", "/nothing/at/all", "{}", 404, nil},
		{"a slash too many", "GET", "/sources/", "", 404, nil},
		{"the API itself", "GET", "", "", 404, nil},
		{"the API itself, posted to", "POST", "", "{}", 404, nil},
		{"the API itself with a slash", "GET", "/", "", 404, nil},
		{"method", "PUT", "/sources", "", 405, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rec := call(wire(), options(), tt.method, "/api/v1"+tt.path, tt.body)
			p := read[feed.Problem](t, rec)
			var fields []string
			for _, f := range p.Errors {
				fields = append(fields, f.Field)
				if f.Reason == "" {
					t.Errorf("%s has no reason", f.Field)
				}
			}
			if rec.Code != tt.status || p.Status != tt.status || !slices.Equal(fields, tt.fields) {
				t.Errorf("got %d with fields %v, want %d with %v: %s", rec.Code, fields, tt.status, tt.fields, rec.Body)
			}
			if p.Type == "" || p.Title == "" || p.Detail == "" || rec.Header().Get("Content-Type") != feed.ProblemType {
				t.Errorf("no full problem: %s %s", rec.Header().Get("Content-Type"), rec.Body)
			}
			if tt.status == 405 && rec.Header().Get("Allow") != "GET, HEAD, POST" {
				t.Errorf("Allow is %q", rec.Header().Get("Allow"))
			}
		})
	}
}

func TestBodyThatIsNoObjectIsRefusedInWordsOfJSON(t *testing.T) {
	for _, path := range []string{"/sources", "/articles/" + feed.ArticleUUID(siteURL, "post-1") + "/publish"} {
		for _, body := range []string{`[]`, `"x"`, `5`, `true`} {
			rec := call(wire(), options(), http.MethodPost, "/api/v1"+path, body)
			p := read[feed.Problem](t, rec)
			if rec.Code != 400 || !strings.Contains(p.Detail, "want a JSON object") || strings.Contains(p.Detail, "desk.") {
				t.Errorf("%s %s: got %d %q", path, body, rec.Code, p.Detail)
			}
		}
	}
}

func TestStoreAwaySaysHowToRepeat(t *testing.T) {
	store := wire()
	store.err = feed.ErrUnavailable
	rec := call(store, options(), http.MethodPost, "/api/v1/articles/"+feed.ArticleUUID(siteURL, "post-4")+"/publish", `{"feed":"production"}`)
	p := read[feed.Problem](t, rec)
	for _, want := range []string{"may or may not have been carried out", "repeat it with the same Idempotency-Key"} {
		if !strings.Contains(p.Detail, want) {
			t.Errorf("the detail does not say %q: %s", want, p.Detail)
		}
	}
}

func TestLongIdempotencyKeyIsRefused(t *testing.T) {
	rec := call(wire(), options(), http.MethodPost, "/api/v1/articles/"+feed.ArticleUUID(siteURL, "post-4")+"/publish",
		`{"feed":"production"}`, "Idempotency-Key", strings.Repeat("k", 129))
	if p := read[feed.Problem](t, rec); rec.Code != 400 || p.Errors[0].Field != "Idempotency-Key" {
		t.Errorf("got %d %+v", rec.Code, p)
	}
}

// requests touch every route of the API.
func requests() [][3]string {
	id, uuid := feed.SourceID(siteURL), feed.ArticleUUID(siteURL, "post-1")
	return [][3]string{
		{"GET", "/sources"}, {"POST", "/sources", `{"url":"https://new.example/"}`}, {"GET", "/sources/" + id}, {"DELETE", "/sources/" + id},
		{"POST", "/sources/" + id + "/poll"}, {"POST", "/sources/poll"}, {"POST", "/sources/" + id + "/pause"}, {"POST", "/sources/" + id + "/resume"},
		{"GET", "/sources/" + id + "/entries"}, {"GET", "/entries/1"}, {"GET", "/articles"}, {"GET", "/articles?feed=production&state=published"},
		{"GET", "/articles/" + uuid}, {"POST", "/articles/" + uuid + "/publish", `{"feed":"production"}`},
		{"POST", "/articles/" + uuid + "/withdraw", `{"feed":"production"}`}, {"GET", "/feeds"}, {"GET", "/signals"}, {"GET", "/status"},
	}
}

func TestStoreAwayIs503AndTellsNoSecret(t *testing.T) {
	for _, tt := range []struct {
		err    error
		status int
		retry  string
	}{
		{fmt.Errorf("dial redis.internal:6379: %w", feed.ErrUnavailable), 503, "5"},
		{errors.New("WRONGTYPE at redis.internal:6379"), 500, ""},
	} {
		for _, r := range requests() {
			store := wire()
			store.err = tt.err
			rec := call(store, options(), r[0], "/api/v1"+r[1], r[2])
			if rec.Code != tt.status || rec.Header().Get("Retry-After") != tt.retry {
				t.Errorf("%s %s: got %d, Retry-After %q, want %d", r[0], r[1], rec.Code, rec.Header().Get("Retry-After"), tt.status)
			}
			if strings.Contains(rec.Body.String(), "redis.internal") {
				t.Errorf("%s %s: inner text left the house: %s", r[0], r[1], rec.Body)
			}
		}
	}
}

func TestAPINeedsTheToken(t *testing.T) {
	for _, r := range requests() {
		for _, header := range []string{"", "Bearer", "Bearer wrong", "Basic b3Blbi1zZXNhbWU=", token} {
			opts := options()
			opts.OpenPages = anyone // opens nothing of the API
			var failures []string
			opts.OnAuthFailure = func(method string) { failures = append(failures, method) }
			rec := call(wire(), opts, r[0], "/api/v1"+r[1], r[2], "Authorization", header)
			if rec.Code != 401 || !strings.HasPrefix(rec.Header().Get("WWW-Authenticate"), "Bearer ") {
				t.Errorf("%s %s with %q: got %d", r[0], r[1], header, rec.Code)
			}
			if !slices.Equal(failures, []string{"token"}) {
				t.Errorf("%s %s: failures %v", r[0], r[1], failures)
			}
		}
	}
}

func TestRequestsWithoutATokenAreRefused(t *testing.T) {
	for _, header := range []string{"", "Bearer ", "Bearer"} {
		if rec := call(wire(), deskOptions{}, http.MethodGet, "/api/v1/status", "", "Authorization", header); rec.Code != 401 {
			t.Errorf("with %q got %d, want 401", header, rec.Code)
		}
	}
}

func TestActionsAreCounted(t *testing.T) {
	reg := prometheus.NewRegistry()
	opts := options()
	opts.Registerer = reg
	handler := newDesk(wire(), opts).Handler()
	for _, path := range []string{"/api/v1/sources/" + feed.SourceID(siteURL) + "/pause", "/api/v1/sources/0123456789ab/pause"} {
		req := httptest.NewRequest(http.MethodPost, path, nil)
		req.Header.Set("Authorization", "Bearer "+token)
		handler.ServeHTTP(httptest.NewRecorder(), req)
	}
	body := &strings.Builder{}
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if m.GetCounter().GetValue() > 0 {
				fmt.Fprintln(body, f.GetName(), m.GetLabel()[0].GetValue(), m.GetLabel()[1].GetValue(), m.GetCounter().GetValue())
			}
		}
	}
	want := "feedwire_desk_actions_total source_pause ok 1\nfeedwire_desk_actions_total source_pause refused 1\n"
	if body.String() != want {
		t.Errorf("got\n%swant\n%s", body, want)
	}
	if problems, err := testutil.GatherAndLint(reg); err != nil || len(problems) > 0 {
		t.Errorf("%v %v", problems, err)
	}
}

func FuzzBodies(f *testing.F) {
	for _, seed := range []string{
		`{"url":"https://a.example/","feeds":["production"],"publish":"auto","interval":"1h"}`, `{"feed":"production"}`,
		`{"url":null}`, `{"url":{"url":[]}}`, `[]`, `{"feeds":["production","production"],"interval":"0s"}`, `[[[[`, "\x00", `{"interval":"9999999999h"}`,
	} {
		f.Add(seed)
	}
	uuid := feed.ArticleUUID(siteURL, "post-1")
	f.Fuzz(func(t *testing.T, body string) {
		for _, path := range []string{"/api/v1/sources", "/api/v1/articles/" + uuid + "/publish"} {
			rec := call(wire(), options(), http.MethodPost, path, body)
			switch rec.Code {
			case 200, 201, 400, 413:
			default:
				t.Errorf("%s: got %d: %s", path, rec.Code, rec.Body)
			}
			if !json.Valid(rec.Body.Bytes()) {
				t.Errorf("%s: no JSON: %s", path, rec.Body)
			}
		}
	})
}
