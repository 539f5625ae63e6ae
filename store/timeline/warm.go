package timeline

import (
	"context"
	"math/rand/v2"

	"github.com/feedwire/feedwire/store/core"
)

// sampled bounds the users whom WarmTimelines looks up.
const sampled = 1000

// WarmTimelines returns how many users, of those whose ids are not above last, have a timeline that the fan-out changes. If there are many
// users it is an estimate from a sample.
func (s *Store) WarmTimelines(ctx context.Context, last int64) (int64, error) {
	users, pick := min(last, sampled), func(i int64) int64 { return i + 1 }
	if last > sampled {
		pick = func(int64) int64 { return 1 + rand.Int64N(last) } //nolint:gosec // a sample
	}
	if users <= 0 {
		return 0, nil
	}
	r, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		for i := range users {
			b.Add("EXISTS", s.of(pick(i)).warm())
		}
	})
	var warm int64
	for len(r) > 0 {
		warm += int64(r.Count())
	}
	return warm * last / users, core.Wrap(err, "count warm timelines")
}
