package daemon

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"

	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/publish/desk/users"
	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// contract is the document that a daemon serves of its API.
type contract struct {
	doc    *openapi3.T
	router routers.Router
	base   string // of the daemon
}

// loadContract checks the document with its examples. All daemons serve the same one.
var loadContract = sync.OnceValues(func() (contract, error) {
	doc, err := openapi3.NewLoader().LoadFromFile(filepath.Join("..", "..", "..", contractPath))
	if err != nil {
		return contract{}, err
	}
	if err := doc.Validate(context.Background()); err != nil {
		return contract{}, err
	}
	requests, responses := bodiesOf(doc)
	written := schemasIn(requests)
	for _, s := range schemasIn(responses) { // they may have more fields one day; a daemon sends none that the document does not name
		switch more := &s.AdditionalProperties; {
		case slices.Contains(written, s) || !s.Type.Is("object") || len(s.Properties) == 0 || more.Schema != nil:
		case more.Has != nil:
			return contract{}, fmt.Errorf("a response with the fields %v cannot get another one: leave additionalProperties out", slices.Collect(maps.Keys(s.Properties)))
		default:
			more.Has = new(bool)
		}
	}
	router, err := legacy.NewRouter(doc)
	return contract{doc: doc, router: router}, err
})

// bodiesOf returns the bodies of requests and of responses.
func bodiesOf(doc *openapi3.T) (requests, responses []openapi3.Content) {
	for _, item := range doc.Paths.Map() {
		for _, op := range item.Operations() {
			if op.RequestBody != nil {
				requests = append(requests, op.RequestBody.Value.Content)
			}
			for _, r := range op.Responses.Map() {
				responses = append(responses, r.Value.Content)
			}
		}
	}
	return requests, responses
}

// schemasIn returns the schemas of some bodies at any depth, each once.
func schemasIn(bodies []openapi3.Content) (all []*openapi3.Schema) {
	var visit func(refs ...*openapi3.SchemaRef)
	visit = func(refs ...*openapi3.SchemaRef) {
		for _, ref := range refs {
			if ref == nil || slices.Contains(all, ref.Value) {
				continue
			}
			s := ref.Value
			all = append(all, s)
			visit(s.Items, s.AdditionalProperties.Schema, s.Not)
			visit(slices.Concat(s.OneOf, s.AnyOf, s.AllOf, slices.Collect(maps.Values(s.Properties)))...)
		}
	}
	for _, body := range bodies {
		for _, media := range body {
			visit(media.Schema)
		}
	}
	return all
}

// Each schema is in the document once, so that a program that generates a client from it gets one type for one thing.
func TestEachSchemaIsInTheContractOnce(t *testing.T) {
	t.Parallel()
	c, err := loadContract()
	if err != nil {
		t.Fatal(err)
	}
	known, objects := make(map[string]bool), 0
	requests, responses := bodiesOf(c.doc)
	for _, s := range schemasIn(slices.Concat(requests, responses)) {
		if !s.Type.Is("object") || len(s.Properties) < 2 {
			continue
		}
		bare := *s
		bare.Description, bare.Example, bare.Extensions, bare.Origin = "", nil, nil, nil
		text, err := json.Marshal(&bare)
		if err != nil {
			t.Fatal(err)
		}
		if known[string(text)] {
			t.Errorf("twice in the document: %s", text)
		}
		known[string(text)] = true
		objects++
	}
	if objects < 100 {
		t.Errorf("%d objects in the document", objects)
	}
}

const contractPath = "publish/desk/openapi.yaml"

// contractOf fetches the document without a token, and checks it with its examples.
func contractOf(t *testing.T, base string) *contract {
	t.Helper()
	resp, err := http.Get(base + "/api/v1/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("the document answers %d, %v", resp.StatusCode, err)
	}
	if string(text) != wiretest.ReadFile(t, contractPath) {
		t.Fatalf("the daemon serves another document than %s", contractPath)
	}
	c, err := loadContract()
	if err != nil {
		t.Fatal(err)
	}
	c.base = base
	return &c
}

// operations are all of the document, as "GET /api/v1/sources".
func (c *contract) operations() map[string]*openapi3.Operation {
	all := make(map[string]*openapi3.Operation)
	for path, item := range c.doc.Paths.Map() {
		for method, op := range item.Operations() {
			all[method+" "+path] = op
		}
	}
	return all
}

