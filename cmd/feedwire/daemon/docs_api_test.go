package daemon

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/config"
	"github.com/feedwire/feedwire/ingest"
	"github.com/feedwire/feedwire/publish/desk/feeds"
	"github.com/feedwire/feedwire/publish/desk/hub"
	"github.com/feedwire/feedwire/publish/desk/overview"
	"github.com/feedwire/feedwire/publish/desk/users"
	"github.com/feedwire/feedwire/publish/limits"
	"github.com/feedwire/feedwire/publish/people"
	"github.com/feedwire/feedwire/publish/readers"
	"github.com/feedwire/feedwire/publish/republish"
	deskweb "github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/publish/web/webtest"
	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// endpoint is one heading of docs/reference/api.md and what stands below it.
type endpoint struct {
	route    string // "GET /api/v1/sources"
	statuses []string
	examples []string // answers, JSON
}

var (
	apiHeading   = regexp.MustCompile(`^### ([A-Z]+ /\S*)\n`)
	apiAnswers   = regexp.MustCompile(`Returns\s[^.]+\.`)
	apiStatus    = regexp.MustCompile(`\b[1-5][0-9]{2}\b`)
	apiProblem   = regexp.MustCompile("(?s)```json problem\n(.+?)```")
	jsonExample  = regexp.MustCompile("(?s)```json\n(.+?)```")
	routePattern = regexp.MustCompile(`mux\.Handle(?:Func)?\("([A-Z]+ /[^"]*)"`)
)

// deskOver returns a daemon that has only a store and the desk.
func deskOver(s *store.Store) *app {
	registry := prometheus.NewRegistry()
	a := &app{store: s, log: slog.New(slog.DiscardHandler), registry: registry, reloads: newReloads(), work: limits.NewWork(registry)}
	cfg := &config.Config{Community: config.Community{Enabled: true}}
	cfg.Auth.Rounds = webtest.Rounds
	a.config.Store(cfg)
	a.metrics = newMetrics(registry, nil)
	a.ingester = ingest.New(s.Nouns(), ingest.Options{})
	a.republish = republish.New(s.Nouns(), "", republish.Options{})
	if err := a.buildDesk(a.cfg()); err != nil {
		panic(err)
	}
	return a
}

// deskRoutes returns the patterns of the desk whose paths begin with prefix.
func deskRoutes(prefix string) (all []string) {
	for _, r := range deskOver(new(store.Store)).kit.Routes() { // routes do not use the store
		if _, path, _ := strings.Cut(r.Pattern, " "); strings.HasPrefix(path, prefix) {
			all = append(all, r.Pattern)
		}
	}
	return all
}

// endpoints reads docs/reference/api.md.
func endpoints(t *testing.T) (all []endpoint) {
	t.Helper()
	for _, section := range regexp.MustCompile(`(?m)^##+ `).Split(wiretest.ReadFile(t, "docs/reference/api.md"), -1) {
		heading := apiHeading.FindStringSubmatch("### " + section)
		if heading == nil {
			continue
		}
		e := endpoint{route: heading[1], statuses: apiStatus.FindAllString(apiAnswers.FindString(section), -1)}
		if len(e.statuses) == 0 {
			t.Errorf("docs/reference/api.md does not say what %s answers", e.route)
		}
		for _, m := range jsonExample.FindAllStringSubmatch(section, -1) {
			e.examples = append(e.examples, m[1])
		}
		all = append(all, e)
	}
	return all
}

// apiRoutes returns the patterns of the desk that are for programs.
func apiRoutes() []string {
	return slices.DeleteFunc(deskRoutes(""), func(route string) bool {
		return !isAPI(route) || strings.Contains(route, " /api/greader.php/") || strings.HasSuffix(route, " /api/fever.php")
	})
}

func isAPI(route string) bool {
	_, path, _ := strings.Cut(route, " ")
	return deskweb.IsAPI(path)
}

// picture is the body of a post.
const picture = `{"caption": "A picture", "media": ["https://img.example.org/a.jpg"]}`

// post writes a post of an account and returns its number.
func (d *daemon) post(user string) string {
	d.t.Helper()
	var e feed.Entry
	d.do(http.MethodPost, "/api/v1/me/posts?user="+user, json.RawMessage(picture), &e)
	return e.Number()
}

