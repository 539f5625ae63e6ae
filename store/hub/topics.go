package hub

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// Topics returns all topics with subscriptions in the order of their URLs.
func (s *Topics) Topics(ctx context.Context) ([]feed.Topic, error) {
	urls, err := redis.StringMap(s.db.Do(ctx, group, "HGETALL", s.keys.topics()))
	if err != nil {
		return nil, fmt.Errorf("list topics: %w", err)
	}
	all := topicsFrom(urls)
	return all, s.loadTopics(ctx, all)
}

// topicsFrom returns topics, whose URLs are given by id, in the order of their URLs.
func topicsFrom(urls map[string]string) []feed.Topic {
	all := make([]feed.Topic, 0, len(urls))
	for id, url := range urls {
		all = append(all, feed.Topic{ID: id, URL: url})
	}
	slices.SortFunc(all, func(a, b feed.Topic) int { return cmp.Compare(a.URL, b.URL) })
	return all
}

// Topic returns the topic with an id. feed.ErrNotFound: it has no subscriptions.
func (s *Topics) Topic(ctx context.Context, id string) (feed.Topic, error) {
	url, err := core.OptionalString(s.db.Do(ctx, group, "HGET", s.keys.topics(), id))
	all := []feed.Topic{{ID: id, URL: url}}
	if err = core.Unless(url != "", err, feed.ErrNotFound); err == nil {
		err = s.loadTopics(ctx, all)
	}
	return all[0], core.Wrap(err, "topic %s", id)
}

// loadTopics reads the state of topics.
func (s *Topics) loadTopics(ctx context.Context, all []feed.Topic) error {
	r, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		for i := range all {
			s.queryTopic(b, all[i].ID)
		}
	})
	if err != nil {
		return fmt.Errorf("read topics: %w", err)
	}
	for i := range all {
		readTopic(&r, &all[i])
	}
	return nil
}

// queryTopic adds the commands that read the state of a topic.
func (s *Topics) queryTopic(b *core.Batch, id string) {
	b.Add("HMGET", s.keys.topic(id), "version", "changed")
	b.Add("ZCARD", s.keys.subscribers(id))
	b.Add("ZCOUNT", s.keys.subscribers(id), "-inf", "(0")
	b.Add("ZINTER", 2, s.keys.subscribers(id), s.keys.pings(id), "WEIGHTS", 1, 0, "WITHSCORES")
}

// readTopic takes the replies to the commands of queryTopic.
func readTopic(r *core.Replies, t *feed.Topic) {
	state := r.Texts()
	t.Version, _ = strconv.ParseInt(state[0], 10, 64) // the topic has ended since: 0
	t.Changed, t.Subscribers, t.Waiting = feed.ParseTime(state[1]), r.Count(), r.Count()
	for _, next := range r.Map() { // of the hubs in hub.ping
		t.Subscribers--
		if strings.HasPrefix(next, "-") {
			t.Waiting--
		}
	}
}

// HaveSubscribers reports for each topic whether it has subscriptions.
func (s *Topics) HaveSubscribers(ctx context.Context, topics []string) ([]bool, error) {
	ids := make([]string, len(topics))
	for i, url := range topics {
		ids[i] = feed.TopicID(url)
	}
	urls, err := s.fields(ctx, s.keys.topics(), ids)
	if err != nil {
		return nil, fmt.Errorf("find topics with subscriptions: %w", err)
	}
	have := make([]bool, len(topics))
	for i := range have {
		have[i] = urls[i] != ""
	}
	return have, nil
}

// IdleTopics returns the topics that have had no subscriptions for at least idle. That time begins with the first call that finds a
// topic without subscriptions. Each call must name all topics to watch; it forgets the others.
func (s *Topics) IdleTopics(ctx context.Context, topics []string, idle time.Duration) ([]string, error) {
	have, err := s.HaveSubscribers(ctx, topics)
	if err != nil {
		return nil, err
	}
	since, err := redis.StringMap(s.db.Do(ctx, group, "HGETALL", s.keys.idle()))
	if err != nil {
		return nil, fmt.Errorf("read idle topics: %w", err)
	}
	now := s.db.Now()
	var over []string
	_, err = s.db.Pipeline(ctx, group, func(b *core.Batch) {
		for i, url := range topics {
			if have[i] {
				continue
			}
			id := feed.TopicID(url)
			first, known := since[id]
			if !known {
				first = core.Stamp(now)
				b.Add("HSETNX", s.keys.idle(), id, first)
			}
			delete(since, id)
			if now.Sub(feed.ParseTime(first)) >= idle {
				over = append(over, url)
			}
		}
		for id := range since {
			b.Add("HDEL", s.keys.idle(), id)
		}
	})
	return over, core.Wrap(err, "store idle topics")
}

// AddPublicURL stores a public URL of this installation and returns all that are stored.
func (s *Topics) AddPublicURL(ctx context.Context, url string) ([]string, error) {
	r, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		b.Add("SADD", s.keys.publicURLs(), url)
		b.Add("SMEMBERS", s.keys.publicURLs())
	})
	if err != nil {
		return nil, fmt.Errorf("store the public URL: %w", err)
	}
	r.Count()
	return r.Texts(), nil
}

// ForgetPublicURL removes a public URL of this installation.
func (s *Topics) ForgetPublicURL(ctx context.Context, url string) error {
	_, err := s.db.Do(ctx, group, "SREM", s.keys.publicURLs(), url)
	return core.Wrap(err, "forget the public URL %s", url)
}
