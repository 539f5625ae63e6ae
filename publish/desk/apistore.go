package desk

import (
	"context"

	"github.com/feedwire/feedwire/store/feed"
)

// APIStore is what the API asks for beside what pages do: pieces of lists, changes on a condition, and answers that are kept
// for a repetition of their request.
type APIStore interface {
	// SourcesPage returns up to limit sources, ordered by URL, behind the one with the URL after ("" for the first), and the
	// URL after which to go on; empty: there are no more.
	SourcesPage(ctx context.Context, after string, limit int) (sources []feed.Source, next string, err error)
	// EntriesPage returns up to limit entries of a feed, newest first, and the cursor of what follows; a zero cursor: there
	// is no more.
	EntriesPage(ctx context.Context, feedURL string, from feed.Cursor, limit int) ([]feed.Entry, feed.Cursor, error)

	// ClaimAnswer returns what the request with this id was answered (known is true), or claims the id for a first one, by a
	// token. Sum tells what it asks for. feed.ErrKeyReused: the first one had another sum; feed.ErrUnderWay: it is not
	// answered yet.
	ClaimAnswer(ctx context.Context, id, sum, token string) (a feed.Answer, known bool, err error)
	// KeepAnswer keeps the answer to the request of a claim for a day.
	KeepAnswer(ctx context.Context, id, token string, a *feed.Answer) error
	// DropAnswer gives a claim up.
	DropAnswer(ctx context.Context, id, token string) error
}