// submission is the body of a submission.
const submission = `{"title": "A harbour", "url": "https://example.org/harbour"}`

// submission submits a URL for an account and returns its number.
func (d *daemon) submission(user string) string {
	d.t.Helper()
	var n feed.News
	d.do(http.MethodPost, "/api/v1/submissions?user="+user, json.RawMessage(submission), &n)
	return strconv.FormatInt(n.ID, 10)
}

// number returns the number of an account.
func (d *daemon) number(user string) string {
	d.t.Helper()
	a, err := d.app.store.People.Account(d.t.Context(), user)
	if err != nil {
		d.t.Fatal(err)
	}
	return strconv.FormatInt(a.ID, 10)
}

func TestEveryRouteIsDocumented(t *testing.T) {
	t.Parallel()
	documented := endpoints(t)
	desk, apps := deskRoutes(""), wiretest.ReadFile(t, "docs/how-to/read-in-an-app.md")
	served := slices.Clone(desk)
	for _, m := range routePattern.FindAllStringSubmatch(wiretest.ReadFile(t, "cmd/feedwire/daemon/routes.go"), -1) {
		served = append(served, m[1])
	}
	for _, route := range served {
		if _, call, ok := strings.Cut(route, " /api/greader.php/"); ok { // it has a page of its own
			if !strings.Contains(apps, "`"+strings.TrimPrefix(call, "reader/api/0/")+"`") {
				t.Errorf("%s is served, and docs/how-to/read-in-an-app.md does not name it", route)
			}
			continue
		}
		if strings.HasSuffix(route, " /api/fever.php") && strings.Contains(apps, "/api/fever.php") {
			continue
		}
		isPage := slices.Contains(desk, route) && !isAPI(route)
		if !isPage && !slices.ContainsFunc(documented, func(e endpoint) bool { return e.route == route }) {
			t.Errorf("%s is served and has no heading in docs/reference/api.md", route)
		}
	}

	redis := storetest.RedisAOF(t)
	d := start(t, redis, "people: {sign_up: invited}\ncommunity: {enabled: true}\nvotes: {anonymous: true}\nsearch: {enabled: true}\nfeeds: {production: {}, development: {}, apple: {profile: apple-news, sources: [\"*\"], publish: auto}}")
	web := wiretest.NewOrigin(t)
	web.Set("/feed.xml", wiretest.Posts(2)...)
	src := d.add(web.URL+"/feed.xml", nil)
	wiretest.Eventually(t, "an article", func() bool { return len(d.articles("feed=apple&state=published")) == 2 })
	if err := d.app.store.Ops.StartJob(t.Context(), feed.Job{ID: "import"}, nil, 1); err != nil {
		t.Fatal(err)
	}
	reader, letter, hook := useWays(t, d, redis, src)
	d.do(http.MethodPost, "/api/v1/users", map[string]string{"name": "bob", "role": "viewer"}, nil)
	d.do(http.MethodPost, "/api/v1/users", map[string]string{"name": "ann", "role": "viewer"}, nil)
	var made users.NewToken
	d.do(http.MethodPost, "/api/v1/tokens", map[string]any{"name": "t", "scopes": []string{"read"}}, &made)
	var invited feed.Invitation
	d.do(http.MethodPost, "/api/v1/invitations", nil, &invited)
	local := feed.LocalURL("notes")
	d.do(http.MethodPost, "/api/v1/sources", map[string]string{"url": local}, nil)
	d.do(http.MethodPut, "/api/v1/lists/front", map[string]string{"title": "Front page"}, nil)
	d.do(http.MethodPut, "/api/v1/groups/sport/entries/1", nil, nil)
	names := strings.NewReplacer(
		"{subscription}", reader.ID, "{topic}", src.ID, "{name}", "bob", "{token}", made.ID, "{invitation}", invited.ID, "{letter}", letter, "{webhook}", hook.ID,
		"jobs/{id}", "jobs/import", "undo/{id}", "undo/"+d.decides(feed.ArticleUUID(src.URL, "p0")), "{id}", src.ID, "submissions/{n}", "submissions/"+d.submission("ann"), "entries/{n}/comments", "entries/"+d.submission("ann")+"/comments", "{comment}", "1", "{report}", "1-1", "{member}", "ann", "{n}", "1", "{guid}", "p1", "{uuid}", feed.ArticleUUID(src.URL, "p1"),
		"{type}/{article}", "apple/"+feed.ArticleUUID(src.URL, "p0")+".json", "{type}", "production", "{list}", "front", "{group}", "sport",
		"{signal}", d.signals()[0].ID, "me/posts/{post}", "me/posts/"+d.post("ann"), "{post}", d.post("ann"),
	)
	bodies := map[string]string{
		"POST /api/v1/sources":                  `{"url": "` + src.URL + `"}`,
		"PATCH /api/v1/sources/{id}":            `{"name": "Quay"}`,
		"POST /api/v1/discover":                 `{"url": "` + src.URL + `"}`,
		"POST /api/v1/peek":                     `{"url": "` + src.URL + `"}`,
		"POST /api/v1/opml":                     `<opml version="2.0"><body/></opml>`,
		"POST /api/v1/articles/{uuid}/publish":  `{"feed": "production"}`,
		"POST /api/v1/articles/{uuid}/withdraw": `{"feed": "production"}`,
		"POST /api/v1/sources/pause":            `{"sources": ["` + src.ID + `"]}`,
		"POST /api/v1/sources/resume":           `{"sources": ["` + src.ID + `"]}`,
		"POST /api/v1/sources/adopt":            `{"sources": ["nothing"]}`,
		"POST /api/v1/sources/remove":           `{"sources": ["nothing"]}`,
		"POST /api/v1/articles/publish":         `{"feed": "production", "articles": ["nothing"]}`,
		"POST /api/v1/articles/withdraw":        `{"feed": "production", "articles": ["nothing"]}`,
		"POST /api/v1/articles/dismiss":         `{"articles": ["nothing"]}`,
		"POST /api/v1/articles/restore":         `{"articles": ["nothing"]}`,
		"POST /api/v1/webhooks":                 `{"url": "https://example.org/hook"}`,
		"POST /api/v1/users":                    `{"name": "carla", "role": "editor"}`,
		"POST /api/v1/users/{name}/role":        `{"role": "editor"}`,
		"POST /api/v1/tokens":                   `{"name": "nightly", "scopes": ["read"]}`,
		"POST /api/v1/me/follows":               `{"url": "` + src.URL + `"}`,
		"POST /api/v1/me/apps":                  `{"name": "NetNewsWire"}`,
		"POST /api/v1/me/read":                  `{"all": true}`,
		"POST /api/v1/me/opml":                  `<opml version="2.0"><body/></opml>`,
		"PUT /api/v1/me/follows/{id}":           `{"folder": "News"}`,
		"PUT /api/v1/entries/{n}/vote":          `{"vote": "up"}`,

		"PUT /api/v1/entries/{n}/anonymous-vote": `{"vote": "up"}`,

		"POST /api/v1/entries/remove":                     `{"entries": ["nothing"]}`,
		"POST /api/v1/me/posts":                           picture,
		"POST /posts":                                     picture,
		"POST /api/v1/submissions":                        submission,
		"PUT /api/v1/submissions/{n}":                     `{"title": "Ask", "text": "How?"}`,
		"PUT /api/v1/submissions/{n}/vote":                `{"vote": "up"}`,
		"PATCH /api/v1/me/profile":                        `{"about": "I like cranes."}`,
		"PUT /api/v1/lists/{list}":                        `{"title": "Front page"}`,
		"PUT /api/v1/lists/{list}/entries/{n}":            `{}`,
		"POST /api/v1/entries/{n}/comments":               `{"body": "Why?"}`,
		"PUT /api/v1/entries/{n}/comments/{comment}":      `{"body": "How?"}`,
		"PUT /api/v1/entries/{n}/comments/{comment}/vote": `{"vote": "up"}`,

		"PUT /api/v1/entries/{n}/comments/{comment}/state": `{"state": "hidden"}`,
		"PUT /api/v1/submissions/{n}/state":                `{"state": "visible"}`,
		"POST /api/v1/submissions/{n}/reports":             `{"reason": "An insult"}`,

		"POST /api/v1/sources/{id}/entries":        `{"title": "T"}`,
		"PUT /api/v1/sources/{id}/entries/{guid}":  `{"title": "T"}`,
		"POST /api/v1/sources/{id}/entries/bulk":   `{"entries": [{"title": "T"}]}`,
		"POST /api/v1/sources/{id}/entries/expire": `{}`,
	}
	rank := func(e endpoint) int { // what ends something comes last, and what takes that back after it
		switch {
		case strings.HasSuffix(e.route, "/restore"):
			return 3
		case strings.HasPrefix(e.route, "DELETE /api/v1/entries/{n}/comments"): // before its submission
			return 1
		case strings.HasSuffix(e.route, "/entries/{n}") && strings.HasPrefix(e.route, "DELETE /api/v1/groups/"),
			strings.HasSuffix(e.route, "/entries/{n}") && strings.HasPrefix(e.route, "DELETE /api/v1/lists/"): // before the entry
			return 0
		case e.route == "DELETE /api/v1/entries/{n}": // before its source
			return 1
		case strings.HasPrefix(e.route, http.MethodDelete), strings.HasSuffix(e.route, "/deny"), strings.HasSuffix(e.route, "/hub/dead/replay"):
			return 2
		}
		return 0
	}
	slices.SortStableFunc(documented, func(a, b endpoint) int { return rank(a) - rank(b) })
	for _, e := range documented {
		t.Run(e.route, func(t *testing.T) {
			method, path, _ := strings.Cut(e.route, " ")
			if method != http.MethodGet && strings.Contains(path, "/{id}/entries") { // other sources accept no entries
				path = strings.ReplaceAll(path, "{id}", feed.SourceID(local))
			}
			switch {
			case path == "/users/feed":
				path += "?userid=" + d.number("ann")
			case e.route == "GET /posts/{post}": // anyone may see it
			case path == "/api/v1/search":
				path += "?q=post"
			case strings.HasSuffix(path, "/lock"), strings.HasSuffix(path, "/state"):
			case strings.HasSuffix(path, "{n}/reports"): // by someone else than the author
				path += "?user=bob"
			case path == "/api/v1/votes/events":
				path += "?entry=1"
			case strings.HasPrefix(path, "/api/v1/me/"), strings.HasSuffix(path, "/vote"), strings.HasPrefix(path, "/api/v1/submissions"), strings.Contains(path, "/comments"), isAPI(e.route) && !strings.HasPrefix(path, "/api/"): // the token of the daemon has no account
				path += "?user=ann"
			}
			status, allow := d.ask(t, method, names.Replace(path), bodies[e.route])
			if !slices.Contains(e.statuses, status) || status >= "400" {
				t.Errorf("it answers %s; docs/reference/api.md says %v", status, e.statuses)
			}
			if status == "405" {
				t.Errorf("it takes %s only", allow)
			}
		})
	}
}

