package store

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/feed"
)

// AutoPublish brings the feed up to the given content of the article: where the article is published or imported with
// another content it is published again, and with publishNew also where it was never published or has expired. What an
// editor took back stays back. Doing it twice changes nothing the second time. feed.ErrNotFound when there is no such
// article. What people want of articles goes by Decide.
func (s *Store) AutoPublish(ctx context.Context, uuid, typ, digest string, publishNew bool) (feed.Transition, error) {
	how := "follow"
	if publishNew {
		how = "auto"
	}
	fail := func(err error) (feed.Transition, error) {
		return feed.Transition{}, fmt.Errorf("%s article %s in %s: %w", how, uuid, typ, err)
	}
	if err := feed.CheckType(typ); err != nil {
		return fail(err)
	}
	keys := append(s.keys.placement(uuid, typ), s.keys.activity(s.opts.Now()))
	reply, err := s.run(ctx, "place_article", keys, []any{uuid, typ, s.stamp(), digest, how})
	if err != nil {
		return fail(err)
	}
	var d feed.Decided
	if err := decidedFrom(&d, reply); err != nil {
		return fail(err)
	}
	if d.Err != nil {
		return fail(d.Err)
	}
	return d.Transition, nil
}

// placementFromReplies reads what loadArticles asked about one article in one feed: the impressions and the scores in
// the sets of published, taken back, expired and imported articles.
func placementFromReplies(typ string, fields map[string]string, replies []any) feed.Placement {
	score := func(i int) time.Time {
		text, _ := redis.String(replies[i], nil) // absent: zero time
		return feed.ParseTime(text)
	}
	p := feed.Placement{State: feed.StateKnown}
	p.Revision, _ = strconv.Atoi(fields["revision_"+typ]) // absent: 0
	stamps, _ := redis.Strings(replies[0], nil)
	for _, text := range stamps {
		p.Impressions = append(p.Impressions, feed.ParseTime(text))
	}
	p.Published, p.TakenBack, p.Expired, p.Imported = score(1), score(2), score(3), score(4)
	switch {
	case !p.Published.IsZero():
		p.State = feed.StatePublished
	case !p.TakenBack.IsZero():
		p.State = feed.StateTakenBack
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

// ExpireArticles moves the articles that were published before the window, and not imported in it, from published to
// expired. It returns their uuids.
func (s *Store) ExpireArticles(ctx context.Context, typ string, window time.Duration) ([]string, error) {
	const batchSize = 200
	now := s.opts.Now()
	keys := []any{s.keys.placed(feed.StatePublished, typ), s.keys.placed(feed.StateExpired, typ), s.keys.version(typ)}
	var all []string
	for {
		uuids, err := redis.Strings(s.run(ctx, "expire_articles", keys, []any{stamp(now), stamp(now.Add(-window)), batchSize}))
		if err != nil {
			return all, fmt.Errorf("expire articles of %s: %w", typ, err)
		}
		if all = append(all, uuids...); len(uuids) < batchSize {
			return all, nil
		}
	}
}

// ForgetArticles deletes the articles that were not updated since a time and are published nowhere. It returns how many.
func (s *Store) ForgetArticles(ctx context.Context, types []string, before time.Time) (int, error) {
	uuids, err := redis.Strings(s.do(ctx, "ZRANGEBYSCORE", s.keys.articles(), "-inf", "("+stamp(before), "LIMIT", 0, pipelineSize))
	if err != nil {
		return 0, fmt.Errorf("forget articles: %w", err)
	}
	total := 0
	for _, uuid := range uuids {
		keys := []any{s.keys.article(uuid), s.keys.content(uuid), s.keys.articles(), s.keys.versions(uuid), s.keys.deeds(uuid)}
		for _, typ := range types {
			keys = append(keys,
				s.keys.placed(feed.StatePublished, typ), s.keys.placed(feed.StateImported, typ),
				s.keys.placed(feed.StateExpired, typ), s.keys.placed(feed.StateTakenBack, typ),
				s.keys.impressions(uuid, typ))
		}
		forgotten, err := redis.Int(s.run(ctx, "forget_article", keys, []any{uuid, stamp(before)}))
		if err != nil {
			return total, fmt.Errorf("forget article %s: %w", uuid, err)
		}
		total += forgotten
	}
	return total, nil
}
