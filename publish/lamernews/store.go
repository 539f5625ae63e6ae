package lamernews

import (
	"context"

	"github.com/feedwire/feedwire/store/feed"
)

// Store is what the calls need beside Actions. Implementations must be safe for concurrent use. Methods return feed.ErrUnavailable if the
// store cannot answer now, and feed.ErrNotFound if an account, a submission or a comment does not exist.
type Store interface {
	// VisitCommunity counts that a member uses the site, who gets karma for that.
	VisitCommunity(ctx context.Context, user int64) error

	// NewsRange returns the numbers of up to count submissions from a place in their order, and how many there are.
	NewsRange(ctx context.Context, order feed.NewsOrder, start, count int) (ids []int64, total int, err error)
	// News returns those of some submissions that exist, with the votes of a user; 0: no user.
	News(ctx context.Context, user int64, ids ...int64) ([]feed.News, error)
	// Thread returns the comments on a submission as trees, with the votes of a user; 0: no user.
	Thread(ctx context.Context, n, user int64) ([]feed.Comment, error)

	// AddComment adds a comment and returns its number. feed.ErrGone: the submission or the parent was deleted; feed.ErrConflict: the thread is
	// too long or too deep; *feed.QuotaError: the author has written too many in a minute.
	AddComment(ctx context.Context, n, user, parent int64, body string) (int64, error)
	// EditComment changes a comment. feed.ErrForbidden: someone else wrote it; feed.ErrConflict: it is too late; feed.ErrGone: it was deleted.
	EditComment(ctx context.Context, n, c, user int64, body string) error
	// DeleteComment deletes a comment. Errors are those of EditComment; it is a no-op if the comment is deleted.
	DeleteComment(ctx context.Context, n, c, user int64, moderates bool) error
	// CountVote counts a vote of a user. *feed.QuotaError: there were feed.MaxVotes in an hour.
	CountVote(ctx context.Context, user int64) error
	// VoteOnComment votes on a comment and returns the vote that the user has cast before, which does not change.
	VoteOnComment(ctx context.Context, n, c, user int64, v feed.Vote) (before feed.Vote, err error)
}