// checkAnswer compares an answer, and unless it refuses the request that one too, with the document. It tells which
// operation that was.
func (c *contract) checkAnswer(req *http.Request, body []byte, status int, header http.Header, answer []byte) (string, error) {
	local := req.Clone(context.Background())
	local.URL.Scheme, local.URL.Host, local.Host = "", "", ""
	local.Body = io.NopCloser(bytes.NewReader(body))
	route, params, err := c.router.FindRoute(local)
	if err != nil {
		return "", fmt.Errorf("%s %s is not in the document: %w", req.Method, req.URL.Path, err)
	}
	input := &openapi3filter.RequestValidationInput{
		Request: local, PathParams: params, Route: route, QueryParams: local.URL.Query(),
		Options: &openapi3filter.Options{
			IncludeResponseStatus: true, MultiError: true, AuthenticationFunc: openapi3filter.NoopAuthenticationFunc,
			ExcludeRequestBody:  strings.HasPrefix(route.Operation.OperationID, "import"),
			ExcludeResponseBody: !strings.Contains(header.Get("Content-Type"), "json"), // text is text
		},
	}
	if status < http.StatusBadRequest {
		if err := openapi3filter.ValidateRequest(context.Background(), input); err != nil {
			return route.Operation.OperationID, fmt.Errorf("the request: %w", err)
		}
	}
	if r := route.Operation.Responses.Status(status); r != nil && status != http.StatusNotModified && status != http.StatusNoContent {
		media, _, _ := strings.Cut(header.Get("Content-Type"), ";")
		if r.Value.Content[media] == nil {
			return route.Operation.OperationID, fmt.Errorf("the answer %d is %q, which the document does not name", status, media)
		}
	}
	output := &openapi3filter.ResponseValidationInput{RequestValidationInput: input, Status: status, Header: header, Options: input.Options}
	output.SetBodyBytes(answer)
	if err := openapi3filter.ValidateResponse(context.Background(), output); err != nil {
		return route.Operation.OperationID, fmt.Errorf("the answer %d %.1000s: %w", status, answer, err)
	}
	return route.Operation.OperationID, nil
}

// ask sends a request, and compares it and the answer with the document. Header are names and values.
func (c *contract) ask(t *testing.T, method, path, body string, header ...string) (int, http.Header, []byte) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var answer []byte
	if resp.Header.Get("Content-Type") == "text/event-stream" {
		answer = []byte("retry: 2000") // it does not end
	} else if answer, err = io.ReadAll(resp.Body); err != nil {
		t.Fatal(err)
	}
	if _, err := c.checkAnswer(req, []byte(body), resp.StatusCode, resp.Header, answer); err != nil {
		t.Errorf("%s %s: %v", method, path, err)
	}
	return resp.StatusCode, resp.Header, answer
}

// asked is a request of the test, by the status that it is to get.
type asked struct {
	route, query, body string
	status             int
	header             []string
	busy               bool // the source may be being polled, and then it is asked again
}

// furnish gives a daemon one of each thing, and tells how paths name them.
func furnish(t *testing.T) (d *daemon, src feed.Source, names *strings.Replacer) {
	t.Helper()
	redis := storetest.RedisAOF(t)
	d = start(t, redis, "people: {sign_up: invited}\ncommunity: {enabled: true}\nvotes: {anonymous: true}\nsearch: {enabled: true}\n")
	user(t, strings.TrimPrefix(d.Base, "http://"), d.app.cfg().DataDir)
	web := wiretest.NewOrigin(t)
	web.Set("/feed.xml", wiretest.Posts(2)...)
	src = d.add(web.URL+"/feed.xml", nil)
	wiretest.Eventually(t, "articles", func() bool { return len(d.articles("")) == 2 })
	if err := d.app.store.Ops.StartJob(t.Context(), feed.Job{ID: "import", State: feed.JobWaiting}, nil, 1); err != nil {
		t.Fatal(err)
	}
	reader, letter, hook := useWays(t, d, redis, src)
	d.do(http.MethodPost, "/api/v1/users", map[string]string{"name": "bob", "role": "viewer"}, nil)
	var made users.NewToken
	d.do(http.MethodPost, "/api/v1/tokens", map[string]any{"name": "t", "scopes": []string{"read"}}, &made)
	var invited feed.Invitation
	d.do(http.MethodPost, "/api/v1/invitations", nil, &invited)
	decision := d.decides(feed.ArticleUUID(src.URL, "p0"))
	d.untilIndexed()
	return d, src, strings.NewReplacer(
		"{subscription}", reader.ID, "{topic}", src.ID, "{name}", "bob", "{token}", made.ID, "{invitation}", invited.ID, "{letter}", letter, "{webhook}", hook.ID,
		"me/posts/{post}", "me/posts/"+d.post("bob"), "{post}", d.post("bob"),
		"jobs/{id}", "jobs/import", "undo/{id}", "undo/"+decision, "{decision}", decision, "{id}", src.ID, "submissions/{n}", "submissions/"+d.submission("bob"), "entries/{n}/comments", "entries/"+d.submission("bob")+"/comments", "{comment}", "1", "{report}", "1-1", "{member}", "dora", "{n}", "1", "{guid}", "p1", "{uuid}", feed.ArticleUUID(src.URL, "p1"),
		"{signal}", d.signals()[0].ID, "{type}", "production",
		"{list}", "front", "{group}", "sport",
	)
}

// decides publishes an article, and tells how that is undone.
func (d *daemon) decides(uuid string) (undo string) {
	d.t.Helper()
	var done feed.Transition
	d.do(http.MethodPost, "/api/v1/articles/"+uuid+"/publish", map[string]string{"feed": "development"}, &done)
	return done.Undo
}

