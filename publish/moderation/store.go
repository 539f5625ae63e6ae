package moderation

import (
	"context"

	"github.com/feedwire/feedwire/store/feed"
)

// Store is what moderation needs. Implementations must be safe for concurrent use. Methods return feed.ErrUnavailable if the store cannot
// answer now, and feed.ErrNotFound if an account, a submission or a comment does not exist. Changed reports whether something did.
type Store interface {
	// Account returns the account with a name.
	Account(ctx context.Context, name string) (feed.Account, error)

	// Report adds an account to those who reported something, once. feed.ErrGone: it was deleted; feed.ErrForbidden: the account is banned, or
	// wrote it; *feed.QuotaError: the account has reported too often.
	Report(ctx context.Context, o feed.Reported, user int64, reason string) error
	// Reports returns up to limit objects of the queue of reports after a cursor, the latest first, and the cursor of the next page.
	Reports(ctx context.Context, after feed.Cursor, limit int) (all []feed.Report, next feed.Cursor, err error)
	// CloseReport removes something from the queue.
	CloseReport(ctx context.Context, o feed.Reported) (changed bool, err error)

	// ModerateComment changes who sees a comment, and returns what it was before. feed.ErrInvalid: the state; feed.ErrGone: its author deleted it.
	ModerateComment(ctx context.Context, n, c int64, state feed.CommentState) (before feed.CommentState, err error)
	// LockNews ends or permits new comments on a submission.
	LockNews(ctx context.Context, n int64, locked bool) (changed bool, err error)

	// Ban keeps an account from writing, voting and reporting in the community.
	Ban(ctx context.Context, user int64) (changed bool, err error)
	// Unban reverts Ban.
	Unban(ctx context.Context, user int64) (changed bool, err error)
	// Bans returns up to limit banned accounts after a cursor, the latest first, and the cursor of the next page.
	Bans(ctx context.Context, after feed.Cursor, limit int) (bans []feed.Ban, next feed.Cursor, err error)
}
