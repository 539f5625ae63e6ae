package publish

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"
)

const (
	defaultFreshness = 100 * time.Millisecond
	probeMost        = time.Second // between two looks for a store that is away
)

// edition is what a request is answered with.
type edition struct {
	doc   *document
	stale bool  // the store cannot be asked; doc is the last good one
	err   error // there is nothing to answer with

	full, bare [2][]field // header lines of doc with its body and without, plain and compressed
}

// field is a header line. A list of them is faster to go through than the map, and each request does.
type field struct {
	name   string
	values []string
}

func newEdition(doc *document, stale bool) edition {
	return edition{
		doc: doc, stale: stale,
		full: [2][]field{fields(doc.plain.header), fields(doc.gzip.header)},
		bare: [2][]field{fields(doc.plain.bare), fields(doc.gzip.bare)},
	}
}

func fields(header map[string][]string) (all []field) {
	for name, values := range header {
		all = append(all, field{name, values})
	}
	return all
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
	turn   chan struct{} // closed when it may start
	done   chan struct{} // closed when edition is there
	strict bool          // somebody counts on the impressions of earlier fetches
	edition
}

// enter gives the edition that see returns in a look begun after this call. The first of those who share a look makes it,
// even if its own client has gone, because the others count on it.
func (g *gate) enter(ctx context.Context, strict bool, see func(ctx context.Context, strict bool) edition) edition {
	g.mu.Lock()
	l, leads := g.next, g.next == nil
	if leads {
		l = &look{turn: make(chan struct{}), done: make(chan struct{})}
		g.next = l
	}
	l.strict = l.strict || strict
	if leads && !g.running {
		g.start()
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
	l.edition = see(context.WithoutCancel(ctx), l.strict)
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

// sight is what a look at the store brought, kept for the requests that come soon after.
type sight struct {
	edition
	began   time.Time // of the look
	changes uint64    // made by this daemon that the look has seen
}

// behind tells that the store could not be asked.
func (s *sight) behind() bool { return s.stale || s.err != nil }

// current is the document of this moment or, unless strict, of one that is no longer ago than opts.Freshness and before
// which this daemon made no change. While the store is known to be away, it is the last good copy, at once.
func (o *outlet) current(ctx context.Context, strict bool) edition {
	if s := o.seen.Load(); s != nil {
		switch {
		case s.behind() && o.away.Load():
			return s.edition
		case !strict && !s.behind() && o.serves(s):
			return s.edition
		}
	}
	return o.gate.enter(ctx, strict, func(ctx context.Context, strict bool) edition {
		if s := o.seen.Load(); s != nil && o.away.Load() {
			return s.edition // the look that this one waited for has found that out
		}
		return o.look(ctx, strict)
	})
}

// serves tells whether what a look brought is fresh enough. When half of its time is over, watch is told to look again,
// so that while requests keep coming none of them waits for the store.
func (o *outlet) serves(s *sight) bool {
	now := o.opts.Now()
	age := now.Sub(s.began)
	switch {
	case s.changes != o.changes.Load() || age > o.opts.Freshness || now.After(s.doc.until):
		return false
	case age > o.opts.Freshness/2 && o.renewing.CompareAndSwap(false, true):
		signal(o.ages)
	}
	return true
}

// look brings the document up to date. If strict, what earlier fetches proved to have taken is recorded first, so that a
// consumer that fetches one time after another sees its own impressions. It runs in the gate.
func (o *outlet) look(ctx context.Context, strict bool) edition {
	if strict && o.RetireAfter > 0 {
		o.recorder.settle()
		o.recorder.wait(ctx)
	}
	s := &sight{began: o.opts.Now(), changes: o.changes.Load()}
	err := o.refresh(ctx)
	if err != nil && o.doc == nil && !o.asked {
		o.asked = true
		o.restore()
	}
	if o.doc == nil {
		s.edition = edition{err: err}
	} else {
		s.edition = newEdition(o.doc, err != nil)
	}
	o.seen.Store(s)
	o.renewing.Store(false)
	o.tell(err)
	if err == nil && o.disk != nil {
		signal(o.disk.due)
	}
	return s.edition
}

// restore takes the copy on disk for the document.
func (o *outlet) restore() {
	if o.doc = o.disk.load(); o.doc == nil {
		return
	}
	o.copied = true
	o.metrics.items.Set(float64(len(o.doc.shown)))
	o.metrics.lastChange.Set(float64(o.doc.modified.Unix()))
}

// good is the document of the last look, if that found the store.
func (o *outlet) good() *document {
	if s := o.seen.Load(); s != nil && !s.behind() {
		return s.doc
	}
	return nil
}

// watch looks at the store, so that requests need not: while it is away, and when what was seen last ages. It ends with ctx.
func (o *outlet) watch(ctx context.Context) {
	o.watched.Store(true)
	defer func() {
		o.watched.Store(false)
		o.away.Store(false)
	}()
	for {
		select {
		case <-o.lost:
		case <-o.ages:
			o.probe(ctx)
		case <-ctx.Done():
			return
		}
		for pause := retryFirst; o.away.Load(); pause = min(2*pause, probeMost) {
			select {
			case <-time.After(pause):
			case <-ctx.Done():
				return
			}
			o.probe(ctx)
		}
	}
}

// probe looks once. What panics in a request does no harm to others, and here it shall not either.
func (o *outlet) probe(ctx context.Context) {
	defer func() {
		if p := recover(); p != nil {
			o.opts.OnPanic("feed")
			o.opts.Logger.Error("look at the store panicked", "feed", o.Type, "err", p, "stack", string(debug.Stack()))
		}
	}()
	o.gate.enter(ctx, false, o.look)
}

// tell logs when the feed stops being up to date and when it is again, not each look in between, and has watch do the
// looking where the store is away.
func (o *outlet) tell(err error) {
	switch {
	case err != nil && !o.behind:
		o.opts.Logger.Warn("feed cannot be brought up to date", "feed", o.Type, "copy", o.doc != nil, "err", err)
	case err == nil && o.behind:
		o.opts.Logger.Info("feed is up to date again", "feed", o.Type)
		signal(o.recorder.again)
	}
	o.behind = err != nil
	away := err != nil && o.watched.Load()
	if o.away.Store(away); away {
		signal(o.lost)
	}
}

// refresh brings o.doc up to date. The version is read before the articles, so that a change in between is seen by the
// next look.
func (o *outlet) refresh(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	version, err := o.version(ctx)
	if err != nil {
		return fmt.Errorf("read version of feed %s: %w", o.Type, err)
	}
	now := o.opts.Now()
	if o.doc != nil && !o.copied && o.doc.version == version && !now.After(o.doc.until) {
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
	chosen.share(doc.plain.body)
	o.doc, o.items, o.copied = doc, chosen.items, false
	o.metrics.heldBack.Set(float64(o.holds.keep(chosen.items)))
	return nil
}

func (o *outlet) version(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	return o.store.FeedVersion(ctx, o.Type)
}
