package store

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/feed"
)

// HubCursor is the id of the last signal that was distributed; empty: none was.
func (s *Store) HubCursor(ctx context.Context) (string, error) {
	at, err := redis.String(s.do(ctx, "GET", s.keys.hub("cursor")))
	if err != nil && !errors.Is(err, redis.ErrNil) {
		return "", fmt.Errorf("read where the hub is: %w", err)
	}
	return at, nil
}

// HaveSubscribers says for each topic whether somebody subscribes to it.
func (s *Store) HaveSubscribers(ctx context.Context, topics []string) ([]bool, error) {
	ids := make([]string, len(topics))
	for i, url := range topics {
		ids[i] = feed.TopicID(url)
	}
	urls, err := s.hashValues(ctx, "topics", ids)
	if err != nil {
		return nil, fmt.Errorf("look for subscribers: %w", err)
	}
	have := make([]bool, len(topics))
	for i := range have {
		have[i] = urls[i] != ""
	}
	return have, nil
}

// IdleTopics are those of some topics that nobody has subscribed to for as long as that. They are counted as idle from the
// first call that finds them so; each call has to name all topics that are to be watched.
func (s *Store) IdleTopics(ctx context.Context, topics []string, idle time.Duration) ([]string, error) {
	have, err := s.HaveSubscribers(ctx, topics)
	if err != nil {
		return nil, err
	}
	since, err := redis.StringMap(s.call(ctx, "hub", func(c redis.Conn) (any, error) { return c.Do("HGETALL", s.keys.hub("idle")) }))
	if err != nil {
		return nil, fmt.Errorf("read idle topics: %w", err)
	}
	now := s.opts.Now()
	var over []string
	_, err = s.pipeline(ctx, "hub", func(b *batch) {
		for i, url := range topics {
			id := feed.TopicID(url)
			first, known := since[id]
			switch {
			case have[i]:
				continue
			case !known:
				first = stamp(now)
				b.add("HSETNX", s.keys.hub("idle"), id, first)
			}
			delete(since, id)
			if now.Sub(feed.ParseTime(first)) >= idle {
				over = append(over, url)
			}
		}
		for id := range since {
			b.add("HDEL", s.keys.hub("idle"), id)
		}
	})
	if err != nil {
		return nil, fmt.Errorf("write idle topics: %w", err)
	}
	return over, nil
}

// Distribute makes new versions of topics and moves the cursor from one signal to a later one, all or nothing. Topics
// without subscribers are left out. feed.ErrConflict: the cursor is elsewhere; somebody has done it.
func (s *Store) Distribute(ctx context.Context, from, to string, all []feed.Distribution) error {
	made, err := s.distribute(ctx, from, to, all)
	if err == nil && made < 0 {
		err = fmt.Errorf("the outbox was read by somebody else: %w", feed.ErrConflict)
	}
	if err != nil {
		return fmt.Errorf("distribute signals up to %s: %w", to, err)
	}
	return nil
}

// DistributeServed makes a new version of a topic unless its newest one has the same type and body, and reports whether it
// did.
func (s *Store) DistributeServed(ctx context.Context, d feed.Distribution) (bool, error) {
	made, err := s.distribute(ctx, "", "", []feed.Distribution{d})
	if err != nil {
		return false, fmt.Errorf("distribute %s: %w", d.Topic, err)
	}
	return made > 0, nil
}

func (s *Store) distribute(ctx context.Context, from, to string, all []feed.Distribution) (int, error) {
	keys := []any{s.keys.hub("cursor"), s.keys.hub("planning")}
	args := []any{from, to, s.stamp(), int(bodyTime.Seconds())}
	for i := range all {
		d := &all[i]
		id, whole := feed.TopicID(d.Topic), ""
		if d.Whole {
			whole = "1"
		}
		sum := sha256.Sum256(d.Body)
		keys = append(keys, s.keys.topic(id), s.keys.subs(id))
		args = append(args, id, s.keys.bodies(id), d.ContentType, base64.RawURLEncoding.EncodeToString(sum[:16]), whole, d.Entries, d.Body)
	}
	return redis.Int(s.run(ctx, "hub_distribute", keys, args))
}

// Version is one version of a topic, or its newest where that one is kept no more. feed.ErrNotFound: nothing is kept.
func (s *Store) Version(ctx context.Context, topic string, version int64) (feed.Distribution, error) {
	id := feed.TopicID(topic)
	d, err := s.version(ctx, id, version)
	if errors.Is(err, feed.ErrNotFound) {
		newest, e := redis.Int64(s.do(ctx, "HGET", s.keys.topic(id), "version"))
		if e != nil && !errors.Is(e, redis.ErrNil) {
			return d, fmt.Errorf("read topic %s: %w", topic, e)
		}
		d, err = s.version(ctx, id, newest)
	}
	if err != nil {
		return d, fmt.Errorf("version %d of %s: %w", version, topic, err)
	}
	d.Topic = topic
	return d, nil
}

func (s *Store) version(ctx context.Context, topicID string, version int64) (feed.Distribution, error) {
	fields, err := redis.StringMap(s.call(ctx, "hub_body", func(c redis.Conn) (any, error) {
		return c.Do("HGETALL", s.keys.body(topicID, version))
	}))
	if err == nil && len(fields) == 0 {
		err = feed.ErrNotFound
	}
	if err != nil {
		return feed.Distribution{}, err
	}
	entries, _ := redis.Int([]byte(fields["entries"]), nil) // absent: 0
	return feed.Distribution{
		Version: version, ContentType: fields["type"], Body: []byte(fields["body"]), Entries: entries, Time: feed.ParseTime(fields["time"]),
	}, nil
}

