package hub_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/publish/desk/hub"
	"github.com/feedwire/feedwire/publish/web/webtest"
	"github.com/feedwire/feedwire/store/feed"
)

// hubCall sends a request and decodes the response.
func hubCall[T any](t *testing.T, h *fakeHub, status int, method, path, body string) T {
	t.Helper()
	rec := newDesk(h, hub.Options{}).Call(method, path, body)
	if rec.Code != status {
		t.Fatalf("%s %s: %d, want %d: %s", method, path, rec.Code, status, rec.Body)
	}
	for _, s := range h.all {
		if s.Secret != "" && strings.Contains(rec.Body.String(), s.Secret) && method+path != "POST/api/v1/webhooks" {
			t.Errorf("%s %s shows a secret", method, path)
		}
	}
	if status == http.StatusNoContent {
		var none T
		return none
	}
	return webtest.Read[T](t, rec)
}

func TestListsHideCallbacks(t *testing.T) {
	h := hubOf(t)
	for _, path := range []string{"/hub", "/hub/topics", "/hub/subscriptions", "/hub/dead", "/webhooks"} {
		rec := newDesk(h, hub.Options{}).Call(http.MethodGet, "/api/v1"+path, "")
		if rec.Code != http.StatusOK || strings.Contains(rec.Body.String(), private) {
			t.Errorf("%s: %d %s", path, rec.Code, rec.Body)
		}
	}
	counts := hubCall[hub.Counts](t, h, 200, "GET", "/api/v1/hub", "")
	if counts.Subscriptions != 4 || counts.Failing != 1 || counts.Lag != "1.5s" {
		t.Errorf("counts are %+v", counts)
	}
	topics := hubCall[feed.Page[feed.Topic]](t, h, 200, "GET", "/api/v1/hub/topics", "").Items
	if len(topics) != 2 || topics[1].URL != siteURL || topics[1].Subscribers != 3 || topics[1].Version != 7 {
		t.Errorf("topics are %+v", topics)
	}
}

func TestSubscriptionsArePaged(t *testing.T) {
	h := hubOf(t)
	var all []hub.Subscription
	path := "/api/v1/hub/subscriptions?limit=2"
	for next := ""; len(all) < 10; {
		page := hubCall[feed.Page[hub.Subscription]](t, h, 200, "GET", path+"&cursor="+next, "")
		all = append(all, page.Items...)
		if next = page.Next; next == "" {
			break
		}
	}
	var ids []string
	for _, s := range all {
		ids = append(ids, s.ID)
	}
	var want []string
	for _, s := range h.all {
		want = append(want, s.ID)
	}
	if diff := cmp.Diff(want, ids); diff != "" {
		t.Error(diff)
	}
	some := hubCall[feed.Page[hub.Subscription]](t, h, 200, "GET", "/api/v1/hub/subscriptions?topic="+siteURL, "").Items
	if len(some) != 3 {
		t.Errorf("%d subscriptions of the topic", len(some))
	}
	bad := h.of("https://b.example/" + private)
	one := hubCall[hub.Subscription](t, h, 200, "GET", "/api/v1/hub/subscriptions/"+bad.ID, "")
	if one.State != "failing" || one.Health.Failures != 3 || one.Health.Status != 503 || one.URL != bad.Callback || one.Signed ||
		one.Callback != bad.Hint() {
		t.Errorf("the subscription is %+v", one)
	}
}

func TestSubscriptionsArePausedResentAndDenied(t *testing.T) {
	h := hubOf(t)
	well, hook, ping := h.of("https://a.example/"+private), h.of("https://c.example/"+private), h.of("https://d.example/"+private)
	path := "/api/v1/hub/subscriptions/" + well.ID
	if s := hubCall[hub.Subscription](t, h, 200, "POST", path+"/pause", ""); s.State != "paused" {
		t.Errorf("state after pause is %s", s.State)
	}
	if s := hubCall[hub.Subscription](t, h, 200, "POST", path+"/resume", ""); s.State != "active" {
		t.Errorf("state after resume is %s", s.State)
	}
	hubCall[hub.Subscription](t, h, 200, "POST", path+"/resend", "")
	hubCall[struct{}](t, h, 204, "POST", "/api/v1/hub/dead/1795206000001-0/replay", "")
	hubCall[struct{}](t, h, 404, "POST", "/api/v1/hub/dead/1-0/replay", "")
	if diff := cmp.Diff([]string{"resend " + well.ID, "replay 1795206000001-0", "replay 1-0"}, h.did); diff != "" {
		t.Error(diff)
	}
	hubCall[hub.Subscription](t, h, 202, "POST", path+"/deny", `{"reason": "too many"}`)
	hubCall[hub.Subscription](t, h, 202, "POST", path+"/deny", "")
	want := feed.HubRequest{Mode: feed.HubDenied, Topic: siteURL, Callback: well.Callback, Reason: "too many"}
	if len(h.requests) != 2 || h.requests[0] != want {
		t.Errorf("requests are %+v", h.requests)
	}
	for id, status := range map[string]int{hook.ID: 409, ping.ID: 409, "none": 404} {
		hubCall[feed.Problem](t, h, status, "POST", "/api/v1/hub/subscriptions/"+id+"/deny", "")
	}
	hubCall[feed.Problem](t, h, 400, "POST", path+"/deny", `{"reason": "`+strings.Repeat("x", 201)+`"}`)
	if len(h.requests) != 2 {
		t.Error("a refused request was stored")
	}
	h.full = true
	hubCall[feed.Problem](t, h, 409, "POST", path+"/deny", "")
	letters := hubCall[feed.Page[feed.DeadLetter]](t, h, 200, "GET", "/api/v1/hub/dead?limit=1", "")
	if len(letters.Items) != 1 || letters.Items[0].First != 5 || letters.Next != "1795206000002-0" {
		t.Errorf("dead letters are %+v", letters)
	}
	hubCall[feed.Problem](t, h, 400, "GET", "/api/v1/hub/dead?cursor=x", "")
}

