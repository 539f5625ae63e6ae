package community

import (
	"context"
	"net/http"
	"strings"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// Moderator makes the decisions that the pages offer, and records them in the audit log. Without a reason, the log has what members have
// reported.
type Moderator interface {
	// Action returns the action of a decision by its name in the audit log.
	Action(name string) *web.Action
	// Decide changes who sees something, closes the report of it, and returns who saw it before.
	Decide(r *http.Request, o feed.Reported, state feed.Visibility, reason string) (before feed.Visibility, err error)
	// Undo reverts Decide.
	Undo(r *http.Request, o feed.Reported, before feed.Visibility) error
	// Dismiss closes the report of something and leaves it as it is.
	Dismiss(r *http.Request, o feed.Reported, reason string) error
	// Reopen reverts Dismiss.
	Reopen(r *http.Request, o feed.Reported) error
	// Lock ends or permits new comments on a submission.
	Lock(r *http.Request, n int64, locked bool, reason string) error
	// Ban keeps an account from writing, voting and reporting, or ends that.
	Ban(r *http.Request, name string, banned bool, reason string) error
	// Decisions returns up to limit decisions before the one with the id before, newest first, and where older ones follow; "": there are none.
	Decisions(ctx context.Context, before string, limit int) (all []feed.ModerationEntry, next string, err error)
	// InvitationTree returns who invited an account, and up to limit accounts that it invited after a cursor.
	InvitationTree(ctx context.Context, name string, after feed.Cursor, limit int) (feed.InvitationTree, error)
}

// moderationRoutes returns the pages and forms of moderators.
func (c *Community) moderationRoutes() []web.Route {
	const may = feed.ScopeSources
	at, m := c.opts.Mount.Pattern, c.opts.Moderator
	page := func(path string, serve web.Handler, query ...string) web.Route {
		return web.Route{Pattern: at("GET", "/moderation"+path), Query: append([]string{}, query...), Scope: may, Serve: serve, Failed: c.showProblem}
	}
	form := func(path, action string, do func(*http.Request) (web.Next, error)) web.Route {
		return web.Route{
			Pattern: at("POST", "/moderation"+path), Query: []string{}, Scope: may, Action: m.Action(action), Serve: web.Form(do), Failed: c.showProblem,
		}
	}
	return []web.Route{
		page("", c.showQueue, "order", "cursor"),
		page("/review", c.showHeld, "cursor"),
		page("/bans", c.showBans, "cursor"),
		page("/invitations/{name}", c.showInvitations, "cursor"),
		page("/decisions", c.showDecisions, "cursor"),
		page("/decisions.csv", c.exportDecisions),
		page("/decisions.json", c.exportDecisions),

		form("/hide/{object}", "moderate", c.decideByForm(feed.Hidden)),
		form("/remove/{object}", "moderate", c.decideByForm(feed.Removed)),
		form("/restore/{object}", "moderate", c.decideByForm(feed.Visible)),
		form("/approve/{object}", "moderate", c.decideByForm(feed.Visible)),
		form("/reject/{object}", "moderate", c.decideByForm(feed.Rejected)),
		form("/undo/{state}/{object}", "moderate", about(c.undoByForm)),
		form("/dismiss/{object}", "report_close", about(c.dismissByForm)),
		form("/reopen/{object}", "report_reopen", about(c.reopenByForm)),
		form("/selected", "moderate", c.decideSelected),
		form("/lock/{object}", "thread_lock", c.lockByForm(true)),
		form("/unlock/{object}", "thread_unlock", c.lockByForm(false)),
		form("/ban/{member}", "member_ban", c.banByForm(true)),
		form("/unban/{member}", "member_unban", c.banByForm(false)),
	}
}

// decided is where the form of a decision leads.
func (c *Community) decided(did, to string) web.Next {
	return web.Next{Page: c.opts.Mount.Path("/moderation"), Did: did, To: to}
}

// reasonIn returns the reason in the form of a decision; empty: none.
func reasonIn(r *http.Request) string { return strings.TrimSpace(lines(r.PostFormValue("reason"))) }

// about makes a form of a decision about the object in its path.
func about(decide func(r *http.Request, o feed.Reported) (web.Next, error)) func(*http.Request) (web.Next, error) {
	return func(r *http.Request) (next web.Next, err error) {
		o, err := feed.ParseReported(r.PathValue("object"))
		if err != nil {
			return next, err
		}
		return decide(r, o)
	}
}

// decideByForm serves POST /moderation/hide/{object}, /moderation/remove/{object}, /moderation/restore/{object}, /moderation/approve/{object} and
// /moderation/reject/{object}.
func (c *Community) decideByForm(state feed.Visibility) func(*http.Request) (web.Next, error) {
	return about(func(r *http.Request, o feed.Reported) (web.Next, error) {
		before, err := c.opts.Moderator.Decide(r, o, state, reasonIn(r))
		return c.decided(decidedWord(before, state), o.String()), err
	})
}

// undoByForm serves POST /moderation/undo/{state}/{object}.
func (c *Community) undoByForm(r *http.Request, o feed.Reported) (web.Next, error) {
	return c.decided("undone", ""), c.opts.Moderator.Undo(r, o, feed.Visibility(r.PathValue("state")))
}

// dismissByForm serves POST /moderation/dismiss/{object}.
func (c *Community) dismissByForm(r *http.Request, o feed.Reported) (web.Next, error) {
	return c.decided("dismissed", o.String()), c.opts.Moderator.Dismiss(r, o, reasonIn(r))
}

// reopenByForm serves POST /moderation/reopen/{object}.
func (c *Community) reopenByForm(r *http.Request, o feed.Reported) (web.Next, error) {
	return c.decided("undone", ""), c.opts.Moderator.Reopen(r, o)
}

// decideSelected serves POST /moderation/selected: one decision about several things.
func (c *Community) decideSelected(r *http.Request) (next web.Next, err error) {
	states := map[string]feed.Visibility{"hide": feed.Hidden, "remove": feed.Removed, "approve": feed.Visible, "reject": feed.Rejected}
	state, action := states[r.PostFormValue("do")], "moderate"
	if state == "" {
		action = "report_close"
	}
	done, err := c.web.Bulk(r, c.opts.Moderator.Action(action), "object", r.PostForm["object"], func(r *http.Request, id string) (item web.BulkItem, err error) {
		o, err := feed.ParseReported(id)
		switch {
		case err != nil:
		case state == "":
			err = c.opts.Moderator.Dismiss(r, o, reasonIn(r))
		default:
			_, err = c.opts.Moderator.Decide(r, o, state, reasonIn(r))
		}
		return item, err
	})
	next = c.decided("decided", "")
	if state == feed.Visible || state == feed.Rejected {
		next.Did = "reviewed"
	}
	if next.N = done.Done; done.Failed > 0 {
		next.Did += "-some"
	}
	return next, err
}

// lockByForm serves POST /moderation/lock/{object} and /moderation/unlock/{object}.
func (c *Community) lockByForm(locked bool) func(*http.Request) (web.Next, error) {
	did := map[bool]string{true: "locked", false: "unlocked"}[locked]
	return about(func(r *http.Request, o feed.Reported) (web.Next, error) {
		return c.decided(did, o.String()), c.opts.Moderator.Lock(r, o.News, locked, reasonIn(r))
	})
}

// banByForm serves POST /moderation/ban/{member} and /moderation/unban/{member}.
func (c *Community) banByForm(banned bool) func(*http.Request) (web.Next, error) {
	did := map[bool]string{true: "banned", false: "unbanned"}[banned]
	return func(r *http.Request) (web.Next, error) {
		name := r.PathValue("member")
		return c.decided(did, name), c.opts.Moderator.Ban(r, name, banned, reasonIn(r))
	}
}
