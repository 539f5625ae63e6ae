package store

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/feed"
)

// ClaimDeliveries claims deliveries that are due, and says behind which subscription to go on, and when the next one
// will be due (zero: none). Nobody else gets a claimed one until its fence; then it is due again.
func (s *Store) ClaimDeliveries(ctx context.Context, w feed.Wanted) ([]feed.Delivery, string, time.Time, error) {
	now := s.opts.Now()
	fence := now.Add(w.Lease).Truncate(time.Millisecond)
	args := []any{stamp(now), stamp(fence), w.Limit, w.PerHost, w.After}
	for host, free := range w.Free {
		args = append(args, host, free)
	}
	// A claim whose answer is lost comes due again at its fence; asking twice would only take twice as much.
	reply, err := redis.Strings(s.runOnce(ctx, "hub_claim",
		[]any{s.keys.hub("ready"), s.keys.hub("later"), s.keys.hub("paused")}, args))
	if err != nil {
		return nil, w.After, time.Time{}, fmt.Errorf("claim deliveries: %w", err)
	}
	all, err := s.loadDeliveries(ctx, reply[2:], fence)
	if err != nil {
		return nil, reply[0], time.Time{}, fmt.Errorf("claim deliveries: %w", err)
	}
	return all, reply[0], feed.ParseTime(reply[1]), nil
}

// loadDeliveries reads what is to be delivered to the claimed subscriptions. Those that have ended since are left out.
func (s *Store) loadDeliveries(ctx context.Context, ids []string, fence time.Time) ([]feed.Delivery, error) {
	subs, err := s.loadSubscriptions(ctx, ids)
	if err != nil || len(subs) == 0 {
		return nil, err
	}
	topics := make(map[string][]int) // URL → places in subs
	var urls []string
	for i := range subs {
		if topics[subs[i].Topic] == nil {
			urls = append(urls, subs[i].Topic)
		}
		topics[subs[i].Topic] = append(topics[subs[i].Topic], i)
	}
	replies, err := s.pipeline(ctx, "hub", func(b *batch) {
		for _, url := range urls {
			id := feed.TopicID(url)
			scores := []any{s.keys.subs(id)}
			for _, i := range topics[url] {
				scores = append(scores, subs[i].ID)
			}
			b.add("HMGET", s.keys.topic(id), "version", "whole")
			b.add("ZMSCORE", scores...)
		}
	})
	if err != nil {
		return nil, err
	}
	all := make([]feed.Delivery, 0, len(subs))
	for n, url := range urls {
		state, err := redis.Strings(replies[2*n], nil)
		if err != nil {
			return nil, err
		}
		scores, err := redis.Values(replies[2*n+1], nil)
		if err != nil {
			return nil, err
		}
		newest, _ := redis.Int64([]byte(state[0]), nil) // ended since: 0
		for k, i := range topics[url] {
			next, _ := redis.Float64(scores[k], nil) // ended since: 0
			if next >= 0 {
				continue
			}
			d := feed.Delivery{Subscription: subs[i], Version: int64(-next), Fence: fence}
			d.Subscription.Next, d.Subscription.Waiting = d.Version, true
			if state[1] != "" {
				d.Version = newest
			}
			all = append(all, d)
		}
	}
	return all, nil
}

// deadLetters is how many dead letters are kept.
const deadLetters = 10_000

// SettleDeliveries ends claims, and says how many of them were lost before: nothing is written for those; and how many
// subscriptions have a next version to get at once. A failed delivery without a next try leaves a dead letter of all
// versions up to the newest.
func (s *Store) SettleDeliveries(ctx context.Context, all []feed.Settlement) (lost, again int, err error) {
	keys := []any{s.keys.hub("ready"), s.keys.hub("later"), s.keys.hub("health"), s.keys.hub("dead"), s.keys.hub("readers")}
	args := make([]any, 0, 3+9*len(all))
	args = append(args, s.stamp(), deadLetters, len(all))
	for i := range all {
		args = append(args, all[i].Delivery.Subscription.ID)
	}
	places := make(map[string]int)
	for i := range all {
		t := &all[i]
		sub := &t.Delivery.Subscription
		if places[sub.Topic] == 0 {
			id := feed.TopicID(sub.Topic)
			places[sub.Topic] = len(keys) + 1
			keys = append(keys, s.keys.topic(id), s.keys.subs(id))
		}
		outcome, health, readers := string(t.Outcome), "", ""
		if sub.Health.Failures > 0 {
			health = healthText(&sub.Health)
		}
		if t.Outcome == feed.Failed {
			health = healthText(&t.Health)
			if t.Next.IsZero() {
				outcome = "dead"
			}
		}
		if t.Readers > 0 {
			readers = strconv.Itoa(t.Readers)
		}
		args = append(args, places[sub.Topic], stamp(t.Delivery.Fence), t.Delivery.Version, stamp(t.Next), health, readers, outcome)
		if outcome == "dead" {
			args = append(args, sub.Topic, t.Health.Failures, stamp(t.Health.Since), t.Health.Status, t.Health.Reason)
		}
	}
	counts, err := redis.Ints(s.run(ctx, "hub_settle", keys, args))
	if err != nil {
		return 0, 0, fmt.Errorf("settle %d deliveries: %w", len(all), err)
	}
	return counts[0], counts[1], nil
}
