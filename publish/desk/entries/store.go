package entries

import (
	"context"

	"github.com/feedwire/feedwire/store/feed"
)

// Store is what entries need. Implementations must be safe for concurrent use. Methods return feed.ErrUnavailable if the store cannot
// answer now, and feed.ErrNotFound if a source or entry does not exist.
type Store interface {
	// Source returns a source by its id.
	Source(ctx context.Context, id string) (feed.Source, error)
	// EntriesPage returns up to limit entries of a feed, newest first, and the cursor to continue at; a zero cursor: the list ends.
	EntriesPage(ctx context.Context, feedURL string, from feed.Cursor, limit int) ([]feed.Entry, feed.Cursor, error)
	// Entry returns an entry by its key, "Entry:5".
	Entry(ctx context.Context, id string) (feed.Entry, error)
	// EntryByGUID returns the entry of a source with a guid.
	EntryByGUID(ctx context.Context, feedURL, guid string) (feed.Entry, error)
	// SaveSeenEntry creates an entry without an ID and sets its ID, or replaces the entry with the ID, and appends the signal.
	// feed.ErrExists: another entry has the guid. feed.ErrChanged: the entry no longer has the digest seen.
	SaveSeenEntry(ctx context.Context, e *feed.Entry, seen string) error
	// TakeDownEntry deletes an entry with a signal, and returns it as it was. It is not created again while its source lists it.
	TakeDownEntry(ctx context.Context, id string) (feed.Entry, error)
	// IsTakenDown reports whether the entry of a source with a guid was taken down and was not written again since.
	IsTakenDown(ctx context.Context, feedURL, guid string) (bool, error)
	// RemoveArticle deletes an article from every feed. It is a no-op if there is no such article.
	RemoveArticle(ctx context.Context, uuid string) error
	// ExpireEntries deletes all but the newest entries of a source and returns how many it deleted.
	ExpireEntries(ctx context.Context, feedURL string, keep int) (int, error)
}
