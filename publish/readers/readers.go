// Package readers serves what accounts follow and their timelines.
package readers

import (
	"context"
	"embed"
	"io"
	"net/http"
	"slices"

	"github.com/feedwire/feedwire/publish/prose"
	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// Options configure Readers. All fields but Search are required.
type Options struct {
	// Discover returns the feeds at a URL, most likely first.
	Discover func(ctx context.Context, url string) ([]feed.Candidate, error)
	// Peek fetches a feed without storing it.
	Peek func(ctx context.Context, url string) (feed.Document, error)
	// ReadOPML returns the sources of a file.
	ReadOPML func(body []byte, contentType string) ([]feed.ListedSource, error)
	// WriteOPML writes the follows of an account as a file that ReadOPML reads.
	WriteOPML func(w io.Writer, account string, follows []feed.NamedFollow) error
	// Search finds entries. nil: there is no index.
	Search feed.FindEntries
	// ImageURL returns the address of this site at which an image of a source is served; "" if images are not shown.
	ImageURL func(url string) string
}

// Readers serves the routes of readers. Create it with New.
type Readers struct {
	store Store
	web   *web.Pages
	prose *prose.Prose
	opts  Options
}

//go:embed templates
var files embed.FS

// New returns Readers.
func New(store Store, kit *web.Kit, opts Options) *Readers {
	return &Readers{store, kit.Pages(files, notices), prose.New(opts.ImageURL), opts}
}

// Site returns the routes of readers. What people follow is not in the audit log, but the sources that they add are.
func (rs *Readers) Site() web.Site {
	add, edit := &web.Action{Name: "follow_url", Text: "added a source by following it"}, &web.Action{Name: "app_edit"}
	follow, unfollow := &web.Action{Name: "follow"}, &web.Action{Name: "unfollow"}
	mark, save, unsave := &web.Action{Name: "mark_read"}, &web.Action{Name: "save"}, &web.Action{Name: "unsave"}
	scope, timeline := feed.ScopeFollows, web.Link{Path: "/read", Text: "Your timeline"}
	ofUser, paged := []string{"user"}, []string{"user", "limit", "cursor"}
	const one = "/api/v1/me/follows/{id}"
	return web.Site{Nav: []web.Link{{Path: "/read", Text: "read"}}, Missing: []web.Missing{
		{Below: "/read/entries/", Text: "This entry does not exist, or it is of a source that you do not follow.", List: timeline},
		{Below: "/default-follows", Text: "This source does not exist, or it was removed.", List: web.Link{Path: "/sources", Text: "All sources"}},
		{Below: "/read/", Text: "This source does not exist, or it was removed.", List: timeline},
	}, Routes: slices.Concat(rs.greaderRoutes(add, edit), rs.feverRoutes(edit), rs.defaultRoutes(), []web.Route{
		{Pattern: "GET /read", Scope: scope, Copied: true, Serve: rs.showRead},
		{Pattern: "GET /read/worker.js", Scope: web.Public, Serve: serveApp("worker.js", "text/javascript; charset=utf-8")},
		{Pattern: "GET /read/manifest.webmanifest", Scope: web.Public, Serve: serveApp("manifest.webmanifest", "application/manifest+json")},
		{Pattern: "GET " + savedPath, Scope: scope, Copied: true, Serve: rs.showRead},
		{Pattern: "GET /read/entries/{n}", Scope: scope, Copied: true, Serve: rs.showEntry},
		{Pattern: "POST /read/entries/{n}/read", Scope: scope, Action: mark, Serve: web.Form(rs.markByForm(feed.StateRead))},
		{Pattern: "POST /read/entries/{n}/unread", Scope: scope, Action: mark, Serve: web.Form(rs.markByForm(feed.StateUnread))},
		{Pattern: "POST /read/entries/{n}/save", Scope: scope, Action: save, Serve: web.Form(rs.saveByForm("saved", rs.addSaved))},
		{Pattern: "POST /read/entries/{n}/unsave", Scope: scope, Action: unsave, Serve: web.Form(rs.saveByForm("unsaved", rs.removeSaved))},
		{Pattern: "POST /read/all", Scope: scope, Action: mark, Serve: rs.markAllByForm},
		{Pattern: "POST /read/all/{made}/undo", Scope: scope, Action: mark, Serve: web.Form(rs.unmarkAllByForm)},
		{Pattern: "POST /read/follows", Scope: scope, Action: add, Serve: web.Form(rs.followByForm), Failed: rs.showRead},
		{
			Pattern: "POST " + importPath, Scope: scope, Action: add, Serve: rs.importByForm, Failed: rs.showRead, MaxBody: maxOPML + web.FormOverhead,
		},
		{Pattern: "POST /read/follows/{id}", Scope: scope, Action: follow, Serve: web.Form(rs.changeByForm), Failed: rs.showRead},
		{Pattern: "POST /read/follows/{id}/unfollow", Scope: scope, Action: unfollow, Serve: rs.unfollowByForm, Failed: rs.showRead},

		{
			Pattern: "GET /api/v1/me/feed", Query: append(paged, "unread", "folder", "source", "q"), Scope: scope, Copied: true,
			Serve: web.Reply(http.StatusOK, rs.timeline),
		},
		{Pattern: "GET /api/v1/me/read", Query: ofUser, Scope: scope, Copied: true, Serve: web.Reply(http.StatusOK, rs.countUnread)},
		{Pattern: "POST /api/v1/me/read", Query: ofUser, Scope: scope, Action: mark, Serve: web.Done(rs.mark)},
		{Pattern: "GET /api/v1/me/saved", Query: paged, Scope: scope, Copied: true, Serve: web.Reply(http.StatusOK, rs.saved)},
		{Pattern: "PUT /api/v1/me/saved/{n}", Query: ofUser, Scope: scope, Action: save, Serve: rs.changeSaved(rs.addSaved)},
		{Pattern: "DELETE /api/v1/me/saved/{n}", Query: ofUser, Scope: scope, Action: unsave, Serve: rs.changeSaved(rs.removeSaved)},
		{Pattern: "GET /api/v1/me/opml", Query: ofUser, Scope: scope, Serve: rs.export},
		{Pattern: "POST /api/v1/me/opml", Query: ofUser, Scope: scope, Action: add, Serve: web.Reply(http.StatusMultiStatus, rs.importOPML), MaxBody: maxOPML},
		{Pattern: "GET /api/v1/me/follows", Query: paged, Scope: scope, Copied: true, Serve: web.Reply(http.StatusOK, rs.list)},
		{Pattern: "POST /api/v1/me/follows", Query: ofUser, Scope: scope, Action: add, Serve: rs.postFollow},
		{Pattern: "GET " + one, Query: ofUser, Scope: scope, Copied: true, Serve: web.Reply(http.StatusOK, rs.getFollow)},
		{Pattern: "PUT " + one, Query: ofUser, Scope: scope, Action: follow, Serve: rs.putFollow},
		{Pattern: "DELETE " + one, Query: ofUser, Scope: scope, Action: unfollow, Serve: web.Done(rs.unfollow)},
	})}
}

// account returns the id of the account whose follows a request is about: that of the visitor, or one that an admin names.
func (rs *Readers) account(r *http.Request) (int64, error) {
	a, err := web.AccountOf(r, rs.store.Account)
	return a.ID, err
}
