// Package lists takes votes on entries, also from the forms of package readers, and serves the lists that follow from them: by time, by score,
// and groups by score. The pages show what anyone may see; package republish serves the same entries as feeds.
//
// Run keeps the lists in line with the entries, of which it learns from the signals. A list shows no entry that does not exist, although
// its article is still there, because each page checks its entries.
package lists

import (
	"cmp"
	"embed"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// Options configure Lists.
type Options struct {
	Consumer func() string          // returns the name of this daemon among those that read the signals; nil or empty: "lists"
	OnPanic  func(component string) // called after a recovered panic with "lists"; nil disables it
	Open     func() bool            // reports whether everyone may read the pages, and not only accounts; nil: yes
	Logger   *slog.Logger           // nil: discard

	Anonymous  func() bool           // reports whether people vote without an account, too; nil: no
	Registerer prometheus.Registerer // nil: metrics are not registered
}

// Lists serves the routes of votes and lists. Create it with New.
type Lists struct {
	store   Store
	web     *web.Pages
	opts    Options
	tallies *tallies

	rules     atomic.Pointer[feed.RuledGroups] // in force
	newRules  chan struct{}                    // wakes keepRules
	selecting sync.Mutex                       // of entries by rule
}

//go:embed templates
var files embed.FS

// New returns Lists. Run keeps them in line with the entries.
func New(store Store, kit *web.Kit, opts Options) *Lists {
	opts.Logger = cmp.Or(opts.Logger, slog.New(slog.DiscardHandler))
	if opts.Consumer == nil {
		opts.Consumer = func() string { return "" }
	}
	if opts.OnPanic == nil {
		opts.OnPanic = func(string) {}
	}
	if opts.Open == nil {
		opts.Open = func() bool { return true }
	}
	if opts.Anonymous == nil {
		opts.Anonymous = func() bool { return false }
	}
	ls := &Lists{store: store, web: kit.Pages(files, notices), opts: opts, tallies: newTallies(store), newRules: make(chan struct{}, 1)}
	ls.rules.Store(new(feed.RuledGroups))
	promauto.With(opts.Registerer).NewGaugeFunc(prometheus.GaugeOpts{
		Name: "feedwire_vote_streams", Help: "Open streams of votes, of pages and of programs.",
	}, func() float64 { return float64(ls.tallies.open()) })
	return ls
}

// Site returns the routes of votes and lists. Votes are not in the audit log, but changes of groups are.
func (ls *Lists) Site() web.Site {
	add := &web.Action{Name: "group_add", Text: "added an entry to a group"}
	remove := &web.Action{Name: "group_remove", Text: "removed an entry from a group"}
	end := &web.Action{Name: "group_delete", Text: "deleted a group"}
	save := &web.Action{Name: "list_save", Text: "saved a list"}
	drop := &web.Action{Name: "list_delete", Text: "deleted a list"}
	place := &web.Action{Name: "list_place", Text: "placed an entry in a list"}
	unlist := &web.Action{Name: "list_remove", Text: "removed an entry from a list"}
	vote, anonymous := &web.Action{Name: "vote"}, &web.Action{Name: "vote_anonymously"}
	const one, arranged, of = "/api/v1/groups/{group}", "/api/v1/lists/{list}", listsPath + "/{list}"
	pages := feed.ScopeFollows
	if ls.opts.Open() {
		pages = web.Anyone
	}
	paged := []string{"limit", "cursor"}
	all := web.Link{Path: listsPath, Text: "All lists"}
	return web.Site{Nav: []web.Link{{Path: listsPath, Text: "lists"}}, Missing: []web.Missing{
		{Below: listsPath + "/", Text: "This list does not exist, or it was deleted.", List: all},
	}, Routes: []web.Route{
		{Pattern: "GET " + listsPath, Query: []string{}, Scope: pages, Serve: ls.showLists},
		{Pattern: "GET " + of, Query: []string{"cursor"}, Scope: pages, Serve: ls.showList},
		{Pattern: "POST " + listsPath, Scope: feed.ScopePublish, Action: save, Serve: web.Form(ls.createByForm), Failed: ls.showLists},
		{Pattern: "GET " + of + "/arrange", Query: []string{}, Scope: feed.ScopePublish, Serve: ls.showArrange},
		{Pattern: "GET " + of + "/arrange/live", Scope: feed.ScopePublish, Serve: ls.followList, Lasts: true},
		{Pattern: "POST " + of + "/place", Scope: feed.ScopePublish, Action: place, Serve: web.Form(ls.placeByForm), Failed: ls.showArrange},
		{Pattern: "POST " + of + "/remove", Scope: feed.ScopePublish, Action: unlist, Serve: web.Form(ls.removeByForm), Failed: ls.showArrange},
		{Pattern: "POST " + of + "/change", Scope: feed.ScopePublish, Action: save, Serve: web.Form(ls.changeByForm), Failed: ls.showArrange},
		{Pattern: "GET " + of + "/delete", Query: []string{}, Scope: feed.ScopePublish, Serve: ls.showDelete},
		{Pattern: "POST " + of + "/delete", Scope: feed.ScopePublish, Action: drop, Serve: web.Form(ls.deleteByForm), Failed: ls.showDelete},
		{Pattern: "POST " + of + "/restore", Scope: feed.ScopePublish, Action: save, Serve: web.Form(ls.restoreByForm), Failed: ls.showLists},
		{Pattern: "GET /entries/{n}/lists", Query: []string{"back"}, Scope: feed.ScopePublish, Serve: ls.showEntryLists},
		{Pattern: "GET /api/v1/lists", Query: paged, Scope: feed.ScopeFollows, Serve: web.Reply(http.StatusOK, web.Paged(ls.store.Lists, placeOf))},
		{Pattern: "PUT /api/v1/entries/{n}/vote", Query: []string{"user"}, Scope: feed.ScopeFollows, Action: vote, Serve: web.Reply(http.StatusOK, ls.vote)},
		{Pattern: "POST /read/entries/{n}/vote", Scope: feed.ScopeFollows, Action: vote, Serve: web.Form(ls.voteByForm)},
		{Pattern: "GET /api/v1/lists/{list}", Query: paged, Scope: feed.ScopeFollows, Serve: ls.get},
		{Pattern: "PUT " + arranged, Scope: feed.ScopePublish, Action: save, Serve: web.Reply(http.StatusOK, ls.saveList)},
		{Pattern: "DELETE " + arranged, Scope: feed.ScopePublish, Action: drop, Serve: web.Done(ls.deleteList)},
		{Pattern: "PUT " + arranged + "/entries/{n}", Scope: feed.ScopePublish, Action: place, Serve: web.Done(ls.placeEntry)},
		{Pattern: "DELETE " + arranged + "/entries/{n}", Scope: feed.ScopePublish, Action: unlist, Serve: web.Done(ls.removeEntry)},
		{Pattern: "GET /api/v1/groups", Query: paged, Scope: feed.ScopeFollows, Serve: web.Reply(http.StatusOK, web.Paged(ls.groups, nameOf))},
		{Pattern: "PUT /api/v1/entries/{n}/anonymous-vote", Scope: web.Anyone, Action: anonymous, Serve: web.Reply(http.StatusOK, ls.voteAnonymously)},
		{Pattern: "POST /lists/entries/{n}/vote", Scope: web.Anyone, Action: anonymous, Serve: web.Form(ls.voteAnonymouslyByForm)},
		{Pattern: "GET /votes/live", Scope: feed.ScopeFollows, Serve: ls.followVotes, Lasts: true},
		{Pattern: "GET /api/v1/votes/events", Query: []string{"entry"}, Scope: feed.ScopeFollows, Serve: ls.followVotes, Lasts: true, Untagged: true},
		{Pattern: "GET " + one, Scope: feed.ScopeFollows, Serve: web.Reply(http.StatusOK, ls.group)},
		{Pattern: "DELETE " + one, Scope: feed.ScopePublish, Action: end, Serve: web.Done(ls.deleteGroup)},
		{Pattern: "PUT " + one + "/entries/{n}", Scope: feed.ScopePublish, Action: add, Serve: web.Done(ls.addToGroup)},
		{Pattern: "DELETE " + one + "/entries/{n}", Scope: feed.ScopePublish, Action: remove, Serve: web.Done(ls.removeFromGroup)},
	}}
}
