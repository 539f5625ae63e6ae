package publish

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// edition is what a request is answered with.
type edition struct {
	doc   *document
	stale bool  // the store cannot be asked; doc is the last good one
	err   error // there is nothing to answer with
}

// errPanicked is what the others get when the request that looked for all of them ended in a panic.
var errPanicked = errors.New("look for the current document: panic")

// gate lets many requests share one look at the store, without giving any of them an older state than it would have
// seen alone: a request takes part only in a look that starts after it came. At most one look runs and one waits.
type gate struct {
	mu      sync.Mutex
	running bool
	next    *look // waits for the running one to end; nil: nobody is waiting
}

type look struct {
	turn chan struct{} // closed when it may start
	done chan struct{} // closed when edition is there
	edition
}

// enter gives the edition that see returns in a look begun after this call. The first of those who share a look makes it,
// even if its own client has gone, because the others count on it.
func (g *gate) enter(ctx context.Context, see func(context.Context) edition) edition {
	g.mu.Lock()
	l, leads := g.next, g.next == nil
	if leads {
		l = &look{turn: make(chan struct{}), done: make(chan struct{})}
		g.next = l
		if !g.running {
			g.start()
		}
	}
	g.mu.Unlock()
	if !leads {
		select {
		case <-l.done:
			return l.edition
		case <-ctx.Done():
			return edition{err: ctx.Err()}
		}
	}
	<-l.turn
	defer g.leave(l)
	l.edition = edition{err: errPanicked}
	l.edition = see(context.WithoutCancel(ctx))
	return l.edition
}

// start lets the waiting look begin; g.mu is held.
func (g *gate) start() {
	g.running = g.next != nil
	if g.running {
		close(g.next.turn)
		g.next = nil
	}
}

func (g *gate) leave(l *look) {
	close(l.done)
	g.mu.Lock()
	g.start()
	g.mu.Unlock()
}

// current is the document of this moment. What earlier fetches proved to have taken is recorded first, so that a
// consumer that fetches one time after another sees its own impressions.
func (o *outlet) current(ctx context.Context) edition {
	return o.gate.enter(ctx, func(ctx context.Context) edition {
		o.recorder.settle()
		o.recorder.wait(ctx)
		err := o.refresh(ctx)
		o.tell(err)
		if o.doc == nil {
			return edition{err: err}
		}
		return edition{doc: o.doc, stale: err != nil}
	})
}

// tell logs when the feed stops being up to date and when it is again, not each request in between.
func (o *outlet) tell(err error) {
	switch {
	case err != nil && !o.behind:
		o.opts.Logger.Warn("feed cannot be brought up to date", "feed", o.Type, "copy", o.doc != nil, "err", err)
	case err == nil && o.behind:
		o.opts.Logger.Info("feed is up to date again", "feed", o.Type)
	}
	o.behind = err != nil
}

// refresh brings o.doc up to date. The version is read before the articles, so that a change in between is seen by the
// next look.
func (o *outlet) refresh(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	version, err := o.store.FeedVersion(ctx, o.Type)
	if err != nil {
		return fmt.Errorf("read version of feed %s: %w", o.Type, err)
	}
	now := o.opts.Now()
	if o.doc != nil && o.doc.version == version && !now.After(o.doc.until) {
		return nil
	}
	chosen, err := o.choose(ctx, now)
	if err != nil {
		return fmt.Errorf("read articles of feed %s: %w", o.Type, err)
	}
	doc, err := o.render(chosen, now)
	if err != nil {
		o.metrics.renderFailures.Inc()
		return err
	}
	doc.version = version
	o.doc, o.items = doc, chosen.items
	return nil
}
