package hub_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/publish/desk/hub"
	"github.com/feedwire/feedwire/publish/web/webtest"
	"github.com/feedwire/feedwire/store/feed"
)

func TestOnlyAdminsSeeCallbacks(t *testing.T) {
	h := hubOf(t)
	d := newDesk(h, hub.Options{})
	one := "/subscriptions/" + h.of("https://a.example/"+private).ID
	admin, reader, editor := d.As(t, "adm", feed.RoleAdmin), d.As(t, "rea", feed.RoleViewer), d.As(t, "ed", feed.RoleEditor)
	for _, path := range []string{"/subscriptions", one, "/dead-letters"} {
		d.Visitor = feed.Visitor{Open: true, Scopes: feed.RoleEditor.Scopes()}
		open := d.Call(http.MethodGet, path, "")
		for who, html := range map[string]string{"reader": reader.Get(path, 200), "editor": editor.Get(path, 200), "everyone": open.Body.String()} {
			if strings.Contains(html, private) || strings.Contains(html, "s3cret") {
				t.Errorf("%s shows %s the callback", path, who)
			}
		}
	}
	webtest.InOrder(t, admin.Get(one, 200), "a.example/…", "All versions were delivered.", "Resend", "yes, with the subscriber", "https://a.example/"+private, "Deny")
	if html := admin.Get(one, 200); strings.Contains(html, "s3cret") {
		t.Error("the page shows the secret")
	}
	if html := admin.Get("/subscriptions", 200); strings.Contains(html, private) {
		t.Error("the list shows callbacks")
	}
}

func TestSubscriptionsAreResentPausedAndDenied(t *testing.T) {
	h, requested := hubOf(t), 0
	d := newDesk(h, hub.Options{Requested: func() { requested++ }})
	b := d.As(t, "adm", feed.RoleAdmin)
	failing, webhook := h.of("https://b.example/"+private), h.of("https://c.example/"+private)
	webtest.InOrder(t, b.Get("/subscriptions", 200), "4 subscriptions", "2 deliveries failed permanently.", "/dead-letters", siteURL, "3 failures in a row", "failing")
	webtest.InOrder(t, b.Get("/subscriptions?topic="+feed.TopicID(siteURL), 200), "Subscribers", "to <span", siteURL, "a.example")
	do := func(path, want string, form url.Values) string {
		t.Helper()
		rec := b.Send(http.MethodPost, path, form)
		if got := rec.Header().Get("Location"); rec.Code != http.StatusSeeOther || got != want {
			t.Fatalf("POST %s: %d to %s, want %s", path, rec.Code, got, want)
		}
		return b.Get(want, 200)
	}
	at := "/subscriptions/" + failing.ID
	do(at+"/resend", at+"?did=resent&to="+failing.ID, nil)
	html := do(at+"/pause", "/subscriptions?did=paused&to="+failing.ID, url.Values{"back": {"/subscriptions"}})
	if s, _ := h.find(failing.ID); !s.Paused {
		t.Error("it is not paused")
	}
	do(webtest.UndoPath(t, html), "/subscriptions?did=resumed&to="+failing.ID, url.Values{"back": {"/subscriptions"}})
	if s, _ := h.find(failing.ID); s.Paused {
		t.Error("the pause is not undone")
	}
	do(at+"/deny", at+"?did=denied&to="+failing.ID, url.Values{"reason": {" too slow "}})
	if len(h.requests) != 1 || h.requests[0].Mode != feed.HubDenied || h.requests[0].Reason != "too slow" {
		t.Errorf("requests are %+v", h.requests)
	}
	if requested != 1 {
		t.Errorf("%d requests were announced", requested)
	}
	if rec := b.Send(http.MethodPost, "/subscriptions/"+webhook.ID+"/deny", nil); rec.Code != http.StatusConflict {
		t.Errorf("a webhook is denied: %d", rec.Code)
	}
	b.Get("/subscriptions/none", 404)
}

