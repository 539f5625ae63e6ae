package store

import (
	"context"
	"fmt"
	"slices"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/feed"
)

// HubView is what a page shows of the hub: all topics, and up to limit subscriptions of a topic, or of all where topicID is
// empty, behind the one with the id after. It takes two exchanges.
func (s *Store) HubView(ctx context.Context, topicID, after string, limit int) (view feed.HubView, err error) {
	replies, err := s.pipeline(ctx, "hub", func(b *batch) {
		b.add("HGETALL", s.keys.hub("topics"))
		if topicID == "" {
			b.add("HKEYS", s.keys.hub("subscriptions"))
		} else {
			b.add("ZRANGE", s.keys.subs(topicID), 0, -1)
		}
		s.askHub(b)
	})
	if err != nil {
		return view, fmt.Errorf("look at the hub: %w", err)
	}
	urls, err := redis.StringMap(replies[0], nil)
	if err != nil {
		return view, fmt.Errorf("look at the hub: %w", err)
	}
	ids, err := redis.Strings(replies[1], nil)
	if err != nil {
		return view, fmt.Errorf("look at the hub: %w", err)
	}
	view.Counts = hubFrom(replies[2:])
	for id, url := range urls {
		view.Topics = append(view.Topics, feed.Topic{ID: id, URL: url})
	}
	slices.Sort(ids)
	first, found := slices.BinarySearch(ids, after)
	if found {
		first++
	}
	ids = ids[first:]
	view.More = len(ids) > limit
	return view, s.fillView(ctx, &view, ids[:min(limit, len(ids))])
}

// fillView reads the topics of a view and the subscriptions with these ids. One with a delivery before it is in the queue
// of those that may start or of those that wait, which tells it without its topic.
func (s *Store) fillView(ctx context.Context, view *feed.HubView, ids []string) error {
	var b batch
	for i := range view.Topics {
		t := &view.Topics[i]
		b.add("HGET", s.keys.topic(t.ID), "changed")
		b.add("ZCARD", s.keys.subs(t.ID))
		b.add("ZCOUNT", s.keys.subs(t.ID), "-inf", "(0")
	}
	for _, id := range ids {
		b.add("HGET", s.keys.hub("subscriptions"), id)
		b.add("HGET", s.keys.hub("health"), id)
		b.add("ZSCORE", s.keys.hub("ready"), id)
		b.add("ZSCORE", s.keys.hub("later"), id)
		b.add("SISMEMBER", s.keys.hub("paused"), id)
		b.add("HGET", s.keys.hub("readers"), id)
	}
	answers, err := s.call(ctx, "hub", func(c redis.Conn) (any, error) { return exchange(c, b.commands) })
	if err != nil {
		return fmt.Errorf("look at the hub: %w", err)
	}
	replies := answers.([]any)
	text := func(i int) string {
		s, _ := redis.String(replies[i], nil) // absent: empty
		return s
	}
	urls := make(map[string]string, len(view.Topics))
	for i := range view.Topics {
		t := &view.Topics[i]
		urls[t.ID] = t.URL
		t.Changed = feed.ParseTime(text(3 * i))
		t.Subscribers, _ = redis.Int(replies[3*i+1], nil)
		t.Waiting, _ = redis.Int(replies[3*i+2], nil)
	}
	replies = replies[3*len(view.Topics):]
	for i, id := range ids {
		at := 6 * i
		if replies[at] == nil {
			continue // it has ended since
		}
		record, err := recordFrom(id, text(at))
		if err != nil {
			return err
		}
		sub := record.subscription(id, text(at+1))
		sub.Topic = urls[sub.Topic]
		sub.Waiting = replies[at+2] != nil || replies[at+3] != nil
		sub.Paused, _ = redis.Bool(replies[at+4], nil)
		sub.Readers, _ = redis.Int(replies[at+5], nil) // it does not say: 0
		if sub.Health.Failures > 0 && !sub.Paused {
			sub.Health.Next = feed.ParseTime(text(at + 3))
		}
		view.Subscriptions = append(view.Subscriptions, sub)
	}
	return nil
}
