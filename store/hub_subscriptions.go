package store

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/feed"
)

// bodyTime is how long a version is kept that a newer one has replaced: as long as it is tried, and an hour.
const bodyTime = 25 * time.Hour

// subscription is the record of a subscription. There may be very many, so it holds nothing that stands elsewhere.
type subscription struct {
	Topic    string      `json:"topic"` // id
	Callback string      `json:"url"`
	Way      feed.Way    `json:"way,omitempty"` // none: feed.WayWebSub
	Secret   string      `json:"secret,omitempty"`
	Bytes    []byte      `json:"secret_bytes,omitempty"` // instead of a secret that a JSON string would not keep
	Method   string      `json:"method,omitempty"`
	Lease    int64       `json:"lease,omitempty"` // seconds
	Since    json.Number `json:"since"`           // Unix seconds, to the millisecond
}

// health is how deliveries fail, as it is stored.
type health struct {
	Failures int    `json:"failures"`
	Since    int64  `json:"since"` // Unix milliseconds
	Last     int64  `json:"last"`
	Status   int    `json:"status,omitempty"`
	Reason   string `json:"reason,omitempty"`
}

// subscribe writes a subscription, where it is asked for by a request only if that is still there.
func (s *Store) subscribe(ctx context.Context, requestID, request string, sub *feed.Subscription) (bool, error) {
	record := subscription{
		Topic: feed.TopicID(sub.Topic), Callback: sub.Callback, Way: sub.Way, Secret: sub.Secret, Method: sub.Method,
		Lease: int64(sub.Lease / time.Second), Since: json.Number(stamp(sub.Since)),
	}
	if !utf8.ValidString(sub.Secret) {
		record.Secret, record.Bytes = "", []byte(sub.Secret)
	}
	if record.Way == feed.WayWebSub {
		record.Way = ""
	}
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)                   // an & in a URL would take six bytes
	if err := encoder.Encode(record); err != nil { //nolint:gosec // the secret is to be stored: it signs
		return false, err
	}
	hosts, host := s.keys.hosts(sub.HostID())
	until := ""
	if sub.Lease > 0 {
		until = stamp(sub.Since.Add(sub.Lease))
	}
	return redis.Bool(s.run(ctx, "hub_subscribe", []any{
		s.keys.hub("requests"), s.keys.hub("verify"), s.keys.hub("subscriptions"), s.keys.hub("leases"), hosts,
		s.keys.hub("topics"), s.keys.topic(record.Topic), s.keys.subs(record.Topic),
	}, []any{
		requestID, request, sub.ID, host, record.Topic, sub.Topic, strings.TrimSuffix(text.String(), "\n"), until, s.opts.Now().UnixMilli(),
	}))
}

// Subscribe makes or renews a subscription that nobody has to confirm: a person's. It sets sub.ID and sub.Since.
func (s *Store) Subscribe(ctx context.Context, sub *feed.Subscription) error {
	sub.ID, sub.Since = feed.SubscriptionID(sub.Topic, sub.Callback), s.opts.Now()
	if _, err := s.subscribe(ctx, "", "", sub); err != nil {
		return fmt.Errorf("subscribe: %w", err)
	}
	return nil
}

// reason is why a subscription ends; see hub_end.lua.
type reason struct{ why, name, value string }

// endSubscription ends a subscription, and reports whether there still was that reason.
func (s *Store) endSubscription(ctx context.Context, r reason, id, topicID string) (bool, error) {
	sub := feed.Subscription{ID: id}
	hosts, host := s.keys.hosts(sub.HostID())
	return redis.Bool(s.run(ctx, "hub_end", []any{
		s.keys.hub("requests"), s.keys.hub("verify"), s.keys.hub("subscriptions"), s.keys.hub("leases"), hosts,
		s.keys.hub("topics"), s.keys.topic(topicID), s.keys.subs(topicID), s.keys.hub("health"), s.keys.hub("paused"),
		s.keys.hub("ready"), s.keys.hub("later"), s.keys.hub("planning"), s.keys.hub("readers"),
	}, []any{
		r.why, r.name, r.value, id, host, topicID, s.keys.bodies(topicID), int(bodyTime.Seconds()),
	}))
}

