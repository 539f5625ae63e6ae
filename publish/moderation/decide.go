package moderation

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// Decide changes who sees a submission or a comment, and closes the report of it. It returns who saw it before. Without a reason, the log has
// what members have reported. The author of a submission reads why it is rejected.
func (m *Moderation) Decide(r *http.Request, o feed.Reported, state feed.Visibility, reason string) (before feed.Visibility, err error) {
	if state == feed.Rejected {
		reason, err = feed.CheckReason(reason)
	} else {
		reason, err = m.why(r.Context(), o, reason)
	}
	if err != nil {
		return before, err
	}
	return m.decide(r, o, state, reason, reason)
}

// decide is Decide with the reason for the log, and that for the author; empty: as before.
func (m *Moderation) decide(r *http.Request, o feed.Reported, state feed.Visibility, reason, told string) (before feed.Visibility, err error) {
	if o.Comment == 0 {
		before, err = m.store.ModerateSubmission(r.Context(), o.News, state, told)
	} else {
		before, err = m.store.ModerateComment(r.Context(), o.News, o.Comment, state)
	}
	if err != nil {
		return before, err
	}
	record(r, feed.ReportedObject(o), before != state, string(before), string(state), reason)
	_, err = m.store.CloseReport(r.Context(), o)
	return before, err
}

// Undo reverts a decision: it sets who saw something before, and returns its reports to the queue.
func (m *Moderation) Undo(r *http.Request, o feed.Reported, before feed.Visibility) error {
	if _, err := m.decide(r, o, before, "undone", ""); err != nil {
		return err
	}
	_, err := m.store.ReopenReport(r.Context(), o)
	return err
}

// Dismiss closes the report of something and leaves it as it is.
func (m *Moderation) Dismiss(r *http.Request, o feed.Reported, reason string) error {
	reason, err := m.why(r.Context(), o, reason)
	if err != nil {
		return err
	}
	changed, err := m.store.CloseReport(r.Context(), o)
	record(r, feed.ReportedObject(o), changed, "", "", reason)
	return err
}

// Reopen reverts Dismiss.
func (m *Moderation) Reopen(r *http.Request, o feed.Reported) error {
	changed, err := m.store.ReopenReport(r.Context(), o)
	record(r, feed.ReportedObject(o), changed, "", "", "")
	return err
}

// Lock ends or permits new comments on a submission.
func (m *Moderation) Lock(r *http.Request, n int64, locked bool, reason string) error {
	reason, err := m.why(r.Context(), feed.Reported{News: n}, reason)
	if err != nil {
		return err
	}
	changed, err := m.store.LockNews(r.Context(), n, locked)
	record(r, feed.ReportedObject(feed.Reported{News: n}), changed, "", "", reason)
	return err
}

// Ban keeps an account from writing, voting and reporting in the community, or ends that.
func (m *Moderation) Ban(r *http.Request, name string, banned bool, reason string) error {
	a, err := m.store.Account(r.Context(), name)
	if err == nil && reason != "" {
		reason, err = feed.CheckReason(reason)
	}
	if err != nil {
		return err
	}
	if banned && a.Role.Moderates() {
		return fmt.Errorf("%s moderates, and was not banned (%w): an admin changes the role of the account first", a.Name, feed.ErrConflict)
	}
	change := m.store.Ban
	if !banned {
		change = m.store.Unban
	}
	changed, err := change(r.Context(), a.ID)
	record(r, feed.AccountObject(&a), changed, "", "", reason)
	return err
}

// why returns the reason of a decision about something; without one, what members have reported.
func (m *Moderation) why(ctx context.Context, o feed.Reported, reason string) (string, error) {
	if reason != "" {
		return feed.CheckReason(reason)
	}
	report, err := m.store.ReportOf(ctx, o)
	return report.Summary(), err
}

// record names the object of a decision for the audit log, which has no decisions that changed nothing.
func record(r *http.Request, o feed.Object, changed bool, before, after, reason string) {
	web.Changed(r, o, before, after)
	web.Because(r, reason)
	if !changed {
		web.NothingChanged(r)
	}
}

// Decisions returns up to limit decisions before the one with the id before ("" for the newest), newest first, and where older ones follow; "":
// there are none.
func (m *Moderation) Decisions(ctx context.Context, before string, limit int) ([]feed.ModerationEntry, string, error) {
	entries, next, err := m.store.Decisions(ctx, slices.Collect(maps.Keys(actions)), before, limit)
	all := make([]feed.ModerationEntry, len(entries))
	for i := range entries {
		e := &entries[i]
		all[i] = feed.ModerationEntry{
			ID: e.ID, Time: e.Time, Who: e.Who, Action: e.Action, Object: e.Object.String(), Before: e.Before, After: e.After, Reason: e.Reason,
		}
		if e.Object.Kind != feed.ObjectAccount {
			all[i].Thing = e.Object.ID
		}
	}
	return all, next, err
}
