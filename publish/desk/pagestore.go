package desk

import (
	"context"

	"github.com/feedwire/feedwire/store/feed"
)

// PageStore is what pages read, each in few exchanges with the store, however much there is.
type PageStore interface {
	// Overview tells how everything is doing.
	Overview(ctx context.Context, q feed.OverviewQuery) (feed.Overview, error)
	// ListSources returns all sources, ordered by URL, with what a list shows of them.
	ListSources(ctx context.Context) ([]feed.Source, error)
	// SourceWithEntries returns one source as Source does, and its newest entries without their content.
	SourceWithEntries(ctx context.Context, id string, limit int) (feed.Source, []feed.Entry, error)
	// RestoreSource adds a source again that was removed in the last day. feed.ErrExists: it is there.
	RestoreSource(ctx context.Context, id string) (feed.Source, error)
	// FeedStates tells of outgoing feeds, with up to visits visits of each.
	FeedStates(ctx context.Context, types []string, visits int) ([]feed.OutgoingState, error)
	// FeedState tells of one outgoing feed, with up to articles that are out.
	FeedState(ctx context.Context, typ string, articles, visits int) (feed.OutgoingState, error)
	// FindSignals returns the signals that q selects; posts have no Content. Next is where the search goes on, as q.Before;
	// empty: it has ended.
	FindSignals(ctx context.Context, q feed.SignalQuery) (found []feed.Signal, next string, err error)
	// Signal returns one signal with its post.
	Signal(ctx context.Context, id string) (feed.Signal, error)
}
