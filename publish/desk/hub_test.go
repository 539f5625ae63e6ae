package desk_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/publish/desk/hub"
	"github.com/feedwire/feedwire/store/feed"
)

// fakeHub implements hub.Store in memory.
type fakeHub struct {
	err      error
	all      []feed.Subscription // by id
	letters  []feed.DeadLetter   // newest first
	requests []feed.HubRequest
	did      []string
	full     bool // too many requests are pending
}

func (f *fakeHub) HubState(context.Context) (feed.HubState, error) {
	return feed.HubState{Subscriptions: len(f.all), Topics: 2, Failing: 1, DeadLetters: len(f.letters), Lag: 1500 * time.Millisecond}, f.err
}

func (f *fakeHub) Topics(context.Context) (all []feed.Topic, err error) {
	for _, s := range f.all {
		i := slices.IndexFunc(all, func(t feed.Topic) bool { return t.URL == s.Topic })
		if i < 0 {
			i = len(all)
			all = append(all, feed.Topic{ID: feed.TopicID(s.Topic), URL: s.Topic, Version: 7, Changed: noon})
		}
		all[i].Subscribers++
	}
	return all, f.err
}

func (f *fakeHub) Subscriptions(_ context.Context, topicID, after string, limit int) (all []feed.Subscription, err error) {
	for _, s := range f.all {
		if (topicID == "" || feed.TopicID(s.Topic) == topicID) && s.ID > after && len(all) < limit {
			all = append(all, s)
		}
	}
	return all, f.err
}

func (f *fakeHub) find(id string) (*feed.Subscription, error) {
	for i := range f.all {
		if f.all[i].ID == id {
			return &f.all[i], f.err
		}
	}
	return nil, fmt.Errorf("subscription %s: %w", id, feed.ErrNotFound)
}

func (f *fakeHub) Subscription(_ context.Context, id string) (feed.Subscription, error) {
	s, err := f.find(id)
	if err != nil {
		return feed.Subscription{}, err
	}
	return *s, nil
}

func (f *fakeHub) DeadLetters(_ context.Context, before string, limit int) (all []feed.DeadLetter, err error) {
	for _, l := range f.letters {
		if (before == "" || l.ID < before) && len(all) < limit {
			all = append(all, l)
		}
	}
	return all, f.err
}

func (f *fakeHub) record(what, id string) error {
	_, err := f.find(id)
	if err == nil {
		f.did = append(f.did, what+" "+id)
	}
	return err
}

func (f *fakeHub) ResendSubscription(_ context.Context, id string) error {
	return f.record("resend", id)
}

func (f *fakeHub) ReplayDeadLetter(_ context.Context, id string) error {
	f.did = append(f.did, "replay "+id)
	if !slices.ContainsFunc(f.letters, func(l feed.DeadLetter) bool { return l.ID == id }) {
		return feed.ErrNotFound
	}
	return f.err
}

func (f *fakeHub) PauseSubscription(_ context.Context, id string) error { return f.pause(id, true) }

func (f *fakeHub) ResumeSubscription(_ context.Context, id string) error { return f.pause(id, false) }

func (f *fakeHub) pause(id string, paused bool) error {
	s, err := f.find(id)
	if err == nil {
		s.Paused = paused
	}
	return err
}

func (f *fakeHub) AddHubRequest(_ context.Context, r feed.HubRequest, _ int) error {
	if f.full {
		return feed.ErrConflict
	}
	f.requests = append(f.requests, r)
	return f.err
}

func (f *fakeHub) Subscribe(_ context.Context, s *feed.Subscription) error {
	s.ID, s.Since = feed.SubscriptionID(s.Topic, s.Callback), noon
	if old, err := f.find(s.ID); err == nil {
		*old = *s
		return nil
	}
	f.all = append(f.all, *s)
	slices.SortFunc(f.all, func(a, b feed.Subscription) int { return strings.Compare(a.ID, b.ID) })
	return f.err
}

func (f *fakeHub) Unsubscribe(_ context.Context, id string) error {
	f.all = slices.DeleteFunc(f.all, func(s feed.Subscription) bool { return s.ID == id })
	return f.err
}

// private is in the callbacks, which are secret.
const private = "capability-9f3"

// hubOf returns a hub with an active subscription, a failing one, a webhook and another hub.
func hubOf(t *testing.T) *fakeHub {
	t.Helper()
	f := &fakeHub{letters: []feed.DeadLetter{
		{ID: "1795206000002-0", Topic: siteURL, First: 5, Last: 7, Failures: 15, Since: noon.Add(-25 * time.Hour), Time: noon.Add(-time.Hour), Status: 503, Reason: "5xx"},
		{ID: "1795206000001-0", Topic: siteURL, First: 1, Last: 1, Reason: "timeout"},
	}}
	for _, s := range []feed.Subscription{
		{Topic: siteURL, Callback: "https://a.example/" + private, Kind: feed.KindWebSub, Secret: "s3cret", Until: noon.Add(240 * time.Hour)},
		{Topic: siteURL, Callback: "https://b.example/" + private, Kind: feed.KindWebSub, Health: feed.Health{
			Failures: 3, Since: noon.Add(-time.Hour), Last: noon.Add(-time.Minute), Status: 503, Reason: "5xx", Next: noon.Add(time.Minute)}},
		{Topic: feed.SignalFilter{Source: siteURL}.Topic(), Callback: "https://c.example/" + private, Kind: feed.KindWebhook, Secret: feed.NewWebhookSecret()},
		{Topic: siteURL, Callback: "https://d.example/" + private, Kind: feed.KindPing},
	} {
		if err := f.Subscribe(t.Context(), &s); err != nil {
			t.Fatal(err)
		}
	}
	f.letters[0].Subscription = f.of("https://b.example/" + private).ID
	return f
}

// of returns the subscription of a callback.
func (f *fakeHub) of(callback string) feed.Subscription {
	return f.all[slices.IndexFunc(f.all, func(s feed.Subscription) bool { return s.Callback == callback })]
}

// withHub returns options with a hub.
func withHub(h hub.Store) deskOptions {
	opts := options()
	opts.Hub = h
	return opts
}

// hubCall sends a request and decodes the response.
func hubCall[T any](t *testing.T, h *fakeHub, status int, method, path, body string) T {
	t.Helper()
	rec := call(newFakeStore(), withHub(h), method, path, body)
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
	return read[T](t, rec)
}

func TestListsHideCallbacks(t *testing.T) {
	h := hubOf(t)
	for _, path := range []string{"/hub", "/hub/topics", "/hub/subscriptions", "/hub/dead", "/webhooks"} {
		rec := call(newFakeStore(), withHub(h), http.MethodGet, "/api/v1"+path, "")
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
	opts := withHub(h)
	opts.TestWebhook = func(_ context.Context, s feed.Subscription) (int, string) {
		if s.ID != hook.ID {
			t.Errorf("tested %s", s.ID)
		}
		return 204, "2xx"
	}
	rec := call(newFakeStore(), opts, http.MethodPost, "/api/v1/webhooks/"+hook.ID+"/test", "")
	if got := read[hub.WebhookTest](t, rec); rec.Code != 200 || got != (hub.WebhookTest{Taken: true, Status: 204, Reason: "2xx"}) {
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
