package article

import (
	"context"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// minFetchTTL is how long the result of a fetch is stored at least.
const minFetchTTL = time.Hour

// RecordImpressions records completed fetches of a feed, and moves the articles that then have retireAfter impressions from
// published to imported (0: never). Impressions are ignored if they are of an older revision, of an article that is no longer
// published, or beyond retireAfter. Repeating a fetch, alone or with others, is safe while its id is stored: the result includes
// what the fetch did the first time.
func (s *Store) RecordImpressions(
	ctx context.Context, typ string, fetches feed.Fetches, retireAfter int,
) (feed.ImpressionResult, error) {
	size := len(fetches.All) + 2*len(fetches.Shown)
	keys := append(make([]any, 0, 4+size),
		s.keys.placed(feed.StatePublished, typ), s.keys.placed(feed.StateImported, typ), s.keys.version(typ), s.keys.Activity(s.db.Now()))
	ttl := max(fetches.Keep, minFetchTTL) / time.Second
	args := append(make([]any, 0, 5+size), typ, s.db.Stamp(), retireAfter, int(ttl), len(fetches.All))
	for _, f := range fetches.All {
		keys = append(keys, s.keys.fetch(typ, f.ID))
		args = append(args, f.Times)
	}
	for _, i := range fetches.Shown {
		keys = append(keys, s.keys.article(i.UUID), s.keys.impressions(i.UUID, typ))
		args = append(args, i.UUID, i.Revision)
	}
	var result feed.ImpressionResult
	reply, err := redis.Values(s.db.Run(ctx, s.scripts["record_impressions"], keys, args))
	if err == nil {
		reply, err = redis.Scan(reply, &result.Known, &result.Counted, &result.Ignored)
	}
	if err == nil && len(reply) > 0 {
		result.Promoted, err = redis.Strings(reply, nil)
	}
	return result, core.Wrap(err, "record impressions of %s", typ)
}
