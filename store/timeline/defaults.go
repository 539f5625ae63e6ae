package timeline

import (
	"context"
	"fmt"
	"slices"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// DefaultFollows returns the URLs of the sources that new members follow.
func (s *Store) DefaultFollows(ctx context.Context) ([]string, error) {
	urls, err := redis.Strings(s.db.Do(ctx, group, "SMEMBERS", s.defaults()))
	slices.Sort(urls)
	return urls, core.Wrap(err, "list the default follows")
}

// AddDefaultFollow makes members who join from now on follow a source. feed.ErrConflict: they follow feed.MaxDefaultFollows already.
func (s *Store) AddDefaultFollow(ctx context.Context, feedURL string) error {
	added, err := redis.Bool(s.db.Run(ctx, s.scripts["add_default"], []any{s.defaults()}, []any{feedURL, feed.MaxDefaultFollows}))
	if err == nil && !added {
		err = fmt.Errorf("%w: there are %d default follows; remove another one first", feed.ErrConflict, feed.MaxDefaultFollows)
	}
	return core.Wrap(err, "add the default follow %s", feedURL)
}

// RemoveDefaultFollow undoes AddDefaultFollow. Members who have joined go on following the source.
func (s *Store) RemoveDefaultFollow(ctx context.Context, feedURL string) error {
	_, err := s.db.Do(ctx, group, "SREM", s.defaults(), feedURL)
	return core.Wrap(err, "remove the default follow %s", feedURL)
}
