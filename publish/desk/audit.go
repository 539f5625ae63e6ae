package desk

import (
	"context"
	"net/http"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// change is what an action has done, for the audit log.
type change struct {
	on, before, after string
	nothing           bool // it changed nothing: a repetition
	also              []change
}

type changeKey struct{}

// about tells the audit log what an action is about, and what that was before and is after it. A handler that does not
// say so leaves the path of its request there.
func about(r *http.Request, on, before, after string) {
	if c, ok := r.Context().Value(changeKey{}).(*change); ok {
		c.on, c.before, c.after = on, before, after
	}
}

// aboutAlso tells the audit log of one of many things that an action has done.
func aboutAlso(r *http.Request, on, before, after string) {
	if c, ok := r.Context().Value(changeKey{}).(*change); ok {
		c.also = append(c.also, change{on: on, before: before, after: after})
	}
}

// changedNothing tells the audit log that there is nothing to write.
func changedNothing(r *http.Request) {
	if c, ok := r.Context().Value(changeKey{}).(*change); ok {
		c.nothing = true
	}
}

// auditTimeout bounds writing to the audit log after the answer was given.
const auditTimeout = 5 * time.Second

// The bounds of a field of the audit log, in bytes.
const maxAudited = 1000

// audit writes a change to the audit log. What cannot be written there is in the log.
func (d *Desk) audit(r *http.Request, a action, c *change) {
	switch a {
	case sourceDiscover, sourcePoll, webhookTest: // change nothing
		return
	}
	all := c.also
	if !c.nothing {
		all = append(all, *c)
	}
	if len(all) == 0 || d.signs == nil {
		return
	}
	entries := make([]feed.AuditEntry, len(all))
	for i, one := range all {
		entries[i] = feed.AuditEntry{
			Time: d.opts.Now().UTC(), Who: visitorOf(r).name, Action: string(a), On: cutTo(one.on, maxAudited),
			Before: cutTo(one.before, maxAudited), After: cutTo(one.after, maxAudited), From: d.address(r),
		}
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), auditTimeout)
	defer cancel()
	if err := d.signs.AddAudit(ctx, entries...); err != nil {
		for _, e := range entries {
			d.opts.Logger.Error("change not in the audit log", "who", e.Who, "action", e.Action, "on", e.On, "before", e.Before,
				"after", e.After, "from", e.From, "err", err)
		}
	}
}

// auditOf writes what somebody did who was not known when the request came, as a sign-in.
func (d *Desk) auditOf(r *http.Request, name string, a action) {
	r = r.WithContext(context.WithValue(r.Context(), visitorKey{}, visitor{name: name}))
	d.audit(r, a, &change{on: name})
}

func (d *Desk) listAudit(w http.ResponseWriter, r *http.Request) error {
	entries, next, err := d.auditPage(r)
	if err != nil {
		return err
	}
	answer(w, http.StatusOK, list(entries, next))
	return nil
}

// auditPage is the piece of the audit log that a request asks for, and the cursor of the next one.
func (d *Desk) auditPage(r *http.Request) (entries []feed.AuditEntry, next string, err error) {
	limit, err := limit(r)
	if err != nil {
		return nil, "", err
	}
	before := r.URL.Query().Get("cursor")
	if !signalID.MatchString(before) {
		return nil, "", wrong("cursor", "use next of the answer before")
	}
	entries, err = d.signs.Audit(r.Context(), before, limit)
	if err == nil && len(entries) == limit {
		next = entries[limit-1].ID
	}
	return entries, next, err
}

// auditView is what the template shows.
type auditView struct {
	frame
	Rows []auditRow
	Next string // cursor; empty: there is no more
	Late bool   // it is not the first page
}

// auditRow is one change.
type auditRow struct {
	Time                   moment
	Who, What, On          string
	Before, After, Address string
}

// showAudit serves "/audit".
func (d *Desk) showAudit(w http.ResponseWriter, r *http.Request) error {
	entries, next, err := d.auditPage(r)
	if err != nil {
		return err
	}
	view := auditView{frame: d.frame(r, "Audit log – feedwire", 0), Next: next, Late: r.URL.Query().Get("cursor") != ""}
	for i := range entries {
		e := &entries[i]
		view.Rows = append(view.Rows, auditRow{
			Time: ago(e.Time, d.opts.Now()), Who: e.Who, What: inWords(e.Action), On: e.On, Before: e.Before, After: e.After,
			Address: e.From,
		})
	}
	d.render(w, r, http.StatusOK, "audit.html", view)
	return nil
}

// inWords is an action for people.
func inWords(a string) string {
	words := map[action]string{
		sourceAdd: "added or changed a source", sourceImport: "imported sources", sourceRemove: "removed a source",
		sourcePause: "paused a source", sourceResume: "resumed a source", sourceRestore: "restored a source", articlePublish: "published", articleUnpublish: "took back", articleUndo: "undid a decision about",
		hubDeny: "denied a subscriber", hubResend: "resent to a subscriber", hubPause: "paused a subscriber",
		hubResume: "resumed a subscriber", hubReplay: "replayed a dead letter", webhookAdd: "added a webhook",
		webhookRemove: "removed a webhook", userAdd: "added a user", userRole: "changed the role of", userDisable: "disabled",
		userEnable: "enabled", userReset: "made a link for", tokenCreate: "created a token", tokenRevoke: "revoked a token",
		passwordChange: "changed the password of", sessionEnd: "ended a session of", sessionsEnd: "signed out everywhere",
		signIn: "signed in", linkUsed: "used a one-time link",
	}
	if text := words[action(a)]; text != "" {
		return text
	}
	return a
}