// Each operation is carried out with each status that the document names, and refused in the ways in which each one is. What
// the daemon takes and answers is as the document has it, to the last field.
func TestDaemonKeepsItsContract(t *testing.T) {
	t.Parallel()
	d, src, names := furnish(t)
	c := contractOf(t, d.Base)
	auth := []string{"Authorization", "Bearer " + d.Token}
	bob := d.number("bob")
	one := `{"sources": ["` + src.ID + `", "` + src.URL + `", "nothing"]}`
	some := fmt.Sprintf(`{"articles": [%q, "nothing"]}`, feed.ArticleUUID(src.URL, "p1"))
	both := fmt.Sprintf(`{"feed": "production", "articles": [%q, "nothing", %q]}`, feed.ArticleUUID(src.URL, "p1"), feed.ArticleUUID("x", "y"))
	requests := []asked{
		{route: "POST /api/v1/sources", body: `{"url": "http://127.0.0.1:1/new"}`, status: 201},
		{route: "POST /api/v1/sources", body: `{"url": "http://127.0.0.1:1/new", "interval": "30m", "keep": {"for": "720h"}, "categories": ["News"],
			"filters": {"block": [{"field": "title", "match": "x"}]}, "request": {"timeout": "5s", "headers": {"A": "b"}}}`, status: 200},
		{route: "POST /api/v1/sources", body: `{"url": "http://127.0.0.1:1/new", "interval": "soon"}`, status: 400},
		{route: "POST /api/v1/sources", body: `{"url": "http://127.0.0.1:1/other"}`, status: 412, header: []string{"If-Match", `"x"`}},
		{route: "GET /api/v1/sources", query: "?limit=1", status: 200},
		{route: "GET /api/v1/sources", query: "?cursor=!", status: 400},
		{route: "POST /api/v1/sources/poll", status: 202},
		{route: "POST /api/v1/sources/poll", body: one, status: 207},
		{route: "POST /api/v1/sources/pause", body: one, status: 207},
		{route: "POST /api/v1/sources/{id}/poll", status: 409},
		{route: "POST /api/v1/sources/resume", body: one, status: 207},
		{route: "POST /api/v1/sources/remove", body: `{"sources": ["http://127.0.0.1:1/new"]}`, status: 207},
		{route: "POST /api/v1/sources/{id}/poll", status: 202},
		{route: "POST /api/v1/sources/{id}/poll", query: "?trace=1", status: 200, busy: true},
		{route: "PATCH /api/v1/sources/{id}", body: `{"name": "Quay"}`, status: 200},
		{route: "PATCH /api/v1/sources/{id}", body: `{"url": "http://x.example/"}`, status: 400},
		{route: "POST /api/v1/sources/adopt", body: `{"sources": ["nothing"]}`, status: 207},
		{route: "POST /api/v1/sources/{id}/pause", status: 200},
		{route: "POST /api/v1/sources/{id}/resume", status: 200},
		{route: "POST /api/v1/peek", body: `{"url": "` + src.URL + `"}`, status: 200},
		{route: "POST /api/v1/peek", body: `{"url": "http://127.0.0.1:1/"}`, status: 400},
		{route: "POST /api/v1/discover", body: `{"url": "` + src.URL + `"}`, status: 200},
		{route: "POST /api/v1/opml", body: `<opml version="2.0"><body/></opml>`, status: 202},
		{route: "GET /api/v1/sources/{id}/entries", query: "?limit=1&content=1", status: 200},
		{route: "POST /api/v1/sources", body: `{"url": "feedwire:local/notes", "about": {"image": "javascript:x"}}`, status: 400},
		{route: "POST /api/v1/sources", body: `{"url": "feedwire:local/notes", "about": {"title": "Notes"}}`, status: 201},
		{route: "POST /api/v1/sources/{local}/entries", body: `{"guid": "1", "title": "One", "categories": [{"term": "x"}]}`, status: 201},
		{route: "POST /api/v1/sources/{local}/entries", body: `{"guid": "1", "title": "Another"}`, status: 409},
		{route: "POST /api/v1/sources/{local}/entries", body: `{"link": "x"}`, status: 400},
		{route: "POST /api/v1/sources/{local}/entries/bulk", body: `{"entries": [{"guid": "2", "title": "Two"}, {}]}`, status: 207},
		{route: "PUT /api/v1/sources/{local}/entries/{guid}", body: `{"title": "Three"}`, status: 201},
		{route: "PUT /api/v1/sources/{local}/entries/{guid}", body: `{"title": "Four"}`, status: 200},
		{route: "PUT /api/v1/sources/{local}/entries/{guid}", body: `{"title": "Five"}`, status: 412, header: []string{"If-Match", `"x"`}},
		{route: "GET /api/v1/sources/{local}/entries/{guid}", status: 200},
		{route: "POST /api/v1/sources/{local}/entries/expire", body: `{"keep": 2}`, status: 200},
		{route: "GET /api/v1/articles", query: "?limit=1", status: 200},
		{route: "GET /api/v1/articles", query: "?feed=production&state=unpublished", status: 200},
		{route: "GET /api/v1/articles", query: "?state=lost", status: 400},
		{route: "POST /api/v1/articles/dismiss", body: some, status: 207},
		{route: "POST /api/v1/articles/restore", body: some, status: 207},
		{route: "POST /api/v1/articles/publish", body: both, status: 207},
		{route: "POST /api/v1/articles/withdraw", body: both, status: 207},
		{route: "POST /api/v1/articles/{uuid}/publish", body: `{"feed": "production"}`, status: 200, header: []string{"Idempotency-Key", "a"}},
		{route: "POST /api/v1/articles/{uuid}/publish", body: `{"feed": "development"}`, status: 422, header: []string{"Idempotency-Key", "a"}},
		{route: "POST /api/v1/articles/{uuid}/publish", body: `{"feed": "production"}`, status: 412, header: []string{"If-Match", `"x"`}},
		{route: "POST /api/v1/articles/{uuid}/withdraw", body: `{"feed": "development"}`, status: 409},
		{route: "POST /api/v1/articles/{uuid}/withdraw", body: `{"feed": "production"}`, status: 200},
		{route: "POST /api/v1/undo/{id}", status: 207},
		{route: "GET /api/v1/signals/search", query: "?q=FEED&kind=post_created&since=2026-01-01T00:00:00Z&limit=1&feed_url=" + url.QueryEscape(src.URL), status: 200},
		{route: "GET /api/v1/signals/search", query: "?since=yesterday", status: 400},
		{route: "GET /api/v1/signals", query: "?content=1", status: 200},
		{route: "GET /api/v1/signals", query: "?after=x", status: 400},
		{route: "GET /api/v1/events", query: "?after=0&kind=post_created&kind=feed_created", status: 200},
		{route: "GET /api/v1/events", query: "?kind=x", status: 400},
		{route: "POST /api/v1/hub/subscriptions/{subscription}/resend", status: 200},
		{route: "POST /api/v1/hub/subscriptions/{subscription}/pause", status: 200},
		{route: "POST /api/v1/hub/subscriptions/{subscription}/resume", status: 200},
		{route: "POST /api/v1/hub/dead/{letter}/replay", status: 204},
		{route: "POST /api/v1/hub/dead/{letter}/replay", status: 404},
		{route: "POST /api/v1/hub/dead/replay", status: 200},
		{route: "POST /api/v1/hub/subscriptions/{subscription}/deny", body: `{"reason": "moved"}`, status: 202},
		{route: "POST /api/v1/webhooks", body: `{"url": "http://127.0.0.1:1/", "kinds": ["post_created"]}`, status: 201},
		{route: "POST /api/v1/webhooks", body: `{"url": "http://127.0.0.1:1/", "kinds": ["post_created"]}`, status: 200},
		{route: "GET /api/v1/webhooks", query: "?limit=1", status: 200},
		{route: "POST /api/v1/webhooks/{webhook}/test", status: 200},
		{route: "DELETE /api/v1/webhooks/{webhook}", status: 204},
		{route: "POST /api/v1/users", body: `{"name": "carla", "role": "admin"}`, status: 201},
		{route: "POST /api/v1/users", body: `{"name": "carla", "role": "admin"}`, status: 409},
		{route: "POST /api/v1/users/{name}/role", body: `{"role": "editor"}`, status: 200},
		{route: "POST /api/v1/users/{name}/disable", status: 200},
		{route: "POST /api/v1/users/{name}/enable", status: 200},
		{route: "POST /api/v1/users/{name}/reset", status: 200, header: []string{"Idempotency-Key", "r"}},
		{route: "POST /api/v1/users/{name}/reset", status: 409, header: []string{"Idempotency-Key", "r"}},
		{route: "POST /api/v1/me/follows", query: "?user=bob", body: `{"url": "` + src.URL + `", "folder": "News"}`, status: 201},
		{route: "POST /api/v1/me/follows", query: "?user=bob", body: `{"url": "` + src.URL + `", "title": "Mine"}`, status: 200},
		{route: "POST /api/v1/me/follows", query: "?user=bob", body: `{"url": "http://127.0.0.1:1/"}`, status: 400},
		{route: "POST /api/v1/me/follows", body: `{"url": "` + src.URL + `"}`, status: 400},
		{route: "GET /api/v1/me/follows", query: "?user=bob&limit=1", status: 200},
		{route: "GET /api/v1/me/follows/{id}", query: "?user=bob", status: 200},
		{route: "GET /api/v1/me/feed", query: "?user=bob&limit=1", status: 200},
		{route: "GET /api/v1/me/feed", query: "?user=bob&unread=1&folder=News", status: 200},
		{route: "GET /api/v1/me/feed", query: "?user=bob&source=ffffffffffff", status: 400},
		{route: "GET /api/v1/me/read", query: "?user=bob", status: 200},
		{route: "POST /api/v1/me/read", query: "?user=bob", body: `{"entries": ["1", "Entry:2"], "state": "unread"}`, status: 204},
		{route: "POST /api/v1/me/read", query: "?user=bob", body: `{"source": "` + src.ID + `"}`, status: 204},
		{route: "POST /api/v1/me/read", query: "?user=bob", body: `{"folder": "News", "before": "2026-01-01T00:00:00Z"}`, status: 204},
		{route: "POST /api/v1/me/read", query: "?user=bob", body: `{"all": true, "folder": ""}`, status: 400},
		{route: "POST /api/v1/me/apps", body: `{"name": "NetNewsWire"}`, status: 400},
		{route: "POST /api/v1/me/apps", query: "?user=bob", body: `{"name": "NetNewsWire"}`, status: 201},
		{route: "GET /api/v1/me/apps", query: "?user=bob", status: 200},
		{route: "DELETE /api/v1/me/apps/{token}", query: "?user=bob", status: 204},
		{route: "PUT /api/v1/me/saved/{n}", query: "?user=bob", status: 204},
		{route: "GET /api/v1/me/saved", query: "?user=bob&limit=1", status: 200},
		{route: "GET /api/v1/me/saved", query: "?user=bob&cursor=1", status: 400},
		{route: "DELETE /api/v1/me/saved/{n}", query: "?user=bob", status: 204},
		{route: "PUT /api/v1/entries/{n}/vote", query: "?user=bob", body: `{"vote": "up"}`, status: 200},
		{route: "PUT /api/v1/entries/{n}/vote", query: "?user=bob", body: `{"vote": "sideways"}`, status: 400},
		{route: "PUT /api/v1/entries/{n}/anonymous-vote", body: `{"vote": "up"}`, status: 200},
		{route: "GET /api/v1/votes/events", query: "?entry=1&entry=2", status: 200},
		{route: "GET /api/v1/votes/events", query: "?entry=x", status: 400},
		{route: "GET /api/v1/search", query: "?q=post&limit=1&order=relevance&since=2020-01-01T00:00:00Z&source=" + src.ID, status: 200},
		{route: "GET /api/v1/search", query: "?q=after:today", status: 400},
		{route: "GET /api/v1/lists", status: 200},
		{route: "GET /api/v1/submissions", query: "?limit=1&order=top", status: 200},
		{route: "GET /api/v1/submissions", query: "?order=best", status: 400},
		{route: "POST /api/v1/submissions", query: "?user=carla", body: submission, status: 200},
		{route: "POST /api/v1/submissions", query: "?user=carla", body: `{"title": "Ask", "text": "Why?"}`, status: 201},
		{route: "POST /api/v1/submissions", query: "?user=bob", body: `{"title": "Ask", "text": "Why?"}`, status: 429},
		{route: "GET /api/v1/submissions/{n}", query: "?user=bob", status: 200},
		{route: "PUT /api/v1/submissions/{n}", query: "?user=bob", body: submission, status: 200},
		{route: "PUT /api/v1/submissions/{n}", query: "?user=carla", body: submission, status: 403},
		{route: "PUT /api/v1/submissions/{n}/vote", query: "?user=carla", body: `{"vote": "up"}`, status: 200},
		{route: "PUT /api/v1/submissions/{n}/vote", query: "?user=carla", body: `{"vote": "down"}`, status: 409},
		{route: "POST /api/v1/entries/{n}/comments", query: "?user=bob", body: `{"body": "Why?"}`, status: 201},
		{route: "POST /api/v1/entries/{n}/comments", query: "?user=carla", body: `{"body": "Why not?", "parent_id": 1}`, status: 201},
		{route: "POST /api/v1/entries/{n}/comments", query: "?user=carla", body: `{"body": ""}`, status: 400},
		{route: "GET /api/v1/entries/{n}/comments/{comment}", query: "?user=bob", status: 200},
		{route: "GET /api/v1/entries/{n}/comments", query: "?user=bob", status: 200},
		{route: "PUT /api/v1/entries/{n}/comments/{comment}", query: "?user=bob", body: `{"body": "How?"}`, status: 204},
		{route: "PUT /api/v1/entries/{n}/comments/{comment}/vote", query: "?user=carla", body: `{"vote": "up"}`, status: 204},
		{route: "POST /api/v1/submissions/{n}/reports", query: "?user=carla", body: `{"reason": "An insult", "comment": 1}`, status: 204},
		{route: "POST /api/v1/submissions/{n}/reports", query: "?user=bob", body: `{"reason": "Mine"}`, status: 403},
		{route: "GET /api/v1/moderation/reports", query: "?limit=1", status: 200},
		{route: "PUT /api/v1/entries/{n}/comments/{comment}/state", body: `{"state": "removed"}`, status: 204},
		{route: "PUT /api/v1/entries/{n}/comments/{comment}/state", body: `{"state": "lost"}`, status: 400},
		{route: "DELETE /api/v1/moderation/reports/{report}", query: "?reason=No+insult", status: 204},
		{route: "PUT /api/v1/moderation/reports/{report}", status: 204},
		{route: "GET /api/v1/moderation/decisions", query: "?limit=1", status: 200},
		{route: "PUT /api/v1/submissions/{n}/state", body: `{"state": "hidden", "reason": "Spam"}`, status: 204},
		{route: "GET /api/v1/submissions/{n}", status: 200},
		{route: "PUT /api/v1/submissions/{n}/state", body: `{"state": "held"}`, status: 204},
		{route: "GET /api/v1/moderation/held", query: "?limit=1", status: 200},
		{route: "PUT /api/v1/submissions/{n}/state", body: `{"state": "rejected"}`, status: 400},
		{route: "PUT /api/v1/submissions/{n}/state", body: `{"state": "visible"}`, status: 204},
		{route: "PUT /api/v1/submissions/{n}/lock", status: 204},
		{route: "POST /api/v1/entries/{n}/comments", query: "?user=bob", body: `{"body": "Why now?"}`, status: 409},
		{route: "GET /api/v1/submissions/{n}", status: 200},
		{route: "DELETE /api/v1/submissions/{n}/lock", status: 204},
		{route: "POST /api/v1/users", body: `{"name": "dora", "role": "member"}`, status: 201},
		{route: "PUT /api/v1/moderation/bans/{member}", status: 204},
		{route: "GET /api/v1/moderation/bans", query: "?limit=1", status: 200},
		{route: "GET /api/v1/moderation/members/{member}/invitations", query: "?limit=1", status: 200},
		{route: "POST /api/v1/entries/{n}/comments", query: "?user=dora", body: `{"body": "Why me?"}`, status: 403},
		{route: "DELETE /api/v1/moderation/bans/{member}", status: 204},
		{route: "DELETE /api/v1/entries/{n}/comments/{comment}", query: "?user=carla", status: 403},
		{route: "DELETE /api/v1/entries/{n}/comments/{comment}", query: "?user=bob", status: 204},
		{route: "PUT /api/v1/me/community/seen", query: "?user=carla", status: 204},
		{route: "GET /api/v1/me/community", query: "?user=carla", status: 200},
		{route: "PATCH /api/v1/me/profile", query: "?user=carla", body: `{"about": "I like cranes.", "email": "carla@example.org"}`, status: 200},
		{route: "GET /api/v1/me/profile", query: "?user=carla", status: 200},
		{route: "DELETE /api/v1/submissions/{n}", query: "?user=carla", status: 403},
		{route: "DELETE /api/v1/submissions/{n}", query: "?user=bob", status: 204},
		{route: "PUT /api/v1/submissions/{n}/vote", query: "?user=carla", body: `{"vote": "up"}`, status: 410},
		{route: "PUT /api/v1/lists/{list}", body: `{"title": "Front page"}`, status: 200},
		{route: "PUT /api/v1/lists/{list}/entries/{n}", body: `{}`, status: 204},
		{route: "PUT /api/v1/lists/{list}/entries/{n}", body: `{"before": "999"}`, status: 409},
		{route: "GET /api/v1/lists/{list}", query: "?limit=1", status: 200},
		{route: "GET /api/v1/lists/{list}", query: "?cursor=!", status: 400},
		{route: "PUT /api/v1/lists/{list}", body: `{"title": "two\nlines"}`, status: 400},
		{route: "DELETE /api/v1/lists/{list}/entries/{n}", status: 204},
		{route: "DELETE /api/v1/lists/{list}", status: 204},
		{route: "DELETE /api/v1/lists/{list}", status: 404},
		{route: "PUT /api/v1/groups/{group}/entries/{n}", status: 204},
		{route: "GET /api/v1/groups", status: 200},
		{route: "GET /api/v1/groups/{group}", status: 200},
		{route: "DELETE /api/v1/groups/{group}/entries/{n}", status: 204},
		{route: "DELETE /api/v1/groups/{group}", status: 204},
		{route: "DELETE /api/v1/groups/{group}", status: 404},
		{route: "GET /api/v1/me/opml", query: "?user=bob", status: 200},
		{route: "POST /api/v1/me/opml", query: "?user=bob", body: `<opml><body><outline xmlUrl="` + src.URL + `"/></body></opml>`, status: 207},
		{route: "GET /api/v1/me/feed", query: "?user=bob&cursor=1", status: 400},
		{route: "GET /api/v1/me/feed", query: "?user=nobody", status: 400},
		{route: "PUT /api/v1/me/follows/{id}", query: "?user=bob", body: `{"muted": true}`, status: 200},
		{route: "DELETE /api/v1/me/follows/{id}", query: "?user=bob", status: 204},
		{route: "PUT /api/v1/me/follows/{id}", query: "?user=bob", body: `{}`, status: 201},
		{route: "POST /api/v1/invitations", status: 201},
		{route: "PUT /api/v1/default-follows/{id}", status: 204},
		{route: "GET /api/v1/default-follows", query: "?limit=1", status: 200},
		{route: "DELETE /api/v1/default-follows/{id}", status: 204},
		{route: "DELETE /api/v1/default-follows/{id}", status: 404},
		{route: "DELETE /api/v1/invitations/{invitation}", status: 204},
		{route: "DELETE /api/v1/invitations/{invitation}", status: 404},
		{route: "GET /api/v1/me/posts", query: "?user=bob&limit=1", status: 200},
		{route: "POST /api/v1/me/posts", query: "?user=bob", body: picture, status: 201},
		{route: "POST /api/v1/me/posts", query: "?user=bob", body: `{"media": []}`, status: 422},
		{route: "GET /api/v1/me/posts/{post}", query: "?user=bob", status: 200},
		{route: "DELETE /api/v1/me/posts/{post}", query: "?user=carla", status: 403},
		{route: "DELETE /api/v1/me/posts/{post}", query: "?user=bob", status: 204},
		{route: "DELETE /api/v1/me/posts/{post}", query: "?user=bob", status: 404},
		{route: "GET /feed", query: "?user=bob", status: 200},
		{route: "GET /feed", query: "?user=bob&cursor=1", status: 400},
		{route: "GET /users/feed", query: "?userid=" + bob, status: 200},
		{route: "GET /users/feed", query: "?userid=999", status: 404},
		{route: "GET /posts", query: "?user=bob", status: 200},
		{route: "POST /posts", query: "?user=bob", body: picture, status: 201},
		{route: "POST /posts", query: "?user=bob", body: `{"media": []}`, status: 422},
		{route: "GET /posts/{post}", status: 200},
		{route: "DELETE /posts/{post}", query: "?user=carla", status: 403},
		{route: "DELETE /posts/{post}", query: "?user=bob", status: 204},
		{route: "DELETE /posts/{post}", query: "?user=bob", status: 404},
		{route: "GET /posts/{post}", status: 410},
		{route: "POST /api/v1/tokens", body: `{"name": "nightly", "scopes": ["read"]}`, status: 201},
		{route: "DELETE /api/v1/tokens/{token}", status: 204},
		{route: "DELETE /api/v1/users/{name}", status: 200},
		{route: "DELETE /api/v1/users/{name}", status: 404},
	}
	end := []asked{ // without the source
		{route: "DELETE /api/v1/entries/{n}", status: 412, header: []string{"If-Match", `"x"`}},
		{route: "DELETE /api/v1/entries/{n}", status: 204},
		{route: "DELETE /api/v1/entries/{n}", status: 404},
		{route: "POST /api/v1/entries/remove", body: `{"entries": ["2", "x"]}`, status: 207},
		{route: "DELETE /api/v1/sources/{id}", status: 412, header: []string{"If-Match", `"x"`}},
		{route: "DELETE /api/v1/sources/{id}", status: 204},
		{route: "DELETE /api/v1/sources/{id}", status: 404},
		{route: "POST /api/v1/sources/{id}/restore", status: 201},
		{route: "POST /api/v1/sources/{id}/restore", status: 404},
	}
	operations, seen := c.operations(), make(map[string][]int)
	for route := range operations { // what needs no particular request
		asks := func(a asked) bool { return strings.ReplaceAll(a.route, "{local}", "{id}") == route }
		if !slices.ContainsFunc(slices.Concat(requests, end), asks) {
			requests = slices.Insert(requests, 0, asked{route: route, status: 200})
		}
	}
	requests = append(requests, end...)
	for _, a := range requests {
		method, path, _ := strings.Cut(a.route, " ")
		path = strings.ReplaceAll(names.Replace(path), "{local}", feed.SourceID(feed.LocalURL("notes"))) + a.query
		var status int
		var header http.Header
		var answer []byte
		wiretest.Eventually(t, a.route+" is not busy", func() bool {
			status, header, answer = c.ask(t, method, path, a.body, append(a.header, auth...)...)
			return !a.busy || status != http.StatusConflict
		})
		if status != a.status {
			t.Errorf("%s%s answers %d, want %d: %s", a.route, a.query, status, a.status, answer)
		}
		a.route = strings.ReplaceAll(a.route, "{local}", "{id}")
		seen[a.route] = append(seen[a.route], status)
		if tag := header.Get("ETag"); tag != "" {
			wiretest.Eventually(t, "the same twice: "+a.route, func() bool { // the daemon works meanwhile
				status, header, _ = c.ask(t, method, path, "", append([]string{"If-None-Match", `"x", ` + tag}, auth...)...)
				tag = header.Get("ETag")
				return status == http.StatusNotModified
			})
			seen[a.route] = append(seen[a.route], status)
		}
	}
	for route, op := range operations {
		for status := range op.Responses.Map() {
			if status != "default" && !slices.ContainsFunc(seen[route], func(s int) bool { return fmt.Sprint(s) == status }) {
				t.Errorf("%s never answered %s; it answered %v", route, status, seen[route])
			}
		}
	}
}

