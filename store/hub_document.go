package store

import (
	"context"
	"fmt"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/feed"
)

// KeepDocument keeps the document of a source as it came, until the next one, where somebody subscribes to the source.
func (s *Store) KeepDocument(ctx context.Context, feedURL, contentType string, body []byte) error {
	have, err := s.HaveSubscribers(ctx, []string{feedURL})
	if err != nil || !have[0] {
		return err
	}
	key := s.keys.document(feed.TopicID(feedURL))
	_, err = s.pipeline(ctx, "hub_body", func(b *batch) {
		b.add("HSET", key, "type", contentType, "body", body)
		b.add("EXPIRE", key, int(bodyTime.Seconds()))
	})
	if err != nil {
		return fmt.Errorf("keep document of %s: %w", feedURL, err)
	}
	return nil
}

// SourceDocument is the last document of a source that was kept, byte for byte. feed.ErrNotFound: none is.
func (s *Store) SourceDocument(ctx context.Context, feedURL string) (feed.Distribution, error) {
	fields, err := redis.StringMap(s.call(ctx, "hub_body", func(c redis.Conn) (any, error) {
		return c.Do("HGETALL", s.keys.document(feed.TopicID(feedURL)))
	}))
	if err == nil && len(fields) == 0 {
		err = feed.ErrNotFound
	}
	if err != nil {
		return feed.Distribution{}, fmt.Errorf("document of %s: %w", feedURL, err)
	}
	return feed.Distribution{ContentType: fields["type"], Body: []byte(fields["body"])}, nil
}
