package moderation

import (
	"context"
	"net/http"
	"slices"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// InvitationTree returns who invited an account, and up to limit accounts that it invited after a cursor.
func (m *Moderation) InvitationTree(ctx context.Context, name string, after feed.Cursor, limit int) (tree feed.InvitationTree, err error) {
	a, err := m.store.Account(ctx, name)
	if err != nil {
		return tree, err
	}
	above, err := m.store.Inviters(ctx, a.ID)
	if err != nil {
		return tree, err
	}
	invited, next, err := m.store.InvitedBy(ctx, a.ID, after, limit)
	if err != nil {
		return tree, err
	}
	all, err := m.store.TreeMembers(ctx, slices.Concat([]int64{a.ID}, above, invited))
	if err != nil {
		return tree, err
	}
	last := 1 + len(above)
	return feed.InvitationTree{Member: all[0], Above: all[1:last], Invited: web.List(all[last:], next.String())}, nil
}

// invitations serves GET /api/v1/moderation/members/{member}/invitations.
func (m *Moderation) invitations(r *http.Request) (tree feed.InvitationTree, err error) {
	query := web.QueryOf(r)
	limit, after := query.Limit(), query.Position()
	if query.Err != nil {
		return tree, query.Err
	}
	return m.InvitationTree(r.Context(), r.PathValue("member"), after, limit)
}