func TestAttemptsAreShownWithCauses(t *testing.T) {
	h := hubOf(t)
	failing := h.of("https://b.example/" + private)
	h.attempts = map[string][]feed.Attempt{failing.ID: {
		{Time: webtest.Noon(), Version: 7, Duration: feed.Duration(30 * time.Millisecond), Reason: "tls", Next: webtest.Noon().Add(time.Minute)},
		{Time: webtest.Noon().Add(-time.Hour), Version: 7, Duration: feed.Duration(time.Second), Status: 503, Reason: "5xx"},
		{Time: webtest.Noon().Add(-2 * time.Hour), Version: 6, Duration: feed.Duration(12 * time.Millisecond), Status: 204, Reason: "2xx"},
	}}
	html := newDesk(h, hub.Options{}).As(t, "rea", feed.RoleViewer).Get("/subscriptions/"+failing.ID, 200)
	webtest.InOrder(t, html, "Attempts", "no TLS connection", "30ms", "in 1 min", "the server responded with 503", "1s", "accepted with 204", "12ms")
	all := hubCall[feed.Page[feed.Attempt]](t, h, 200, "GET", "/api/v1/hub/subscriptions/"+failing.ID+"/attempts?limit=2", "").Items
	if diff := cmp.Diff(h.attempts[failing.ID][:2], all); diff != "" {
		t.Error(diff)
	}
	hubCall[feed.Problem](t, h, 404, "GET", "/api/v1/hub/subscriptions/none/attempts", "")
	hubCall[feed.Problem](t, h, 400, "GET", "/api/v1/hub/subscriptions/"+failing.ID+"/attempts?limit=0", "")
}

func TestDeadLettersAreReplayed(t *testing.T) {
	h := hubOf(t)
	d := newDesk(h, hub.Options{})
	b := d.As(t, "adm", feed.RoleAdmin)
	webtest.InOrder(t, b.Get("/dead-letters", 200), "Resend all", "3 versions of "+siteURL, "/dead-letters/1795206000002-0/replay", "one version of")
	rec := b.Send(http.MethodPost, "/dead-letters/1795206000002-0/replay", nil)
	if rec.Header().Get("Location") != "/dead-letters?did=replayed" {
		t.Errorf("got %d to %s", rec.Code, rec.Header().Get("Location"))
	}
	if rec = b.Send(http.MethodPost, "/dead-letters/replay", nil); rec.Code != http.StatusSeeOther {
		t.Fatalf("got %d %s", rec.Code, rec.Body)
	}
	var replayed []string
	for _, did := range h.did {
		if strings.HasPrefix(did, "replay") {
			replayed = append(replayed, did)
		}
	}
	if len(replayed) < 3 || !slices.ContainsFunc(replayed, func(s string) bool { return strings.Contains(s, "1795206000001-0") }) {
		t.Errorf("replayed %v", replayed)
	}
}

func TestReadersSeeNoButtons(t *testing.T) {
	b := newDesk(hubOf(t), hub.Options{}).As(t, "rea", feed.RoleViewer)
	for _, path := range []string{"/subscriptions", "/dead-letters"} {
		if _, inside, _ := strings.Cut(b.Get(path, 200), "<main"); strings.Contains(inside, `method="post"`) {
			t.Errorf("%s offers a reader what it may not do", path)
		}
	}
}

func TestTopicShowsItsHistory(t *testing.T) {
	h := hubOf(t)
	b := newDesk(h, hub.Options{}).As(t, "rea", feed.RoleViewer)
	id := feed.TopicID(siteURL)
	webtest.InOrder(t, b.Get("/subscriptions?topic="+id, 200), `<a href="/topics/`+id+`">history</a>`)
	webtest.InOrder(t, b.Get("/topics/"+id, 200), siteURL, "3 subscribers</a>", "3 now, at most 5",
		`<rect class="counted" x="440" y="12" width="4" height="48"/><rect class="counted" x="445" y="32" width="4" height="28"/>`,
		webtest.Noon().Format(time.DateOnly), "812", "3 × 5xx, 3 × tls, 1 × timeout", "640")
	b.Get("/topics/none", 404)
	got := hubCall[feed.TopicHistory](t, h, 200, "GET", "/api/v1/hub/topics/"+id, "")
	if want, _ := h.TopicHistory(t.Context(), id); cmp.Diff(want, got) != "" {
		t.Error(cmp.Diff(want, got))
	}
	hubCall[feed.Problem](t, h, 404, "GET", "/api/v1/hub/topics/none", "")
}
