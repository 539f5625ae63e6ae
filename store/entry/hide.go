package entry

import (
	"context"
	"maps"
	"slices"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// HideEntry takes an entry out of the lists of its source, so that only its author reads it. It appends no signal: subscribers who have the entry
// keep it. feed.ErrNotFound: there is no such entry.
func (s *Store) HideEntry(ctx context.Context, ref feed.EntryRef) error {
	k := s.of(ref.FeedURL)
	exists, err := redis.Bool(s.db.Run(ctx, s.scripts["hide_entry"], []any{k.entry(ref.ID), k.sort()}, []any{ref.ID}))
	return core.Wrap(core.Unless(exists, err, feed.ErrNotFound), "hide %s", ref.ID)
}

// UnlistedEntries returns the hidden entries of a source that has no others, without content.
func (s *Store) UnlistedEntries(ctx context.Context, feedURL string) ([]feed.Entry, error) {
	ids, err := redis.Strings(s.db.Do(ctx, group, "HVALS", s.of(feedURL).guidmap()))
	if err != nil || len(ids) == 0 {
		return nil, core.Wrap(err, "hidden entries of %s", feedURL)
	}
	found, err := s.SavedByID(ctx, ids)
	return slices.Collect(maps.Values(found)), err
}

// ShowEntry reverts HideEntry. An entry that SaveEntry created hidden is new: it gets the time of now, and its
// signal. So does an entry that was edited while it was hidden. It is a no-op if the entry is not hidden. feed.ErrNotFound: there is no such entry.
func (s *Store) ShowEntry(ctx context.Context, ref feed.EntryRef) error {
	k, now := s.of(ref.FeedURL), s.db.Now()
	exists, err := redis.Bool(s.db.Run(ctx, s.scripts["show_entry"],
		[]any{k.entry(ref.ID), k.sort(), k.Outbox(), k.Activity(now)},
		[]any{ref.ID, s.db.Stamp(), feed.FormatTime(now)}))
	if exists {
		s.db.Signalled(ctx, k.Keyspace)
	}
	return core.Wrap(core.Unless(exists, err, feed.ErrNotFound), "show %s", ref.ID)
}
