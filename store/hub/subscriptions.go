package hub

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// Subscription returns the subscription with an id. feed.ErrNotFound: it does not exist.
func (s *Store) Subscription(ctx context.Context, id string) (feed.Subscription, error) {
	sub, _, err := s.SubscriptionView(ctx, id)
	return sub, err
}

// SubscriptionView returns the subscription with an id, and its last attempts as Attempts does. feed.ErrNotFound: it does not exist.
func (s *Store) SubscriptionView(ctx context.Context, id string) (feed.Subscription, []feed.Attempt, error) {
	all, err := s.loadSubscriptions(ctx, []string{id})
	if err = core.Unless(len(all) > 0, err, feed.ErrNotFound); err != nil {
		return feed.Subscription{}, nil, core.Wrap(err, "subscription %s", id)
	}
	r, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		s.queryState(b, &all[0])
		b.Add("HGET", s.keys.attempts(), id)
	})
	if err != nil {
		return feed.Subscription{}, nil, core.Wrap(err, "subscription %s", id)
	}
	takeState(&r, &all[0])
	return all[0], s.attempts(r.Text()), nil
}

// Subscriptions returns up to limit subscriptions of a topic, or of all topics if topicID is empty, after the one with the id after
// ("" for the first), sorted by id.
func (s *Store) Subscriptions(ctx context.Context, topicID, after string, limit int) ([]feed.Subscription, error) {
	r, err := s.db.Pipeline(ctx, group, func(b *core.Batch) { s.queryIDs(b, topicID) })
	if err != nil {
		return nil, fmt.Errorf("list subscriptions: %w", err)
	}
	ids := pageAfter(r.Texts(), after)
	return s.listSubscriptions(ctx, ids[:min(limit, len(ids))])
}

// SubscriptionsOf returns the subscriptions of a callback, sorted by id.
func (s *Store) SubscriptionsOf(ctx context.Context, callback string) (all []feed.Subscription, err error) {
	urls, err := redis.Strings(s.db.Do(ctx, group, "HVALS", s.keys.topics()))
	if err != nil {
		return nil, fmt.Errorf("list topics: %w", err)
	}
	for i, url := range urls {
		urls[i] = feed.SubscriptionID(url, callback)
	}
	slices.Sort(urls)
	for ids := range slices.Chunk(urls, core.PipelineSize) {
		some, err := s.listSubscriptions(ctx, ids)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

// queryIDs adds the command that reads the ids of the subscriptions of a topic, or of all if topicID is empty.
func (s *Store) queryIDs(b *core.Batch, topicID string) {
	if topicID == "" {
		b.Add("HKEYS", s.keys.subscriptions())
	} else {
		b.Add("ZRANGE", s.keys.subscribers(topicID), 0, -1)
	}
}

// pageAfter sorts ids and returns those after one.
func pageAfter(ids []string, after string) []string {
	slices.Sort(ids)
	first, found := slices.BinarySearch(ids, after)
	if found {
		first++
	}
	return ids[first:]
}

// listSubscriptions reads subscriptions with their state. Those that do not exist are left out.
func (s *Store) listSubscriptions(ctx context.Context, ids []string) ([]feed.Subscription, error) {
	all, err := s.loadSubscriptions(ctx, ids)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	r, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		for i := range all {
			s.queryState(b, &all[i])
		}
	})
	if err != nil {
		return nil, fmt.Errorf("read subscriptions: %w", err)
	}
	for i := range all {
		takeState(&r, &all[i])
	}
	return all, nil
}

// queryState adds the commands that read the state of a subscription.
func (s *Store) queryState(b *core.Batch, sub *feed.Subscription) {
	b.Add("ZSCORE", s.keys.subscribers(feed.TopicID(sub.Topic)), sub.ID)
	b.Add("ZSCORE", s.keys.later(), sub.ID)
	b.Add("SISMEMBER", s.keys.paused(), sub.ID)
	b.Add("HGET", s.keys.readers(), sub.ID)
}

// takeState takes the replies to the commands of queryState.
func takeState(r *core.Replies, sub *feed.Subscription) {
	next, _ := redis.Float64(r.Next(), nil) // the subscription has ended since: 0
	sub.Next, sub.Waiting = int64(math.Abs(next)), next < 0
	readState(sub, r.Text(), r.Count(), r.Count())
}

// readState sets the state of a subscription: the time of its next try, whether it is paused, and its readers.
func readState(sub *feed.Subscription, due string, paused, readers int) {
	sub.Paused, sub.Readers = paused == 1, readers
	if sub.Health.Failures > 0 && !sub.Paused {
		sub.Health.Next = feed.ParseTime(due)
	}
}

// loadSubscriptions reads the records and health of subscriptions. Those that do not exist are left out.
func (s *Store) loadSubscriptions(ctx context.Context, ids []string) ([]feed.Subscription, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	r, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		b.Add("HMGET", arguments(s.keys.subscriptions(), ids)...)
		b.Add("HMGET", arguments(s.keys.health(), ids)...)
	})
	if err != nil {
		return nil, fmt.Errorf("read subscriptions: %w", err)
	}
	records, healths := r.Texts(), r.Texts()
	all := make([]feed.Subscription, 0, len(ids))
	for i, id := range ids {
		if records[i] == "" {
			continue
		}
		record, err := recordFrom(id, records[i])
		if err != nil {
			return nil, err
		}
		all = append(all, record.subscription(id, healths[i]))
	}
	return all, s.loadTopicURLs(ctx, all)
}

// loadTopicURLs replaces the topic ids of subscriptions by URLs.
func (s *Store) loadTopicURLs(ctx context.Context, all []feed.Subscription) error {
	var missing []string
	for i := range all {
		if _, known := s.urls.Load(all[i].Topic); !known {
			missing = append(missing, all[i].Topic)
		}
	}
	slices.Sort(missing)
	missing = slices.Compact(missing)
	urls, err := s.fields(ctx, s.keys.topics(), missing)
	if err != nil {
		return fmt.Errorf("read topics: %w", err)
	}
	for i, id := range missing {
		if urls[i] != "" {
			s.urls.Store(id, urls[i])
		}
	}
	for i := range all {
		url, _ := s.urls.Load(all[i].Topic) // the topic has ended since: empty
		all[i].Topic, _ = url.(string)
	}
	return nil
}
