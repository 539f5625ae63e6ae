// Package hub serves the pages and the API of subscriptions, dead letters and webhooks.
package hub

import (
	"context"
	"embed"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// Options configure a Hub.
type Options struct {
	// TestWebhook sends a test message to a webhook at once. It returns the HTTP status, or 0 if there was no response, and the class of
	// the response: "2xx", "timeout". nil: webhooks cannot be tested.
	TestWebhook func(ctx context.Context, webhook feed.Subscription) (status int, reason string)
}

// Hub serves the routes of the hub. Create it with New.
type Hub struct {
	store Store
	web   *web.Kit
	pages *web.Pages
	opts  Options
}

//go:embed templates
var files embed.FS

// Missing describes subscriptions and dead letters that do not exist.
var Missing = []web.Missing{
	{Below: "/subscriptions/", Text: "This subscription does not exist, or it has ended.", List: web.Link{Path: "/subscriptions", Text: "All subscriptions"}},
	{Below: "/dead-letters/", Text: "This dead letter does not exist, or it was resent.", List: web.Link{Path: "/dead-letters", Text: "All dead letters"}},
}

var notices = web.Notices{
	"resent":    {One: "The newest version of the topic is sent again."},
	"paused":    {One: "Paused. New versions wait.", Undo: "/subscriptions/%s/resume"},
	"resumed":   {One: "Resumed. Waiting versions are sent.", Undo: "/subscriptions/%s/pause"},
	"denied":    {One: "The hub notifies the subscriber and ends the subscription. This cannot be undone: only the subscriber can subscribe again."},
	"replayed":  {One: "The subscriber gets all versions since the first missed one."},
	"allresent": {One: "All dead letters of active subscriptions are resent."},
}

// New returns a Hub.
func New(store Store, kit *web.Kit, opts Options) *Hub {
	return &Hub{store: store, web: kit, pages: kit.Pages(files), opts: opts}
}

// Routes returns every route of the hub.
func (h *Hub) Routes() []web.Route {
	deny := &web.Action{Name: "hub_deny", Text: "denied a subscriber"}
	resend := &web.Action{Name: "hub_resend", Text: "resent to a subscriber"}
	pause := &web.Action{Name: "hub_pause", Text: "paused a subscriber"}
	resume := &web.Action{Name: "hub_resume", Text: "resumed a subscriber"}
	replay := &web.Action{Name: "hub_replay", Text: "resent a dead letter"}
	addHook := &web.Action{Name: "webhook_add", Text: "added a webhook", Secret: true}
	removeHook := &web.Action{Name: "webhook_remove", Text: "removed a webhook"}
	testHook := &web.Action{Name: "webhook_test"}
	s, read, change := h.store, feed.ScopeRead, feed.ScopeSignals
	return []web.Route{
		{Pattern: "GET /subscriptions", Scope: read, Serve: h.showSubscriptions},
		{Pattern: "GET /subscriptions/{subscription}", Scope: read, Serve: h.showSubscription},
		{Pattern: "POST /subscriptions/{subscription}/resend", Scope: change, Action: resend, Serve: h.changeByForm("resent", s.ResendSubscription)},
		{Pattern: "POST /subscriptions/{subscription}/pause", Scope: change, Action: pause, Serve: h.changeByForm("paused", s.PauseSubscription)},
		{Pattern: "POST /subscriptions/{subscription}/resume", Scope: change, Action: resume, Serve: h.changeByForm("resumed", s.ResumeSubscription)},
		{Pattern: "POST /subscriptions/{subscription}/deny", Scope: change, Action: deny, Serve: h.denyByForm},
		{Pattern: "GET /dead-letters", Scope: read, Serve: h.showDeadLetters},
		{Pattern: "POST /dead-letters/{letter}/replay", Scope: change, Action: replay, Serve: h.replayByForm},
		{Pattern: "POST /dead-letters/replay", Scope: change, Action: replay, Serve: h.replayAllByForm},

		{Pattern: "GET /api/v1/hub", Scope: read, Serve: h.getCounts},
		{Pattern: "GET /api/v1/hub/topics", Scope: read, Serve: h.listTopics},
		{Pattern: "GET /api/v1/hub/subscriptions", Scope: read, Serve: h.listSubscriptions},
		// The response holds the callback. Whoever knows a callback can take the subscription over.
		{Pattern: "GET /api/v1/hub/subscriptions/{subscription}", Scope: change, Serve: h.getSubscription},
		{Pattern: "POST /api/v1/hub/subscriptions/{subscription}/deny", Scope: change, Action: deny, Serve: h.denySubscription},
		{Pattern: "POST /api/v1/hub/subscriptions/{subscription}/resend", Scope: change, Action: resend, Serve: h.change(s.ResendSubscription)},
		{Pattern: "POST /api/v1/hub/subscriptions/{subscription}/pause", Scope: change, Action: pause, Serve: h.change(s.PauseSubscription)},
		{Pattern: "POST /api/v1/hub/subscriptions/{subscription}/resume", Scope: change, Action: resume, Serve: h.change(s.ResumeSubscription)},
		{Pattern: "GET /api/v1/hub/dead", Scope: read, Serve: h.listDeadLetters},
		{Pattern: "POST /api/v1/hub/dead/replay", Scope: change, Action: replay, Serve: h.replayAll},
		{Pattern: "POST /api/v1/hub/dead/{letter}/replay", Scope: change, Action: replay, Serve: h.replay},
		{Pattern: "GET /api/v1/webhooks", Scope: read, Serve: h.listWebhooks},
		{Pattern: "POST /api/v1/webhooks", Scope: change, Action: addHook, Serve: h.addWebhook},
		{Pattern: "DELETE /api/v1/webhooks/{webhook}", Scope: change, Action: removeHook, Serve: h.removeWebhook},
		{Pattern: "POST /api/v1/webhooks/{webhook}/test", Scope: change, Action: testHook, Serve: h.testWebhook},
	}
}
