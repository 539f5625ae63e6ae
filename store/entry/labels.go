package entry

import (
	"context"
	"slices"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// labels are the fields by which rules select entries, and those of headline.
var labels = slices.Concat(headline, []any{"authors", "categories"})

var labelForm = form{
	func(b *core.Batch, key string) { b.Add("HMGET", append([]any{key}, labels...)...) },
	func(id string, r *core.Replies) (feed.Entry, bool) { return readFields(id, labels, r) },
}

// LabelsByID is HeadlinesByID with all authors, and with the categories.
func (s *Store) LabelsByID(ctx context.Context, ids []string) (map[string]feed.Entry, error) {
	found, err := s.byID(ctx, ids, labelForm)
	return withoutHidden(withoutExpired(found)), err
}

// NewestIDs returns the ids of up to limit entries of a source, newest first.
func (s *Store) NewestIDs(ctx context.Context, feedURL string, limit int) ([]string, error) {
	ids, err := redis.Strings(s.db.Do(ctx, group, "ZREVRANGE", s.of(feedURL).sort(), 0, limit-1))
	return ids, core.Wrap(err, "newest entries of %s", feedURL)
}