// Unsubscribe ends a subscription without asking or telling anybody: a person's wish. feed.ErrNotFound: there is none.
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

// RemoveSubscription ends a subscription under the claim of a delivery. feed.ErrLeaseLost: the claim was lost.
func (s *Store) RemoveSubscription(ctx context.Context, d feed.Delivery) error {
	done, err := s.endSubscription(ctx, reason{why: "claim", name: stamp(d.Fence)}, d.Subscription.ID, feed.TopicID(d.Subscription.Topic))
	if err == nil && !done {
		err = feed.ErrLeaseLost
	}
	if err != nil {
		return fmt.Errorf("remove subscription %s: %w", d.Subscription.ID, err)
	}
	return nil
}

// EndSubscriptions ends up to limit subscriptions whose lease is over, and says how many.
func (s *Store) EndSubscriptions(ctx context.Context, limit int) (int, error) {
	now := s.stamp()
	ids, err := redis.Strings(s.call(ctx, "hub", func(c redis.Conn) (any, error) {
		return c.Do("ZRANGEBYSCORE", s.keys.hub("leases"), "-inf", now, "LIMIT", 0, limit)
	}))
	if err != nil {
		return 0, fmt.Errorf("end subscriptions: %w", err)
	}
	records, err := s.hashValues(ctx, "subscriptions", ids)
	if err != nil {
		return 0, fmt.Errorf("end subscriptions: %w", err)
	}
	ended := 0
	for i, id := range ids {
		record, _ := recordFrom(id, records[i]) // one that cannot be read goes all the same
		done, err := s.endSubscription(ctx, reason{why: "lease", name: now}, id, record.Topic)
		if err != nil {
			return ended, fmt.Errorf("end subscription %s: %w", id, err)
		}
		if done {
			ended++
		}
	}
	return ended, nil
}

// Subscription is the one with this id. feed.ErrNotFound: there is none.
func (s *Store) Subscription(ctx context.Context, id string) (feed.Subscription, error) {
	all, err := s.subscriptions(ctx, []string{id})
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("subscription %s: %w", id, feed.ErrNotFound)
	}
	if err != nil {
		return feed.Subscription{}, err
	}
	return all[0], nil
}

// subscriptions reads subscriptions with all that is known of them; those that do not exist are left out.
func (s *Store) subscriptions(ctx context.Context, ids []string) ([]feed.Subscription, error) {
	all, err := s.loadSubscriptions(ctx, ids)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	replies, err := s.pipeline(ctx, "hub", func(b *batch) {
		for i := range all {
			topic := feed.TopicID(all[i].Topic)
			b.add("ZSCORE", s.keys.subs(topic), all[i].ID)
			b.add("ZSCORE", s.keys.hub("later"), all[i].ID)
			b.add("SISMEMBER", s.keys.hub("paused"), all[i].ID)
			b.add("HGET", s.keys.hub("readers"), all[i].ID)
		}
	})
	if err != nil {
		return nil, fmt.Errorf("read subscriptions: %w", err)
	}
	for i := range all {
		next, _ := redis.Float64(replies[4*i], nil) // gone since: 0
		all[i].Next, all[i].Waiting = int64(math.Abs(next)), next < 0
		all[i].Paused, _ = redis.Bool(replies[4*i+2], nil)
		all[i].Readers, _ = redis.Int(replies[4*i+3], nil) // it does not say: 0
		if all[i].Health.Failures > 0 && !all[i].Paused {
			due, _ := redis.String(replies[4*i+1], nil)
			all[i].Health.Next = feed.ParseTime(due)
		}
	}
	return all, nil
}

