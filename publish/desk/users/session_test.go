package users_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/publish/people"
	"github.com/feedwire/feedwire/publish/web/webtest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestSessionIsAnotherOneAfterEachSignIn(t *testing.T) {
	o := newOffice(t)
	b := o.in("ann", feed.RoleViewer)
	before := b.Cookie
	b.signIn("ann", password)
	if b.Cookie.Value == before.Value {
		t.Error("the session has stayed the same")
	}
	old := o.browser()
	old.Cookie = before
	old.Get("/", 303)
	planted := o.browser()
	planted.Cookie = &http.Cookie{Name: "feedwire", Value: "1.chosen-by-someone-else"}
	planted.Get("/", 303)
	if planted.signIn("ann", password); planted.Cookie.Value == "1.chosen-by-someone-else" {
		t.Error("the browser keeps a session that it was given before")
	}
}

func TestSessionEndsByTimeAndLastsWithUse(t *testing.T) {
	o := newOffice(t)
	b := o.in("ann", feed.RoleViewer)
	for range 5 {
		o.Clock.Advance(feed.SessionIdle - time.Minute)
		b.Get("/", 200)
	}
	o.Clock.Advance(feed.SessionIdle)
	b.Get("/", 303)
	b.signIn("ann", password)
	for end := o.Clock.Time.Add(feed.SessionLife); o.Clock.Time.Add(11 * time.Hour).Before(end); {
		b.Get("/", 200)
		o.Clock.Advance(11 * time.Hour)
	}
	o.Clock.Advance(11 * time.Hour)
	b.Get("/", 303)
}

func TestFormOfAnEndedSessionSaysThatNothingWasSaved(t *testing.T) {
	o := newOffice(t)
	b := o.in("ann", feed.RoleAdmin)
	o.Clock.Advance(feed.SessionIdle)
	rec := b.Send(http.MethodPost, "/users", url.Values{"name": {"eve"}, "role": {"admin"}})
	page := rec.Body.String()
	if rec.Code != 401 || !strings.Contains(page, "was not saved") || !strings.Contains(page, `value="/users"`) {
		t.Errorf("got %d:\n%s", rec.Code, page)
	}
	if all, err := o.AccountsAfter(t.Context(), "", 1000); err != nil || len(all) != 1 {
		t.Errorf("there are %d accounts, %v: it was saved", len(all), err)
	}
}

func TestSignOutEndsTheSession(t *testing.T) {
	o := newOffice(t)
	b, other := o.in("ann", feed.RoleViewer), o.browser()
	other.signIn("ann", password)
	cookie := b.Cookie
	if rec := b.Send(http.MethodPost, "/logout", nil); rec.Code != 303 || b.Cookie != nil || rec.Header().Get("Clear-Site-Data") != `"storage"` {
		t.Errorf("got %d, cookie %v", rec.Code, b.Cookie)
	}
	b.Cookie = cookie
	b.Get("/", 303)
	other.Get("/", 200)
	other.Send(http.MethodPost, "/account/sessions/end", nil)
	if left := o.sessions("ann"); len(left) != 0 {
		t.Errorf("there are sessions left: %v", left)
	}
}

func TestEndSessionEndsOnlyThatSession(t *testing.T) {
	o := newOffice(t)
	b, other := o.in("ann", feed.RoleViewer), o.browser()
	other.signIn("ann", password)
	stranger := o.in("bob", feed.RoleViewer)
	action := regexp.MustCompile(`/account/sessions/[0-9a-f]{16}/end`).FindString(b.Get("/account", 200))
	stranger.Send(http.MethodPost, action, nil)
	other.Get("/", 200)
	b.Send(http.MethodPost, action, nil)
	other.Get("/", 303)
	b.Get("/", 200)
}

func TestPasswordIsChangedByWhoKnowsIt(t *testing.T) {
	o := newOffice(t)
	b, other := o.in("ann", feed.RoleViewer), o.browser()
	other.signIn("ann", password)
	change := func(current, password, again string) (int, string) {
		rec := b.Send(http.MethodPost, "/account/password", url.Values{"current": {current}, "password": {password}, "again": {again}})
		return rec.Code, rec.Body.String()
	}
	for _, tt := range []struct{ current, password, again, says string }{
		{"wrong", "another harbour", "another harbour", "current password is wrong"},
		{password, "another harbour", "another harbor", "differ"},
		{password, "short", "short", "at least 10"},
	} {
		if code, page := change(tt.current, tt.password, tt.again); code != 422 || !strings.Contains(page, tt.says) {
			t.Errorf("%v: got %d:\n%s", tt, code, page)
		}
	}
	if code, page := change(password, "another harbour", "another harbour"); code != 303 {
		t.Fatalf("got %d:\n%s", code, page)
	}
	b.Get("/", 200)
	other.Get("/", 303)
	if rec := o.browser().signIn("ann", password); rec.Code != 401 {
		t.Errorf("the old password got %d", rec.Code)
	}
	if rec := o.browser().signIn("ann", "another harbour"); rec.Code != 303 {
		t.Errorf("the new one got %d", rec.Code)
	}
}

func TestPagesSayThatTheStoreIsAway(t *testing.T) {
	o := newOffice(t)
	_, away := newKit(storetest.Unavailable(t), people.Options{Now: o.Clock.Now, PublicURL: "http://wire.example", Rounds: webtest.Rounds}, o.work)
	b := webtest.NewBrowser(t, away)
	b.Cookie = o.in("ann", feed.RoleAdmin).Cookie
	for _, path := range []string{"/", "/users", "/account", "/api/v1/status"} {
		rec := b.Send(http.MethodGet, path, nil)
		if rec.Code != 503 || rec.Header().Get("Retry-After") == "" || strings.Contains(rec.Body.String(), "redis.internal") {
			t.Errorf("%s: got %d:\n%s", path, rec.Code, rec.Body)
		}
	}
	b.Get("/login", 200)
	stranger := &browser{webtest.NewBrowser(t, away)}
	if rec := stranger.signIn("ann", password); rec.Code != 503 {
		t.Errorf("sign-in got %d", rec.Code)
	}
	stranger.Get("/login", 200)
}
