package readers

import (
	"context"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// Store is what readers need. Implementations must be safe for concurrent use. Methods return feed.ErrUnavailable if the store cannot
// answer now, and feed.ErrNotFound if an account, a source or a follow does not exist.
type Store interface {
	// Account returns the account with a name.
	Account(ctx context.Context, name string) (feed.Account, error)

	// Timeline returns up to limit entries of the sources that a user follows after a cursor, newest first and without content.
	Timeline(ctx context.Context, user int64, after feed.Cursor, limit int) (feed.TimelinePage, error)
	// Select returns up to limit selected entries of the timeline after a cursor, as Timeline does.
	Select(ctx context.Context, user int64, selected feed.Selection, after feed.Cursor, limit int) (feed.TimelinePage, error)
	// ForReader returns entries with what a user has done with them.
	ForReader(ctx context.Context, user int64, entries []feed.Entry) ([]feed.ReaderEntry, error)
	// MarkEntries marks entries as read or unread. Those that do not exist are left out.
	MarkEntries(ctx context.Context, user int64, ids []string, state feed.ReadState) error
	// MarkSources marks the entries of selected sources as read, up to a time; zero: all that are stored now.
	MarkSources(ctx context.Context, user int64, selected feed.Selection, upto time.Time) error
	// UnreadCounts returns how many entries of each source that a user follows are unread, by feed URL.
	UnreadCounts(ctx context.Context, user int64) (map[string]int, error)
	// Entry returns the entry with an id such as "Entry:5".
	Entry(ctx context.Context, id string) (feed.Entry, error)
	// LoadEntries returns entries in the order of refs, without those that do not exist.
	LoadEntries(ctx context.Context, refs []feed.EntryRef) ([]feed.Entry, error)
	// SelectPlaces returns where up to limit selected entries of the timeline after a cursor are, newest first, and the cursor that continues
	// the list. The members are numbers of entries.
	SelectPlaces(
		ctx context.Context, user int64, selected feed.Selection, after feed.Cursor, limit int,
	) (all []feed.Cursor, next feed.Cursor, err error)
	// Scores returns the scores of those of some entries that have votes or groups, by id, with the votes of a user.
	Scores(ctx context.Context, user int64, ids []string) (map[string]feed.Score, error)
	// VotingOpen reports whether users vote on an entry now.
	VotingOpen(e *feed.Entry) bool
	// SavedByID returns entries without content, also those that have expired and that users saved.
	SavedByID(ctx context.Context, ids []string) (map[string]feed.Entry, error)
	// ContentsByID is SavedByID with content.
	ContentsByID(ctx context.Context, ids []string) (map[string]feed.Entry, error)
	// Saved returns up to limit entries that a user has saved after a cursor, those that were saved last first.
	Saved(ctx context.Context, user int64, after feed.Cursor, limit int) (feed.TimelinePage, error)
	// AddSaved saves an entry, which then stays when it expires at its source. feed.ErrConflict: the user has saved feed.MaxSaved entries.
	AddSaved(ctx context.Context, user int64, id string) error
	// RemoveSaved reverts AddSaved. It is a no-op if the user has not saved the entry.
	RemoveSaved(ctx context.Context, user int64, id string) error
	// Follows returns the follows of a user by feed URL.
	Follows(ctx context.Context, user int64) ([]feed.Follow, error)
	// Follow makes a user follow a source, and reports whether they did not before. If they did, nothing changes. feed.ErrConflict:
	// they follow feed.MaxFollows sources.
	Follow(ctx context.Context, user int64, f feed.Follow) (created bool, err error)
	// MayFollow returns nil if a user may follow another source. feed.ErrConflict: they follow feed.MaxFollows sources.
	MayFollow(ctx context.Context, user int64) error
	// ChangeFollow changes a follow and returns it. feed.ErrInvalid: see feed.FollowChange.
	ChangeFollow(ctx context.Context, user int64, feedURL string, change feed.FollowChange) (feed.Follow, error)
	// Unfollow ends a follow. It is a no-op if the user does not follow the source.
	Unfollow(ctx context.Context, user int64, feedURL string) error
	// CountFetch counts an address that is fetched because a user follows it. *feed.QuotaError: there were feed.MaxFetches in an hour.
	CountFetch(ctx context.Context, user int64) error

	// DefaultFollows returns the URLs of the sources that new members follow.
	DefaultFollows(ctx context.Context) ([]string, error)
	// DefaultSources returns those of them that exist, by URL.
	DefaultSources(ctx context.Context) ([]feed.Source, error)
	// AddDefaultFollow makes members who join from now on follow a source. feed.ErrConflict: they follow feed.MaxDefaultFollows.
	AddDefaultFollow(ctx context.Context, feedURL string) error
	// RemoveDefaultFollow undoes AddDefaultFollow.
	RemoveDefaultFollow(ctx context.Context, feedURL string) error

	// Source returns a source by its id.
	Source(ctx context.Context, id string) (feed.Source, error)
	// TitlesByURL returns the titles and links of sources with canonical URLs, by URL. It leaves out sources that do not exist.
	TitlesByURL(ctx context.Context, urls []string) (map[string]feed.About, error)
	// AddSource adds a source that is polled at once. feed.ErrInvalid: the URL cannot be used.
	AddSource(ctx context.Context, s feed.Source) (stored feed.Source, created bool, err error)
}
