package hub

import (
	"context"
	"slices"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// FilterTopics returns the topics of webhooks that have subscriptions, in the order of their URLs. feed.ParseSignalTopic reads their filters.
func (s *Topics) FilterTopics(ctx context.Context) ([]string, error) {
	topics, err := redis.Strings(s.db.Do(ctx, group, "HVALS", s.keys.filters()))
	slices.Sort(topics)
	return topics, core.Wrap(err, "list the topics of webhooks")
}

// Upgrade stores the topics of webhooks that FilterTopics returns, which layout 3 did not have. It is safe to repeat.
func (s *Topics) Upgrade(ctx context.Context) error {
	urls, err := redis.StringMap(s.db.Do(ctx, "upgrade", "HGETALL", s.keys.topics()))
	for id, url := range urls {
		if _, ok := feed.ParseSignalTopic(url); ok && err == nil {
			_, err = s.db.Run(ctx, s.scripts["add_filter"], []any{s.keys.topics(), s.keys.filters()}, []any{id})
		}
	}
	return err
}
