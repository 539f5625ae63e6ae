package moderation

import (
	"fmt"
	"net/http"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// moderate serves PUT /api/v1/entries/{n}/comments/{comment}/state.
func (m *Moderation) moderate(r *http.Request) error {
	o, err := feed.ParseReported(r.PathValue("n") + "-" + r.PathValue("comment"))
	if err != nil {
		return err
	}
	var body struct {
		State feed.CommentState `json:"state"`
	}
	if err := web.Decode(r, &body); err != nil {
		return err
	}
	before, err := m.store.ModerateComment(r.Context(), o.News, o.Comment, body.State)
	if err != nil {
		return err
	}
	record(r, feed.ReportedObject(o), before != body.State, string(before), string(body.State))
	_, err = m.store.CloseReport(r.Context(), o)
	return err
}

// lock serves PUT and DELETE /api/v1/submissions/{n}/lock.
func (m *Moderation) lock(locked bool) func(*http.Request) error {
	return func(r *http.Request) error {
		n, err := newsInPath(r)
		if err != nil {
			return err
		}
		changed, err := m.store.LockNews(r.Context(), n, locked)
		record(r, feed.ReportedObject(feed.Reported{News: n}), changed, "", "")
		return err
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

// ban serves PUT /api/v1/moderation/bans/{member}.
func (m *Moderation) ban(r *http.Request) error {
	a, err := m.store.Account(r.Context(), r.PathValue("member"))
	if err != nil {
		return err
	}
	if feed.Allow(a.Role.Scopes(), feed.ScopeSources) {
		return fmt.Errorf("%s moderates, and was not banned (%w): an admin changes the role of the account first", a.Name, feed.ErrConflict)
	}
	changed, err := m.store.Ban(r.Context(), a.ID)
	record(r, feed.AccountObject(&a), changed, "", "")
	return err
}

// unban serves DELETE /api/v1/moderation/bans/{member}.
func (m *Moderation) unban(r *http.Request) error {
	a, err := m.store.Account(r.Context(), r.PathValue("member"))
	if err != nil {
		return err
	}
	changed, err := m.store.Unban(r.Context(), a.ID)
	record(r, feed.AccountObject(&a), changed, "", "")
	return err
}
