// Package moderation serves what members report about submissions and comments, and what moderators do: they approve and reject submissions
// that wait for them, hide, remove and restore submissions and comments, lock threads, ban accounts from the community, and read who invited whom. Moderators are accounts with the scope sources, which may take entries down.
//
// The site of the community has pages for the same decisions, which call the methods of Moderation.
package moderation

import (
	"net/http"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// Moderation makes decisions, and serves them to programs. Create it with New.
type Moderation struct{ store Store }

// New returns Moderation.
func New(store Store) *Moderation { return &Moderation{store} }

// actions are the decisions by their names in the audit log.
var actions = map[string]string{
	"report_close": "closed the reports of", "report_reopen": "reopened the reports of", "moderate": "moderated", "thread_lock": "locked", "thread_unlock": "unlocked",
	"member_ban": "banned", "member_unban": "ended the ban of",
}

// Action returns the action of a decision.
func (m *Moderation) Action(name string) *web.Action {
	return &web.Action{Name: name, Text: actions[name]}
}

// Site returns the routes. Decisions are in the audit log; reports by members are not.
func (m *Moderation) Site() web.Site {
	const may = feed.ScopeSources
	const all, locked, bans = "/api/v1/moderation/", "/api/v1/submissions/{n}/lock", "/api/v1/moderation/bans"
	page, reason := []string{"limit", "cursor"}, []string{"reason"}
	list := func(path string, serve web.Handler, query ...string) web.Route {
		return web.Route{Pattern: "GET " + path, Query: append(query, page...), Scope: may, Serve: serve}
	}
	decide := func(pattern, action string, query []string, do func(*http.Request) error) web.Route {
		return web.Route{Pattern: pattern, Query: query, Scope: may, Action: m.Action(action), Serve: web.Done(do)}
	}
	return web.Site{Routes: []web.Route{
		{
			Pattern: "POST /api/v1/submissions/{n}/reports", Query: []string{"user"}, Scope: feed.ScopeFollows,
			Action: &web.Action{Name: "report_write"}, Serve: web.Done(m.report),
		},
		list(all+"reports", web.Reply(http.StatusOK, m.reports), "order"),
		list(all+"held", web.Reply(http.StatusOK, m.held)),
		list(all+"decisions", web.Reply(http.StatusOK, m.decisions)),
		list(bans, web.Reply(http.StatusOK, m.bans)),
		list(all+"members/{member}/invitations", web.Reply(http.StatusOK, m.invitations)),
		{Pattern: "GET " + all + "reports/{report}", Scope: may, Serve: web.Reply(http.StatusOK, m.showReport)},
		decide("DELETE "+all+"reports/{report}", "report_close", reason, m.dismiss),
		decide("PUT "+all+"reports/{report}", "report_reopen", nil, m.reopen),
		decide("PUT /api/v1/entries/{n}/comments/{comment}/state", "moderate", nil, m.moderate),
		decide("PUT /api/v1/submissions/{n}/state", "moderate", nil, m.moderate),
		decide("PUT "+locked, "thread_lock", reason, m.lock(true)),
		decide("DELETE "+locked, "thread_unlock", reason, m.lock(false)),
		decide("PUT "+bans+"/{member}", "member_ban", reason, m.ban(true)),
		decide("DELETE "+bans+"/{member}", "member_unban", reason, m.ban(false)),
	}}
}
