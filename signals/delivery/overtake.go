package delivery

import (
	"context"
	"slices"
	"time"

	"github.com/feedwire/feedwire/signals/turns"
	"github.com/feedwire/feedwire/store/feed"
)

// The cursor moves in the order of the outbox, so that one source with many signals would delay all others. While there is a backlog,
// the distributor reads ahead, and after each document at the cursor it distributes a document that is ahead of it, of each source in
// turn. The signals of a source stay in order.
const (
	maxBehind      = 50                    // documents after the cursor that are no backlog
	aheadEvery     = 50 * time.Millisecond // interval of reading ahead
	aheadLimit     = 1000                  // signals of one read
	aheadReads     = 20                    // reads at a time
	queuedBySource = 100                   // signals in memory; those of a source beyond them wait for the cursor
	queuedSignals  = 10_000
)

// overtaking is the state of reading ahead.
type overtaking struct {
	read    string    // every signal up to it was read
	again   time.Time // when to read again
	queue   *turns.Queue[waiting]
	blocked map[string]string // by feed URL: the last signal that had no room in the queue
}

// waiting is news with its targets, without those of Shared outlets.
type waiting struct {
	news    News
	targets []target
}

func newOvertaking(cursor string) *overtaking {
	return &overtaking{read: cursor, queue: turns.New[waiting](queuedBySource, queuedSignals), blocked: make(map[string]string)}
}

// continuedBy reports whether all that is distributed is so by another progress, too. It is not after a failover that lost steps.
func (d *distributor) continuedBy(p feed.HubProgress) bool {
	for url, id := range d.Ahead {
		if feed.SignalLess(p.Cursor, id) && feed.SignalLess(p.Ahead[url], id) {
			return false
		}
	}
	return !feed.SignalLess(p.Cursor, d.Cursor)
}

// overtake distributes the next document of a source ahead of the cursor, if there is a backlog. It reports false if the progress has
// to be read again.
func (d *distributor) overtake(ctx context.Context) bool {
	o := d.overtaking
	if o == nil {
		return true
	}
	if !time.Now().Before(o.again) {
		if !d.readAhead(ctx) {
			return false
		}
		o.again = time.Now().Add(aheadEvery)
	}
	for next, ok := o.queue.Next(); ok; next, ok = o.queue.Next() {
		url := next.news.FeedURL
		news := next.news.after(d.Cursor) // which may have passed it
		news = news.after(d.Ahead[url])
		if len(news.Signals) > 0 {
			step := feed.HubStep{From: d.Cursor, To: d.Cursor, FeedURL: url, AheadFrom: d.Ahead[url], AheadTo: news.last()}
			return d.step(ctx, step, news, next.targets)
		}
	}
	return true
}

// readAhead reads signals and queues them. It reports false if ctx has ended.
func (d *distributor) readAhead(ctx context.Context) bool {
	o := d.overtaking
	for range aheadReads {
		all, complete, ok := d.read(ctx, o.read, aheadLimit, 0)
		if !ok {
			return false
		}
		targets, ok := d.targets(ctx, all)
		if !ok {
			return false
		}
		for _, n := range all {
			if !d.redact(ctx, n, targets[n.FeedURL]) { // before its turn; and again then, for versions that are made until then
				return false
			}
		}
		for url, all := range targets {
			targets[url] = slices.DeleteFunc(all, func(t target) bool { return t.outlet.Shared })
		}
		for _, n := range all {
			o.read = n.last()
			own := targets[n.FeedURL]
			if feed.SignalLess(d.Cursor, o.blocked[n.FeedURL]) || len(own) > 0 && !o.queue.Add(n.FeedURL, waiting{n, own}, len(n.Signals)) {
				o.blocked[n.FeedURL] = n.last()
			}
		}
		if complete {
			return true
		}
	}
	return true
}
