package lamernews

import (
	"context"

	"github.com/feedwire/feedwire/store/feed"
)

// Store is what the calls need beside Actions. Implementations must be safe for concurrent use. Methods return feed.ErrUnavailable if the
// store cannot answer now, and feed.ErrNotFound if an account, a submission or a comment does not exist.
type Store interface {
	// VisitCommunity counts that a member uses the site, who gets karma for that.
	VisitCommunity(ctx context.Context, user int64) (feed.Member, error)

	// NewsRange returns the numbers of up to count submissions from a place in their order, and how many there are.
	NewsRange(ctx context.Context, order feed.NewsOrder, start, count int) (ids []int64, total int, err error)
	// News returns those of some submissions that exist, with the votes of a user; 0: no user.
	News(ctx context.Context, user int64, ids ...int64) ([]feed.News, error)
	// Thread returns the comments on a submission as trees, with the votes of a user; 0: no user.
	Thread(ctx context.Context, n, user int64) ([]feed.Comment, error)

	// EditComment changes a comment. feed.ErrForbidden: someone else wrote it; feed.ErrConflict: it is too late; feed.ErrGone: it was deleted.
	EditComment(ctx context.Context, n, c, user int64, body string) error
	// DeleteComment deletes a comment. Errors are those of EditComment; it is a no-op if the comment is deleted.
	DeleteComment(ctx context.Context, n, c, user int64, moderates bool) error
}