// docs/reference/api.md tells of each form of the pages what does the same by the API, or why nothing does.
func TestEverythingThatThePagesDoIsInTheAPI(t *testing.T) {
	t.Parallel()
	served, forms := make(map[string]bool), make(map[string]bool)
	for _, route := range deskRoutes("") {
		switch method, _, _ := strings.Cut(route, " "); {
		case isAPI(route):
			served[route] = true
		case method != http.MethodGet && !strings.HasPrefix(route, "POST /community/api/"): // docs/reference/lamernews-api.md
			forms[route] = true
		}
	}
	_, table, found := strings.Cut(wiretest.ReadFile(t, "docs/reference/api.md"), "\n## Forms of the desk\n")
	if !found || len(forms) < 30 {
		t.Fatalf("the list is there: %v; the desk has %d forms", found, len(forms))
	}
	route := regexp.MustCompile("`([A-Z]+ /[^`]*)`")
	for _, m := range regexp.MustCompile(`(?m)^\| (.*/.*) \| (.*) \|$`).FindAllStringSubmatch(table, -1) {
		for _, form := range route.FindAllStringSubmatch(m[1], -1) {
			if !forms[form[1]] {
				t.Errorf("docs/reference/api.md tells of %s, which no page has", form[1])
			}
			delete(forms, form[1])
		}
		same := route.FindAllStringSubmatch(m[2], -1)
		if len(same) == 0 && !strings.HasPrefix(m[2], "none: ") {
			t.Errorf("%s has neither a route nor a reason", m[1])
		}
		for _, s := range same {
			if !served[s[1]] {
				t.Errorf("%s is done by %s, which there is not", m[1], s[1])
			}
		}
	}
	for form := range forms {
		t.Errorf("docs/reference/api.md does not tell what does the same as %s", form)
	}
}

