package hub

import (
	"fmt"
	"net/http"
	"time"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// attemptRow is an attempt on a page.
type attemptRow struct {
	Time     web.Moment
	Text     string
	Failed   bool
	Duration string
	Next     web.Moment
}

func attemptRows(all []feed.Attempt, now time.Time) []attemptRow {
	rows := make([]attemptRow, len(all))
	for i := range all {
		a := &all[i]
		rows[i] = attemptRow{
			Time: web.Ago(a.Time, now), Text: fmt.Sprintf("accepted with %d", a.Status), Duration: time.Duration(a.Duration).String(),
			Next: web.Ahead(a.Next, now),
		}
		if a.Status/100 != 2 {
			rows[i].Failed, rows[i].Text = true, failureText(a.Status, a.Reason)
		}
	}
	return rows
}

// listAttempts serves GET /api/v1/hub/subscriptions/{subscription}/attempts.
func (h *Hub) listAttempts(r *http.Request) (page feed.Page[feed.Attempt], err error) {
	query := web.QueryOf(r)
	limit := query.Limit()
	if query.Err != nil {
		return page, query.Err
	}
	all, err := h.store.Attempts(r.Context(), r.PathValue("subscription"))
	page.Items = append([]feed.Attempt{}, all[:min(limit, len(all))]...)
	return page, err
}
