// Package community serves the submissions of members: votes on them with karma, their lists, and their comments.
//
// A submission is an entry of the local source of its author. A request creates the entry, makes it a submission, and saves it for its
// author. If another request submits the URL in between, the entry is taken down again.
package community

import (
	"context"
	"embed"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/feedwire/feedwire/publish/blocklist"
	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// Options configure Community. All fields are required.
type Options struct {
	Mount web.Mount // of the site
	Name  string    // of the site
	// Gravatars reports whether pages show pictures of members, which Picture serves.
	Gravatars func() bool
	// Picture serves an image of another site.
	Picture func(w http.ResponseWriter, r *http.Request, url string) error
	// Title fetches the title of a page.
	Title func(ctx context.Context, url string) (string, error)
	// AddSource adds the source of the entries of an author with the first of them.
	AddSource func(ctx context.Context, author feed.Account) error
	// Create checks and creates an entry of a local source. Repetitions of the request create it once.
	Create func(r *http.Request, e feed.Entry) (feed.Entry, error)
	// Edit checks and stores what change changes in an entry of a local source.
	Edit func(r *http.Request, id string, change func(e *feed.Entry)) error
	// Moderator makes the decisions of moderators.
	Moderator Moderator
	// Remove takes an entry down.
	Remove    func(r *http.Request, e *feed.Entry) error
	Blocklist *blocklist.List // what members may not write
	// NewAccounts returns how often new accounts submit, comment and vote.
	NewAccounts func() feed.NewAccountLimits
	// Review returns whose submissions wait for a moderator.
	Review  func() feed.Review
	Refused *prometheus.CounterVec // by reason, see NewRefused
}

// Community serves the routes of submissions. Create it with New.
type Community struct {
	store Store
	web   *web.Kit
	pages *web.Pages
	opts  Options

	storyRows  *web.Fragments[story]
	remarkRows *web.Fragments[remarkView]
}

// rowsHeld is the size of the rows of submissions that are held, and of those of comments.
const rowsHeld = 8 << 20

//go:embed templates
var files embed.FS

// New returns Community.
func New(store Store, kit *web.Kit, opts Options) *Community {
	pages := kit.Pages(files, noticesOf(opts.Mount))
	return &Community{store, kit, pages, opts, web.NewFragments[story](pages, "story", rowsHeld), web.NewFragments[remarkView](pages, "remark", rowsHeld)}
}

// Site returns the routes of submissions. They are not in the audit log, as those of posts and votes are not.
func (c *Community) Site() web.Site {
	submit, edit := &web.Action{Name: "submission_write"}, &web.Action{Name: "submission_edit"}
	remove, vote := &web.Action{Name: "submission_remove"}, &web.Action{Name: "submission_vote"}
	comment, seen := &web.Action{Name: "comment_write"}, &web.Action{Name: "replies_seen"}
	user := []string{"user"}
	const comments = "/api/v1/entries/{n}/comments"
	const all, one = "/api/v1/submissions", "/api/v1/submissions/{n}"
	return web.Site{Name: c.opts.Name, Nav: []web.Link{{Path: sitePath, Text: "community"}}, Routes: append(append(c.pageRoutes(submit, edit, remove, vote, comment), c.moderationRoutes()...), []web.Route{
		{Pattern: "GET " + all, Query: []string{"order", "limit", "cursor", "user"}, Scope: web.Optional, Serve: web.Reply(http.StatusOK, c.list)},
		{Pattern: "POST " + all, Query: user, Scope: feed.ScopePosts, Action: submit, Serve: c.submit},
		{Pattern: "GET " + one, Query: user, Scope: web.Optional, Serve: web.Reply(http.StatusOK, c.show)},
		{Pattern: "PUT " + one, Query: user, Scope: feed.ScopePosts, Action: edit, Serve: web.Reply(http.StatusOK, c.edit)},
		{Pattern: "DELETE " + one, Query: user, Scope: feed.ScopePosts, Action: remove, Serve: web.Done(c.remove)},
		{Pattern: "PUT " + one + "/vote", Query: user, Scope: feed.ScopeFollows, Action: vote, Serve: web.Reply(http.StatusOK, c.vote)},
		{Pattern: "GET " + comments, Query: user, Scope: web.Optional, Serve: web.Reply(http.StatusOK, c.thread)},
		{Pattern: "POST " + comments, Query: user, Scope: feed.ScopePosts, Action: comment, Serve: web.Reply(http.StatusCreated, c.comment)},
		{Pattern: "GET " + comments + "/{comment}", Query: user, Scope: web.Optional, Serve: web.Reply(http.StatusOK, c.oneComment)},
		{Pattern: "PUT " + comments + "/{comment}", Query: user, Scope: feed.ScopePosts, Action: comment, Serve: web.Done(c.editComment)},
		{Pattern: "DELETE " + comments + "/{comment}", Query: user, Scope: feed.ScopePosts, Action: comment, Serve: web.Done(c.deleteComment)},
		{Pattern: "PUT " + comments + "/{comment}/vote", Query: user, Scope: feed.ScopeFollows, Action: vote, Serve: web.Done(c.voteOnComment)},
		{Pattern: "PUT /api/v1/me/community/seen", Query: user, Scope: feed.ScopeFollows, Action: seen, Serve: web.Done(c.seeReplies)},
		{Pattern: "GET /api/v1/me/community", Query: user, Scope: feed.ScopeFollows, Serve: web.Reply(http.StatusOK, c.member)},
	}...)}
}

// visitor returns the account that a request is about, and counts its visit. The account has no ID if the visitor is not known.
func (c *Community) visitor(r *http.Request) (a feed.Account, err error) {
	v := web.VisitorOf(r)
	if v.Account.ID == 0 && r.URL.Query().Get("user") == "" {
		return a, nil
	}
	return c.account(r)
}

// account is visitor for requests that need an account.
func (c *Community) account(r *http.Request) (feed.Account, error) {
	a, err := web.AccountOf(r, c.store.Account)
	if err == nil {
		_, err = c.store.VisitCommunity(r.Context(), a.ID)
	}
	return a, err
}

// moderates reports whether an account, or the visitor who acts for it, may change all submissions.
func moderates(r *http.Request, a *feed.Account) bool {
	v := web.VisitorOf(r)
	return a.ID == v.Account.ID && v.May(feed.ScopeAdmin)
}

// member serves GET /api/v1/me/community.
func (c *Community) member(r *http.Request) (m feed.Member, err error) {
	a, err := c.account(r)
	if err != nil {
		return m, err
	}
	return c.store.Member(r.Context(), a.ID)
}
