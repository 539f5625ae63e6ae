package hub

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// redactedVersions is how many versions one call of RedactVersions examines.
const redactedVersions = 500

// RedactVersions removes an entry that was taken down from stored versions of a topic, from the version before the given one
// downwards; 0 begins with the newest. It replaces their bodies by what redact returns, and deletes a version for which redact fails:
// its subscribers get the newest one. It returns the version before which the next call continues; 0: there are no more.
func (s *Store) RedactVersions(ctx context.Context, topic, entry string, before int64, redact func(body []byte) ([]byte, error)) (int64, error) {
	id := feed.TopicID(topic)
	if before == 0 {
		if _, err := s.db.Do(ctx, group, "UNLINK", s.keys.document(id)); err != nil {
			return 0, fmt.Errorf("redact the document of %s: %w", topic, err)
		}
		newest, err := redis.Int64(s.db.Do(ctx, group, "HGET", s.keys.topic(id), "version"))
		if errors.Is(err, redis.ErrNil) {
			return 0, nil // the topic has ended
		}
		if err != nil {
			return 0, fmt.Errorf("redact %s: %w", topic, err)
		}
		before = newest + 1
	}
	r, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		for n := range int64(redactedVersions) {
			b.Add("HGET", s.keys.body(id, before-1-n), "posts")
		}
	})
	if err != nil {
		return 0, fmt.Errorf("redact %s: %w", topic, err)
	}
	stored := false
	for n := range int64(redactedVersions) {
		posts, err := redis.String(r.Next(), nil)
		if err != nil {
			continue // not stored
		}
		stored = true
		if slices.Contains(strings.Fields(posts), entry) {
			if err := s.redactVersion(ctx, id, before-1-n, entry, redact); err != nil {
				return 0, fmt.Errorf("redact version %d of %s: %w", before-1-n, topic, err)
			}
		}
	}
	if !stored {
		return 0, nil
	}
	return before - redactedVersions, nil
}

// redactVersion removes an entry from one version. Another daemon may remove other entries from it at the same time.
func (s *Store) redactVersion(ctx context.Context, topicID string, version int64, entry string, redact func([]byte) ([]byte, error)) error {
	key := s.keys.body(topicID, version)
	for {
		fields, err := s.fields(ctx, key, []string{"posts", "body"})
		if err != nil {
			return err
		}
		posts := strings.Fields(fields[0])
		rest := slices.DeleteFunc(slices.Clone(posts), func(id string) bool { return id == entry })
		if len(rest) == len(posts) {
			return nil
		}
		body, err := redact([]byte(fields[1]))
		if err != nil {
			body = nil
		}
		done, err := redis.Bool(s.db.Run(ctx, s.scripts["redact_version"], []any{key}, []any{fields[0], strings.Join(rest, " "), len(rest), body}))
		if err != nil || done {
			return err
		}
	}
}

// EraseVersions deletes all stored versions of a topic, whose source was erased. Deliveries of them end.
func (s *Store) EraseVersions(ctx context.Context, topic string) error {
	id := feed.TopicID(topic)
	version, err := redis.Int64(s.db.Do(ctx, group, "HGET", s.keys.topic(id), "version"))
	for deleted := 1; err == nil && deleted > 0; {
		keys := make([]any, redactedVersions)
		for i := range keys {
			keys[i] = s.keys.body(id, version-int64(i))
		}
		version -= redactedVersions
		deleted, err = redis.Int(s.db.Do(ctx, group, "UNLINK", keys...))
	}
	if errors.Is(err, redis.ErrNil) { // the topic has ended
		return nil
	}
	return core.Wrap(err, "erase the versions of %s", topic)
}
