package desk_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/feedwire/feedwire/publish/desk/overview"
	"github.com/feedwire/feedwire/publish/web/webtest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestListsAndDetails(t *testing.T) {
	d := newDesk(storetest.NewNewsroom(t))
	if got := get[feed.Page[feed.Source]](t, d, "/api/v1/sources"); len(got.Items) != 4 {
		t.Errorf("%d sources, want 4", len(got.Items))
	}
	if got := get[feed.Page[feed.Entry]](t, d, "/api/v1/sources/"+feed.SourceID(storetest.Site)+"/entries?limit=2"); len(got.Items) != 2 {
		t.Errorf("%d entries, want 2", len(got.Items))
	}
	if got := get[feed.Entry](t, d, "/api/v1/entries/2"); got.GUID != "post-2" || got.Content == "" {
		t.Errorf("entry 2 is %+v", got)
	}
	uuid := storetest.Post(1)
	if got := get[feed.Article](t, d, "/api/v1/articles/"+uuid); len(got.Feeds["production"].Impressions) != 2 {
		t.Errorf("article is %+v", got)
	}
	if got := get[overview.Status](t, d, "/api/v1/status"); got.Version != "1.0.0" || got.Counts.Entries != 7 || got.Store != "embedded redis" {
		t.Errorf("status is %+v", got)
	}
}

func TestListsIncludeContentOnlyOnRequest(t *testing.T) {
	d := newDesk(storetest.NewNewsroom(t))
	for path, want := range map[string]bool{
		"/sources/" + feed.SourceID(storetest.Site) + "/entries":           false,
		"/sources/" + feed.SourceID(storetest.Site) + "/entries?content=0": false,
		"/sources/" + feed.SourceID(storetest.Site) + "/entries?content=1": true,
		"/entries/1": true,
		"/articles":  false,
		"/articles?feed=production&state=published": false,
		"/articles/" + storetest.Post(1):            true,
		"/signals":                                  false,
		"/signals?content=1":                        true,
	} {
		rec := d.call(http.MethodGet, "/api/v1"+path, "")
		if has := strings.Contains(rec.Body.String(), `"content":"`); rec.Code != 200 || has != want {
			t.Errorf("GET %s: got %d, with content: %v, want %v", path, rec.Code, has, want)
		}
	}
}

func TestEmptyListsAreLists(t *testing.T) {
	d := newDesk(storetest.EmptyNewsroom(t))
	for _, path := range []string{"/api/v1/sources", "/api/v1/articles", "/api/v1/signals", "/api/v1/articles?feed=production&state=published"} {
		rec := d.call(http.MethodGet, path, "")
		if got := strings.TrimSpace(rec.Body.String()); got != `{"items":[]}` {
			t.Errorf("GET %s: %s", path, got)
		}
	}
}

