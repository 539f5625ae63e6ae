package signal

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

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
}

// Options configure a Store.
type Options struct {
	Posts    Posts         // required
	TakeOver time.Duration // time after which another consumer gets a signal that is not acknowledged; default 30 s
}

// Store is safe for concurrent use. Errors other than those named on a method are a *core.Error.
type Store struct {
	db      *core.DB
	opts    Options
	resumed sync.Map // consumers that have got the signals they had not acknowledged before a restart
}

// New returns a Store. It does not connect.
func New(db *core.DB, opts Options) *Store {
	opts.TakeOver = cmp.Or(max(0, opts.TakeOver), 30*time.Second)
	db.GroupMetrics(group)
	return &Store{db: db, opts: opts}
}
