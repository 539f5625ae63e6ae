package desk_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

func TestFirstLinkMakesTheFirstAdmin(t *testing.T) {
	o := newOffice(t)
	link, err := o.desk.FirstLink(t.Context())
	once, ok := strings.CutPrefix(link, "http://wire.example/welcome?once=")
	if err != nil || !ok || len(once) < 43 {
		t.Fatalf("the link is %q, %v", link, err)
	}
	b := o.browser()
	if page := b.gets("/welcome?once="+once, 200); !strings.Contains(page, once) || !strings.Contains(page, `name="name"`) {
		t.Errorf("the page asks for no name:\n%s", page)
	}
	try := func(b *browser, name, password, again string) (int, string) {
		rec := b.send(http.MethodPost, "/welcome", url.Values{"once": {once}, "name": {name}, "password": {password}, "again": {again}})
		return rec.Code, rec.Body.String()
	}
	for _, tt := range []struct{ name, password, again string }{
		{"ann", "short", "short"}, {"ann", password, password + "!"}, {"not a name", password, password},
	} {
		if code, page := try(b, tt.name, tt.password, tt.again); code != 422 || !strings.Contains(page, once) || !strings.Contains(page, tt.name) {
			t.Errorf("%v: got %d:\n%s", tt, code, page)
		}
	}
	if code, page := try(b, "Ann", password, password); code != 303 {
		t.Fatalf("got %d:\n%s", code, page)
	}
	b.gets("/users", 200)
	if code, page := try(o.browser(), "eve", password, password); code != 404 || !strings.Contains(page, "used already") {
		t.Errorf("the second time got %d:\n%s", code, page)
	}
	o.browser().gets("/welcome?once="+once, 404)
	o.browser().gets("/welcome", 404)
	if link, err := o.desk.FirstLink(t.Context()); link != "" || err != nil {
		t.Errorf("there is another one: %q, %v", link, err)
	}
}

func TestNewUserChoosesThePassword(t *testing.T) {
	o := newOffice(t)
	admin := o.in("ann", feed.RoleAdmin)
	page := admin.send(http.MethodPost, "/users", url.Values{"name": {"Bob"}, "role": {"editor"}}).Body.String()
	link := regexp.MustCompile(`http://wire.example(/welcome\?once=[\w-]+)`).FindStringSubmatch(page)
	if link == nil {
		t.Fatalf("the page shows no link:\n%s", page)
	}
	if again := admin.send(http.MethodPost, "/users", url.Values{"name": {"bob"}, "role": {"admin"}}); again.Code != 409 ||
		!strings.Contains(again.Body.String(), "already exists") {
		t.Errorf("a second bob got %d", again.Code)
	}
	if strings.Contains(admin.gets("/users", 200), "once=") {
		t.Error("the link is shown again")
	}
	bob := o.browser()
	if page := bob.gets(link[1], 200); !strings.Contains(page, "Welcome, bob") || strings.Contains(page, `name="name"`) {
		t.Errorf("the page is not bob's:\n%s", page)
	}
	_, once, _ := strings.Cut(link[1], "=")
	bob.send(http.MethodPost, "/welcome", url.Values{"once": {once}, "name": {"ann"}, "password": {password}, "again": {password}})
	bob.gets("/", 200)
	bob.gets("/users", 403)
	if a := o.signs.accounts["bob"]; a.Role != feed.RoleEditor || a.Password == "" {
		t.Errorf("bob is %+v", a)
	}

	admin.send(http.MethodPost, "/users/bob/role", url.Values{"role": {"viewer"}})
	if rec := bob.send(http.MethodPost, "/api/v1/sources/poll", nil); rec.Code != 403 {
		t.Errorf("a reader polls: %d", rec.Code)
	}
	admin.send(http.MethodPost, "/users/bob/disable", nil)
	bob.gets("/", 303)
	admin.send(http.MethodPost, "/users/bob/enable", nil)
	bob.gets("/", 303)
	if rec := bob.signIn("bob", password); rec.Code != 303 {
		t.Errorf("bob does not get in again: %d", rec.Code)
	}
	if page := admin.send(http.MethodPost, "/users/bob/reset", nil).Body.String(); !strings.Contains(page, "One-time link for bob") {
		t.Errorf("no link to reset:\n%s", page)
	}
}

