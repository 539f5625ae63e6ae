package intake

import (
	"context"
	"time"

	"github.com/feedwire/feedwire/signals/retry"
	"github.com/feedwire/feedwire/signals/turns"
	"github.com/feedwire/feedwire/store/feed"
)

// The consumer group hands out signals in their order, so that one source with many waiting signals would delay all others. While
// there is a backlog, a second goroutine reads ahead and processes signals of all sources in turn. The group hands them out later as
// well; then they are only acknowledged.
const (
	readAhead    = 1000        // signals that one read returns
	readsAhead   = 20          // between two batches that are processed
	backlogGrace = time.Second // after which a backlog is over, unless another full batch was read
)

// Bounds of the signals that wait for their turn. Signals beyond them wait for the group.
const (
	queuedBySource = 100
	queuedSignals  = 10_000
)

// behind reports that signals wait after the one with an id.
func (in *Intake) behind(id string) {
	select {
	case in.backlog <- id:
	default:
	}
}

// overtake processes signals early while there is a backlog, until ctx ends.
func (in *Intake) overtake(ctx context.Context) {
	for ctx.Err() == nil {
		select {
		case after := <-in.backlog:
			in.overtakeAfter(ctx, after)
		case <-ctx.Done():
		}
	}
}

// overtakeAfter processes signals after the one with an id, until the backlog is over.
func (in *Intake) overtakeAfter(ctx context.Context, after string) {
	q := turns.New[feed.Signal](queuedBySource, queuedSignals)
	for ctx.Err() == nil {
		complete := false
		for n := 0; n < readsAhead && !complete && ctx.Err() == nil; n++ {
			signals, _ := retry.Do(ctx, in.logged(nil), func() ([]feed.Signal, error) {
				return in.store.BareSignals(ctx, after, readAhead, 0)
			})
			for i := range signals {
				if s := &signals[i]; s.IsPost() { // other signals are left to the group, and so are those without room
					q.Add(s.FeedURL, *s, 1)
				}
				after = signals[i].ID
			}
			complete = len(signals) < readAhead
		}
		var batch []feed.Signal
		for len(batch) < batchSize {
			s, ok := q.Next()
			if !ok {
				break
			}
			batch = append(batch, s)
		}
		in.processEarly(ctx, batch)
		if !complete || len(batch) > 0 {
			continue
		}
		grace := time.NewTimer(backlogGrace)
		select {
		case <-in.backlog: // the group is still behind
		case <-grace.C:
			return
		case <-ctx.Done():
		}
		grace.Stop()
	}
}

// processEarly processes signals that the group has not handed out yet, and remembers them. Signals of sources that no feed takes are
// left to the group, which is quick to ignore them.
func (in *Intake) processEarly(ctx context.Context, signals []feed.Signal) {
	epoch := in.store.FailoverEpoch()
	taken, _, sources := in.load(ctx, signals)
	for i := range taken {
		if in.process(ctx, &taken[i], sources) {
			in.early.add(epoch, taken[i].ID)
		}
	}
}
