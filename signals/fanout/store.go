package fanout

import (
	"context"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// Store is what a Fanout needs. Implementations must be safe for concurrent use by several daemons. Methods return feed.ErrUnavailable
// if the store cannot answer now. Every write can be repeated.
type Store interface {
	// NextSignals claims up to limit signals without their posts for a consumer of a group: first signals that were claimed but not
	// acknowledged, then new ones. If there are none, it waits up to wait.
	NextSignals(ctx context.Context, group, consumer string, limit int, wait time.Duration) ([]feed.Signal, error)
	// AckSignals acknowledges signals for the group.
	AckSignals(ctx context.Context, group string, ids ...string) error
	// FailoverEpoch counts failovers. The new primary may have lost the latest writes and still have the acknowledgement of their signals.
	FailoverEpoch() uint64
	// PlanFanout queues the chunks of the followers whose timelines change with some signals.
	PlanFanout(ctx context.Context, signals []feed.Signal) error
	// NextChunks returns up to limit chunks for a worker to apply: first those that a worker has not finished in time, then new ones. If
	// there are none, it waits up to wait.
	NextChunks(ctx context.Context, worker string, limit int, wait time.Duration) ([]feed.Chunk, error)
	// ApplyChunk changes the timelines of the followers in a chunk, and returns how many it changed.
	ApplyChunk(ctx context.Context, c feed.Chunk) (changed int, err error)
	// FinishChunk removes a chunk that was applied.
	FinishChunk(ctx context.Context, c feed.Chunk) error
	// BuryChunk moves a chunk that cannot be applied to the dead letters. The next read of each of its followers builds the timeline.
	BuryChunk(ctx context.Context, c feed.Chunk) error
	// FanoutState returns the state of the queue.
	FanoutState(ctx context.Context) (feed.FanoutState, error)
	// LastAccount returns the id of the account that was added last.
	LastAccount(ctx context.Context) (int64, error)
	// WarmTimelines returns about how many of the accounts up to an id have a timeline that the fan-out changes.
	WarmTimelines(ctx context.Context, last int64) (int64, error)
}
