package users_test

import (
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/publish/web/webtest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestFirstLinkMakesTheFirstAdmin(t *testing.T) {
	o := newOffice(t)
	link, err := o.people.FirstLink(t.Context())
	once, ok := strings.CutPrefix(link, "http://wire.example/welcome?once=")
	if err != nil || !ok || len(once) < 43 {
		t.Fatalf("the link is %q, %v", link, err)
	}
	b := o.browser()
	if page := b.Get("/welcome?once="+once, 200); !strings.Contains(page, once) || !strings.Contains(page, `name="name"`) {
		t.Errorf("the page asks for no name:\n%s", page)
	}
	try := func(b *browser, name, password, again string) (int, string) {
		rec := b.Send(http.MethodPost, "/welcome", url.Values{"once": {once}, "name": {name}, "password": {password}, "again": {again}})
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
	b.Get("/users", 200)
	if code, page := try(o.browser(), "eve", password, password); code != 404 || !strings.Contains(page, "used already") {
		t.Errorf("the second time got %d:\n%s", code, page)
	}
	o.browser().Get("/welcome?once="+once, 404)
	o.browser().Get("/welcome", 404)
	if link, err := o.people.FirstLink(t.Context()); link != "" || err != nil {
		t.Errorf("there is another one: %q, %v", link, err)
	}
}

func TestNewUserChoosesThePassword(t *testing.T) {
	o := newOffice(t)
	admin := o.in("ann", feed.RoleAdmin)
	page := admin.Send(http.MethodPost, "/users", url.Values{"name": {"Bob"}, "role": {"editor"}}).Body.String()
	link := regexp.MustCompile(`http://wire.example(/welcome\?once=[\w-]+)`).FindStringSubmatch(page)
	if link == nil {
		t.Fatalf("the page shows no link:\n%s", page)
	}
	if again := admin.Send(http.MethodPost, "/users", url.Values{"name": {"bob"}, "role": {"admin"}}); again.Code != 409 ||
		!strings.Contains(again.Body.String(), "already exists") {
		t.Errorf("a second bob got %d", again.Code)
	}
	if strings.Contains(admin.Get("/users", 200), "once=") {
		t.Error("the link is shown again")
	}
	bob := o.browser()
	if page := bob.Get(link[1], 200); !strings.Contains(page, "Welcome, bob") || strings.Contains(page, `name="name"`) {
		t.Errorf("the page is not bob's:\n%s", page)
	}
	_, once, _ := strings.Cut(link[1], "=")
	bob.Send(http.MethodPost, "/welcome", url.Values{"once": {once}, "name": {"ann"}, "password": {password}, "again": {password}})
	bob.Get("/", 200)
	bob.Get("/users", 403)
	if a := o.account("bob"); a.Role != feed.RoleEditor || a.Password.Sum == "" {
		t.Errorf("bob is %+v", a)
	}

	admin.Send(http.MethodPost, "/users/bob/role", url.Values{"role": {"viewer"}})
	if rec := bob.Send(http.MethodPost, "/api/v1/sources/poll", nil); rec.Code != 403 {
		t.Errorf("a reader polls: %d", rec.Code)
	}
	admin.Send(http.MethodPost, "/users/bob/disable", nil)
	bob.Get("/", 303)
	admin.Send(http.MethodPost, "/users/bob/enable", nil)
	bob.Get("/", 303)
	if rec := bob.signIn("bob", password); rec.Code != 303 {
		t.Errorf("bob does not get in again: %d", rec.Code)
	}
	if page := admin.Send(http.MethodPost, "/users/bob/reset", nil).Body.String(); !strings.Contains(page, "One-time link for bob") {
		t.Errorf("no link to reset:\n%s", page)
	}
}

func TestLastAdminStays(t *testing.T) {
	o := newOffice(t)
	admin := o.in("ann", feed.RoleAdmin)
	for path, form := range map[string]url.Values{"/users/ann/disable": nil, "/users/ann/role": {"role": {"viewer"}}} {
		if rec := admin.Send(http.MethodPost, path, form); rec.Code != 409 || !strings.Contains(rec.Body.String(), "last admin") {
			t.Errorf("%s: got %d", path, rec.Code)
		}
	}
	o.add("bob", feed.RoleAdmin)
	if rec := admin.Send(http.MethodPost, "/users/ann/role", url.Values{"role": {"viewer"}}); rec.Code != 303 {
		t.Errorf("with another one got %d", rec.Code)
	}
}

func TestTokenIsShownOnceAndOpensItsScopes(t *testing.T) {
	o := newOffice(t)
	admin := o.in("ann", feed.RoleAdmin)
	page := admin.Send(http.MethodPost, "/tokens", url.Values{"name": {"nightly"}, "scopes": {"read", "publish"}, "lasts": {"720h"}}).Body.String()
	token := regexp.MustCompile(`fw_[a-z0-9]{12}_[\w-]{43}`).FindString(page)
	if token == "" {
		t.Fatalf("the page shows no token:\n%s", page)
	}
	if page := admin.Get("/tokens", 200); strings.Contains(page, token) || !strings.Contains(page, "nightly") {
		t.Error("the token is shown again, or not listed")
	}
	calls := func(token, method, path, body string) int {
		req := httptest.NewRequest(method, path, strings.NewReader(body))
		req.Header.Set("Authorization", "Bearer "+token)
		rec := httptest.NewRecorder()
		o.kit.ServeHTTP(rec, req)
		return rec.Code
	}
	publish := "/api/v1/articles/" + storetest.Post(4) + "/publish"
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
	log, err := o.Audit(t.Context(), "", 1)
	if err != nil || len(log) != 1 {
		t.Fatal(log, err)
	}
	if last := log[0]; last.Who != "token nightly" || last.Action != "article_publish" || last.Before != "unpublished" || last.After != "published" {
		t.Errorf("the audit log has %+v", last)
	}
	parts := strings.SplitN(token, "_", 3)
	id, secret := parts[1], parts[2]
	if kept, err := o.Token(t.Context(), id); err != nil || !kept.LastUsed.Equal(webtest.Noon()) || strings.Contains(fmt.Sprintf("%+v", kept), secret) {
		t.Errorf("the store has %+v, %v", kept, err)
	}
	o.Clock.Advance(720 * time.Hour)
	if got := calls(token, "GET", "/api/v1/status", ""); got != 401 {
		t.Errorf("after its end it got %d", got)
	}
	o.Clock.Time = webtest.Noon()
	admin.Send(http.MethodPost, "/tokens/"+id+"/revoke", nil)
	if got := calls(token, "GET", "/api/v1/status", ""); got != 401 {
		t.Errorf("revoked it got %d", got)
	}
}

func TestPagesOfPeopleEscapeWhatOthersWrite(t *testing.T) {
	const attack = `"><script>alert(1)</script>`
	o := newOffice(t)
	b := o.in("ann", feed.RoleAdmin)
	b.Send(http.MethodPost, "/login", url.Values{"name": {"ann"}, "password": {password}}, "User-Agent", attack)
	if err := o.AddToken(t.Context(), feed.Token{ID: "x", Name: attack, Creator: attack, Scopes: []feed.Scope{attack}}); err != nil {
		t.Fatal(err)
	}
	if err := o.AddAudit(t.Context(), feed.AuditEntry{
		Who: attack, Action: attack, Object: feed.Object{Kind: attack, ID: attack, Name: attack, Feed: attack}, Before: attack, After: attack,
		From: attack, Time: webtest.Noon(),
	}); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/account", "/users", "/tokens", "/audit"} {
		if page := b.Get(path, 200); webtest.HoldsScript(page) || strings.Contains(page, " style=") {
			t.Errorf("%s holds markup that someone else wrote, or inline style", path)
		}
	}
	anonymous := o.browser()
	for _, rec := range []*httptest.ResponseRecorder{
		anonymous.Send(http.MethodGet, "/login?"+url.Values{"next": {"/" + attack}, "done": {attack}}.Encode(), nil),
		anonymous.signIn(attack, attack),
		anonymous.Send(http.MethodGet, "/welcome?"+url.Values{"once": {attack}}.Encode(), nil),
		b.Send(http.MethodPost, "/users", url.Values{"name": {attack}, "role": {"viewer"}}),
		b.Send(http.MethodPost, "/tokens", url.Values{"name": {attack + "\x00"}, "scopes": {attack}}),
	} {
		if webtest.HoldsScript(rec.Body.String()) {
			t.Errorf("a page holds what was sent to it:\n%s", rec.Body)
		}
	}
}

func TestUsersAndTokensAreListedInPages(t *testing.T) {
	o := newOffice(t)
	ann := o.in("ann", feed.RoleAdmin)
	for i := range web.DefaultLimit {
		name := fmt.Sprintf("user%02d", i)
		if err := o.AddAccount(t.Context(), feed.Account{Name: name, Role: feed.RoleMember}); err != nil {
			t.Fatal(err)
		}
		o.token(feed.Visitor{Name: name}, "phone of "+name, feed.ScopeFollows)
	}
	o.token(feed.Visitor{Name: "ann"}, "nightly", feed.ScopeRead)
	for path, row := range map[string]string{"/users": `<tr role="row">\s*<th role="rowheader"`, "/tokens": `<tr role="row">\s*<th role="rowheader"`} {
		first := ann.Get(path, http.StatusOK)
		next := regexp.MustCompile(`href="(` + path + `\?cursor=[^"]+)"`).FindStringSubmatch(first)
		if rows := len(regexp.MustCompile(row).FindAllString(first, -1)); rows != web.DefaultLimit || next == nil {
			t.Fatalf("%s lists %d:\n%s", path, rows, first)
		}
		second := ann.Get(html.UnescapeString(next[1]), http.StatusOK)
		if rows := len(regexp.MustCompile(row).FindAllString(second, -1)); rows != 1 || strings.Contains(second, "cursor=") {
			t.Errorf("the second page of %s lists %d:\n%s", path, rows, second)
		}
	}
	if page := ann.Get("/users", http.StatusOK); !strings.Contains(page, "tokens: phone of user07") {
		t.Error("the page does not show the tokens of its accounts")
	}
}
