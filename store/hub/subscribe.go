package hub

import (
	"context"
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
	_, err := s.subscribe(ctx, &feed.HubRequest{}, sub)
	return core.Wrap(err, "subscribe")
}

// subscribe writes a subscription. With a request, which has an id, it reports whether that was still pending.
func (s *Store) subscribe(ctx context.Context, r *feed.HubRequest, sub *feed.Subscription) (bool, error) {
	topic := feed.TopicID(sub.Topic)
	hosts, host := s.keys.host(sub.HostID())
	until := ""
	if sub.Lease > 0 {
		until = core.Stamp(sub.Since.Add(sub.Lease))
	}
	_, filter := feed.ParseSignalTopic(sub.Topic)
	return redis.Bool(s.db.Run(ctx, s.scripts["subscribe"], []any{
		s.keys.requests(), s.keys.dueRequests(), s.keys.subscriptions(), s.keys.leases(), hosts,
		s.keys.topics(), s.keys.topic(topic), s.keys.subscribers(topic), s.keys.open(), s.keys.openSubscriptions(), s.keys.openClients(),
		s.keys.pings(topic), s.keys.filters(),
	}, []any{
		r.ID, requestValue(r), sub.ID, host, topic, sub.Topic, recordText(sub), until, s.db.Now().UnixMilli(), r.Client,
		core.Bit(sub.Kind == feed.KindPing), core.Bit(filter),
	}))
}

// Unsubscribe ends a subscription without contacting the subscriber. feed.ErrNotFound: it does not exist.
func (s *Store) Unsubscribe(ctx context.Context, id string) error {
	sub, err := s.Subscription(ctx, id)
	if err != nil {
		return err
	}
	_, err = s.endSubscription(ctx, reason{why: "person"}, id, feed.TopicID(sub.Topic))
	return core.Wrap(err, "unsubscribe %s", id)
}

// RemoveSubscription ends the subscription of a claimed delivery. feed.ErrLeaseLost: the claim has ended, and nothing was written.
func (s *Store) RemoveSubscription(ctx context.Context, d feed.Delivery) error {
	done, err := s.endSubscription(ctx, reason{why: "claim", name: core.Stamp(d.Fence)}, d.Subscription.ID, feed.TopicID(d.Subscription.Topic))
	return core.Wrap(core.Unless(done, err, feed.ErrLeaseLost), "remove subscription %s", d.Subscription.ID)
}

// ExpireSubscriptions ends up to limit subscriptions whose lease is over and returns how many.
func (s *Store) ExpireSubscriptions(ctx context.Context, limit int) (int, error) {
	now := s.db.Stamp()
	ids, err := redis.Strings(s.db.Do(ctx, group, "ZRANGEBYSCORE", s.keys.leases(), "-inf", now, "LIMIT", 0, limit))
	var records []string
	if err == nil {
		records, err = s.fields(ctx, s.keys.subscriptions(), ids)
	}
	ended := 0
	for i := range records {
		record, _ := recordFrom(ids[i], records[i]) // a damaged one ends too
		var done bool
		if done, err = s.endSubscription(ctx, reason{why: "lease", name: now}, ids[i], record.Topic); err != nil {
			break
		}
		ended += core.Bit(done)
	}
	return ended, core.Wrap(err, "expire subscriptions")
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
		s.keys.ready(), s.keys.later(), s.keys.planning(), s.keys.readers(), s.keys.attempts(),
		s.keys.openSubscriptions(), s.keys.openClients(), s.keys.replays(), s.keys.pings(topicID),
		s.keys.versions(topicID), s.keys.days(topicID), s.keys.filters(),
	}, []any{
		r.why, r.name, r.value, id, host, topicID, s.keys.bodies(topicID), bodySeconds,
	}))
}