// Every operation refuses a request without a token or with a token of all other scopes, and methods that the document does not have.
func TestDaemonRefusesByItsContract(t *testing.T) {
	t.Parallel()
	d, _, names := furnish(t)
	c := contractOf(t, d.Base)
	tokens := make(map[feed.Scope]string) // with all scopes that do not include this one
	for _, scope := range feed.Scopes() {
		var others []feed.Scope
		for _, s := range feed.Scopes() {
			if !feed.Allow([]feed.Scope{s}, scope) {
				others = append(others, s)
			}
		}
		var made users.NewToken
		d.do(http.MethodPost, "/api/v1/tokens", map[string]any{"name": "all but " + scope, "scopes": others}, &made)
		tokens[scope] = made.Text
	}
	for route, op := range c.operations() {
		method, path, _ := strings.Cut(route, " ")
		path = names.Replace(path)
		if s := op.Security; s != nil && (len(*s) == 0 || len((*s)[0]) == 0) { // a token is not needed
			continue
		}
		if status, _, _ := c.ask(t, method, path, ""); status != http.StatusUnauthorized {
			t.Errorf("%s: got status %d without a token", route, status)
		}
		scope, _ := op.Extensions["x-scope"].(string)
		if status, _, _ := c.ask(t, method, path, "", "Authorization", "Bearer "+tokens[feed.Scope(scope)]); status != http.StatusForbidden {
			t.Errorf("%s answers %d to a token without the scope %q", route, status, scope)
		}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodTrace, d.Base+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+d.Token)
		resp, err := d.Http.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		allow := strings.Split(resp.Header.Get("Allow"), ", ")
		if resp.StatusCode != http.StatusMethodNotAllowed || !slices.Contains(allow, method) ||
			resp.Header.Get("Content-Type") != feed.ProblemType {
			t.Errorf("TRACE %s answers %d %s and allows %v", path, resp.StatusCode, resp.Header.Get("Content-Type"), allow)
		}
	}
}

