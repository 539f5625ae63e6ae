// Package moderation serves what members report about submissions and comments, and what moderators do: they hide, remove and restore comments,
// lock threads, and ban accounts from the community. Moderators are accounts with the scope sources, which may take entries down.
package moderation

import (
	"net/http"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// Moderation serves the routes of reports and decisions. Create it with New.
type Moderation struct{ store Store }

// New returns Moderation.
func New(store Store) *Moderation { return &Moderation{store} }

// Site returns the routes. Decisions are in the audit log; reports by members are not.
func (m *Moderation) Site() web.Site {
	report := &web.Action{Name: "report_write"}
	dismiss := &web.Action{Name: "report_close", Text: "closed the reports of"}
	moderate := &web.Action{Name: "comment_moderate", Text: "moderated"}
	lock, unlock := &web.Action{Name: "thread_lock", Text: "locked"}, &web.Action{Name: "thread_unlock", Text: "unlocked"}
	ban, unban := &web.Action{Name: "member_ban", Text: "banned"}, &web.Action{Name: "member_unban", Text: "ended the ban of"}
	const may = feed.ScopeSources
	const locked, bans = "/api/v1/submissions/{n}/lock", "/api/v1/moderation/bans"
	page := []string{"limit", "cursor"}
	return web.Site{Routes: []web.Route{
		{Pattern: "POST /api/v1/submissions/{n}/reports", Query: []string{"user"}, Scope: feed.ScopeFollows, Action: report, Serve: web.Done(m.report)},
		{Pattern: "GET /api/v1/moderation/reports", Query: page, Scope: may, Serve: web.Reply(http.StatusOK, m.reports)},
		{Pattern: "DELETE /api/v1/moderation/reports/{report}", Scope: may, Action: dismiss, Serve: web.Done(m.dismiss)},
		{Pattern: "PUT /api/v1/entries/{n}/comments/{comment}/state", Scope: may, Action: moderate, Serve: web.Done(m.moderate)},
		{Pattern: "PUT " + locked, Scope: may, Action: lock, Serve: web.Done(m.lock(true))},
		{Pattern: "DELETE " + locked, Scope: may, Action: unlock, Serve: web.Done(m.lock(false))},
		{Pattern: "GET " + bans, Query: page, Scope: may, Serve: web.Reply(http.StatusOK, m.bans)},
		{Pattern: "PUT " + bans + "/{member}", Scope: may, Action: ban, Serve: web.Done(m.ban)},
		{Pattern: "DELETE " + bans + "/{member}", Scope: may, Action: unban, Serve: web.Done(m.unban)},
	}}
}
