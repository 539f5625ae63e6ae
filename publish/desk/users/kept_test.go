package users_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/store/feed"
)

// hidden are the hidden fields of a page.
func hidden(html string) url.Values {
	form := url.Values{}
	for _, m := range regexp.MustCompile(`<input type="hidden" name="([^"]*)" value="([^"]*)">`).FindAllStringSubmatch(html, -1) {
		form.Add(unescaped(m[1]), unescaped(m[2]))
	}
	return form
}

func unescaped(s string) string {
	return strings.NewReplacer("&lt;", "<", "&gt;", ">", "&#34;", `"`, "&#39;", "'", "&#43;", "+", "&amp;", "&").Replace(s)
}

// What was written in a form survives the end of a session, also a password that was mistyped, and is sent when its writer
// says so.
func TestFormSurvivesTheEndOfASession(t *testing.T) {
	o := newOffice(t)
	b := o.in("ann", feed.RoleAdmin)
	o.endSessions("ann")
	path := "/sources/x/edit"
	form := url.Values{"feed": {"production", "development"}, "publish": {"manual"}, "categories": {`<b>"News"`}, "revision": {"0"}, "interval": {"1h"}}
	rec := b.Send(http.MethodPost, path, form)
	if rec.Code != http.StatusUnauthorized || !strings.Contains(rec.Body.String(), "Sign in, then submit it.") {
		t.Fatalf("got %d %s", rec.Code, rec.Body)
	}
	for i, secret := range []string{"not it at all", password} {
		login := hidden(rec.Body.String())
		login.Set("name", "ann")
		login.Set("password", secret)
		want := []int{http.StatusUnauthorized, http.StatusOK}[i]
		if rec = b.Send(http.MethodPost, "/login", login); rec.Code != want {
			t.Fatalf("sign-in: got %d, want %d", rec.Code, want)
		}
	}
	again := hidden(rec.Body.String())
	if got, want := again.Encode(), form.Encode(); got != want || !strings.Contains(rec.Body.String(), `action="`+path+`"`) {
		t.Errorf("the form is %s, want %s\n%s", got, want, rec.Body)
	}
	if len(o.work.saved) != 0 {
		t.Error("it was saved without a confirmation")
	}
	if rec := b.Send(http.MethodPost, path, again); rec.Code != http.StatusOK {
		t.Fatalf("sent again: %d %s", rec.Code, rec.Body)
	}
	if got := o.work.saved; len(got) != 1 || got[0].Encode() != form.Encode() {
		t.Errorf("saved %v", got)
	}
}

func TestFormsThatAreNotKept(t *testing.T) {
	o := newOffice(t)
	b := o.in("ann", feed.RoleAdmin)
	o.endSessions("ann")
	for name, rec := range map[string]interface{ String() string }{
		"with a password": b.Send(http.MethodPost, "/account/password", url.Values{"current": {"secret-one"}, "password": {"secret-two"}}).Body,
		"that are large":  b.Send(http.MethodPost, "/users", url.Values{"name": {strings.Repeat("x", 70_000)}}).Body,
	} {
		html := rec.String()
		if !strings.Contains(html, "Sign in and fill it in again.") || strings.Contains(html, `name="kept`) || strings.Contains(html, "secret-") {
			t.Errorf("%s: %.2000s", name, html)
		}
	}
	for _, path := range []string{"https://evil.example/", "//evil.example/x", "/login", "javascript:alert(1)"} {
		rec := b.Send(http.MethodPost, "/login", url.Values{"name": {"ann"}, "password": {password}, "kept": {path}, "kept:x": {"y"}})
		if rec.Code != http.StatusSeeOther {
			t.Errorf("a form for %s: %d %s", path, rec.Code, rec.Body)
		}
	}
}