// ask sends a request with the token and tells the status and what it allows; the answer is not read.
func (d *daemon) ask(t *testing.T, method, path, body string) (status, allow string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, d.Base+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+d.Token)
	resp, err := d.Http.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	return resp.Status[:3], resp.Header.Get("Allow")
}

// The examples are what the daemon's own types read and write, to the last field.
func TestExamplesAreWhatTheDaemonAnswers(t *testing.T) {
	t.Parallel()
	answers := map[string]func() any{ // those that are not here have no example
		"GET /api/v1/sources":                                   func() any { return new(feed.Page[feed.Source]) },
		"POST /api/v1/sources":                                  func() any { return new(feed.Source) },
		"GET /api/v1/sources/{id}/entries":                      func() any { return new(feed.Page[feed.Entry]) },
		"GET /api/v1/entries/{n}":                               func() any { return new(feed.Entry) },
		"GET /api/v1/articles":                                  func() any { return new(feed.Page[feed.Article]) },
		"GET /api/v1/articles/{uuid}":                           func() any { return new(feed.Article) },
		"POST /api/v1/articles/{uuid}/publish":                  func() any { return new(feed.Transition) },
		"POST /api/v1/articles/{uuid}/withdraw":                 func() any { return new(feed.Transition) },
		"POST /api/v1/sources/pause":                            func() any { return new(deskweb.Bulk) },
		"POST /api/v1/articles/publish":                         func() any { return new(deskweb.Bulk) },
		"GET /api/v1/feeds":                                     func() any { return new(feed.Page[feeds.Feed]) },
		"GET /api/v1/signals":                                   func() any { return new(feed.Page[feed.Signal]) },
		"GET /api/v1/status":                                    func() any { return new(overview.Status) },
		"GET /api/v1/hub":                                       func() any { return new(hub.Counts) },
		"GET /api/v1/hub/topics":                                func() any { return new(feed.Page[feed.Topic]) },
		"GET /api/v1/hub/topics/{topic}":                        func() any { return new(feed.TopicHistory) },
		"GET /api/v1/hub/subscriptions":                         func() any { return new(feed.Page[hub.Subscription]) },
		"GET /api/v1/hub/subscriptions/{subscription}/attempts": func() any { return new(feed.Page[feed.Attempt]) },
		"GET /api/v1/hub/dead":                                  func() any { return new(feed.Page[feed.DeadLetter]) },
		"GET /api/v1/webhooks":                                  func() any { return new(feed.Page[hub.Webhook]) },
		"GET /api/v1/users":                                     func() any { return new(feed.Page[feed.Account]) },
		"POST /api/v1/users":                                    func() any { return new(people.User) },
		"POST /api/v1/users/{name}/disable":                     func() any { return new(people.User) },
		"GET /api/v1/me/feed":                                   func() any { return new(feed.Page[feed.ReaderEntry]) },
		"GET /api/v1/me/read":                                   func() any { return new(readers.Unread) },
		"GET /api/v1/me/follows":                                func() any { return new(feed.Page[feed.NamedFollow]) },
		"PUT /api/v1/entries/{n}/vote":                          func() any { return new(feed.Score) },
		"POST /api/v1/submissions":                              func() any { return new(feed.News) },
		"GET /api/v1/invitations":                               func() any { return new(feed.Page[feed.Invitation]) },
		"POST /api/v1/invitations":                              func() any { return new(people.NewInvitation) },
		"GET /api/v1/tokens":                                    func() any { return new(feed.Page[feed.Token]) },
		"POST /api/v1/tokens":                                   func() any { return new(users.NewToken) },
		"GET /api/v1/audit":                                     func() any { return new(feed.Page[feed.AuditEntry]) },
	}
	for _, e := range endpoints(t) {
		t.Run(e.route, func(t *testing.T) {
			value := answers[e.route]
			if want := min(1, len(e.examples)); (value != nil) != (want == 1) {
				t.Fatalf("it has %d examples; this test knows its answer: %v", len(e.examples), value != nil)
			}
			for _, example := range e.examples {
				roundTrip(t, example, value())
			}
		})
	}
}

