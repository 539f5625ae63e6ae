package signal

import (
	"context"
	"embed"
	"sync"
	"time"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

//go:embed scripts
var scriptFiles embed.FS

// group counts the commands of this package in metrics, except those that wait: they are operations of the group wait.
const group = "signals"

// maxWait bounds how long a read blocks. Every read begins with merging the outboxes, and CopyTo takes a store whose signals
// were not read for longer as one without daemons.
const maxWait = time.Second

// Posts reads the entries that signals are about. Entries that do not exist are left out.
type Posts interface {
	LoadEntries(ctx context.Context, refs []feed.EntryRef) ([]feed.Entry, error)
	// LoadHeadlines is LoadEntries without the content.
	LoadHeadlines(ctx context.Context, refs []feed.EntryRef) ([]feed.Entry, error)
	// IsTakenDown reports whether the entry of a source with a guid was taken down.
	IsTakenDown(ctx context.Context, feedURL, guid string) (bool, error)
}

// Store is safe for concurrent use. Errors other than those named on a method are a *core.Error.
type Store struct {
	db      *core.DB
	posts   Posts
	scripts core.Scripts
	resumed sync.Map // see core.Group
	revived sync.Map // group → time.Time of the last call of revive
}

// New returns a Store. It does not connect.
func New(db *core.DB, posts Posts) *Store {
	return &Store{db: db, posts: posts, scripts: db.AddNoun(group, scriptFiles, nil)}
}
