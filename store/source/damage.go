package source

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// If another program writes a value of another type into a key of a source, the source is not polled until the key is repaired or
// deleted: half of a document would be stored, or its server would be asked in vain. Other sources are polled as before. Every claim of
// the source examines its keys again.
const damagedDelay = 2 * time.Second

// maxExamined bounds the entries of a source whose types are examined.
const maxExamined = 5000

// damageable lists the keys of a source and of its schedule with their types. src may lack everything but its URL.
func (s *Store) damageable(src *feed.Source) []core.TypedKey {
	k := s.of(src.URL)
	return []core.TypedKey{
		{Name: "meta", Key: k.meta(), Type: "hash"}, {Name: "push", Key: k.push(), Type: "hash"}, {Name: "polls", Key: k.polls(), Type: "list"},
		{Name: "sort", Key: k.sort(), Type: "zset"}, {Name: "guidmap", Key: k.guidmap(), Type: "hash"},
		{Name: "alias", Key: k.alias(), Type: "hash"}, {Name: "dead", Key: k.dead(), Type: "zset"},
		{Name: "takedowns", Key: k.takedowns(), Type: "zset"}, {Name: "deleted", Key: k.deleted(), Type: "zset"},
		{Name: "saved", Key: k.saved(), Type: "zset"},
		{Name: "host", Key: k.host(feed.Host(src.Address())), Type: "hash"},
		{Name: "lease", Key: k.lease(), Type: "hash"}, {Name: "due", Key: k.due(), Type: "zset"},
		{Name: "ids", Key: k.Key("ids:Entry"), Type: "string"}, {Name: "signals", Key: k.Outbox(), Type: "stream"},
	}
}

// findDamage returns the first key of a source that holds a value of another type, or nil.
func (s *Store) findDamage(ctx context.Context, src *feed.Source) (*core.DamageError, error) {
	damage, err := s.damage.Find(ctx, group, s.damageable(src))
	if damage != nil || err != nil {
		return damage, err
	}
	k := s.of(src.URL)
	ids, err := redis.Strings(s.db.Do(ctx, group, "ZREVRANGE", k.sort(), 0, maxExamined-1))
	if err != nil {
		return nil, err
	}
	entries := make([]core.TypedKey, len(ids))
	for i, id := range ids {
		entries[i] = core.TypedKey{Name: "entry", Key: k.Key(id), Type: "hash"}
	}
	return s.damage.Find(ctx, group, entries)
}

// Explain returns an error that names the damaged key of a source, if the error of a call is feed.ErrDamaged and the key is found;
// otherwise it returns the error.
func (s *Store) Explain(ctx context.Context, feedURL string, err error) error {
	if !errors.Is(err, feed.ErrDamaged) {
		return err
	}
	if named, ok := errors.AsType[*core.DamageError](err); ok {
		s.damage.Count(named)
		return err
	}
	src := feed.Source{URL: feedURL}
	damage, failed := s.findDamage(ctx, &src)
	if failed != nil || damage == nil {
		return err
	}
	s.damage.Count(damage)
	return damage
}

// setDamaged gives a source that was read the state of one with a damaged key.
func setDamaged(src *feed.Source, why error) {
	src.Poll.Errors = max(1, src.Poll.Errors)
	src.Poll.ErrorClass, src.Poll.ErrorText = string(feed.FailureDamaged), feed.ShortLine(why.Error())
}

// ShowDamage gives a source that was read the state of one with a damaged key, if a key of it is damaged.
func (s *Store) ShowDamage(ctx context.Context, src *feed.Source) error {
	damage, err := s.findDamage(ctx, src)
	if damage != nil {
		setDamaged(src, damage)
	}
	return err
}

// isDamaged reports whether a source has, or had at its last poll, a damaged key.
func isDamaged(src *feed.Source) bool { return src.Poll.ErrorClass == string(feed.FailureDamaged) }

