package desk_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/publish/web/webtest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestEveryChangeIsInTheAuditLog(t *testing.T) {
	n := storetest.NewNewsroom(t)
	d := newDesk(n)
	b := d.signIn(t, n, "ann", feed.RoleAdmin)
	source := "/api/v1/sources/" + feed.SourceID(storetest.Site)
	article := "/api/v1/articles/" + storetest.Post(4)
	body := func(method, path, body string) {
		t.Helper()
		req := httptest.NewRequest(method, path, strings.NewReader(body))
		req.AddCookie(b.Cookie)
		req.RemoteAddr = b.From
		rec := httptest.NewRecorder()
		d.ServeHTTP(rec, req)
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
	all, err := n.Audit(t.Context(), "", 50)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range slices.Backward(all) {
		if e.Who != "ann" || e.From != "192.0.2.9" || !e.Time.Equal(webtest.Noon()) {
			t.Errorf("%+v", e)
		}
		got = append(got, strings.Join([]string{e.Action, e.Object.String(), e.Before, e.After}, "|"))
	}
	uuid := storetest.Post(4)
	want := []string{
		"sign_in|ann||",
		"article_publish|" + uuid + " in production|unpublished|published",
		"article_withdraw|" + uuid + " in production|published|withdrawn",
		"source_add|https://new.example/feed||feeds production, publish manual",
		"source_add|https://new.example/feed|feeds production, publish manual|feeds production, publish auto, every 2h",
		"source_pause|" + storetest.Site + "||",
		"source_resume|" + storetest.Site + "||",
		"source_remove|" + storetest.Site + "|feeds production development, publish auto|",
		"user_add|bob||viewer",
		"user_role|bob|viewer|editor",
		"user_disable|bob|editor|editor, disabled",
		"user_reset|bob||",
		"token_create|n||read",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	page := webtest.Read[feed.Page[feed.AuditEntry]](t, b.Send(http.MethodGet, "/api/v1/audit?limit=2", nil))
	if len(page.Items) != 2 || page.Items[0].Action != "token_create" || page.Next == "" {
		t.Errorf("got %+v", page)
	}
	rest := webtest.Read[feed.Page[feed.AuditEntry]](t, b.Send(http.MethodGet, "/api/v1/audit?cursor="+page.Next, nil))
	if len(rest.Items) != len(want)-2 || rest.Next != "" {
		t.Errorf("got %+v", rest)
	}
	if html := b.Get("/audit?limit=5", 200); !strings.Contains(html, "created a token") || !strings.Contains(html, "Next page") {
		t.Errorf("the page shows:\n%s", html)
	}
}

func TestRepeatedPublishIsInTheAuditLogOnce(t *testing.T) {
	n := storetest.NewNewsroom(t)
	d := newDesk(n)
	for range 2 {
		d.call(http.MethodPost, "/api/v1/articles/"+storetest.Post(4)+"/publish", `{"feed":"production"}`, "Idempotency-Key", "same")
	}
	if log, err := n.Audit(t.Context(), "", 10); err != nil || len(log) != 1 || log[0].Who != "the daemon's token" {
		t.Errorf("the audit log has %+v, %v", log, err)
	}
}