// roundTrip reads JSON into a value and compares what that is written as.
func roundTrip(t *testing.T, text string, value any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), value); err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	var want, got any
	if err := json.Unmarshal([]byte(text), &want); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(again, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the example is not what the daemon writes (-example +daemon):\n%s", diff)
	}
}

// What docs/reference/api.md says of repeating a request: one key, one revision; another key, another one.
func TestPublishingIsRepeatedByItsKey(t *testing.T) {
	t.Parallel()
	redis := storetest.RedisAOF(t)
	d := start(t, redis, "")
	web := wiretest.NewOrigin(t)
	web.Set("/feed.xml", wiretest.Posts(1)...)
	src := d.add(web.URL+"/feed.xml", nil)
	wiretest.Eventually(t, "an article", func() bool { return len(d.articles("")) == 1 })
	publish := func(key string) (done feed.Transition) {
		t.Helper()
		path := d.Base + "/api/v1/articles/" + feed.ArticleUUID(src.URL, "p0") + "/publish"
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, path, strings.NewReader(`{"feed": "production"}`))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+d.Token)
		req.Header.Set("Idempotency-Key", key)
		resp, err := d.Http.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if err := json.NewDecoder(resp.Body).Decode(&done); err != nil {
			t.Fatal(err)
		}
		return done
	}
	first, again, other := publish("a"), publish("a"), publish("b")
	if first.Revision != 1 || again != first || other.Revision != 2 {
		t.Errorf("the answers are %+v, %+v with the same key and %+v with another", first, again, other)
	}
}