// putOff ends the claim of a source with a damaged key: it is due again soon, and its keys are examined then.
func (s *Store) putOff(ctx context.Context, c *feed.Claim, damage *core.DamageError) error {
	if damage != nil {
		s.damage.Count(damage)
		if was, known := s.damaged.Swap(c.Source.URL, damage.Key); !known || was != damage.Key {
			s.db.Options().Logger.Error("a source is not polled: one of its keys is damaged", "source", c.Source.URL, "err", damage)
		}
	}
	k := s.of(c.Source.URL)
	_, err := s.db.Run(ctx, s.scripts["put_off"], []any{k.due(), k.lease(), s.hostKey(c)},
		[]any{c.Source.URL, c.Token, core.Stamp(s.db.Now().Add(damagedDelay))})
	if err != nil || damage == nil || damage.Key == k.meta() {
		return core.Wrap(err, "put off %s", c.Source.URL)
	}
	return s.noteDamage(ctx, c.Source.URL, damage)
}

// noteDamage stores why a source is not polled, for its page.
func (s *Store) noteDamage(ctx context.Context, feedURL string, why error) error {
	k := s.of(feedURL)
	_, err := s.db.Do(ctx, groupPolls, "HSET", k.meta(), "error_class", string(feed.FailureDamaged), "error_text", feed.ShortLine(why.Error()))
	return core.Wrap(err, "store why %s is not polled", feedURL)
}

// repaired logs that a source is polled again.
func (s *Store) repaired(feedURL string) {
	if key, was := s.damaged.LoadAndDelete(feedURL); was {
		s.db.Options().Logger.Info("a source is polled again: its key is repaired", "source", feedURL, "key", key)
	}
}

// refound gives a source whose meta was deleted a new one, with default settings, if the source was not removed. It reports whether it
// did.
func (s *Store) refound(ctx context.Context, feedURL string) (bool, error) {
	k, id := s.of(feedURL), feed.SourceID(feedURL)
	listed, err := redis.Bool(s.db.Do(ctx, groupPolls, "HEXISTS", k.feeds(), id))
	if err != nil || !listed {
		return false, core.Wrap(err, "find source %s", id)
	}
	fresh := feed.Source{Publish: feed.PublishManual}
	fields := append(settingFields(&fresh), "added", s.db.Seconds(), "host", s.host(feedURL), "edition", s.db.Now().UnixMilli())
	if _, err := s.db.Do(ctx, groupPolls, "HSET", append([]any{k.meta()}, fields...)...); err != nil {
		return false, fmt.Errorf("source %s: %w", id, err)
	}
	s.db.Options().Logger.Error("the settings of a source are gone: it has the defaults now, so check them", "source", feedURL, "key", k.meta())
	return true, nil
}

// RepairSchedule plans the sources again that the schedule has lost because sched:due or sched:lease was damaged or deleted. It reads
// all sources, is safe to repeat, and returns how many it planned.
func (s *Store) RepairSchedule(ctx context.Context) (planned int, err error) {
	r, err := s.db.QueryAll(ctx, groupPolls, func(k core.Keyspace) []any { return []any{"HVALS", keys{Keyspace: k}.feeds()} })
	if err != nil {
		return 0, fmt.Errorf("list sources: %w", err)
	}
	for _, space := range s.db.Sources() {
		for some := range slices.Chunk(slices.DeleteFunc(r.Texts(), feed.IsLocal), loadSize) {
			k := keys{Keyspace: space}
			names, args := []any{k.due(), k.lease()}, []any{s.db.Stamp()}
			for _, url := range some {
				names, args = append(names, keys{space, url}.meta()), append(args, url)
			}
			n, err := redis.Int(s.db.Run(ctx, s.scripts["repair_schedule"], names, args))
			if err != nil {
				return planned, fmt.Errorf("repair the schedule of %d sources: %w", len(some), err)
			}
			planned += n
		}
	}
	return planned, nil
}