func TestWebhooksAreAddedAndRemoved(t *testing.T) {
	h := hubOf(t)
	made := hubCall[hub.Webhook](t, h, 201, "POST", "/api/v1/webhooks",
		`{"url": "https://new.example/hook?k=`+private+`", "kinds": ["post_modified", "post_created"], "source": "HTTPS://Site.example/rss"}`)
	if _, err := feed.WebhookKey(made.Secret); err != nil || made.Source != "https://site.example/rss" ||
		!slices.Equal(made.Kinds, []feed.SignalKind{feed.PostCreated, feed.PostModified}) || made.State != "active" {
		t.Errorf("added %+v, %v", made, err)
	}
	again := hubCall[hub.Webhook](t, h, 200, "POST", "/api/v1/webhooks",
		`{"url": "https://new.example/hook?k=`+private+`", "kinds": ["post_created", "post_modified"], "source": "https://site.example/rss"}`)
	if again.ID != made.ID || again.Secret == made.Secret {
		t.Errorf("added again: %+v", again)
	}
	if all := hubCall[feed.Page[hub.Webhook]](t, h, 200, "GET", "/api/v1/webhooks", "").Items; len(all) != 2 || all[0].Secret != "" {
		t.Errorf("webhooks are %+v", all)
	}
	for body, field := range map[string]string{
		`{}`: "url", `{"url": "ftp://x/"}`: "url", `{"url": "https://u:p@x.example/"}`: "url", `{"url": "https://x.example/#a"}`: "url",
		`{"url": "https://x.example/", "secret": "short"}`:         "secret",
		`{"url": "https://x.example/", "kinds": ["post_removed"]}`: "kinds",
		`{"url": "https://x.example/", "source": "x"}`:             "source",
	} {
		p := hubCall[feed.Problem](t, h, 400, "POST", "/api/v1/webhooks", body)
		if len(p.Errors) != 1 || p.Errors[0].Field != field {
			t.Errorf("%s: errors are %+v", body, p.Errors)
		}
	}
	reader := h.of("https://a.example/" + private)
	hubCall[feed.Problem](t, h, 404, "DELETE", "/api/v1/webhooks/"+reader.ID, "")
	hubCall[struct{}](t, h, 204, "DELETE", "/api/v1/webhooks/"+made.ID, "")
	hubCall[feed.Problem](t, h, 404, "DELETE", "/api/v1/webhooks/"+made.ID, "")
}

func TestWebhookTestReturnsTheResponse(t *testing.T) {
	h := hubOf(t)
	hook := h.of("https://c.example/" + private)
	d := newDesk(h, hub.Options{Test: func(_ context.Context, s feed.Subscription) (int, string) {
		if s.ID != hook.ID {
			t.Errorf("tested %s", s.ID)
		}
		return 204, "2xx"
	}})
	rec := d.Call(http.MethodPost, "/api/v1/webhooks/"+hook.ID+"/test", "")
	if got := webtest.Read[hub.WebhookTest](t, rec); rec.Code != 200 || got != (hub.WebhookTest{Taken: true, Status: 204, Reason: "2xx"}) {
		t.Errorf("%d %+v", rec.Code, got)
	}
}

func TestHubReturns503IfTheStoreIsUnavailable(t *testing.T) {
	h := hubOf(t)
	h.err = feed.ErrUnavailable
	for _, path := range []string{"/hub", "/hub/topics", "/hub/subscriptions", "/hub/dead", "/webhooks"} {
		hubCall[feed.Problem](t, h, 503, "GET", "/api/v1"+path, "")
	}
}
