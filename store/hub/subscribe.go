package hub

import (
	"context"
	"fmt"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// bodySeconds is how long a version is stored after a newer one: the time that a delivery is tried, and an hour.
const bodySeconds = int(25 * time.Hour / time.Second)

// Subscribe creates or renews a subscription without a request, for a person. It sets sub.ID and sub.Since.
func (s *Store) Subscribe(ctx context.Context, sub *feed.Subscription) error {
	sub.ID, sub.Since = feed.SubscriptionID(sub.Topic, sub.Callback), s.db.Now()
	if _, err := s.subscribe(ctx, "", "", sub); err != nil {
		return fmt.Errorf("subscribe: %w", err)
	}
	return nil
}

// subscribe writes a subscription. With the id of a request it reports whether the request was still pending.
func (s *Store) subscribe(ctx context.Context, requestID, request string, sub *feed.Subscription) (bool, error) {
	text, err := recordText(sub)
	if err != nil {
		return false, err
	}
	topic := feed.TopicID(sub.Topic)
	hosts, host := s.keys.host(sub.HostID())
	until := ""
	if sub.Lease > 0 {
		until = core.Stamp(sub.Since.Add(sub.Lease))
	}
	return redis.Bool(s.db.Run(ctx, s.scripts["subscribe"], []any{
		s.keys.requests(), s.keys.dueRequests(), s.keys.subscriptions(), s.keys.leases(), hosts,
		s.keys.topics(), s.keys.topic(topic), s.keys.subscribers(topic),
	}, []any{
		requestID, request, sub.ID, host, topic, sub.Topic, text, until, s.db.Now().UnixMilli(),
	}))
}

// Unsubscribe ends a subscription without contacting the subscriber. feed.ErrNotFound: it does not exist.
func (s *Store) Unsubscribe(ctx context.Context, id string) error {
	sub, err := s.Subscription(ctx, id)
	if err != nil {
		return err
	}
	if _, err := s.endSubscription(ctx, reason{why: "person"}, id, feed.TopicID(sub.Topic)); err != nil {
		return fmt.Errorf("unsubscribe %s: %w", id, err)
	}
	return nil
}

// RemoveSubscription ends the subscription of a claimed delivery. feed.ErrLeaseLost: the claim has ended, and nothing was written.
func (s *Store) RemoveSubscription(ctx context.Context, d feed.Delivery) error {
	done, err := s.endSubscription(ctx, reason{why: "claim", name: core.Stamp(d.Fence)}, d.Subscription.ID, feed.TopicID(d.Subscription.Topic))
	if err == nil && !done {
		err = feed.ErrLeaseLost
	}
	if err != nil {
		return fmt.Errorf("remove subscription %s: %w", d.Subscription.ID, err)
	}
	return nil
}

// ExpireSubscriptions ends up to limit subscriptions whose lease is over and returns how many.
func (s *Store) ExpireSubscriptions(ctx context.Context, limit int) (int, error) {
	now := s.db.Stamp()
	ids, err := redis.Strings(s.db.Do(ctx, group, "ZRANGEBYSCORE", s.keys.leases(), "-inf", now, "LIMIT", 0, limit))
	if err != nil {
		return 0, fmt.Errorf("expire subscriptions: %w", err)
	}
	records, err := s.fields(ctx, s.keys.subscriptions(), ids)
	if err != nil {
		return 0, fmt.Errorf("expire subscriptions: %w", err)
	}
	ended := 0
	for i, id := range ids {
		record, _ := recordFrom(id, records[i]) // a damaged one ends too
		done, err := s.endSubscription(ctx, reason{why: "lease", name: now}, id, record.Topic)
		if err != nil {
			return ended, fmt.Errorf("expire subscription %s: %w", id, err)
		}
		if done {
			ended++
		}
	}
	return ended, nil
}

// reason is why a subscription ends; see end_subscription.lua.
type reason struct{ why, name, value string }

// endSubscription ends a subscription, and reports whether the reason still held.
func (s *Store) endSubscription(ctx context.Context, r reason, id, topicID string) (bool, error) {
	sub := feed.Subscription{ID: id}
	hosts, host := s.keys.host(sub.HostID())
	return redis.Bool(s.db.Run(ctx, s.scripts["end_subscription"], []any{
		s.keys.requests(), s.keys.dueRequests(), s.keys.subscriptions(), s.keys.leases(), hosts,
		s.keys.topics(), s.keys.topic(topicID), s.keys.subscribers(topicID), s.keys.health(), s.keys.paused(),
		s.keys.ready(), s.keys.later(), s.keys.planning(), s.keys.readers(),
	}, []any{
		r.why, r.name, r.value, id, host, topicID, s.keys.bodies(topicID), bodySeconds,
	}))
}
