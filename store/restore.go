package store

import (
	"context"
	"fmt"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/feed"
)

// regret is how long a source that was removed can be had back.
const regret = 24 * time.Hour

// keepSettings keeps what RestoreSource needs. Those of a call that was interrupted are kept as they are: since then the
// source is paused.
func (s *Store) keepSettings(ctx context.Context, id, url string) error {
	src, err := s.SourceByURL(ctx, url)
	if err != nil {
		return err
	}
	fields := append(settingFields(&src), choiceFields(&src)...)
	fields = append(append(fields, listedFields(&src)...), "url", src.URL, "added", stamp(src.Added))
	kept, err := s.pipeline(ctx, "remove_source", func(b *batch) {
		b.add("HGET", s.keys.removed(id), "added")
	})
	if err != nil {
		return fmt.Errorf("keep settings of %s: %w", url, err)
	}
	if added, _ := redis.String(kept[0], nil); added == stamp(src.Added) {
		return nil
	}
	_, err = s.pipeline(ctx, "remove_source", func(b *batch) {
		b.add("DEL", s.keys.removed(id))
		b.add("HSET", append([]any{s.keys.removed(id)}, fields...)...)
		b.add("EXPIRE", s.keys.removed(id), int(regret/time.Second))
	})
	if err != nil {
		return fmt.Errorf("keep settings of %s: %w", url, err)
	}
	return nil
}

// RestoreSource adds a source again that was removed in the last day, with its settings. Its entries come back with its
// first poll, as far as it lists them. feed.ErrNotFound: nothing is kept of it; feed.ErrExists: it is there already.
func (s *Store) RestoreSource(ctx context.Context, id string) (feed.Source, error) {
	fields, err := redis.StringMap(s.do(ctx, "HGETALL", s.keys.removed(id)))
	switch {
	case err != nil:
		return feed.Source{}, fmt.Errorf("restore source %s: %w", id, err)
	case len(fields) == 0:
		return feed.Source{}, fmt.Errorf("removed source %s: %w", id, feed.ErrNotFound)
	}
	_, err = s.SourceByURL(ctx, fields["url"])
	if err == nil {
		return feed.Source{}, fmt.Errorf("source %s: %w", fields["url"], feed.ErrExists)
	}
	restored, _, err := s.AddSource(ctx, sourceFromMeta(fields["url"], fields))
	if err != nil {
		return feed.Source{}, err
	}
	_, err = s.do(ctx, "DEL", s.keys.removed(id))
	return restored, err
}
