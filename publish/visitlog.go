package publish

import (
	"context"
	"sync"
	"time"

	"github.com/feedwire/feedwire/signals/retry"
	"github.com/feedwire/feedwire/store/feed"
)

const (
	maxPendingVisits = 500 // of a feed; further ones are dropped
	visitInterval    = 2 * time.Second
)

// visitLog writes visits of a feed to the store in batches. Visits are for display only: no request waits for them, and
// they are lost if the store does not accept them.
type visitLog struct {
	store Store
	opts  Options
	typ   string

	mu      sync.Mutex
	pending []feed.Visit
}

func (l *visitLog) add(client string, status int, verdict string) {
	visit := feed.Visit{Time: l.opts.Now(), Client: client, Status: status, Counted: verdict == counted}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.pending) < maxPendingVisits {
		l.pending = append(l.pending, visit)
	}
}

// run writes visits until ctx ends, and then the rest.
func (l *visitLog) run(ctx context.Context) {
	for ended := false; !ended; {
		retry.Await(ctx, nil, visitInterval)
		ended = ctx.Err() != nil
		l.write(context.WithoutCancel(ctx))
	}
}

func (l *visitLog) write(ctx context.Context) {
	l.mu.Lock()
	visits := l.pending
	l.pending = nil
	l.mu.Unlock()
	if len(visits) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, recordTimeout)
	defer cancel()
	if err := l.store.AddVisits(ctx, l.typ, visits); err != nil {
		l.opts.Logger.Debug("visits not recorded", "feed", l.typ, "count", len(visits), "err", err)
	}
}
