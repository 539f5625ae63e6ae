package publish

import (
	"context"
	"sync"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

const (
	visitsAtOnce = 500             // visits of a feed that may wait; what comes beyond is not remembered
	visitsPulse  = 2 * time.Second // between two writes of them
)

// guestbook brings who came for a feed to the store. They are for people, so that none is waited for, and those that the
// store does not take are lost.
type guestbook struct {
	opts Options
	typ  string

	mu      sync.Mutex // held to add one or to take all
	waiting []feed.Visit
}

// note remembers a visit.
func (g *guestbook) note(client string, status int, verdict string) {
	if g.opts.AddVisits == nil {
		return
	}
	visit := feed.Visit{Time: g.opts.Now(), Client: client, Status: status, Counted: verdict == counted}
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.waiting) < visitsAtOnce {
		g.waiting = append(g.waiting, visit)
	}
}

// run writes visits until ctx ends, and then the last ones.
func (g *guestbook) run(ctx context.Context) {
	if g.opts.AddVisits == nil {
		return
	}
	pulse := time.NewTicker(visitsPulse)
	defer pulse.Stop()
	for {
		select {
		case <-pulse.C:
		case <-ctx.Done():
		}
		g.write(context.WithoutCancel(ctx))
		if ctx.Err() != nil {
			return
		}
	}
}

func (g *guestbook) write(ctx context.Context) {
	g.mu.Lock()
	all := g.waiting
	g.waiting = nil
	g.mu.Unlock()
	if len(all) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	if err := g.opts.AddVisits(ctx, g.typ, all); err != nil {
		g.opts.Logger.Debug("visits not remembered", "feed", g.typ, "count", len(all), "err", err)
	}
}
