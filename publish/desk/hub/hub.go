// Package hub serves the pages and the API of subscriptions, dead letters and webhooks.
package hub

import (
	"context"
	"embed"
	"net/http"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// Options configures a Hub.
type Options struct {
	// Test sends a test message to a webhook at once. It returns the HTTP status, or 0 if there was no response, and the class of the
	// response: "2xx", "timeout". Required if webhooks are tested.
	Test func(ctx context.Context, webhook feed.Subscription) (status int, reason string)
	// Requested is called after a request was stored with Store.AddHubRequest. Nil: the request waits until the store is read.
	Requested func()
}

// Hub serves the routes of the hub. Create it with New.
type Hub struct {
	store Store
	web   *web.Pages
	opts  Options
}

//go:embed templates
var files embed.FS

var notices = web.Notices{
	"resent":    {One: "The newest version of the topic is sent again."},
	"paused":    {One: "Paused. New versions wait.", Undo: "/subscriptions/%s/resume"},
	"resumed":   {One: "Resumed. Waiting versions are sent.", Undo: "/subscriptions/%s/pause"},
	"denied":    {One: "The hub notifies the subscriber and ends the subscription. The denial cannot be undone. The subscriber can subscribe again."},
	"replayed":  {One: "The subscriber gets all versions since the first missed one."},
	"allresent": {One: "All dead letters of active subscriptions are resent."},
}

// New returns a Hub.
func New(store Store, kit *web.Kit, opts Options) *Hub {
	if opts.Requested == nil {
		opts.Requested = func() {}
	}
	return &Hub{store: store, web: kit.Pages(files, notices), opts: opts}
}

// Site returns the routes of the hub.
func (h *Hub) Site() web.Site {
	deny := &web.Action{Name: "hub_deny", Text: "denied a subscriber"}
	resend := &web.Action{Name: "hub_resend", Text: "resent to a subscriber"}
	pause := &web.Action{Name: "hub_pause", Text: "paused a subscriber"}
	resume := &web.Action{Name: "hub_resume", Text: "resumed a subscriber"}
	replay := &web.Action{Name: "hub_replay", Text: "resent a dead letter"}
	addHook := &web.Action{Name: "webhook_add", Text: "added a webhook", Secret: true}
	removeHook := &web.Action{Name: "webhook_remove", Text: "removed a webhook"}
	testHook := &web.Action{Name: "webhook_test"}
	s, read, change := h.store, feed.ScopeRead, feed.ScopeSignals
	topics := web.Paged(s.Topics, func(t feed.Topic) string { return t.URL })
	webhooks := web.Paged(h.webhooks, func(hook Webhook) string { return hook.ID })
	routes := []web.Route{
		{Pattern: "GET /subscriptions", Scope: read, Serve: h.showSubscriptions},
		{Pattern: "GET /subscriptions/{subscription}", Scope: read, Serve: h.showSubscription},
		{Pattern: "POST /subscriptions/{subscription}/deny", Scope: change, Action: deny, Serve: form("denied", h.deny)},
		{Pattern: "GET /topics/{topic}", Scope: read, Serve: h.showTopic},
		{Pattern: "GET /dead-letters", Scope: read, Serve: h.showDeadLetters},
		{Pattern: "POST /dead-letters/{letter}/replay", Scope: change, Action: replay, Serve: web.Form(h.replayByForm)},
		{Pattern: "POST /dead-letters/replay", Scope: change, Action: replay, Serve: web.Form(h.replayAllByForm)},

		{Pattern: "GET /api/v1/hub", Scope: read, Serve: web.Reply(http.StatusOK, h.counts)},
		{Pattern: "GET /api/v1/hub/topics", Query: []string{"limit", "cursor"}, Scope: read, Serve: web.Reply(http.StatusOK, topics)},
		{Pattern: "GET /api/v1/hub/topics/{topic}", Scope: read, Serve: web.Reply(http.StatusOK, h.getTopic)},
		{Pattern: "GET /api/v1/hub/subscriptions", Query: []string{"topic", "limit", "cursor"}, Scope: read, Serve: web.Reply(http.StatusOK, h.listSubscriptions)},
		// The response holds the callback. Whoever knows a callback can take the subscription over.
		{Pattern: "GET /api/v1/hub/subscriptions/{subscription}", Scope: change, Serve: web.Reply(http.StatusOK, h.getSubscription)},
		{Pattern: "GET /api/v1/hub/subscriptions/{subscription}/attempts", Query: []string{"limit"}, Scope: read, Serve: web.Reply(http.StatusOK, h.listAttempts)},
		{Pattern: "POST /api/v1/hub/subscriptions/{subscription}/deny", Scope: change, Action: deny, Serve: reply(http.StatusAccepted, h.deny)},
		{Pattern: "GET /api/v1/hub/dead", Query: []string{"limit", "cursor"}, Scope: read, Serve: web.Reply(http.StatusOK, h.deadLetters)},
		{Pattern: "GET /api/v1/hub/dead/{letter}", Scope: read, Serve: web.Reply(http.StatusOK, h.deadLetter)},
		{Pattern: "POST /api/v1/hub/dead/replay", Scope: change, Action: replay, Serve: web.Reply(http.StatusOK, h.replayAll)},
		{Pattern: "POST /api/v1/hub/dead/{letter}/replay", Scope: change, Action: replay, Serve: web.Done(h.replay)},
		{Pattern: "GET /api/v1/webhooks", Query: []string{"limit", "cursor"}, Scope: read, Serve: web.Reply(http.StatusOK, webhooks)},
		{Pattern: "GET /api/v1/webhooks/{webhook}", Scope: read, Serve: web.Reply(http.StatusOK, h.getWebhook)},
		{Pattern: "POST /api/v1/webhooks", Scope: change, Action: addHook, Serve: h.addWebhook},
		{Pattern: "DELETE /api/v1/webhooks/{webhook}", Scope: change, Action: removeHook, Serve: web.Done(h.removeWebhook)},
		{Pattern: "POST /api/v1/webhooks/{webhook}/test", Scope: change, Action: testHook, Serve: web.Reply(http.StatusOK, h.testWebhook)},
	}
	for _, one := range []struct {
		action    *web.Action
		verb, did string
		do        func(ctx context.Context, id string) error
	}{
		{resend, "resend", "resent", s.ResendSubscription}, {pause, "pause", "paused", s.PauseSubscription},
		{resume, "resume", "resumed", s.ResumeSubscription},
	} {
		path, do := "/subscriptions/{subscription}/"+one.verb, h.change(one.do)
		routes = append(routes,
			web.Route{Pattern: "POST " + path, Scope: change, Action: one.action, Serve: form(one.did, do)},
			web.Route{Pattern: "POST /api/v1/hub" + path, Scope: change, Action: one.action, Serve: reply(http.StatusOK, do)})
	}
	all := web.Link{Path: "/subscriptions", Text: "All subscriptions"}
	return web.Site{
		Routes: routes,
		Missing: []web.Missing{
			{Below: "/subscriptions/", Text: "This subscription does not exist, or it has ended.", List: all},
			{Below: "/topics/", Text: "This topic does not exist, or its last subscriber has left.", List: all},
			{Below: "/dead-letters/", Text: "This dead letter does not exist, or it was resent.", List: web.Link{Path: "/dead-letters", Text: "All dead letters"}},
		},
		Nav: []web.Link{{Path: "/subscriptions", Text: "subscriptions"}},
	}
}

// change returns a function that changes the subscription of the path and returns it.
func (h *Hub) change(do func(ctx context.Context, id string) error) func(*http.Request) (feed.Subscription, error) {
	return func(r *http.Request) (s feed.Subscription, err error) {
		id := r.PathValue("subscription")
		if err := do(r.Context(), id); err != nil {
			return s, err
		}
		s, err = h.store.Subscription(r.Context(), id)
		web.Changed(r, feed.SubscriptionObject(&s), "", "")
		return s, err
	}
}

// reply answers with the subscription that do has changed.
func reply(status int, do func(*http.Request) (feed.Subscription, error)) web.Handler {
	return web.Reply(status, func(r *http.Request) (Subscription, error) {
		s, err := do(r)
		return viewOf(&s), err
	})
}

// form leads to the page of the subscription that do has changed.
func form(did string, do func(*http.Request) (feed.Subscription, error)) web.Handler {
	return web.Form(func(r *http.Request) (web.Next, error) {
		s, err := do(r)
		return web.Next{Page: "/subscriptions/" + s.ID, Did: did, To: s.ID}, err
	})
}
