package store

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/feed"
)

// Subscriptions lists up to limit subscriptions of a topic, or of all where topicID is empty, behind the one with the id
// after ("" for the first), in the order of their ids.
func (s *Store) Subscriptions(ctx context.Context, topicID, after string, limit int) ([]feed.Subscription, error) {
	ids, err := s.subscriptionIDs(ctx, topicID)
	if err != nil {
		return nil, fmt.Errorf("list subscriptions: %w", err)
	}
	slices.Sort(ids)
	first, found := slices.BinarySearch(ids, after)
	if found {
		first++
	}
	ids = ids[first:]
	return s.subscriptions(ctx, ids[:min(limit, len(ids))])
}

// subscriptionIDs are all ids; a list for people is asked for rarely enough.
func (s *Store) subscriptionIDs(ctx context.Context, topicID string) ([]string, error) {
	if topicID == "" {
		return redis.Strings(s.call(ctx, "hub", func(c redis.Conn) (any, error) {
			return c.Do("HKEYS", s.keys.hub("subscriptions"))
		}))
	}
	return redis.Strings(s.call(ctx, "hub", func(c redis.Conn) (any, error) {
		return c.Do("ZRANGE", s.keys.subs(topicID), 0, -1)
	}))
}

// DeadLetters lists up to limit dead letters before the one with the id before ("" for the newest), newest first.
func (s *Store) DeadLetters(ctx context.Context, before string, limit int) ([]feed.DeadLetter, error) {
	from := "+"
	if before != "" {
		from = "(" + before
	}
	records, err := s.deadRecords(ctx, from, "-", limit)
	if err != nil {
		return nil, err
	}
	all := make([]feed.DeadLetter, len(records))
	for i := range records {
		all[i] = deadLetterFrom(&records[i])
	}
	return all, nil
}

func (s *Store) deadRecords(ctx context.Context, from, to string, limit int) ([]record, error) {
	reply, err := s.call(ctx, "hub", func(c redis.Conn) (any, error) {
		return c.Do("XREVRANGE", s.keys.hub("dead"), from, to, "COUNT", limit)
	})
	if err != nil {
		return nil, fmt.Errorf("read dead letters: %w", err)
	}
	return parseRecords(reply)
}

func deadLetterFrom(r *record) feed.DeadLetter {
	number := func(name string) int64 {
		n, _ := strconv.ParseInt(r.fields[name], 10, 64) // absent: 0
		return n
	}
	return feed.DeadLetter{
		ID: r.id, Subscription: r.fields["subscription"], Topic: r.fields["topic"], First: number("first"), Last: number("last"),
		Failures: int(number("failures")), Since: feed.ParseTime(r.fields["since"]), Time: feed.ParseTime(r.fields["time"]),
		Status: int(number("status")), Reason: r.fields["reason"],
	}
}

// ResendSubscription makes a subscription get the newest version of its topic again, at once. feed.ErrNotFound: there is
// no such subscription; feed.ErrConflict: nothing was distributed yet.
func (s *Store) ResendSubscription(ctx context.Context, id string) error {
	return s.ReplaySubscription(ctx, id, 1)
}

// ReplaySubscription makes a subscription get the newest count versions of its topic again, as far as they are kept, at
// once. feed.ErrNotFound: there is no such subscription; feed.ErrConflict: nothing was distributed yet.
func (s *Store) ReplaySubscription(ctx context.Context, id string, count int) error {
	sub, err := s.Subscription(ctx, id)
	if err != nil {
		return err
	}
	topic, err := s.Topic(ctx, feed.TopicID(sub.Topic))
	if err != nil {
		return err
	}
	kept, err := s.pipeline(ctx, "hub", func(b *batch) {
		for n := range int64(count) {
			b.add("EXISTS", s.keys.body(topic.ID, topic.Version-n))
		}
	})
	if err != nil {
		return fmt.Errorf("look for versions of %s: %w", topic.URL, err)
	}
	first := topic.Version
	for n := range kept {
		if there, _ := redis.Bool(kept[n], nil); !there {
			break
		}
		first = topic.Version - int64(n)
	}
	return s.rewind(ctx, id, sub.Topic, strconv.FormatInt(first, 10))
}

// ReplayDeadLetter makes a subscription get its topic again from the first version that it missed, and forgets the dead
// letter. feed.ErrNotFound: there is no such dead letter, or the subscription has ended.
func (s *Store) ReplayDeadLetter(ctx context.Context, id string) error {
	if strings.Count(id, "-") != 1 || strings.Trim(id, "0123456789-") != "" {
		return fmt.Errorf("dead letter %q: %w; ids look like 1795206000000-0", id, feed.ErrNotFound)
	}
	records, err := s.deadRecords(ctx, id, id, 1)
	if err == nil && len(records) == 0 {
		err = fmt.Errorf("dead letter %s: %w", id, feed.ErrNotFound)
	}
	if err != nil {
		return err
	}
	letter := deadLetterFrom(&records[0])
	if err := s.rewind(ctx, letter.Subscription, letter.Topic, strconv.FormatInt(letter.First, 10)); err != nil {
		return err
	}
	_, err = s.do(ctx, "XDEL", s.keys.hub("dead"), id)
	return err
}

// rewind puts a subscription back to a version of its topic.
func (s *Store) rewind(ctx context.Context, id, topic, version string) error {
	topicID := feed.TopicID(topic)
	done, err := redis.Int(s.run(ctx, "hub_rewind",
		[]any{s.keys.hub("ready"), s.keys.hub("later"), s.keys.topic(topicID), s.keys.subs(topicID)}, []any{id, version}))
	switch {
	case err != nil:
	case done == 0:
		err = feed.ErrNotFound
	case done < 0:
		err = fmt.Errorf("nothing was distributed yet: %w", feed.ErrConflict)
	}
	if err != nil {
		return fmt.Errorf("send to subscription %s again: %w", id, err)
	}
	return nil
}

// PauseSubscription stops deliveries to a subscription until ResumeSubscription; what comes meanwhile is delivered then,
// as far as it is kept. feed.ErrNotFound: there is none.
func (s *Store) PauseSubscription(ctx context.Context, id string) error {
	if _, err := s.Subscription(ctx, id); err != nil {
		return err
	}
	_, err := s.do(ctx, "SADD", s.keys.hub("paused"), id)
	return err
}

// ResumeSubscription ends a pause. feed.ErrNotFound: there is no such subscription.
func (s *Store) ResumeSubscription(ctx context.Context, id string) error {
	sub, err := s.Subscription(ctx, id)
	if err != nil || !sub.Paused {
		return err
	}
	_, err = s.pipeline(ctx, "hub", func(b *batch) {
		b.add("SREM", s.keys.hub("paused"), id)
		b.add("ZADD", s.keys.hub("later"), "XX", s.stamp(), id) // where something waits
	})
	return err
}