// loadSubscriptions reads records and health of subscriptions; those that do not exist are left out.
func (s *Store) loadSubscriptions(ctx context.Context, ids []string) ([]feed.Subscription, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	replies, err := s.pipeline(ctx, "hub", func(b *batch) {
		b.add("HMGET", append([]any{s.keys.hub("subscriptions")}, anys(ids)...)...)
		b.add("HMGET", append([]any{s.keys.hub("health")}, anys(ids)...)...)
	})
	if err != nil {
		return nil, fmt.Errorf("read subscriptions: %w", err)
	}
	records, err := redis.Strings(replies[0], nil)
	if err != nil {
		return nil, fmt.Errorf("read subscriptions: %w", err)
	}
	healths, err := redis.Strings(replies[1], nil)
	if err != nil {
		return nil, fmt.Errorf("read subscriptions: %w", err)
	}
	all := make([]feed.Subscription, 0, len(ids))
	topics := make(map[string]string)
	for i, id := range ids {
		if records[i] == "" {
			continue
		}
		record, err := recordFrom(id, records[i])
		if err != nil {
			return nil, err
		}
		topics[record.Topic] = ""
		all = append(all, record.subscription(id, healths[i]))
	}
	return all, s.nameTopics(ctx, all, topics)
}

// nameTopics puts URLs in the place of the topics' ids.
func (s *Store) nameTopics(ctx context.Context, all []feed.Subscription, topics map[string]string) error {
	var ids []string
	for id := range topics {
		if url, known := s.topics.Load(id); known {
			topics[id] = url.(string)
		} else {
			ids = append(ids, id)
		}
	}
	urls, err := s.hashValues(ctx, "topics", ids)
	if err != nil {
		return fmt.Errorf("read topics: %w", err)
	}
	for i, id := range ids {
		if topics[id] = urls[i]; urls[i] != "" {
			s.topics.Store(id, urls[i])
		}
	}
	for i := range all {
		all[i].Topic = topics[all[i].Topic]
	}
	return nil
}

func anys(all []string) []any {
	list := make([]any, len(all))
	for i, s := range all {
		list[i] = s
	}
	return list
}

func recordFrom(id, text string) (subscription, error) {
	var r subscription
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		return r, fmt.Errorf("subscription %s: %w", id, err)
	}
	return r, nil
}

// subscription is the record as others know it, but for the topic, which is an id still.
func (r *subscription) subscription(id, healthText string) feed.Subscription {
	sub := feed.Subscription{
		ID: id, Topic: r.Topic, Callback: r.Callback, Way: r.Way, Secret: r.Secret + string(r.Bytes), Method: r.Method,
		Lease: time.Duration(r.Lease) * time.Second, Since: feed.ParseTime(r.Since.String()),
	}
	if sub.Way == "" {
		sub.Way = feed.WayWebSub
	}
	if sub.Lease > 0 {
		sub.Until = sub.Since.Add(sub.Lease)
	}
	var h health
	if healthText != "" && json.Unmarshal([]byte(healthText), &h) == nil {
		sub.Health = feed.Health{
			Failures: h.Failures, Since: time.UnixMilli(h.Since).UTC(), Last: time.UnixMilli(h.Last).UTC(), Status: h.Status,
			Reason: h.Reason,
		}
	}
	return sub
}

// healthText is the health as it is stored.
func healthText(h *feed.Health) string {
	text, _ := json.Marshal(health{h.Failures, h.Since.UnixMilli(), h.Last.UnixMilli(), h.Status, h.Reason}) // always encodes
	return string(text)
}

// HubCounts counts what is bounded, for a topic and a callback.
func (s *Store) HubCounts(ctx context.Context, topic, callback string) (feed.HubCounts, error) {
	hosts, host := s.keys.hosts(feed.HostID(callback))
	replies, err := s.pipeline(ctx, "hub", func(b *batch) {
		b.add("HLEN", s.keys.hub("subscriptions"))
		b.add("ZCARD", s.keys.subs(feed.TopicID(topic)))
		b.add("HGET", hosts, host)
		b.add("HLEN", s.keys.hub("requests"))
	})
	if err != nil {
		return feed.HubCounts{}, fmt.Errorf("count subscriptions: %w", err)
	}
	count := func(i int) int {
		n, _ := redis.Int(replies[i], nil) // absent: 0
		return n
	}
	return feed.HubCounts{Total: count(0), OfTopic: count(1), OfHost: count(2), Requests: count(3)}, nil
}
