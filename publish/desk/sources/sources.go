// Package sources serves the pages and the API of sources: the list, a source with its polls and entries, adding and editing, polling,
// pausing, removing and restoring.
package sources

import (
	"context"
	"embed"
	"net/http"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// Options configure Sources. All fields are required.
type Options struct {
	Feeds feed.OutgoingFeeds // as configured

	// Republished returns the URLs at which this daemon serves the feed of a source.
	Republished func(id string) []string
	// Pace returns the rules that decide when a source is polled.
	Pace func(*feed.Source) []feed.PaceRule
	// Discover returns the feeds at a URL.
	Discover func(ctx context.Context, url string) ([]feed.Candidate, error)
	// Peek fetches a feed without storing it. feed.ErrInvalid: the URL cannot be used.
	Peek func(ctx context.Context, url string) (feed.Document, error)
	// Trace polls a source at once, if full as Store.PollInFull does, and returns each step. Errors are those of Store.PollSource.
	Trace func(ctx context.Context, id string, full bool) (feed.Trace, error)
}

// Sources serves the routes of sources. Create it with New.
type Sources struct {
	store Store
	web   *web.Pages
	opts  Options
}

//go:embed templates
var files embed.FS

// New returns Sources.
func New(store Store, kit *web.Kit, opts Options) *Sources {
	return &Sources{store: store, web: kit.Pages(files, notices), opts: opts}
}

var notices = web.Notices{
	"added":     {One: "Source added. The first poll starts now."},
	"changed":   {One: "The source already existed. It has these settings now."},
	"saved":     {One: "Saved. The next poll uses these settings."},
	"cleared":   {One: "Saved. The password and the secret header fields were removed. Enter them again in the settings."},
	"known":     {One: "This feed is already a source."},
	"due":       {One: "The source is polled within seconds."},
	"alldue":    {One: "All sources are polled one after the other."},
	"paused":    {One: "Paused. Resume the source to continue polling.", Undo: "/sources/%s/resume"},
	"resumed":   {One: "Resumed. The source is polled within seconds.", Undo: "/sources/%s/pause"},
	"removed":   {One: "Removed. Its settings are kept for a day. Its articles stay.", Undo: "/sources/%s/restore"},
	"adopted":   {One: "The source is polled at its new address.", Many: "%d sources are polled at their new addresses.", Undo: "/sources/bulk/%s"},
	"reset":     {One: "The source is polled at its URL again.", Many: "%d sources are polled at their URLs again."},
	"allpaused": {One: "Paused 1 source.", Many: "Paused %d sources.", Undo: "/sources/bulk/%s"},
	"allback":   {One: "Resumed 1 source.", Many: "Resumed %d sources."},
	"allgone":   {One: "Removed 1 source. Its settings are kept for a day. Its articles stay.", Many: "Removed %d sources. Their settings are kept for a day. Their articles stay.", Undo: "/sources/bulk/%s"},
	"allthere":  {One: "Restored 1 source. Its entries return with the next poll.", Many: "Restored %d sources. Their entries return with the next poll."},
	"somedue":   {One: "The source is polled within seconds.", Many: "%d sources are polled one after the other."},
	"takendown": {One: "Taken down. The entry leaves every feed within 2 seconds."},
	"local":     {One: "Local source added. Write its first entry."},
	"restored":  {One: "Restored. Its entries return with the next poll."},
}

// Site returns the routes of sources.
func (ss *Sources) Site() web.Site {
	add := &web.Action{Name: "source_add", Text: "added or changed a source"}
	discover := &web.Action{Name: "source_discover"}
	poll := &web.Action{Name: "source_poll"}
	pause := &web.Action{Name: "source_pause", Text: "paused a source"}
	resume := &web.Action{Name: "source_resume", Text: "resumed a source"}
	remove := &web.Action{Name: "source_remove", Text: "removed a source"}
	restore := &web.Action{Name: "source_restore", Text: "restored a source"}
	read, change := feed.ScopeRead, feed.ScopeSources
	routes := []web.Route{
		{Pattern: "GET /sources", Scope: read, Serve: ss.showList},
		{Pattern: "GET /sources/{id}", Scope: read, Serve: ss.showSource},
		{Pattern: "GET /sources/{id}/edit", Scope: change, Serve: ss.showEdit},
		{Pattern: "POST /sources/{id}/edit", Scope: change, Action: add, Serve: web.Form(ss.edit), Failed: ss.showEdit},
		{Pattern: "GET /sources/add", Scope: change, Serve: ss.showAdd},
		{Pattern: "POST /sources/find", Scope: change, Action: discover, Serve: ss.findFeeds, Failed: ss.showAdd},
		{Pattern: "POST /sources/preview", Scope: change, Action: discover, Serve: ss.showPreview, Failed: ss.showAdd},
		{Pattern: "POST /sources", Scope: change, Action: add, Serve: web.Form(ss.addByForm), Failed: ss.showChoices},
		{Pattern: "POST /sources/local", Scope: change, Action: add, Serve: web.Form(ss.addLocal), Failed: ss.showAdd},
		{Pattern: "POST /sources/poll", Scope: change, Action: poll, Serve: web.Form(ss.pollAllByForm)},
		{Pattern: "POST /sources/{id}/poll", Scope: change, Action: poll, Serve: form("due", ss.act(ss.store.PollSource))},
		{Pattern: "POST /sources/{id}/trace", Scope: change, Action: poll, Serve: ss.traceByForm},
		{Pattern: "POST /sources/{id}/pause", Scope: change, Action: pause, Serve: form("paused", ss.act(ss.pause))},
		{Pattern: "POST /sources/{id}/resume", Scope: change, Action: resume, Serve: form("resumed", ss.act(ss.resume))},
		{Pattern: "POST /sources/{id}/remove", Scope: change, Action: remove, Serve: web.Form(ss.removeByForm)},
		{Pattern: "POST /sources/{id}/restore", Scope: change, Action: restore, Serve: form("restored", ss.restore)},

		{Pattern: "POST /sources/bulk/adopt", Scope: change, Action: add, Serve: ss.manyByForm(add, "adopted", "reset", ss.adopt)},
		{Pattern: "POST /sources/bulk/reset", Scope: change, Action: add, Serve: ss.manyByForm(add, "reset", "", ss.resetAddress)},
		{Pattern: "POST /sources/bulk/pause", Scope: change, Action: pause, Serve: ss.manyByForm(pause, "allpaused", "resume", each(ss.pause))},
		{Pattern: "POST /sources/bulk/resume", Scope: change, Action: resume, Serve: ss.manyByForm(resume, "allback", "", each(ss.resume))},
		{Pattern: "POST /sources/bulk/poll", Scope: change, Action: poll, Serve: ss.manyByForm(poll, "somedue", "", each(ss.store.PollSource))},
		{Pattern: "POST /sources/bulk/remove", Scope: change, Action: remove, Serve: ss.manyByForm(remove, "allgone", "restore", ss.removeOne)},
		{Pattern: "POST /sources/bulk/restore", Scope: change, Action: restore, Serve: ss.restoreManyByForm(restore)},

		{Pattern: "GET /api/v1/sources", Query: []string{"limit", "cursor"}, Scope: read, Serve: web.Reply(http.StatusOK, ss.list)},
		{Pattern: "POST /api/v1/sources", Scope: change, Action: add, Serve: ss.add},
		{Pattern: "POST /api/v1/discover", Scope: change, Action: discover, Serve: web.Reply(http.StatusOK, ss.discover)},
		{Pattern: "POST /api/v1/peek", Scope: change, Action: discover, Serve: web.Reply(http.StatusOK, ss.peek)},
		{Pattern: "GET /api/v1/sources/{id}", Scope: read, Serve: ss.get},
		{Pattern: "PATCH /api/v1/sources/{id}", Scope: change, Action: add, Serve: web.Reply(http.StatusOK, ss.patch)},
		{Pattern: "DELETE /api/v1/sources/{id}", Scope: change, Action: remove, Serve: web.Done(ss.remove)},
		{Pattern: "POST /api/v1/sources/{id}/poll", Query: []string{"full", "trace"}, Scope: change, Action: poll, Serve: ss.poll},
		{Pattern: "POST /api/v1/sources/{id}/pause", Scope: change, Action: pause, Serve: web.Reply(http.StatusOK, ss.act(ss.pause))},
		{Pattern: "POST /api/v1/sources/{id}/resume", Scope: change, Action: resume, Serve: web.Reply(http.StatusOK, ss.act(ss.resume))},
		{Pattern: "POST /api/v1/sources/{id}/restore", Scope: change, Action: restore, Serve: ss.restoreByAPI},
		{Pattern: "POST /api/v1/sources/poll", Scope: change, Action: poll, Serve: ss.pollMany(poll)},
		{Pattern: "POST /api/v1/sources/pause", Scope: change, Action: pause, Serve: ss.actOnMany(pause, http.StatusOK, ss.pause)},
		{Pattern: "POST /api/v1/sources/resume", Scope: change, Action: resume, Serve: ss.actOnMany(resume, http.StatusOK, ss.resume)},
		{Pattern: "POST /api/v1/sources/adopt", Scope: change, Action: add, Serve: ss.forMany(add, http.StatusOK, ss.adopt)},
		{Pattern: "POST /api/v1/sources/remove", Scope: change, Action: remove, Serve: ss.removeMany(remove)},
	}
	all := web.Link{Path: "/sources", Text: "All sources"}
	return web.Site{
		Routes: routes, Missing: []web.Missing{{Below: "/sources/", Text: "This source does not exist, or it was removed.", List: all}},
		Nav: []web.Link{{Path: "/sources", Text: "sources"}},
	}
}
