package intake

import (
	"context"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// Store is what the intake needs. Methods return feed.ErrUnavailable if the store cannot answer now. Every write can be repeated.
type Store interface {
	// NextSignals claims up to limit signals without their posts for a consumer of a group: first signals that were claimed but not
	// acknowledged, by this consumer before a restart or by any consumer for 30 s, then new ones. If there are none, it waits up to
	// wait. It creates a missing group at the oldest stored signal.
	NextSignals(ctx context.Context, group, consumer string, limit int, wait time.Duration) ([]feed.Signal, error)
	// AckSignals acknowledges signals for the group.
	AckSignals(ctx context.Context, group string, ids ...string) error
	// BareSignals returns up to limit signals after an id, oldest first and without their posts, whether a group has read them or
	// not. If there are none, it waits up to wait.
	BareSignals(ctx context.Context, after string, limit int, wait time.Duration) ([]feed.Signal, error)
	// LoadPosts adds the posts to signals, in their current state.
	LoadPosts(ctx context.Context, signals []feed.Signal) error
	// FailoverEpoch counts failovers. The new primary may have lost the latest writes and still accept the acknowledgement of their
	// signals.
	FailoverEpoch() uint64
	// SourceByURL returns the source with this canonical URL. feed.ErrNotFound: there is none.
	SourceByURL(ctx context.Context, url string) (feed.Source, error)
	// SourcesByURL returns the sources with these canonical URLs, except those that do not exist.
	SourcesByURL(ctx context.Context, urls []string) ([]feed.Source, error)
	// Entry returns an entry. feed.ErrNotFound: there is none.
	Entry(ctx context.Context, id string) (feed.Entry, error)
	// Entries returns the newest entries of a source, at most limit.
	Entries(ctx context.Context, feedURL string, limit int) ([]feed.Entry, error)
	// ListVersion changes whenever ListEntries returns something else. feed.ErrNotFound: there is no such list.
	ListVersion(ctx context.Context, list string, limit int) (string, error)
	// ListEntries returns the first entries of a list that anyone may see, with their sources.
	ListEntries(ctx context.Context, list string, limit int) (feed.ListPage, error)
	// Article returns an article. feed.ErrNotFound: there is none.
	Article(ctx context.Context, uuid string, types []string) (feed.Article, error)
	// SaveArticle creates or refreshes an article and reports whether it changed. It does not change its placements.
	SaveArticle(ctx context.Context, a feed.Article) (changed bool, err error)
	// RefreshArticle sets what an article carries of its entry after a newer parser read the entry anew; before is the digest that the
	// entry had until then, or empty. It changes no placement. It is a no-op if there is no such article, or if it has other content.
	RefreshArticle(ctx context.Context, a feed.Article, before string) error
	// IsTakenDown reports whether the entry of a source with a guid was taken down and was not written again since.
	IsTakenDown(ctx context.Context, feedURL, guid string) (bool, error)
	// RemoveChanges deletes the post_modified signals of entries, because they contain parts of their texts. Each of the given signals
	// reports that an entry was taken down.
	RemoveChanges(ctx context.Context, deleted []feed.Signal) error
	// RemoveArticle deletes an article from every feed. It is a no-op if there is no such article.
	RemoveArticle(ctx context.Context, uuid string) error
	// AutoPublish publishes the article in a feed if it is published or imported there with another digest, and with
	// publishNew also if it was never published or has expired. It never publishes a withdrawn article. Changed is false if the
	// article was already published with this digest.
	AutoPublish(ctx context.Context, uuid, typ, digest string, publishNew bool) (feed.Transition, error)
}
