package source

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// restoreWindow is how long a removed source can be restored.
const restoreWindow = 24 * time.Hour

// keepTakedowns is how long the takedowns of a removed source stay, so that it does not bring the entries back if it is added again.
const keepTakedowns = 30 * 24 * time.Hour

// RemoveSource removes a source with its entries. Its articles remain, and for a day the settings that RestoreSource needs. If it is
// interrupted, the source remains paused, and the call can be repeated. feed.ErrChanged as for SetPaused; later changes of the
// settings are lost.
func (s *Store) RemoveSource(ctx context.Context, id string, revision int) error {
	url, err := s.storedURL(ctx, id)
	if err != nil {
		return err
	}
	if err := s.saveRemoved(ctx, id, url); err != nil {
		return err
	}
	if err := s.pause(ctx, id, "remove", revision); err != nil {
		if errors.Is(err, feed.ErrChanged) { // not removed: the next call saves the settings of that time
			_, failed := s.db.Do(ctx, group, "DEL", s.removed(id))
			err = cmp.Or(failed, err)
		}
		return err
	}
	k := s.of(url)
	names := []any{
		k.feeds(), k.meta(), k.due(), k.lease(), k.sort(), k.guidmap(), k.dead(), k.polls(), k.alias(), k.unwell(),
		k.takedowns(), k.deleted(),
	}
	keep := int(keepTakedowns / time.Second)
	if feed.IsLocal(url) {
		keep = 0 // no document lists its entries
	}
	for {
		if err := s.entries.DeleteEntries(ctx, url); err != nil {
			return fmt.Errorf("remove source %s: %w", id, err)
		}
		removed, err := redis.Bool(s.db.Run(ctx, s.scripts["remove_source"], names, []any{id, url, keep}))
		if err != nil {
			return fmt.Errorf("remove source %s: %w", id, err)
		}
		if removed { // otherwise a poll under way has added entries
			if err := s.leaveHub(ctx, url); err != nil {
				return err
			}
			_, err := s.db.Do(ctx, groupPush, "DEL", k.push())
			return err
		}
	}
}

// saveRemoved stores what RestoreSource needs. It does not replace what an interrupted call stored, because that call has paused
// the source.
func (s *Store) saveRemoved(ctx context.Context, id, url string) error {
	src, err := s.SourceByURL(ctx, url)
	if err != nil {
		return err
	}
	added, err := redis.String(s.db.Do(ctx, group, "HGET", s.removed(id), "added"))
	if err != nil && !errors.Is(err, redis.ErrNil) {
		return fmt.Errorf("save the settings of %s: %w", url, err)
	}
	if added == core.Stamp(src.Added) {
		return nil
	}
	fields := append(settingFields(&src), initialFields(&src)...)
	fields = append(fields, "url", src.URL, "added", core.Stamp(src.Added))
	if !src.Poll.Move.Chosen {
		src.Poll.Move = feed.Move{}
	}
	fields = append(fields, edited.Pairs(&src)...)
	_, err = s.db.Pipeline(ctx, group, func(b *core.Batch) {
		b.Add("DEL", s.removed(id))
		b.Add("HSET", append([]any{s.removed(id)}, fields...)...)
		b.Add("EXPIRE", s.removed(id), int(restoreWindow/time.Second))
	})
	return core.Wrap(err, "save the settings of %s", url)
}

// RestoreSource adds a source with its settings again that was removed in the last day. Its first poll creates the entries that it
// still lists. feed.ErrNotFound: no settings are stored; feed.ErrExists: the source was added again.
func (s *Store) RestoreSource(ctx context.Context, id string) (feed.Source, error) {
	fields, err := redis.StringMap(s.db.Do(ctx, group, "HGETALL", s.removed(id)))
	if err = core.Unless(len(fields) > 0, err, feed.ErrNotFound); err != nil {
		return feed.Source{}, core.Wrap(err, "removed source %s", id)
	}
	_, err = s.SourceByURL(ctx, fields["url"])
	if err == nil {
		return feed.Source{}, fmt.Errorf("source %s: %w", fields["url"], feed.ErrExists)
	}
	var removed feed.Source
	readSource(&removed, fields["url"], fields)
	restored, _, err := s.AddSource(ctx, removed)
	if err == nil {
		edit := feed.SourceEdit{Name: &removed.Label}
		if removed.Poll.Move.Chosen {
			edit.Address = &removed.Poll.Move.To
		}
		restored, err = s.EditSource(ctx, id, edit, 0)
	}
	if err != nil {
		return feed.Source{}, err
	}
	_, err = s.db.Do(ctx, group, "DEL", s.removed(id))
	return restored, err
}

// EraseSource removes a source, so that it cannot be restored. It is a no-op if there is no such source.
func (s *Store) EraseSource(ctx context.Context, id string) error {
	if err := s.RemoveSource(ctx, id, 0); err != nil && !errors.Is(err, feed.ErrNotFound) {
		return err
	}
	_, err := s.db.Do(ctx, group, "DEL", s.removed(id))
	return core.Wrap(err, "erase source %s", id)
}