// The error of docs/reference/api.md is what the daemon answers, word by word.
func TestErrorOfTheDocumentation(t *testing.T) {
	t.Parallel()
	example := apiProblem.FindStringSubmatch(wiretest.ReadFile(t, "docs/reference/api.md"))
	if example == nil {
		t.Fatal("docs/reference/api.md has no example of an error")
	}
	d := start(t, storetest.RedisAOF(t), "")
	body := strings.NewReader(`{"url": "https://blog.example.org/feed.xml", "publish": "never", "interval": "soon"}`)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, d.Base+"/api/v1/sources", body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+d.Token)
	resp, err := d.Http.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var want, got any
	if err := json.Unmarshal([]byte(example[1]), &want); err != nil {
		t.Fatal(err)
	}
	if err := json.NewDecoder(resp.Body).Decode(&got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" || resp.Header.Get("Content-Type") != feed.ProblemType {
		t.Errorf("it is %s, and not the example (-example +daemon):\n%s", resp.Header.Get("Content-Type"), diff)
	}
}

// docs/reference/problems.md has each kind of problem, with its status, and no other.
func TestEveryKindOfProblemIsDocumented(t *testing.T) {
	t.Parallel()
	documented := make(map[string]string) // status by kind
	for _, m := range regexp.MustCompile(`(?m)^## (\S+)\n\n(\d{3})\. `).FindAllStringSubmatch(wiretest.ReadFile(t, "docs/reference/problems.md"), -1) {
		documented[m[1]] = m[2]
	}
	described := wiretest.ReadFile(t, "publish/desk/openapi.yaml")
	request := &http.Request{URL: &url.URL{Path: "/api/v1/x"}}
	for _, kind := range feed.ProblemKinds() {
		p := kind.Problem(request, "")
		_, name, _ := strings.Cut(p.Type, "#")
		if status := documented[name]; status != strconv.Itoa(p.Status) {
			t.Errorf("%s has the status %d; docs/reference/problems.md says %q", name, p.Status, status)
		}
		delete(documented, name)
		if name == "" || !strings.Contains(described, name) {
			t.Errorf("the description of the API does not name %q", name)
		}
	}
	if len(documented) > 0 {
		t.Errorf("docs/reference/problems.md has %v, which there are not", documented)
	}
}
