// Package lists takes votes on entries, also from the forms of package readers, and serves the lists that follow from them: by time, by score, and groups by score.
//
// Run keeps the lists in line with the entries, of which it learns from the signals. A list shows no entry that does not exist, although
// its article is still there, because each page checks its entries.
package lists

import (
	"cmp"
	"log/slog"
	"net/http"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// Options configure Lists.
type Options struct {
	Consumer func() string          // returns the name of this daemon among those that read the signals; nil or empty: "lists"
	OnPanic  func(component string) // called after a recovered panic with "lists"; nil disables it
	Logger   *slog.Logger           // nil: discard
}

// Lists serves the routes of votes and lists. Create it with New.
type Lists struct {
	store Store
	web   *web.Kit
	opts  Options
}

// New returns Lists. Run keeps them in line with the entries.
func New(store Store, kit *web.Kit, opts Options) *Lists {
	opts.Logger = cmp.Or(opts.Logger, slog.New(slog.DiscardHandler))
	if opts.Consumer == nil {
		opts.Consumer = func() string { return "" }
	}
	if opts.OnPanic == nil {
		opts.OnPanic = func(string) {}
	}
	return &Lists{store, kit, opts}
}

// Site returns the routes of votes and lists. Votes are not in the audit log, but changes of groups are.
func (ls *Lists) Site() web.Site {
	add := &web.Action{Name: "group_add", Text: "added an entry to a group"}
	remove := &web.Action{Name: "group_remove", Text: "removed an entry from a group"}
	end := &web.Action{Name: "group_delete", Text: "deleted a group"}
	vote := &web.Action{Name: "vote"}
	const one = "/api/v1/groups/{group}"
	return web.Site{Routes: []web.Route{
		{Pattern: "PUT /api/v1/entries/{n}/vote", Query: []string{"user"}, Scope: feed.ScopeFollows, Action: vote, Serve: web.Reply(http.StatusOK, ls.vote)},
		{Pattern: "POST /read/entries/{n}/vote", Scope: feed.ScopeFollows, Action: vote, Serve: web.Form(ls.voteByForm)},
		{Pattern: "GET /api/v1/lists/{list}", Query: []string{"limit", "cursor"}, Scope: feed.ScopeFollows, Serve: web.Reply(http.StatusOK, ls.list)},
		{Pattern: "GET /api/v1/groups", Query: []string{}, Scope: feed.ScopeFollows, Serve: web.Reply(http.StatusOK, ls.groups)},
		{Pattern: "DELETE " + one, Query: []string{}, Scope: feed.ScopePublish, Action: end, Serve: web.Done(ls.deleteGroup)},
		{Pattern: "PUT " + one + "/entries/{n}", Query: []string{}, Scope: feed.ScopePublish, Action: add, Serve: web.Done(ls.addToGroup)},
		{Pattern: "DELETE " + one + "/entries/{n}", Query: []string{}, Scope: feed.ScopePublish, Action: remove, Serve: web.Done(ls.removeFromGroup)},
	}}
}