func TestLastAdminStays(t *testing.T) {
	o := newOffice(t)
	admin := o.in("ann", feed.RoleAdmin)
	for path, form := range map[string]url.Values{"/users/ann/disable": nil, "/users/ann/role": {"role": {"viewer"}}} {
		if rec := admin.send(http.MethodPost, path, form); rec.Code != 409 || !strings.Contains(rec.Body.String(), "last admin") {
			t.Errorf("%s: got %d", path, rec.Code)
		}
	}
	o.add("bob", feed.RoleAdmin)
	if rec := admin.send(http.MethodPost, "/users/ann/role", url.Values{"role": {"viewer"}}); rec.Code != 303 {
		t.Errorf("with another one got %d", rec.Code)
	}
}

func TestTokenIsShownOnceAndOpensItsScopes(t *testing.T) {
	o := newOffice(t)
	admin := o.in("ann", feed.RoleAdmin)
	page := admin.send(http.MethodPost, "/tokens", url.Values{"name": {"nightly"}, "scopes": {"read", "publish"}, "lasts": {"720h"}}).Body.String()
	token := regexp.MustCompile(`fw_[a-z0-9]{12}_[\w-]{43}`).FindString(page)
	if token == "" {
		t.Fatalf("the page shows no token:\n%s", page)
	}
	if page := admin.gets("/tokens", 200); strings.Contains(page, token) || !strings.Contains(page, "nightly") {
		t.Error("the token is shown again, or not listed")
	}
	calls := func(token, method, path, body string) int {
		req := httptest.NewRequest(method, path, strings.NewReader(body))
		req.Header.Set("Authorization", "Bearer "+token)
		rec := httptest.NewRecorder()
		o.desk.Handler().ServeHTTP(rec, req)
		return rec.Code
	}
	publish := "/api/v1/articles/" + feed.ArticleUUID(siteURL, "post-4") + "/publish"
	for _, tt := range []struct {
		token, method, path, body string
		want                      int
	}{
		{token, "GET", "/api/v1/status", "", 200},
		{token, "POST", publish, `{"feed":"production"}`, 200},
		{token, "POST", "/api/v1/sources/poll", "", 403},
		{token, "GET", "/api/v1/users", "", 403},
		{token, "GET", "/api/v1/nothing", "", 404},
		{token + "x", "GET", "/api/v1/status", "", 401},
		{token[:len(token)-1], "GET", "/api/v1/status", "", 401},
		{"fw_none_secret", "GET", "/api/v1/status", "", 401},
	} {
		if got := calls(tt.token, tt.method, tt.path, tt.body); got != tt.want {
			t.Errorf("%s %s: got %d, want %d", tt.method, tt.path, got, tt.want)
		}
	}
	if last := o.signs.log[len(o.signs.log)-1]; last.Who != "token nightly" || last.Action != "article_publish" || last.Before != "unpublished" || last.After != "published" {
		t.Errorf("the audit log has %+v", last)
	}
	id := strings.Split(token, "_")[1]
	if o.signs.kept[id].LastUsed != noon || strings.Contains(fmt.Sprintf("%+v", o.signs.kept[id]), strings.Split(token, "_")[2]) {
		t.Errorf("the store has %+v", o.signs.kept[id])
	}
	o.now = o.now.Add(720 * time.Hour)
	if got := calls(token, "GET", "/api/v1/status", ""); got != 401 {
		t.Errorf("after its end it got %d", got)
	}
	o.now = noon
	admin.send(http.MethodPost, "/tokens/"+id+"/revoke", nil)
	if got := calls(token, "GET", "/api/v1/status", ""); got != 401 {
		t.Errorf("revoked it got %d", got)
	}
}

