// Package entries serves the pages and the API of entries: the entries of a source, those that people and programs write to local
// sources, and takedowns.
package entries

import (
	"context"
	"embed"
	"net/http"

	"github.com/feedwire/feedwire/publish/body"
	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// Entries serves the routes of entries. Create it with New.
type Entries struct {
	store   Store
	web     *web.Pages
	cleaner *body.Cleaner
	opts    Options
}

// Options configure Entries. Takedown is required.
type Options struct {
	// Removed is called after an entry was taken down. nil: nothing is.
	Removed func(ctx context.Context, e *feed.Entry) error
	// Takedown runs take, which removes an entry with its article, so that no copy of a feed outlives them.
	Takedown func(take func() error) error
}

//go:embed templates
var files embed.FS

var notices = web.Notices{"saved": {One: "Saved. feedwire sends the entry to subscribers."}}

// New returns Entries.
func New(store Store, kit *web.Kit, opts Options) *Entries {
	return &Entries{store, kit.Pages(files, notices), body.New(body.Policy{}), opts}
}

// Bytes of the body of a request: an entry has up to 2 MiB of content and of summary.
const (
	maxBody = 5 << 20
	maxBulk = 8 << 20
)

// Site returns the routes of entries.
func (es *Entries) Site() web.Site {
	write := &web.Action{Name: "entry_write", Text: "wrote an entry"}
	expire := &web.Action{Name: "entry_expire", Text: "expired entries of a source"}
	remove := &web.Action{Name: "entry_remove", Text: "took down an entry"}
	read, writing, change := feed.ScopeRead, feed.ScopeEntries, feed.ScopeSources
	const all = "/api/v1/sources/{id}/entries"
	return web.Site{Missing: []web.Missing{{
		Below: "/entries/", Text: "This entry does not exist. It expired, or was taken down.", List: web.Link{Path: "/sources", Text: "All sources"},
	}}, Routes: []web.Route{
		{Pattern: "GET /entries/{n}", Scope: read, Serve: es.showEntry("entry.html")},
		{Pattern: "GET /entries/{n}/edit", Scope: writing, Serve: es.showEdit},
		{Pattern: "POST /entries/{n}/edit", Scope: writing, Action: write, Serve: es.editByForm, Failed: es.showEdit, MaxBody: maxBody},
		{Pattern: "GET /entries/{n}/remove", Scope: change, Serve: es.showEntry("remove.html")},
		{Pattern: "POST /entries/{n}/remove", Scope: change, Action: remove, Serve: web.Form(es.takeDownByForm)},
		{Pattern: "GET /sources/{id}/entries/add", Scope: writing, Serve: es.showAdd},
		{Pattern: "POST /sources/{id}/entries", Scope: writing, Action: write, Serve: es.addByForm, Failed: es.showAdd, MaxBody: maxBody},

		{Pattern: "GET " + all, Query: []string{"content", "limit", "cursor"}, Scope: read, Serve: web.Reply(http.StatusOK, es.list)},
		{Pattern: "POST " + all, Scope: writing, Action: write, Serve: es.create, MaxBody: maxBody},
		{Pattern: "POST " + all + "/bulk", Scope: writing, Action: write, Serve: web.Reply(http.StatusMultiStatus, es.writeMany(write)), MaxBody: maxBulk},
		{Pattern: "POST " + all + "/expire", Scope: change, Action: expire, Serve: web.Reply(http.StatusOK, es.expire)},
		{Pattern: "GET " + all + "/{guid}", Scope: read, Serve: es.getByGUID},
		{Pattern: "PUT " + all + "/{guid}", Scope: writing, Action: write, Serve: es.put, MaxBody: maxBody},
		{Pattern: "GET /api/v1/entries/{n}", Scope: read, Serve: es.get},
		{Pattern: "DELETE /api/v1/entries/{n}", Scope: change, Action: remove, Serve: web.Done(es.takeDown)},
		{Pattern: "POST /api/v1/entries/remove", Scope: change, Action: remove, Serve: web.Reply(http.StatusMultiStatus, es.takeDownMany(remove))},
	}}
}