func TestBadRequestsNameTheField(t *testing.T) {
	d := newDesk(storetest.NewNewsroom(t))
	uuid := storetest.Post(4)
	for _, tt := range []struct {
		name, method, path, body string
		status                   int
		fields                   []string
	}{
		{"no url", "POST", "/sources", `{}`, 400, []string{"url"}},
		{"file url", "POST", "/sources", `{"url":"file:///etc/passwd"}`, 400, []string{"url"}},
		{"all at once", "POST", "/sources", `{"url":"x","feeds":["nowhere"],"publish":"now","interval":"1ms"}`, 400, []string{"url", "feeds", "publish", "interval"}},
		{"unknown field", "POST", "/sources", `{"url":"https://a.example/","colour":"red"}`, 400, []string{"colour"}},
		{"repeated field", "POST", "/sources", `{"url":"https://a.example/","feeds":[],"url":"https://b.example/"}`, 400, []string{"url"}},
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
		{"content of entries", "GET", "/sources/" + feed.SourceID(storetest.Site) + "/entries?content=2", "", 400, []string{"content"}},
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
			rec := d.call(tt.method, "/api/v1"+tt.path, tt.body)
			p := webtest.Read[feed.Problem](t, rec)
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

func TestBodyThatIsNoObjectIsRefusedInTermsOfJSON(t *testing.T) {
	d := newDesk(storetest.NewNewsroom(t))
	for _, path := range []string{"/sources", "/articles/" + storetest.Post(1) + "/publish"} {
		for _, body := range []string{`[]`, `"x"`, `5`, `true`} {
			rec := d.call(http.MethodPost, "/api/v1"+path, body)
			p := webtest.Read[feed.Problem](t, rec)
			if rec.Code != 400 || !strings.Contains(p.Detail, "want a JSON object") || strings.Contains(p.Detail, "desk.") {
				t.Errorf("%s %s: got %d %q", path, body, rec.Code, p.Detail)
			}
		}
	}
}

func TestStoreAwaySaysHowToRepeat(t *testing.T) {
	n := storetest.NewNewsroom(t)
	d := newDesk(n)
	n.SetAway(true)
	rec := d.call(http.MethodPost, "/api/v1/articles/"+storetest.Post(4)+"/publish", `{"feed":"production"}`)
	p := webtest.Read[feed.Problem](t, rec)
	for _, want := range []string{"may or may not have been carried out", "repeat it with the same Idempotency-Key"} {
		if !strings.Contains(p.Detail, want) {
			t.Errorf("the detail does not say %q: %s", want, p.Detail)
		}
	}
}

func TestLongIdempotencyKeyIsRefused(t *testing.T) {
	d := newDesk(storetest.NewNewsroom(t))
	rec := d.call(http.MethodPost, "/api/v1/articles/"+storetest.Post(4)+"/publish",
		`{"feed":"production"}`, "Idempotency-Key", strings.Repeat("k", 129))
	if p := webtest.Read[feed.Problem](t, rec); rec.Code != 400 || p.Errors[0].Field != "Idempotency-Key" {
		t.Errorf("got %d %+v", rec.Code, p)
	}
}

// requests touch every route of the API.
func requests() [][3]string {
	id, uuid := feed.SourceID(storetest.Site), storetest.Post(1)
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
		store  *storetest.Newsroom
		status int
		retry  string
	}{
		{storetest.Unavailable(t), 503, "5"},
		{storetest.Refusing(t), 500, ""},
	} {
		d := newDesk(tt.store)
		for _, r := range requests() {
			rec := d.call(r[0], "/api/v1"+r[1], r[2])
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
	var failures []string
	d := newDesk(storetest.NewNewsroom(t), anyone, func(opts *options) { // open pages open nothing of the API
		opts.people.OnFailure = func(method string) { failures = append(failures, method) }
	})
	for _, r := range requests() {
		for _, header := range []string{"", "Bearer", "Bearer wrong", "Basic b3Blbi1zZXNhbWU=", token} {
			failures = nil
			rec := d.call(r[0], "/api/v1"+r[1], r[2], "Authorization", header)
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
	d := newDesk(storetest.EmptyNewsroom(t), func(opts *options) { opts.people.Token = "" })
	for _, header := range []string{"", "Bearer ", "Bearer"} {
		if rec := d.call(http.MethodGet, "/api/v1/status", "", "Authorization", header); rec.Code != 401 {
			t.Errorf("with %q got %d, want 401", header, rec.Code)
		}
	}
}

func TestActionsAreCounted(t *testing.T) {
	reg := prometheus.NewRegistry()
	d := newDesk(storetest.NewNewsroom(t), func(opts *options) { opts.web.Registerer = reg })
	for _, path := range []string{"/api/v1/sources/" + feed.SourceID(storetest.Site) + "/pause", "/api/v1/sources/0123456789ab/pause"} {
		d.call(http.MethodPost, path, "")
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
	d, uuid := newDesk(storetest.NewNewsroom(f)), storetest.Post(1)
	f.Fuzz(func(t *testing.T, body string) {
		for _, path := range []string{"/api/v1/sources", "/api/v1/articles/" + uuid + "/publish"} {
			rec := d.call(http.MethodPost, path, body)
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
