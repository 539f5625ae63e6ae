package source

import (
	"context"
	"embed"
	"sync"
	"sync/atomic"

	"github.com/feedwire/feedwire/store/core"
)

//go:embed scripts
var scriptFiles embed.FS

// Groups that count the commands of this package in metrics.
const (
	group      = "sources"
	groupPolls = "polls"
	groupPush  = "push"
)

// Entries deletes the entries of a source that is removed. It must be safe to repeat.
type Entries interface {
	DeleteEntries(ctx context.Context, feedURL string) error
}

// Store is safe for concurrent use. Errors other than those named on a method are a *core.Error.
type Store struct {
	db      *core.DB
	entries Entries
	scripts core.Scripts
	urls    sync.Map // URL by id of the source; an id never belongs to another URL
	damage  core.Damage
	damaged sync.Map    // key by URL, of sources that are not polled because of it
	broken  atomic.Bool // the schedule was damaged, and RepairSchedule has not run since
	lost    sync.Map    // end of the lease by token, of claims whose replies were lost
}

// New returns a Store. It does not connect.
func New(db *core.DB, entries Entries) *Store {
	s := &Store{db: db, entries: entries}
	s.scripts = db.AddNoun(groupPolls, scriptFiles, core.Families{
		core.Divided:    {"feeds", dueSet, "sched:unwell", "sched:lease", "push:tokens", pushDueSet},
		core.Everywhere: {"sched:added"},
		core.OfSource:   {"<feed_url>:meta", "<feed_url>:polls", "<feed_url>:push"},
		core.OfOwner:    {"push:leaving:<token>"},
		core.OfHost:     {"host:<host>"},
		core.AtDesk:     {"removed:<id>"},
	})
	s.scripts.Once("claim_source", "claim_sources")
	s.damage = db.Damage("meta", "push", "polls", "sort", "guidmap", "alias", "dead", "takedowns", "deleted", "saved", "host", "lease", "due", "ids", "signals", "entry")
	db.GroupMetrics(group, "add_source", "edit_source", "remove_source")
	db.GroupMetrics(groupPush, "claim_callbacks", "replace_callback")
	return s
}
