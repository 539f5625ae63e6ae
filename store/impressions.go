package store

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/feed"
)

// FeedVersion changes whenever PublishedArticles could give another answer, the passing of time aside.
func (s *Store) FeedVersion(ctx context.Context, typ string) (string, error) {
	known := s.known()
	replies, err := s.pipeline(ctx, "get", func(b *batch) {
		b.add("GET", s.keys.version(typ))
		b.add("GET", s.keys.installation())
	})
	if err == nil {
		err = s.same(known, replies[1])
	}
	if err != nil || replies[0] == nil {
		return "", err
	}
	return redis.String(replies[0], nil)
}

// PublishedArticles are the articles that a feed shows (seed 000, "construct a feed"): published since a time, with
// fewer than retireAfter impressions, oldest publication first; or where none retires (0), newest publication first. They
// have their content and their placement in this feed. It looks at limit articles from offset on; next is the offset of those that follow, 0 at the end.
func (s *Store) PublishedArticles(
	ctx context.Context, typ string, since time.Time, retireAfter, offset, limit int,
) (shown []feed.Article, next int, err error) {
	uuids, err := redis.Strings(s.call(ctx, "construct", func(c redis.Conn) (any, error) {
		key := s.keys.placed(feed.StatePublished, typ)
		if retireAfter == 0 {
			return c.Do("ZREVRANGEBYSCORE", key, "+inf", stamp(since), "LIMIT", offset, limit)
		}
		return c.Do("ZRANGEBYSCORE", key, stamp(since), "+inf", "LIMIT", offset, limit)
	}))
	if err != nil {
		return nil, 0, fmt.Errorf("construct feed %s: %w", typ, err)
	}
	all, err := s.loadArticles(ctx, "construct", uuids, []string{typ}, true)
	if err != nil {
		return nil, 0, fmt.Errorf("construct feed %s: %w", typ, err)
	}
	known := s.known()
	installation, err := s.do(ctx, "GET", s.keys.installation())
	if err == nil {
		err = s.same(known, installation)
	}
	if err != nil {
		return nil, 0, fmt.Errorf("construct feed %s: %w", typ, err)
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

// fetchMemory is how long the id of a fetch is remembered at least.
const fetchMemory = time.Hour

// RecordImpressions records completed fetches of a feed, and moves the articles that have then been seen retireAfter
// times from published to imported (0: never). Impressions of an older revision, or of what is not published any more,
// do nothing, nor do those above retireAfter. The ids make it safe to repeat, alone or with other fetches: what recording
// them did is answered again, as long as the ids are remembered.
func (s *Store) RecordImpressions(
	ctx context.Context, typ string, fetches feed.Fetches, retireAfter int,
) (feed.ImpressionResult, error) {
	keys := make([]any, 0, 4+len(fetches.All)+2*len(fetches.Shown))
	keys = append(keys,
		s.keys.placed(feed.StatePublished, typ), s.keys.placed(feed.StateImported, typ), s.keys.version(typ), s.keys.activity(s.opts.Now()))
	args := make([]any, 0, 5+len(fetches.All)+2*len(fetches.Shown))
	memory := max(fetches.Keep, fetchMemory) / time.Second
	args = append(args, typ, s.stamp(), retireAfter, int(memory), len(fetches.All))
	for _, f := range fetches.All {
		keys = append(keys, s.keys.fetch(typ, f.ID))
		args = append(args, f.Times)
	}
	for _, i := range fetches.Shown {
		keys = append(keys, s.keys.article(i.UUID), s.keys.impressions(i.UUID, typ))
		args = append(args, i.UUID, i.Revision)
	}
	reply, err := redis.Strings(s.run(ctx, "record_impressions", keys, args))
	if err == nil && len(reply) < 3 {
		err = fmt.Errorf("record_impressions answered %d values", len(reply))
	}
	if err != nil {
		return feed.ImpressionResult{}, fmt.Errorf("record impressions of %s: %w", typ, err)
	}
	result := feed.ImpressionResult{Promoted: reply[3:]}
	for i, n := range []*int{&result.Known, &result.Counted, &result.Ignored} {
		if *n, err = strconv.Atoi(reply[i]); err != nil {
			return result, fmt.Errorf("record_impressions answered %q: %w", reply, err)
		}
	}
	return result, nil
}
