package hub

import (
	"context"
	"fmt"
	"strings"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

var deadLetterFields = core.FieldsOf[feed.DeadLetter]()

// DeadLetters returns up to limit dead letters before the one with the id before ("" for the newest), newest first.
func (s *Store) DeadLetters(ctx context.Context, before string, limit int) ([]feed.DeadLetter, error) {
	return s.deadLetters(ctx, core.Before(before), "-", limit)
}

func (s *Store) deadLetters(ctx context.Context, from, to string, limit int) ([]feed.DeadLetter, error) {
	records, err := core.Records(s.db.Do(ctx, group, "XREVRANGE", s.keys.deadLetters(), from, to, "COUNT", limit))
	all := make([]feed.DeadLetter, len(records))
	for i, r := range records {
		all[i].ID = r.ID
		deadLetterFields.Read(r.Fields, &all[i])
	}
	return all, core.Wrap(err, "read dead letters")
}

// DeadLetter returns the dead letter with an id. feed.ErrNotFound: there is none.
func (s *Store) DeadLetter(ctx context.Context, id string) (l feed.DeadLetter, err error) {
	if strings.Count(id, "-") != 1 || strings.Trim(id, "0123456789-") != "" {
		return l, fmt.Errorf("dead letter %.64q: %w; ids look like 1795206000000-0", id, feed.ErrNotFound)
	}
	letters, err := s.deadLetters(ctx, id, id, 1)
	if err = core.Unless(len(letters) > 0, err, feed.ErrNotFound); err != nil {
		return l, core.Wrap(err, "dead letter %s", id)
	}
	return letters[0], nil
}

// ReplayDeadLetter delivers a topic to a subscription again from the first version that it missed, and removes the dead letter.
// feed.ErrNotFound: the dead letter does not exist, for example because another
// request replayed it at the same time, or the subscription has ended.
func (s *Store) ReplayDeadLetter(ctx context.Context, id string) error {
	l, err := s.DeadLetter(ctx, id)
	if err != nil {
		return err
	}
	return s.rewind(ctx, l.Subscription, l.Topic, l.First, "", id)
}

// ResendSubscription delivers the newest version of its topic to a subscription again. feed.ErrNotFound: the subscription does not
// exist; feed.ErrConflict: the topic has no version yet.
func (s *Store) ResendSubscription(ctx context.Context, id string) error {
	return s.ReplaySubscription(ctx, id, 1)
}

// ReplaySubscription delivers the newest count versions of its topic to a subscription again, or as many of them as are stored.
// feed.ErrNotFound: the subscription does not exist; feed.ErrConflict: the topic has no version yet.
func (s *Store) ReplaySubscription(ctx context.Context, id string, count int) error {
	sub, err := s.Subscription(ctx, id)
	if err != nil {
		return err
	}
	topic, err := s.topics.Topic(ctx, feed.TopicID(sub.Topic))
	if err != nil {
		return err
	}
	r, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		for n := range int64(count) {
			b.Add("EXISTS", s.keys.body(topic.ID, topic.Version-n))
		}
	})
	if err != nil {
		return fmt.Errorf("find the stored versions of %s: %w", topic.URL, err)
	}
	stored := int64(0)
	for len(r) > 0 && r.Count() == 1 {
		stored++
	}
	return s.rewind(ctx, id, sub.Topic, topic.Version-max(0, stored-1), "1", "")
}

// rewind makes a version of its topic the next one of a subscription, due now. replay and letter are arguments of
// rewind_subscription.lua.
func (s *Store) rewind(ctx context.Context, id, topic string, version int64, replay, letter string) error {
	topicID := feed.TopicID(topic)
	found, err := redis.Int(s.db.Run(ctx, s.scripts["rewind_subscription"],
		[]any{s.keys.ready(), s.keys.later(), s.keys.topic(topicID), s.keys.subscribers(topicID), s.keys.replays(), s.keys.deadLetters()},
		[]any{id, version, replay, letter}))
	switch {
	case err != nil:
	case found == 0, found == -2:
		err = feed.ErrNotFound
	case found < 0:
		err = fmt.Errorf("the topic has no version yet: %w", feed.ErrConflict)
	}
	return core.Wrap(err, "replay to subscription %s", id)
}

// PauseSubscription stops deliveries to a subscription until ResumeSubscription. Versions that are stored for long enough are
// delivered then. feed.ErrNotFound: the subscription does not exist.
func (s *Store) PauseSubscription(ctx context.Context, id string) error {
	if _, err := s.Subscription(ctx, id); err != nil {
		return err
	}
	_, err := s.db.Do(ctx, group, "SADD", s.keys.paused(), id)
	return core.Wrap(err, "pause subscription %s", id)
}

// ResumeSubscription ends a pause. It is a no-op if the subscription is not paused. feed.ErrNotFound: the subscription does not
// exist.
func (s *Store) ResumeSubscription(ctx context.Context, id string) error {
	sub, err := s.Subscription(ctx, id)
	if err != nil || !sub.Paused {
		return err
	}
	_, err = s.db.Pipeline(ctx, group, func(b *core.Batch) {
		b.Add("SREM", s.keys.paused(), id)
		b.Add("ZADD", s.keys.later(), "XX", s.db.Stamp(), id) // XX: only if a delivery waits
	})
	return core.Wrap(err, "resume subscription %s", id)
}
