package sources

import (
	"context"

	"github.com/feedwire/feedwire/store/feed"
)

// Store is what sources need. Implementations must be safe for concurrent use. Methods return feed.ErrUnavailable if the store cannot
// answer now, and feed.ErrNotFound if a source or entry does not exist. Methods with a revision return feed.ErrChanged if the source has
// another one; 0 matches every revision.
type Store interface {
	// AddSource adds a source that is polled at once, or changes the settings of an existing source: Feeds, Publish, Interval, Request,
	// Filters, IgnoreUpdates, Keep and, unless nil, Categories. It returns the source as stored. feed.ErrInvalid: the URL or a setting
	// cannot be used. feed.ErrChanged: the source has another Revision, unless that of s is 0.
	AddSource(ctx context.Context, s feed.Source) (stored feed.Source, created bool, err error)
	// EditSource changes the name of a source and the address at which it is polled, and returns the source as stored. Entries and
	// subscriptions stay. feed.ErrInvalid: the address cannot be used. feed.ErrExists: it is that of another source.
	EditSource(ctx context.Context, id string, edit feed.SourceEdit, revision int) (feed.Source, error)
	// SaveEntries saves the description and the entries of a document. Without a token in the claim, the source must only exist.
	SaveEntries(ctx context.Context, c feed.Claim, doc feed.Document) (feed.Saved, error)
	// Source returns a source by its id, with its last polls.
	Source(ctx context.Context, id string) (feed.Source, error)
	// SourceWithEntries returns a source as Source does, and its newest entries without content.
	SourceWithEntries(ctx context.Context, id string, limit int) (feed.Source, []feed.Entry, error)
	// SourcesPage returns up to limit sources after the one with a URL, ordered by URL. next is the URL to continue after; empty: the
	// list ends.
	SourcesPage(ctx context.Context, after string, limit int) (sources []feed.Source, next string, err error)
	// ListSources returns all sources, ordered by URL, with the fields that lists show.
	ListSources(ctx context.Context) ([]feed.Source, error)
	// SetPaused pauses or resumes polling. It is a no-op if the source is already in that state.
	SetPaused(ctx context.Context, id string, paused bool, revision int) error
	// PollSource makes a source due now, or a short while after its last poll. feed.ErrConflict: the source is paused.
	PollSource(ctx context.Context, id string, revision int) error
	// PollInFull is PollSource with a request that ignores ETag, Last-Modified and the digest of the last document.
	PollInFull(ctx context.Context, id string, revision int) error
	// PollSources makes all sources due that are neither paused nor gone, and returns how many.
	PollSources(ctx context.Context) (int, error)
	// RemoveSource removes a source. Its articles stay.
	RemoveSource(ctx context.Context, id string, revision int) error
	// RestoreSource adds a source again that was removed within a day. feed.ErrExists: the source exists.
	RestoreSource(ctx context.Context, id string) (feed.Source, error)
}
