package entry

import (
	"context"
	"maps"
	"slices"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// QueryPlaces adds the commands that read where entries of a source are in its order: limit of them with timestamps down to lowest,
// newest first, after a cursor.
func (s *Store) QueryPlaces(b *core.Batch, feedURL, lowest string, from feed.Cursor, limit int) {
	b.AddPage(s.of(feedURL).sort(), lowest, from, limit)
}

// QueryCountAfter adds the command that counts the entries of a source with timestamps from lowest. Its reply is a number.
func (s *Store) QueryCountAfter(b *core.Batch, feedURL, lowest string) {
	b.Add("ZCOUNT", s.of(feedURL).sort(), lowest, "+inf")
}

// QueryTimestamps adds the command that reads the timestamps of entries by number. Its reply is a list; an entry that the source does not
// have is empty.
func (s *Store) QueryTimestamps(b *core.Batch, feedURL string, numbers []string) {
	args := []any{s.of(feedURL).sort()}
	for _, n := range numbers {
		args = append(args, "Entry:"+n)
	}
	b.Add("ZMSCORE", args...)
}

// Place returns the timestamp of an entry as its source stores it; empty: the source has no such entry.
func (s *Store) Place(ctx context.Context, ref feed.EntryRef) (string, error) {
	at, err := core.OptionalString(s.db.Do(ctx, group, "ZSCORE", s.of(ref.FeedURL).sort(), ref.ID))
	return at, core.Wrap(err, "place of %s", ref.ID)
}

// HeadlinesByID returns entries by id as LoadHeadlines does. Those that do not exist are left out, and those that have expired, too,
// although users saved them.
func (s *Store) HeadlinesByID(ctx context.Context, ids []string) (map[string]feed.Entry, error) {
	found, err := s.SavedByID(ctx, ids)
	maps.DeleteFunc(found, func(_ string, e feed.Entry) bool { return e.Expired })
	return found, err
}

// SavedByID is HeadlinesByID with the entries that have expired and that users saved.
func (s *Store) SavedByID(ctx context.Context, ids []string) (map[string]feed.Entry, error) {
	found := make(map[string]feed.Entry, len(ids))
	err := s.addHeadlines(ctx, found, ids, func(id string) []core.Keyspace { return []core.Keyspace{s.db.Entry(id)} })
	missing := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return found[id].ID != "" })
	if err == nil && len(missing) > 0 && len(s.db.Sources()) > 1 { // see Layout.Entry
		err = s.addHeadlines(ctx, found, missing, func(string) []core.Keyspace { return s.db.Sources() })
	}
	return found, core.Wrap(err, "read entries")
}

// addHeadlines adds the entries that are in one of some Keyspaces.
func (s *Store) addHeadlines(ctx context.Context, found map[string]feed.Entry, ids []string, in func(id string) []core.Keyspace) error {
	r, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		b.ReturnDamage()
		for _, id := range ids {
			for _, k := range in(id) {
				b.Add("HMGET", append([]any{keys{Keyspace: k}.entry(id)}, headline...)...)
			}
		}
	})
	if err != nil {
		return err
	}
	for _, id := range ids {
		for range in(id) {
			if e, ok := readHeadline(id, &r); ok {
				found[id] = e
			}
		}
	}
	return nil
}