// planLimit is how many subscriptions are queued in one step, so that none holds the server for long.
const planLimit = 1000

// PlanDeliveries queues up to limit subscriptions of one topic that have a version to get and do not know yet, and says
// how many, and whether there may be more. What was planned stays planned whatever happens to the caller.
func (s *Store) PlanDeliveries(ctx context.Context, limit int) (planned int, more bool, err error) {
	first, err := redis.Strings(s.call(ctx, "hub", func(c redis.Conn) (any, error) {
		return c.Do("ZRANGE", s.keys.hub("planning"), 0, 0)
	}))
	if err != nil || len(first) == 0 {
		return 0, false, err
	}
	topic := first[0]
	planned, err = redis.Int(s.run(ctx, "hub_plan",
		[]any{s.keys.hub("planning"), s.keys.hub("ready"), s.keys.topic(topic), s.keys.subs(topic)},
		[]any{topic, min(limit, planLimit), s.stamp()}))
	if err != nil {
		return 0, false, fmt.Errorf("plan deliveries of %s: %w", topic, err)
	}
	return planned, true, nil
}

// Topics are all topics that somebody subscribes to, in no order.
func (s *Store) Topics(ctx context.Context) ([]feed.Topic, error) {
	urls, err := redis.StringMap(s.call(ctx, "hub", func(c redis.Conn) (any, error) { return c.Do("HGETALL", s.keys.hub("topics")) }))
	if err != nil {
		return nil, fmt.Errorf("list topics: %w", err)
	}
	all := make([]feed.Topic, 0, len(urls))
	for id, url := range urls {
		all = append(all, feed.Topic{ID: id, URL: url})
	}
	return all, s.loadTopics(ctx, all)
}

// Topic is the topic with this id. feed.ErrNotFound: nobody subscribes to it.
func (s *Store) Topic(ctx context.Context, id string) (feed.Topic, error) {
	urls, err := s.hashValues(ctx, "topics", []string{id})
	if err == nil && urls[0] == "" {
		err = feed.ErrNotFound
	}
	if err != nil {
		return feed.Topic{}, fmt.Errorf("topic %s: %w", id, err)
	}
	all := []feed.Topic{{ID: id, URL: urls[0]}}
	return all[0], s.loadTopics(ctx, all)
}

// loadTopics fills in what is known of topics beside their names.
func (s *Store) loadTopics(ctx context.Context, all []feed.Topic) error {
	replies, err := s.pipeline(ctx, "hub", func(b *batch) {
		for i := range all {
			b.add("HMGET", s.keys.topic(all[i].ID), "version", "changed")
			b.add("ZCARD", s.keys.subs(all[i].ID))
			b.add("ZCOUNT", s.keys.subs(all[i].ID), "-inf", "(0")
		}
	})
	if err != nil {
		return fmt.Errorf("read topics: %w", err)
	}
	for i := range all {
		state, err := redis.Strings(replies[3*i], nil)
		if err != nil {
			return fmt.Errorf("read topic %s: %w", all[i].URL, err)
		}
		all[i].Version, _ = redis.Int64([]byte(state[0]), nil) // gone since: 0
		all[i].Changed = feed.ParseTime(state[1])
		all[i].Subscribers, _ = redis.Int(replies[3*i+1], nil)
		all[i].Waiting, _ = redis.Int(replies[3*i+2], nil)
	}
	return nil
}

// HubState counts the work that waits.
func (s *Store) HubState(ctx context.Context) (feed.HubState, error) {
	s.gatherAll(ctx) // so that all that waits has an age here
	at, err := s.HubCursor(ctx)
	if err != nil {
		return feed.HubState{}, err
	}
	if at == "" {
		at = "0"
	}
	replies, err := s.pipeline(ctx, "hub", func(b *batch) {
		s.askHub(b)
		b.add("XRANGE", s.keys.signals(), "("+at, "+", "COUNT", 1)
	})
	if err != nil {
		return feed.HubState{}, fmt.Errorf("look at the hub: %w", err)
	}
	state := hubFrom(replies)
	if oldest, err := parseRecords(replies[hubReplies]); err == nil && len(oldest) > 0 {
		state.Lag = max(0, s.opts.Now().Sub(oldest[0].time()))
	}
	return state, nil
}

// hubReplies is how many answers askHub leads to.
const hubReplies = 7

func (s *Store) askHub(b *batch) {
	for _, name := range []string{"subscriptions", "topics", "health"} {
		b.add("HLEN", s.keys.hub(name))
	}
	for _, name := range []string{"ready", "later", "planning"} {
		b.add("ZCARD", s.keys.hub(name))
	}
	b.add("XLEN", s.keys.hub("dead"))
}

// hubFrom reads what askHub asked for; there is no Lag among it.
func hubFrom(replies []any) feed.HubState {
	count := func(i int) int {
		n, _ := redis.Int(replies[i], nil) // each of these commands answers a number
		return n
	}
	return feed.HubState{
		Subscriptions: count(0), Topics: count(1), Failing: count(2), Ready: count(3), Later: count(4), Planning: count(5),
		DeadLetters: count(6),
	}
}
