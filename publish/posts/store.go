package posts

import (
	"context"

	"github.com/feedwire/feedwire/store/feed"
)

// Store is what posts need. Implementations must be safe for concurrent use. Methods return feed.ErrUnavailable if the store cannot
// answer now, and feed.ErrNotFound if an account, a source or an entry does not exist.
type Store interface {
	// Account returns the account with a name.
	Account(ctx context.Context, name string) (feed.Account, error)
	// AccountByID returns the account with a number.
	AccountByID(ctx context.Context, id int64) (feed.Account, error)

	// ScoredTimeline returns up to limit entries of the sources that a user follows after a cursor, newest first and without content. It
	// also returns the scores of those that have votes or groups, by id, with the votes of the user.
	ScoredTimeline(ctx context.Context, user int64, after feed.Cursor, limit int) (feed.TimelinePage, map[string]feed.Score, error)
	// Posts returns up to limit posts of a user after a cursor, newest first and without content.
	Posts(ctx context.Context, user int64, after feed.Cursor, limit int) (feed.TimelinePage, error)
	// Entry returns an entry by its key, "Entry:5".
	Entry(ctx context.Context, id string) (feed.Entry, error)
	// IsRemovedPost reports whether an entry was a post that was taken down.
	IsRemovedPost(ctx context.Context, id string) (bool, error)

	// Scores returns the scores of those of some entries that have votes or groups, by id, with the votes of a user; 0: no user.
	Scores(ctx context.Context, user int64, ids []string) (map[string]feed.Score, error)

	// CommentCounts returns how many comments those of some entries have that are submissions which everyone sees, by id.
	CommentCounts(ctx context.Context, ids []string) (map[string]int, error)

	// CountPost counts a post of a user. *feed.QuotaError: there were too many in a day.
	CountPost(ctx context.Context, user int64, most int) error
	// UpdatePost brings the list of the posts of a user in line with an entry, which may have been taken down.
	UpdatePost(ctx context.Context, user int64, id string) error

	// Source returns a source by its id.
	Source(ctx context.Context, id string) (feed.Source, error)
	// AddSource adds a source.
	AddSource(ctx context.Context, s feed.Source) (stored feed.Source, created bool, err error)
	// Follows returns the follows of a user by feed URL; none for the user 0.
	Follows(ctx context.Context, user int64) ([]feed.Follow, error)
	// Follow makes a user follow a source. feed.ErrConflict: they follow feed.MaxFollows sources.
	Follow(ctx context.Context, user int64, f feed.Follow) (created bool, err error)
}
