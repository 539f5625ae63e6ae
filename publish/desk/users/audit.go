package users

import (
	"net/http"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

func (us *Users) auditRoutes() []web.Route {
	return []web.Route{
		{Pattern: "GET /audit", Scope: feed.ScopeAdmin, Serve: us.showAudit},
		{Pattern: "GET /api/v1/audit", Scope: feed.ScopeAdmin, Serve: us.listAudit},
	}
}

func (us *Users) listAudit(w http.ResponseWriter, r *http.Request) error {
	entries, next, err := us.auditPage(r)
	if err != nil {
		return err
	}
	web.JSON(w, http.StatusOK, web.List(entries, next))
	return nil
}

// auditPage returns the page of the audit log that a request names, and the cursor of the next page.
func (us *Users) auditPage(r *http.Request) (entries []feed.AuditEntry, next string, err error) {
	limit, err := web.Limit(r)
	if err != nil {
		return nil, "", err
	}
	before := r.URL.Query().Get("cursor")
	if !web.IsStreamID(before) {
		return nil, "", feed.Invalid("cursor", "use next of the previous response")
	}
	entries, err = us.store.Audit(r.Context(), before, limit)
	if err == nil && len(entries) == limit {
		next = entries[limit-1].ID
	}
	return entries, next, err
}

// auditView is the data of audit.html.
type auditView struct {
	web.Frame
	Rows []auditRow
	Next string // cursor of the next page; empty: there is none
	Late bool   // not the first page
}

// auditRow is one change.
type auditRow struct {
	Time                   web.Moment
	Who, What, On          string
	Before, After, Address string
}

// showAudit serves GET /audit.
func (us *Users) showAudit(w http.ResponseWriter, r *http.Request) error {
	entries, next, err := us.auditPage(r)
	if err != nil {
		return err
	}
	view := auditView{Frame: us.web.Frame(r, "Audit log – feedwire", 0), Next: next, Late: r.URL.Query().Get("cursor") != ""}
	for i := range entries {
		e := &entries[i]
		view.Rows = append(view.Rows, auditRow{
			Time: web.Ago(e.Time, us.web.Now()), Who: e.Who, What: us.web.ActionText(e.Action), On: e.Object.String(), Before: e.Before, After: e.After,
			Address: e.From,
		})
	}
	us.pages.Render(w, r, http.StatusOK, "audit.html", view)
	return nil
}
