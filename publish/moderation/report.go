package moderation

import (
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
	limit, after := query.Limit(), query.Position()
	if query.Err != nil {
		return page, query.Err
	}
	all, next, err := m.store.Reports(r.Context(), after, limit)
	return web.List(all, next.String()), err
}

// dismiss serves DELETE /api/v1/moderation/reports/{report}.
func (m *Moderation) dismiss(r *http.Request) error {
	o, err := feed.ParseReported(r.PathValue("report"))
	if err != nil {
		return err
	}
	changed, err := m.store.CloseReport(r.Context(), o)
	record(r, feed.ReportedObject(o), changed, "", "")
	return err
}

// record names the object of a decision for the audit log, which has no decisions that changed nothing.
func record(r *http.Request, o feed.Object, changed bool, before, after string) {
	if web.Changed(r, o, before, after); !changed {
		web.NothingChanged(r)
	}
}
