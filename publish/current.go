package publish

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/feedwire/feedwire/signals/retry"
)

const defaultFreshness = 100 * time.Millisecond

// response is the current document. With an error, it is the last good one, or nil.
type response struct {
	doc *rendered
	err error
}

// cached is the result of a refresh, for requests that follow soon.
type cached struct {
	response
	began   time.Time // of the refresh
	changes uint64    // made by this daemon that the refresh has seen

	takedowns uint64 // before the refresh
}

// current returns the document in its current state. Unless strict, it may be as old as opts.Freshness, but not older than
// a change by this daemon. While the store is known to be unavailable, it returns the last good document at once.
func (o *outlet) current(ctx context.Context, strict bool) response {
	if c := o.usable(); c != nil {
		switch {
		case c.err != nil && o.watch.away.Load():
			return c.response
		case !strict && c.err == nil && o.fresh(c):
			return c.response
		}
	}
	ctx = context.WithoutCancel(ctx)
	return o.share(func() response {
		if c := o.usable(); c != nil && o.watch.away.Load() {
			return c.response // the refresh that this one waited for has noticed
		}
		return o.refresh(ctx)
	})
}

// usable returns the result of the last refresh unless an entry was taken down since.
func (o *outlet) usable() *cached {
	if c := o.cached.Load(); c != nil && c.takedowns == o.copies.takedowns.Load() {
		return c
	}
	return nil
}

// share returns the result of a call of refresh that begins after this call of share, so that no request gets an older state
// than it would have read alone. Concurrent calls share the result. One refresh runs at a time. A panic ends this refresh only.
func (o *outlet) share(refresh func() response) response {
	result, _, _ := o.refreshes.Do("", func() (result any, _ error) {
		o.turn <- struct{}{}
		defer func() {
			if p := recover(); p != nil {
				o.opts.OnPanic("feed")
				o.opts.Logger.Error("refresh of the feed panicked", "feed", o.Type, "err", p, "stack", string(debug.Stack()))
				result = response{err: fmt.Errorf("refresh of feed %s: panic: %v", o.Type, p)}
			}
			<-o.turn
		}()
		o.refreshes.Forget("") // who comes from now on shares the next one
		return refresh(), nil
	})
	return result.(response)
}

// fresh reports whether c may still be served. After half of its time it wakes the watch, so that while requests keep
// coming none of them waits for the store.
func (o *outlet) fresh(c *cached) bool {
	now := o.opts.Now()
	age := now.Sub(c.began).Abs() // a clock that was set back keeps no stale feed
	switch {
	case c.changes != o.changes.Load() || age > o.opts.Freshness || now.After(c.doc.until):
		return false
	case age > o.opts.Freshness/2 && o.watch.renewing.CompareAndSwap(false, true):
		retry.Wake(o.watch.wake)
	}
	return true
}

// refresh brings the document up to date. Its context must not end with a request, because others may share it.
func (o *outlet) refresh(ctx context.Context) response {
	c := &cached{began: o.opts.Now(), changes: o.changes.Load(), takedowns: o.copies.takedowns.Load()}
	err := o.update(ctx)
	switch {
	case err == nil:
		o.compared = c.takedowns
	case o.compared != c.takedowns:
		o.doc, o.triedDisk = nil, true // it may show an entry that was taken down
	}
	if err != nil && o.doc == nil && !o.triedDisk {
		o.triedDisk = true
		o.restore()
	}
	c.doc, c.err = o.doc, err
	o.cached.Store(c)
	o.watch.renewing.Store(false)
	o.reportRefresh(err)
	if err == nil {
		o.disk.wake()
	}
	return c.response
}

func (o *outlet) restore() {
	if o.doc = o.disk.load(o.meta()); o.doc == nil {
		return
	}
	o.doc.articles = o.articlesIn(o.doc.Document)
	o.restored = true
	o.metrics.items.Set(float64(len(o.doc.shown)))
	o.metrics.lastChange.Set(float64(o.doc.Modified.Unix()))
}

// lastGood returns the document if the last refresh could read the store, otherwise nil.
func (o *outlet) lastGood() *rendered {
	if c := o.usable(); c != nil && c.err == nil {
		return c.doc
	}
	return nil
}

// update renders the document if it has changed. It reads the version before the articles, so that the next update notices
// a change in between.
func (o *outlet) update(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, refreshTimeout)
	defer cancel()
	version, err := o.version(ctx)
	if err != nil {
		return fmt.Errorf("read version of feed %s: %w", o.Type, err)
	}
	now := o.opts.Now()
	if o.doc != nil && !o.restored && o.doc.version == version && !now.After(o.doc.until) {
		return nil
	}
	selected, err := o.selectArticles(ctx, now)
	if err != nil {
		return fmt.Errorf("read articles of feed %s: %w", o.Type, err)
	}
	doc, err := o.render(selected, now)
	if err != nil {
		o.metrics.renderFailures.Inc()
		return err
	}
	doc.version = version
	selected.share(doc.Body())
	o.doc, o.items, o.restored = doc, selected.items, false
	o.metrics.blocked.Set(float64(len(doc.blocked)))
	return nil
}

func (o *outlet) version(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, versionTimeout)
	defer cancel()
	return o.store.FeedVersion(ctx, o.Type)
}
