package hub

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// HubCursor returns the id of the last signal that was distributed, or "".
func (s *Store) HubCursor(ctx context.Context) (string, error) {
	cursor, err := core.OptionalString(s.db.Do(ctx, group, "GET", s.keys.cursor()))
	return cursor, core.Wrap(err, "read the cursor of the hub")
}

// HubProgress returns how far the outbox is distributed.
func (s *Store) HubProgress(ctx context.Context) (feed.HubProgress, error) {
	r, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		b.Add("GET", s.keys.cursor())
		b.Add("HGETALL", s.keys.ahead())
	})
	if err != nil {
		return feed.HubProgress{}, fmt.Errorf("read the progress of the hub: %w", err)
	}
	return feed.HubProgress{Cursor: r.Text(), Ahead: r.Map()}, nil
}

// plannedAtOnce is how many deliveries are queued with the versions that a script creates: PlanDeliveries queues the others while
// these are delivered.
const plannedAtOnce = 32

// Distribute creates versions of topics with a step of the progress, atomically, and queues their first deliveries. It ignores topics
// without subscribers. For a distribution without a type it deletes the newest version if that is whole: its deliveries end.
// feed.ErrConflict: another daemon has made a step.
func (s *Store) Distribute(ctx context.Context, step feed.HubStep, all []feed.Distribution) error {
	made, err := s.distribute(ctx, step, all)
	if err == nil && made < 0 {
		err = fmt.Errorf("another daemon has distributed signals: %w", feed.ErrConflict)
	}
	return core.Wrap(err, "distribute signals up to %s", cmp.Or(step.AheadTo, step.To))
}

// DistributeServed creates a version of a topic unless the newest one has the same type and body, and reports whether it did.
func (s *Store) DistributeServed(ctx context.Context, d feed.Distribution) (bool, error) {
	made, err := s.distribute(ctx, feed.HubStep{}, []feed.Distribution{d})
	return made > 0, core.Wrap(err, "distribute %s", d.Topic)
}

// distribute creates versions of topics. Without a step, it creates those that differ from the newest ones.
func (s *Store) distribute(ctx context.Context, step feed.HubStep, all []feed.Distribution) (int, error) {
	keys := []any{s.keys.cursor(), s.keys.ahead(), s.keys.planning(), s.keys.ready()}
	args := []any{
		step.From, step.To, step.FeedURL, step.AheadFrom, step.AheadTo, s.db.Stamp(), bodySeconds, historySeconds, historyVersions, plannedAtOnce,
	}
	for i := range all {
		d := &all[i]
		id, whole := feed.TopicID(d.Topic), ""
		if d.Whole {
			whole = "1"
		}
		sum := sha256.Sum256(d.Body)
		keys = append(keys, s.keys.topic(id), s.keys.subscribers(id), s.keys.versions(id))
		args = append(args, id, s.keys.bodies(id), d.ContentType, base64.RawURLEncoding.EncodeToString(sum[:16]), whole, d.Entries, d.Body,
			strings.Join(d.Posts, " "))
	}
	return redis.Int(s.db.Run(ctx, s.scripts["distribute"], keys, args))
}

// maxPlanned bounds how many subscriptions one script queues, because Redis serves no other client meanwhile.
const maxPlanned = 1000

// PlanDeliveries queues up to limit subscriptions of one topic for its newest version. It returns how many it queued and whether
// there may be more. The queue survives the caller.
func (s *Store) PlanDeliveries(ctx context.Context, limit int) (planned int, more bool, err error) {
	planned, err = redis.Int(s.db.Run(ctx, s.scripts["plan_deliveries"], []any{s.keys.planning(), s.keys.ready()},
		[]any{s.keys.topic(""), min(limit, maxPlanned), s.db.Stamp()}))
	return max(0, planned), err == nil && planned >= 0, core.Wrap(err, "plan deliveries")
}

// Version returns a version of a topic, or the newest one if that version is no longer stored. feed.ErrNotFound: no version is
// stored.
func (s *Store) Version(ctx context.Context, topic string, version int64) (feed.Distribution, error) {
	id := feed.TopicID(topic)
	d, err := s.version(ctx, id, version)
	if errors.Is(err, feed.ErrNotFound) {
		newest, e := redis.Int64(s.db.Do(ctx, group, "HGET", s.keys.topic(id), "version"))
		switch {
		case e == nil:
			d, err = s.version(ctx, id, newest)
		case !errors.Is(e, redis.ErrNil): // the topic has not ended
			err = e
		}
	}
	d.Topic = topic
	return d, core.Wrap(err, "version %d of %s", version, topic)
}

func (s *Store) version(ctx context.Context, topicID string, version int64) (feed.Distribution, error) {
	r, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		b.Add("HGETALL", s.keys.body(topicID, version))
		b.Add("HGET", s.keys.topic(topicID), "whole")
	})
	if err != nil {
		return feed.Distribution{}, err
	}
	fields, whole := r.Map(), r.Text() == "1"
	entries, _ := redis.Int([]byte(fields["entries"]), nil) // absent: 0
	return feed.Distribution{
		Version: version, ContentType: fields["type"], Body: []byte(fields["body"]), Entries: entries, Time: feed.ParseTime(fields["time"]),
		Posts: strings.Fields(fields["posts"]), Whole: whole,
	}, core.Unless(len(fields) > 0, nil, feed.ErrNotFound)
}
