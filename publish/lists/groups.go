package lists

import (
	"context"
	"net/http"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// groups returns all groups.
func (ls *Lists) groups(ctx context.Context) (all []feed.Group, err error) {
	names, err := ls.store.Groups(ctx)
	for _, name := range names {
		all = append(all, feed.Group{Name: name})
	}
	return all, err
}

// group serves GET /api/v1/groups/{group}.
func (ls *Lists) group(r *http.Request) (feed.Group, error) {
	all, err := ls.groups(r.Context())
	return web.One(all, err, func(g feed.Group) bool { return g.Name == r.PathValue("group") })
}

func nameOf(g feed.Group) string { return g.Name }

// addToGroup serves PUT /api/v1/groups/{group}/entries/{n}.
func (ls *Lists) addToGroup(r *http.Request) error {
	name := r.PathValue("group")
	e, err := ls.entry(r.Context(), r.PathValue("n"))
	if err == nil {
		err = ls.store.AddToGroup(r.Context(), name, &e)
	}
	web.Changed(r, feed.EntryObject(&e), "", name)
	return err
}

// removeFromGroup serves DELETE /api/v1/groups/{group}/entries/{n}.
func (ls *Lists) removeFromGroup(r *http.Request) error {
	name := r.PathValue("group")
	e, err := ls.entry(r.Context(), r.PathValue("n"))
	if err == nil {
		err = ls.store.RemoveFromGroup(r.Context(), name, e.ID)
	}
	web.Changed(r, feed.EntryObject(&e), name, "")
	return err
}

// deleteGroup serves DELETE /api/v1/groups/{group}.
func (ls *Lists) deleteGroup(r *http.Request) error {
	return ls.store.RemoveGroup(r.Context(), r.PathValue("group"))
}
