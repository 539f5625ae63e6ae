package users

import (
	"net/http"
	"time"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

func (us *Users) auditRoutes() []web.Route {
	return []web.Route{
		{Pattern: "GET /audit", Scope: feed.ScopeAdmin, Serve: us.showAudit},
		{Pattern: "GET /api/v1/audit", Scope: feed.ScopeAdmin, Serve: web.Reply(http.StatusOK, us.auditPage)},
	}
}

// auditPage returns the page of the audit log that a request names.
func (us *Users) auditPage(r *http.Request) (page feed.Page[feed.AuditEntry], err error) {
	before, limit, err := web.StreamPage(r)
	if err != nil {
		return page, err
	}
	entries, err := us.store.Audit(r.Context(), before, limit)
	return web.Part(entries, limit, func(e *feed.AuditEntry) string { return e.ID }), err
}

// auditView is the data of audit.html.
type auditView struct {
	web.Frame
	Rows  []auditRow
	Pager web.Pager
}

// auditRow is one change.
type auditRow struct {
	Time                   web.Moment
	Who, What, On          string
	Before, After, Address string
}

// showAudit serves GET /audit.
func (us *Users) showAudit(w http.ResponseWriter, r *http.Request) error {
	page, err := us.auditPage(r)
	if err != nil {
		return err
	}
	row := func(e *feed.AuditEntry, now time.Time) auditRow {
		return auditRow{web.Ago(e.Time, now), e.Who, us.web.ActionText(e.Action), e.Object.String(), e.Before, e.After, e.From}
	}
	return us.pages.Render(w, r, "audit.html", &auditView{
		Frame: web.Frame{Title: "Audit log"}, Rows: web.Rows(page.Items, us.web.Now(), row), Pager: web.PagerOf(r, page.Next),
	})
}