// A route of the API has the parameters of the document, and refuses others.
func TestParametersAreThoseOfTheContract(t *testing.T) {
	t.Parallel()
	c, err := loadContract()
	if err != nil {
		t.Fatal(err)
	}
	described := make(map[string][]string)
	for path, item := range c.doc.Paths.Map() {
		for method, op := range item.Operations() {
			for _, p := range slices.Concat(item.Parameters, op.Parameters) {
				if p.Value.In == "query" {
					described[method+" "+path] = append(described[method+" "+path], p.Value.Name)
				}
			}
		}
	}
	checked := 0
	for _, route := range deskOver(new(store.Store)).kit.Routes() {
		if _, path, _ := strings.Cut(route.Pattern, " "); !web.IsAPI(path) || slices.Equal(route.Query, web.AnyQuery) {
			continue
		}
		checked++
		got, want := slices.Sorted(slices.Values(route.Query)), slices.Sorted(slices.Values(described[route.Pattern]))
		if !slices.Equal(got, want) {
			t.Errorf("%s has the parameters %v, and %v in the document", route.Pattern, got, want)
		}
	}
	if checked < 100 {
		t.Errorf("%d routes of the API", checked)
	}
}

// The program, the document and docs/reference/api.md have the same routes, and docs/reference/api.md names each parameter.
func TestRoutesAreThoseOfTheContract(t *testing.T) {
	t.Parallel()
	d := start(t, storetest.RedisAOF(t), "")
	c := contractOf(t, d.Base)
	operations := c.operations()
	served := append(apiRoutes(), "GET /api/v1/events") // mounted apart, for all methods
	for _, route := range served {
		if operations[route] == nil {
			t.Errorf("%s is served, and not in the document", route)
		}
	}
	sections := apiSections(t)
	for route, op := range operations {
		if !slices.Contains(served, route) {
			t.Errorf("%s is in the document, and not served", route)
		}
		text, ok := sections[route]
		if !ok {
			t.Errorf("%s has no heading in docs/reference/api.md", route)
		}
		for _, p := range op.Parameters {
			if p.Value.In == "query" && !strings.Contains(text, "`"+p.Value.Name+"`") {
				t.Errorf("docs/reference/api.md does not tell of %s of %s", p.Value.Name, route)
			}
		}
	}
	for route := range sections {
		if isAPI(route) && operations[route] == nil {
			t.Errorf("%s is in docs/reference/api.md, and not in the document", route)
		}
	}
}

// apiSections are the sections of docs/reference/api.md by their routes.
func apiSections(t *testing.T) map[string]string {
	t.Helper()
	all := make(map[string]string)
	for section := range strings.SplitSeq(wiretest.ReadFile(t, "docs/reference/api.md"), "\n### ") {
		route, text, _ := strings.Cut(section, "\n")
		if strings.Contains(route, " /") {
			all[route] = text
		}
	}
	return all
}
