package article

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// AutoPublish publishes the content with a digest by rule. An article that is published or imported with other content is
// published again; with publishNew, an unpublished or expired article is published. It is a no-op if an editor withdrew or
// dismissed the article, if this content is already published, or if the article has other content by now. feed.ErrNotFound: there is no such
// article.
func (s *Store) AutoPublish(ctx context.Context, uuid, typ, digest string, publishNew bool) (feed.Transition, error) {
	how := "follow"
	if publishNew {
		how = "auto"
	}
	var d feed.DecisionResult
	err := feed.CheckType(typ)
	if err == nil {
		var reply any
		keys := append(s.keys.placement(uuid, typ), s.keys.Activity(s.db.Now()))
		if reply, err = s.db.Run(ctx, s.scripts["place_article"], keys, []any{uuid, typ, s.db.Stamp(), digest, how}); err == nil {
			err = readDecision(&d, reply)
		}
	}
	return d.Transition, core.Wrap(cmp.Or(err, d.Err), "publish article %s in %s", uuid, typ)
}

// readPlacement takes the replies about an article in a feed, whose hash has the fields.
func readPlacement(r *core.Replies, typ string, fields map[string]string) feed.Placement {
	p := feed.Placement{State: feed.StateUnpublished}
	p.Revision, _ = strconv.Atoi(fields["revision_"+typ]) // absent: 0
	for _, stamp := range r.Texts() {
		p.Impressions = append(p.Impressions, feed.ParseTime(stamp))
	}
	for _, at := range []*time.Time{&p.Published, &p.Imported, &p.Expired, &p.Withdrawn} {
		*at = feed.ParseTime(r.Text())
	}
	switch {
	case !p.Published.IsZero():
		p.State = feed.StatePublished
	case !p.Withdrawn.IsZero():
		p.State = feed.StateWithdrawn
	case !p.Expired.IsZero():
		p.State = feed.StateExpired
	case !p.Imported.IsZero():
		p.State = feed.StateImported
	}
	if p.Published.IsZero() {
		p.Published = feed.ParseTime(fields["date_published_"+typ])
	}
	return p
}

// ExpireArticles moves articles that were published before the window from published to expired, and returns their uuids.
func (s *Store) ExpireArticles(ctx context.Context, typ string, window time.Duration) ([]string, error) {
	const batchSize = 200
	now := s.db.Now()
	keys := []any{s.keys.placed(feed.StatePublished, typ), s.keys.placed(feed.StateExpired, typ), s.keys.version(typ)}
	args := []any{core.Stamp(now), core.Stamp(now.Add(-window)), batchSize}
	var all []string
	for {
		uuids, err := redis.Strings(s.db.Run(ctx, s.scripts["expire_articles"], keys, args))
		if err != nil {
			return all, fmt.Errorf("expire articles of %s: %w", typ, err)
		}
		if all = append(all, uuids...); len(uuids) < batchSize {
			return all, nil
		}
	}
}

// ForgetArticles deletes articles that were last updated before a time and are published in none of the feeds. It returns how
// many, at most core.PipelineSize.
func (s *Store) ForgetArticles(ctx context.Context, types []string, before time.Time) (int, error) {
	uuids, err := redis.Strings(s.db.Do(ctx, group, "ZRANGEBYSCORE", s.keys.articles(), "-inf", "("+core.Stamp(before),
		"LIMIT", 0, core.PipelineSize))
	if err != nil {
		return 0, fmt.Errorf("find articles to delete: %w", err)
	}
	total := 0
	for _, uuid := range uuids {
		keys := []any{s.keys.article(uuid), s.keys.content(uuid), s.keys.articles(), s.keys.versions(uuid), s.keys.audit(uuid), s.keys.inbox(), s.keys.dismissed()}
		for _, typ := range types {
			keys = append(append(keys, s.keys.sets(typ)...), s.keys.impressions(uuid, typ))
		}
		deleted, err := redis.Int(s.db.Run(ctx, s.scripts["forget_article"], keys, []any{uuid, core.Stamp(before)}))
		if err != nil {
			return total, fmt.Errorf("delete article %s: %w", uuid, err)
		}
		total += deleted
	}
	return total, nil
}
