package desk

import "github.com/feedwire/feedwire/store/feed"

// What a route needs besides a scope.
const (
	anyone  feed.Scope = "anyone"  // nothing
	oneself feed.Scope = "oneself" // somebody who is signed in: it is about what is theirs
)

// needOf is the one place that says who may do what: the scope that a route needs. Routes that are not listed are for
// admins.
func needOf(pattern string) (scope feed.Scope, listed bool) {
	switch pattern {
	case "GET /assets/desk.css",
		"GET /assets/wire.js",
		"GET /assets/desk.js",
		"GET /assets/icon.svg",
		"GET /api/v1/openapi.yaml", // tells nothing of this daemon
		"GET /login",
		"POST /login",
		"GET /welcome",
		"POST /welcome":
		return anyone, true
	case "GET /account",
		"POST /account/password",
		"POST /account/sessions/{session}/end",
		"POST /account/sessions/end",
		"POST /logout":
		return oneself, true
	case "GET /{$}",
		"GET /live",
		"GET /articles",
		"GET /articles/live",
		"GET /articles/{uuid}",
		"GET /articles/{uuid}/live",
		"GET /articles/{uuid}/preview",
		"GET /sources",
		"GET /sources/{id}",
		"GET /sources/export",
		"GET /imports/{id}",
		"GET /feeds",
		"GET /feeds/{type}",
		"GET /feeds/{type}/document",
		"GET /signals",
		"GET /signals/live",
		"GET /signals/{id}",
		"GET /subscriptions",
		"GET /subscriptions/{subscription}",
		"GET /dead-letters",
		"GET /api/v1/sources",
		"GET /api/v1/opml",
		"GET /api/v1/jobs/{id}",
		"GET /api/v1/sources/{id}",
		"GET /api/v1/sources/{id}/entries",
		"GET /api/v1/entries/{n}",
		"GET /api/v1/articles",
		"GET /api/v1/articles/{uuid}",
		"GET /api/v1/articles/{uuid}/preview",
		"GET /api/v1/articles/{uuid}/history",
		"GET /api/v1/feeds",
		"GET /api/v1/feeds/{type}/visits",
		"GET /api/v1/signals",
		"GET /api/v1/signals/search",
		"GET /api/v1/signals/{signal}",
		"GET /api/v1/status",
		"GET /api/v1/hub",
		"GET /api/v1/hub/topics",
		"GET /api/v1/hub/subscriptions",
		"GET /api/v1/hub/dead",
		"GET /api/v1/webhooks":
		return feed.ScopeRead, true
	case "POST /articles/publish",
		"POST /articles/unpublish",
		"POST /articles/undo/{id}",
		"POST /api/v1/articles/{uuid}/publish",
		"POST /api/v1/articles/{uuid}/unpublish",
		"POST /api/v1/articles/publish",
		"POST /api/v1/articles/unpublish",
		"POST /api/v1/undo/{id}":
		return feed.ScopePublish, true
	case "GET /sources/{id}/edit",
		"POST /sources/{id}/edit",
		"GET /sources/add",
		"POST /sources/find",
		"POST /sources/preview",
		"POST /sources",
		"GET /sources/import",
		"POST /sources/import",
		"POST /sources/poll",
		"POST /sources/{id}/poll",
		"POST /sources/{id}/trace",
		"POST /sources/{id}/pause",
		"POST /sources/{id}/resume",
		"POST /sources/{id}/remove",
		"POST /sources/{id}/restore",
		"POST /api/v1/sources",
		"POST /api/v1/discover",
		"POST /api/v1/peek",
		"POST /api/v1/sources/{id}/restore",
		"POST /api/v1/opml",
		"DELETE /api/v1/sources/{id}",
		"POST /api/v1/sources/{id}/poll",
		"POST /api/v1/sources/poll",
		"POST /api/v1/sources/pause",
		"POST /api/v1/sources/resume",
		"POST /api/v1/sources/remove",
		"POST /api/v1/sources/{id}/pause",
		"POST /api/v1/sources/{id}/resume":
		return feed.ScopeSources, true
	case "GET /api/v1/hub/subscriptions/{subscription}", // tells the callback, with which a subscription can be taken over
		"POST /subscriptions/{subscription}/resend",
		"POST /subscriptions/{subscription}/pause",
		"POST /subscriptions/{subscription}/resume",
		"POST /subscriptions/{subscription}/deny",
		"POST /dead-letters/{letter}/replay",
		"POST /dead-letters/replay",
		"POST /api/v1/hub/subscriptions/{subscription}/deny",
		"POST /api/v1/hub/subscriptions/{subscription}/resend",
		"POST /api/v1/hub/subscriptions/{subscription}/pause",
		"POST /api/v1/hub/subscriptions/{subscription}/resume",
		"POST /api/v1/hub/dead/replay",
		"POST /api/v1/hub/dead/{letter}/replay",
		"POST /api/v1/webhooks",
		"DELETE /api/v1/webhooks/{webhook}",
		"POST /api/v1/webhooks/{webhook}/test":
		return feed.ScopeSignals, true
	case "GET /users",
		"POST /users",
		"POST /users/{name}/role",
		"POST /users/{name}/disable",
		"POST /users/{name}/enable",
		"POST /users/{name}/reset",
		"GET /tokens",
		"POST /tokens",
		"POST /tokens/{token}/revoke",
		"GET /audit",
		"GET /settings",
		"GET /api/v1/settings",
		"GET /api/v1/users",
		"POST /api/v1/users",
		"POST /api/v1/users/{name}/role",
		"POST /api/v1/users/{name}/disable",
		"POST /api/v1/users/{name}/enable",
		"POST /api/v1/users/{name}/reset",
		"GET /api/v1/tokens",
		"POST /api/v1/tokens",
		"DELETE /api/v1/tokens/{token}",
		"GET /api/v1/audit":
		return feed.ScopeAdmin, true
	}
	return feed.ScopeAdmin, false
}
