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
	// Held returns up to limit submissions that wait for a moderator after a cursor, the latest first, and the cursor of the next page.
	Held(ctx context.Context, after feed.Cursor, limit int) (all []feed.Report, next feed.Cursor, err error)
	// MostReported returns up to limit objects of the queue, first those that most members have reported.
	MostReported(ctx context.Context, limit int) ([]feed.Report, error)
	// ReportOf returns something with what members have reported about it, also if it is not in the queue.
	ReportOf(ctx context.Context, o feed.Reported) (feed.Report, error)
	// CloseReport removes something from the queue.
	CloseReport(ctx context.Context, o feed.Reported) (changed bool, err error)
	// ReopenReport reverts CloseReport.
	ReopenReport(ctx context.Context, o feed.Reported) (changed bool, err error)

	// ModerateComment changes who sees a comment, and returns what it was before. feed.ErrInvalid: the state; feed.ErrGone: its author deleted it.
	ModerateComment(ctx context.Context, n, c int64, state feed.Visibility) (before feed.Visibility, err error)
	// ModerateSubmission changes who sees a submission with its entry, likewise. Its author reads the reason if it is rejected; empty: as before.
	// feed.ErrConflict: an entry of a source is not reviewed.
	ModerateSubmission(ctx context.Context, n int64, state feed.Visibility, reason string) (before feed.Visibility, err error)
	// LockNews ends or permits new comments on a submission.
	LockNews(ctx context.Context, n int64, locked bool) (changed bool, err error)

	// Ban keeps an account from writing, voting and reporting in the community.
	Ban(ctx context.Context, user int64) (changed bool, err error)
	// Unban reverts Ban.
	Unban(ctx context.Context, user int64) (changed bool, err error)
	// Bans returns up to limit banned accounts after a cursor, the latest first, and the cursor of the next page.
	Bans(ctx context.Context, after feed.Cursor, limit int) (bans []feed.Ban, next feed.Cursor, err error)

	// Inviters returns the ids of the account that invited an account, of the one that invited that one and so on, up to feed.MaxInviters.
	Inviters(ctx context.Context, id int64) ([]int64, error)
	// InvitedBy returns the ids of up to limit accounts that an account invited after a cursor, the latest first, and the cursor of the next page.
	InvitedBy(ctx context.Context, id int64, after feed.Cursor, limit int) (ids []int64, next feed.Cursor, err error)
	// TreeMembers returns accounts by their ids, in this order, also removed ones.
	TreeMembers(ctx context.Context, ids []int64) ([]feed.TreeMember, error)

	// Decisions returns up to limit audit entries of some actions before the one with the id before ("" for the newest), newest first, and where
	// older ones follow; "": there are none.
	Decisions(ctx context.Context, actions []string, before string, limit int) (all []feed.AuditEntry, next string, err error)
}
