package users

import (
	"net/http"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

func (us *Users) auditRoutes() []web.Route {
	return []web.Route{
		{Pattern: "GET /audit", Scope: feed.ScopeAdmin, Serve: us.showAudit},
		{Pattern: "GET /api/v1/audit", Query: []string{"limit", "cursor"}, Scope: feed.ScopeAdmin, Serve: web.Reply(http.StatusOK, us.auditPage)},
	}
}

// auditPage returns the page of the audit log that a request names.
func (us *Users) auditPage(r *http.Request) (feed.Page[feed.AuditEntry], error) {
	return web.Newest(us.store.Audit, func(e *feed.AuditEntry) string { return e.ID })(r)
}

// showAudit serves GET /audit.
func (us *Users) showAudit(w http.ResponseWriter, r *http.Request) error {
	page, err := us.auditPage(r)
	if err != nil {
		return err
	}
	view := web.ListPage[feed.AuditEntry]{Frame: web.Frame{Title: "Audit log"}, Rows: page.Items, Pager: web.PagerOf(r, page.Next)}
	return us.web.Render(w, r, "audit.html", &view)
}
