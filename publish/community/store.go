package community

import (
	"context"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// Store is what the community needs. Implementations must be safe for concurrent use. Methods return feed.ErrUnavailable if the store cannot
// answer now, and feed.ErrNotFound if an account, an entry or a submission does not exist.
type Store interface {
	// Account returns the account with a name.
	Account(ctx context.Context, name string) (feed.Account, error)
	// Member returns what the community knows about an account.
	Member(ctx context.Context, user int64) (feed.Member, error)
	// Profile returns the profile of an account.
	Profile(ctx context.Context, account int64) (feed.Profile, error)
	// CountPosts returns how many posts a user has, submissions among them.
	CountPosts(ctx context.Context, user int64) (int, error)
	// CountComments returns how many comments a user has written, with those that were deleted.
	CountComments(ctx context.Context, user int64) (int, error)
	// VisitCommunity counts that a member uses the site, who gets karma for that, and returns what the community knows about the account.
	VisitCommunity(ctx context.Context, user int64) (feed.Member, error)

	// ListedByID returns entries without content. Those that do not exist are left out.
	ListedByID(ctx context.Context, ids []string) (map[string]feed.Entry, error)
	// UpdatePost brings the list of the posts of a user in line with an entry, which may have been taken down.
	UpdatePost(ctx context.Context, user int64, id string) error
	// Posts returns up to limit posts of a user after a cursor, newest first and without content.
	Posts(ctx context.Context, user int64, after feed.Cursor, limit int) (feed.TimelinePage, error)
	// Saved returns up to limit entries that a user has saved after a cursor, those that were saved last first.
	Saved(ctx context.Context, user int64, after feed.Cursor, limit int) (feed.TimelinePage, error)
	// ForReader returns entries with what a user has done with them.
	ForReader(ctx context.Context, user int64, entries []feed.Entry) ([]feed.ReaderEntry, error)
	// RemoveSaved reverts AddSaved. It is a no-op if the user has not saved the entry.
	RemoveSaved(ctx context.Context, user int64, id string) error
	// CountFetch counts an address that is fetched for a user. *feed.QuotaError: there were feed.MaxFetches in an hour.
	CountFetch(ctx context.Context, user int64) error
	// VotingOpen reports whether users vote on an entry now.
	VotingOpen(e *feed.Entry) bool
	// AddSaved saves an entry for a user. feed.ErrConflict: the user has saved too many.
	AddSaved(ctx context.Context, user int64, id string) error

	// MaySubmit returns the error that Submit would return now.
	MaySubmit(ctx context.Context, user int64, s *feed.Submission, admin bool) error
	// Submit makes an entry of a member a submission, which is held if the entry is hidden. It is a no-op if the entry is one. *feed.DuplicateError: the URL was submitted before;
	// *feed.QuotaError: the author, who is no admin, has submitted a moment ago; feed.ErrGone: the entry was taken down.
	Submit(ctx context.Context, e *feed.Entry, s *feed.Submission, admin bool) error
	// EditNews changes a submission, which waits for a moderator from then on with hold. feed.ErrForbidden: someone else submitted it, and the
	// account does not moderate; feed.ErrConflict: it is too late, or was rejected; feed.ErrGone: it was deleted; *feed.DuplicateError: the new URL
	// was submitted before.
	EditNews(ctx context.Context, n, user int64, moderates bool, s *feed.Submission, hold bool) error
	// HideEntry takes an entry out of the lists of its source, so that only its author reads it.
	HideEntry(ctx context.Context, ref feed.EntryRef) error
	// DeleteNews marks a submission as deleted. Errors are those of EditNews; it is a no-op if the submission is deleted.
	DeleteNews(ctx context.Context, n, user int64, moderates bool) error

	// CountLimited counts what an account does, before it does so: votes, and whatever else new accounts do only so often. *feed.QuotaError: it
	// was too often.
	CountLimited(ctx context.Context, a *feed.Account, what feed.Limited, limits feed.NewAccountLimits) error
	// VoteOnNews votes on a submission and returns the vote that the user has cast before, which does not change. feed.ErrInvalid: the vote;
	// feed.ErrGone: the submission was deleted; feed.ErrVotingClosed: it is too old; *feed.KarmaError: the vote needs more karma.
	VoteOnNews(ctx context.Context, e *feed.Entry, user int64, v feed.Vote) (before feed.Vote, err error)

	// NewsPlaces returns up to limit numbers of submissions after a cursor, and whether more follow.
	NewsPlaces(ctx context.Context, order feed.NewsOrder, after feed.Cursor, limit int) (places []feed.Cursor, more bool, err error)
	// NewsRange returns the numbers of up to count submissions from a place in their order, and how many there are.
	NewsRange(ctx context.Context, order feed.NewsOrder, start, count int) (ids []int64, total int, err error)
	// News returns those of some submissions that exist, with the votes of a user; 0: no user.
	News(ctx context.Context, user int64, ids ...int64) ([]feed.News, error)

	// AddComment adds a comment and returns its number. feed.ErrGone: the submission or the parent was deleted; feed.ErrConflict: the thread is
	// too long or too deep; *feed.QuotaError: the author has written too many in a minute.
	AddComment(ctx context.Context, n, user, parent int64, body string) (int64, error)
	// EditComment changes a comment. feed.ErrForbidden: someone else wrote it; feed.ErrConflict: it is too late; feed.ErrGone: it was deleted.
	EditComment(ctx context.Context, n, c, user int64, body string) error
	// DeleteComment deletes a comment. Errors are those of EditComment; it is a no-op if the comment is deleted.
	DeleteComment(ctx context.Context, n, c, user int64, moderates bool) error
	// VoteOnComment votes on a comment and returns the vote that the user has cast before, which does not change. feed.ErrInvalid: the vote;
	// feed.ErrGone: the comment was deleted; feed.ErrConflict: it has too many votes.
	VoteOnComment(ctx context.Context, n, c, user int64, v feed.Vote) (before feed.Vote, err error)
	// Thread returns the comments on a submission as trees, with the votes of a user; 0: no user.
	Thread(ctx context.Context, n, user int64) ([]feed.Comment, error)
	// Outline is Thread for pages, which need few of the names and votes.
	Outline(ctx context.Context, n, user int64) (feed.Outline, error)
	// Names returns the names of accounts by their ids. Accounts that were removed have none.
	Names(ctx context.Context, accounts ...int64) (map[int64]string, error)
	// ModeratedNews, ModeratedThread, ModeratedOutline and ModeratedCommentsOf are News, Thread, Outline and CommentsOf as moderators read them:
	// what is hidden and removed is complete, and has a state.
	ModeratedNews(ctx context.Context, user int64, ids ...int64) ([]feed.News, error)
	ModeratedThread(ctx context.Context, n, user int64) ([]feed.Comment, error)
	ModeratedOutline(ctx context.Context, n, user int64) (feed.Outline, error)
	ModeratedCommentsOf(ctx context.Context, user, reader int64, after feed.Cursor, limit int) ([]feed.UserComment, feed.Cursor, error)

	// Report adds an account to those who reported something, once. feed.ErrGone: it was deleted; feed.ErrForbidden: the account is banned, or
	// wrote it; *feed.QuotaError: the account has reported too often.
	Report(ctx context.Context, o feed.Reported, user int64, reason string) error
	// HasReported reports whether an account is among those who reported something.
	HasReported(ctx context.Context, o feed.Reported, user int64) (bool, error)
	// Waiting returns how many things wait for a moderator.
	Waiting(ctx context.Context) (feed.Waiting, error)
	// Held returns up to limit submissions that wait for a moderator after a cursor, the latest first, and the cursor of the next page.
	Held(ctx context.Context, after feed.Cursor, limit int) ([]feed.Report, feed.Cursor, error)
	// Reports returns up to limit things of the queue of reports after a cursor, the latest first, and the cursor of the next page.
	Reports(ctx context.Context, after feed.Cursor, limit int) ([]feed.Report, feed.Cursor, error)
	// MostReported returns up to limit things of the queue, first those that most members have reported.
	MostReported(ctx context.Context, limit int) ([]feed.Report, error)
	// BannedSince returns since when an account is banned; zero: it is not.
	BannedSince(ctx context.Context, user int64) (time.Time, error)
	// Bans returns up to limit banned accounts after a cursor, the latest first, and the cursor of the next page.
	Bans(ctx context.Context, after feed.Cursor, limit int) ([]feed.Ban, feed.Cursor, error)

	// CommentsOf returns up to limit comments of a user after a cursor, as a reader sees them, newest first, without replies and author, and
	// the cursor of the following ones; zero: there are none.
	CommentsOf(ctx context.Context, user, reader int64, after feed.Cursor, limit int) ([]feed.UserComment, feed.Cursor, error)
	// SeeReplies marks the replies to the comments of a user as read.
	SeeReplies(ctx context.Context, user int64) error
}
