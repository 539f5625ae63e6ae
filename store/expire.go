package store

import (
	"context"

	"github.com/feedwire/feedwire/store/feed"
)

// ExpireAll expires entries of every source: see ExpireSource. It returns how many entries it deleted.
func (s *Store) ExpireAll(ctx context.Context, keep feed.Keep) (int, error) {
	sources, err := s.Sources.Sources(ctx)
	if err != nil {
		return 0, err
	}
	total := 0
	for i := range sources {
		if err := ctx.Err(); err != nil {
			return total, err
		}
		n, err := s.Entries.ExpireSource(ctx, &sources[i], keep)
		total += n
		if err != nil {
			return total, err
		}
	}
	return total, nil
}
