package moderation

import (
	"fmt"
	"net/http"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// report serves POST /api/v1/submissions/{n}/reports.
func (m *Moderation) report(r *http.Request) error {
	var body struct {
		Comment int64  `json:"comment"` // 0: the submission
		Reason  string `json:"reason"`
	}
	reporter, err := web.AccountOf(r, m.store.Account)
	if err != nil {
		return err
	}
	n, err := newsInPath(r)
	if err != nil {
		return err
	}
	if err := web.Decode(r, &body); err != nil {
		return err
	}
	if body.Comment < 0 {
		return feed.Invalid("comment", "use the id of a comment, or leave it out")
	}
	reason, err := feed.CheckReason(body.Reason)
	if err != nil {
		return err
	}
	return m.store.Report(r.Context(), feed.Reported{News: n, Comment: body.Comment}, reporter.ID, reason)
}

// reports serves GET /api/v1/moderation/reports.
func (m *Moderation) reports(r *http.Request) (page feed.Page[feed.Report], err error) {
	query := web.QueryOf(r)
	limit, after, order := query.Limit(), query.Position(), query.Get("order")
	if order != "" && order != "latest" && order != "most" {
		query.Refuse("order", "use latest or most")
	}
	if query.Err != nil {
		return page, query.Err
	}
	if order == "most" {
		all, err := m.store.MostReported(r.Context(), limit)
		return web.List(all, ""), err
	}
	all, next, err := m.store.Reports(r.Context(), after, limit)
	return web.List(all, next.String()), err
}

// showReport serves GET /api/v1/moderation/reports/{report}.
func (m *Moderation) showReport(r *http.Request) (feed.Report, error) {
	o, err := feed.ParseReported(r.PathValue("report"))
	if err != nil {
		return feed.Report{}, err
	}
	return m.store.ReportOf(r.Context(), o)
}

// held serves GET /api/v1/moderation/held.
func (m *Moderation) held(r *http.Request) (page feed.Page[feed.Report], err error) {
	query := web.QueryOf(r)
	limit, after := query.Limit(), query.Position()
	if query.Err != nil {
		return page, query.Err
	}
	all, next, err := m.store.Held(r.Context(), after, limit)
	return web.List(all, next.String()), err
}

// dismiss serves DELETE /api/v1/moderation/reports/{report}.
func (m *Moderation) dismiss(r *http.Request) error {
	o, err := feed.ParseReported(r.PathValue("report"))
	if err != nil {
		return err
	}
	return m.Dismiss(r, o, r.URL.Query().Get("reason"))
}

// reopen serves PUT /api/v1/moderation/reports/{report}.
func (m *Moderation) reopen(r *http.Request) error {
	o, err := feed.ParseReported(r.PathValue("report"))
	if err != nil {
		return err
	}
	return m.Reopen(r, o)
}

// moderate serves PUT /api/v1/submissions/{n}/state and /api/v1/entries/{n}/comments/{comment}/state.
func (m *Moderation) moderate(r *http.Request) error {
	name := r.PathValue("n")
	if c := r.PathValue("comment"); c != "" {
		name += "-" + c
	}
	o, err := feed.ParseReported(name)
	if err != nil {
		return err
	}
	var body struct {
		State  feed.Visibility `json:"state"`
		Reason string          `json:"reason"`
	}
	if err := web.Decode(r, &body); err != nil {
		return err
	}
	_, err = m.Decide(r, o, body.State, body.Reason)
	return err
}

// lock serves PUT and DELETE /api/v1/submissions/{n}/lock.
func (m *Moderation) lock(locked bool) func(*http.Request) error {
	return func(r *http.Request) error {
		n, err := newsInPath(r)
		if err != nil {
			return err
		}
		return m.Lock(r, n, locked, r.URL.Query().Get("reason"))
	}
}

// newsInPath returns the number of the submission in the path.
func newsInPath(r *http.Request) (int64, error) {
	o, err := feed.ParseReported(r.PathValue("n"))
	if err != nil || o.Comment != 0 {
		return 0, fmt.Errorf("submission %.32q %w: use its number", r.PathValue("n"), feed.ErrNotFound)
	}
	return o.News, nil
}

// bans serves GET /api/v1/moderation/bans.
func (m *Moderation) bans(r *http.Request) (page feed.Page[feed.Ban], err error) {
	query := web.QueryOf(r)
	limit, after := query.Limit(), query.Position()
	if query.Err != nil {
		return page, query.Err
	}
	all, next, err := m.store.Bans(r.Context(), after, limit)
	return web.List(all, next.String()), err
}

// ban serves PUT and DELETE /api/v1/moderation/bans/{member}.
func (m *Moderation) ban(banned bool) func(*http.Request) error {
	return func(r *http.Request) error {
		return m.Ban(r, r.PathValue("member"), banned, r.URL.Query().Get("reason"))
	}
}

// decisions serves GET /api/v1/moderation/decisions.
func (m *Moderation) decisions(r *http.Request) (page feed.Page[feed.ModerationEntry], err error) {
	query := web.QueryOf(r)
	limit, before := query.Limit(), query.StreamCursor()
	if query.Err != nil {
		return page, query.Err
	}
	all, next, err := m.Decisions(r.Context(), before, limit)
	return web.List(all, next), err
}