func TestEveryChangeIsInTheAuditLog(t *testing.T) {
	o := newOffice(t)
	b := o.in("ann", feed.RoleAdmin)
	source := "/api/v1/sources/" + feed.SourceID(siteURL)
	article := "/api/v1/articles/" + feed.ArticleUUID(siteURL, "post-4")
	body := func(method, path, body string) {
		t.Helper()
		req := httptest.NewRequest(method, path, strings.NewReader(body))
		req.AddCookie(b.cookie)
		req.RemoteAddr = b.from
		rec := httptest.NewRecorder()
		o.desk.Handler().ServeHTTP(rec, req)
		if rec.Code >= 400 {
			t.Errorf("%s %s: %d %s", method, path, rec.Code, rec.Body)
		}
	}
	body("POST", article+"/publish", `{"feed":"production"}`)
	body("POST", article+"/withdraw", `{"feed":"production"}`)
	body("POST", "/api/v1/sources", `{"url":"https://new.example/feed"}`)
	body("POST", "/api/v1/sources", `{"url":"https://new.example/feed","publish":"auto","interval":"2h"}`)
	body("POST", source+"/pause", "")
	body("POST", source+"/resume", "")
	body("POST", source+"/poll", "")
	body("DELETE", source, "")
	body("POST", "/api/v1/users", `{"name":"bob","role":"viewer"}`)
	body("POST", "/api/v1/users/bob/role", `{"role":"editor"}`)
	body("POST", "/api/v1/users/bob/disable", "")
	body("POST", "/api/v1/users/bob/reset", "")
	body("POST", "/api/v1/tokens", `{"name":"n","scopes":["read"]}`)

	var got []string
	for _, e := range o.signs.log {
		if e.Who != "ann" || e.From != "192.0.2.9" || !e.Time.Equal(noon) {
			t.Errorf("%+v", e)
		}
		got = append(got, strings.Join([]string{e.Action, e.Object.String(), e.Before, e.After}, "|"))
	}
	uuid := feed.ArticleUUID(siteURL, "post-4")
	want := []string{
		"sign_in|ann||",
		"article_publish|" + uuid + " in production|unpublished|published",
		"article_withdraw|" + uuid + " in production|published|withdrawn",
		"source_add|https://new.example/feed||feeds production, publish manual",
		"source_add|https://new.example/feed|feeds production, publish manual|feeds production, publish auto, every 2h",
		"source_pause|" + siteURL + "||",
		"source_resume|" + siteURL + "||",
		"source_remove|" + siteURL + "|feeds production development, publish auto|",
		"user_add|bob||viewer",
		"user_role|bob|viewer|editor",
		"user_disable|bob|editor|editor, disabled",
		"user_reset|bob||",
		"token_create|n||read",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	page := read[feed.Page[feed.AuditEntry]](t, b.send(http.MethodGet, "/api/v1/audit?limit=2", nil))
	if len(page.Items) != 2 || page.Items[0].Action != "token_create" || page.Next == "" {
		t.Errorf("got %+v", page)
	}
	rest := read[feed.Page[feed.AuditEntry]](t, b.send(http.MethodGet, "/api/v1/audit?cursor="+page.Next, nil))
	if len(rest.Items) != len(want)-2 || rest.Next != "" {
		t.Errorf("got %+v", rest)
	}
	if html := b.gets("/audit?limit=5", 200); !strings.Contains(html, "created a token") || !strings.Contains(html, "Next page") {
		t.Errorf("the page shows:\n%s", html)
	}
}

func TestRepeatedPublishIsInTheAuditLogOnce(t *testing.T) {
	o := newOffice(t)
	for range 2 {
		req := httptest.NewRequest("POST", "/api/v1/articles/"+feed.ArticleUUID(siteURL, "post-4")+"/publish", strings.NewReader(`{"feed":"production"}`))
		req.Header.Set("Authorization", "Bearer "+token)
		req.Header.Set("Idempotency-Key", "same")
		o.desk.Handler().ServeHTTP(httptest.NewRecorder(), req)
	}
	if len(o.signs.log) != 1 || o.signs.log[0].Who != "the daemon's token" {
		t.Errorf("the audit log has %+v", o.signs.log)
	}
}

func TestPagesOfPeopleEscapeWhatOthersWrite(t *testing.T) {
	const attack = `"><script>alert(1)</script>`
	o := newOffice(t)
	b := o.in("ann", feed.RoleAdmin)
	b.send(http.MethodPost, "/login", url.Values{"name": {"ann"}, "password": {password}}, "User-Agent", attack)
	o.signs.kept["x"] = feed.Token{ID: "x", Name: attack, Creator: attack, Scopes: []feed.Scope{attack}}
	o.signs.log = append(o.signs.log, feed.AuditEntry{Who: attack, Action: attack, Object: feed.Object{Kind: attack, ID: attack, Name: attack, Feed: attack}, Before: attack, After: attack, From: attack, Time: noon})
	for _, path := range []string{"/account", "/users", "/tokens", "/audit"} {
		if page := b.gets(path, 200); holdsScript(page) || strings.Contains(page, " style=") {
			t.Errorf("%s holds markup that somebody else wrote, or inline style", path)
		}
	}
	anonymous := o.browser()
	for _, rec := range []*httptest.ResponseRecorder{
		anonymous.send(http.MethodGet, "/login?"+url.Values{"next": {"/" + attack}, "done": {attack}}.Encode(), nil),
		anonymous.signIn(attack, attack),
		anonymous.send(http.MethodGet, "/welcome?"+url.Values{"once": {attack}}.Encode(), nil),
		b.send(http.MethodPost, "/users", url.Values{"name": {attack}, "role": {"viewer"}}),
		b.send(http.MethodPost, "/tokens", url.Values{"name": {attack + "\x00"}, "scopes": {attack}}),
	} {
		if holdsScript(rec.Body.String()) {
			t.Errorf("a page holds what was sent to it:\n%s", rec.Body)
		}
	}
}
