package hub

import (
	"context"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// StoreDocument stores the unchanged document of a source, in place of the last one. It is a no-op if the source has no
// subscribers.
func (s *Topics) StoreDocument(ctx context.Context, feedURL, contentType string, body []byte) error {
	have, err := s.HaveSubscribers(ctx, []string{feedURL})
	if err != nil || !have[0] {
		return err
	}
	key := s.keys.document(feed.TopicID(feedURL))
	_, err = s.db.Pipeline(ctx, group, func(b *core.Batch) {
		b.Add("HSET", key, "type", contentType, "body", body)
		b.Add("EXPIRE", key, bodySeconds)
	})
	return core.Wrap(err, "store the document of %s", feedURL)
}

// SourceDocument returns the last document of a source that was stored, byte for byte. feed.ErrNotFound: none is stored.
func (s *Topics) SourceDocument(ctx context.Context, feedURL string) (feed.Distribution, error) {
	fields, err := redis.StringMap(s.db.Do(ctx, group, "HGETALL", s.keys.document(feed.TopicID(feedURL))))
	return feed.Distribution{ContentType: fields["type"], Body: []byte(fields["body"])},
		core.Wrap(core.Unless(len(fields) > 0, err, feed.ErrNotFound), "document of %s", feedURL)
}
