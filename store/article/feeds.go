package article

import (
	"context"
	"fmt"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// FeedVersion returns a version that changes whenever the result of PublishedArticles may change, except by the passing of time.
// No version is used twice, even by a server that took over without the last writes. Empty: the feed never had an article.
func (s *Store) FeedVersion(ctx context.Context, typ string) (string, error) {
	known := s.db.Installation()
	r, err := s.db.Pipeline(ctx, feedGroup, func(b *core.Batch) {
		b.Add("GET", s.keys.version(typ))
		b.Add("GET", s.db.InstallationKey())
	})
	if err != nil {
		return "", fmt.Errorf("read the version of feed %s: %w", typ, err)
	}
	version := r.Text()
	return version, core.Wrap(s.db.CheckInstallation(known, r.Next()), "read the version of feed %s", typ)
}

// PublishedArticles returns the articles of a feed that were published since a time and have fewer than retireAfter
// impressions, oldest publication first. If retireAfter is 0, impressions do not matter and the newest publication is first. The
// articles have their content and their placement in this feed. Up to limit articles are examined, starting at offset; next is
// the offset of the next call, or 0 at the end.
func (s *Store) PublishedArticles(
	ctx context.Context, typ string, since time.Time, retireAfter, offset, limit int,
) (shown []feed.Article, next int, err error) {
	key, command, from, to := s.keys.placed(feed.StatePublished, typ), "ZRANGEBYSCORE", core.Stamp(since), "+inf"
	if retireAfter == 0 {
		command, from, to = "ZREVRANGEBYSCORE", to, from
	}
	uuids, err := redis.Strings(s.db.Do(ctx, feedGroup, command, key, from, to, "LIMIT", offset, limit))
	var all []feed.Article
	if err == nil {
		all, err = s.articles(ctx, feedGroup, uuids, []string{typ}, true)
	}
	if err == nil { // last: an empty Redis must not be taken for an empty feed
		known := s.db.Installation()
		var installation any
		if installation, err = s.db.Do(ctx, feedGroup, "GET", s.db.InstallationKey()); err == nil {
			err = s.db.CheckInstallation(known, installation)
		}
	}
	if err != nil {
		return nil, 0, fmt.Errorf("read the articles of feed %s: %w", typ, err)
	}
	for _, a := range all {
		if p := a.Feeds[typ]; p.State == feed.StatePublished && (retireAfter == 0 || len(p.Impressions) < retireAfter) {
			shown = append(shown, a)
		}
	}
	if len(uuids) == limit {
		next = offset + limit
	}
	return shown, next, nil
}
