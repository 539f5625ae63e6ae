// Package posts serves the posts of members, and the paths /feed, /users/feed and /posts, with which apps read and write them. A post is an entry of the
// local source of its author.
package posts

import (
	"context"
	"net/http"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// Options configure Posts. All fields are required.
type Options struct {
	// PerDay returns how many posts an account can write in a day; 0: none.
	PerDay func() int
	// Create checks and creates an entry of a local source. Repetitions of the request create it once.
	Create func(r *http.Request, e feed.Entry) (feed.Entry, error)
	// Save stores an image of an account. feed.ErrUnusable: it is no image that can be stored. *feed.QuotaError: the account has
	// stored too much in a day.
	Save func(ctx context.Context, account int64, file []byte) (feed.Enclosure, error)
	// Remove takes an entry down.
	Remove func(r *http.Request, e *feed.Entry) error
}

// Posts serves the routes of posts. Create it with New.
type Posts struct {
	store Store
	web   *web.Kit
	opts  Options
}

// New returns Posts.
func New(store Store, kit *web.Kit, opts Options) *Posts { return &Posts{store, kit, opts} }

// Site returns the routes of posts. They are not in the audit log: signals tell about all of them.
func (ps *Posts) Site() web.Site {
	write, remove := &web.Action{Name: "post_write"}, &web.Action{Name: "post_remove"}
	const own = "/api/v1/me/posts"
	user := []string{"user"}
	return web.Site{Routes: []web.Route{
		{Pattern: "GET /feed", Query: []string{"user", "cursor"}, Scope: feed.ScopeFollows, Copied: true, Serve: web.Reply(http.StatusOK, ps.timeline)},
		{Pattern: "GET /users/feed", Query: []string{"userid", "cursor"}, Scope: web.Public, Serve: web.Reply(http.StatusOK, ps.thumbnails)},
		{Pattern: "GET /posts", Query: []string{"user", "cursor"}, Scope: feed.ScopePosts, Copied: true, Serve: web.Reply(http.StatusOK, ps.ownPage)},
		{Pattern: "POST /posts", Query: user, Scope: feed.ScopePosts, Action: write, Serve: ps.postLiteral, MaxBody: maxUpload, Holds: maxImage},
		{Pattern: "GET /posts/{post}", Scope: web.Optional, Serve: web.Reply(http.StatusOK, ps.show)},
		{Pattern: "DELETE /posts/{post}", Query: user, Scope: feed.ScopePosts, Action: remove, Serve: web.Done(ps.remove)},

		{Pattern: "GET " + own, Query: []string{"user", "limit", "cursor"}, Scope: feed.ScopePosts, Copied: true, Serve: web.Reply(http.StatusOK, ps.list)},
		{Pattern: "POST " + own, Query: user, Scope: feed.ScopePosts, Action: write, Serve: ps.postEntry, MaxBody: maxUpload, Holds: maxImage},
		{Pattern: "GET " + own + "/{post}", Query: user, Scope: feed.ScopePosts, Copied: true, Serve: web.Reply(http.StatusOK, ps.showEntry)},
		{Pattern: "DELETE " + own + "/{post}", Query: user, Scope: feed.ScopePosts, Action: remove, Serve: web.Done(ps.remove)},
	}}
}
