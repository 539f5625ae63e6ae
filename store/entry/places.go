package entry

import (
	"context"
	"maps"

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
// although users saved them, and those that a moderator hid.
func (s *Store) HeadlinesByID(ctx context.Context, ids []string) (map[string]feed.Entry, error) {
	found, err := s.ListedByID(ctx, ids)
	return withoutHidden(found), err
}

// ListedByID is HeadlinesByID with the entries that a moderator hid, which feed.Entry.ShownTo shows to their authors.
func (s *Store) ListedByID(ctx context.Context, ids []string) (map[string]feed.Entry, error) {
	found, err := s.SavedByID(ctx, ids)
	return withoutExpired(found), err
}

// SavedByID is ListedByID with the entries that have expired and that users saved.
func (s *Store) SavedByID(ctx context.Context, ids []string) (map[string]feed.Entry, error) {
	return s.byID(ctx, ids, headlineForm)
}

// ContentsByID is SavedByID with all fields of the entries.
func (s *Store) ContentsByID(ctx context.Context, ids []string) (map[string]feed.Entry, error) {
	return s.byID(ctx, ids, wholeForm)
}

// form is how entries are read: query adds the command that reads the entry at a key, and read decodes its reply; false: there is none.
type form struct {
	query func(b *core.Batch, key string)
	read  func(id string, r *core.Replies) (feed.Entry, bool)
}

var (
	headlineForm = form{queryHeadline, readHeadline}
	wholeForm    = form{func(b *core.Batch, key string) { b.Add("HGETALL", key) }, func(id string, r *core.Replies) (feed.Entry, bool) {
		fields := r.Map()
		return feed.EntryFromFields(id, fields), fields["guid"] != ""
	}}
)

// byID returns those entries that exist.
func (s *Store) byID(ctx context.Context, ids []string, f form) (map[string]feed.Entry, error) {
	r, err := s.db.Pipeline(ctx, group, func(b *core.Batch) { s.queryByID(b, ids, f) })
	if err != nil {
		return nil, core.Wrap(err, "read entries")
	}
	return s.readByID(ctx, ids, f, &r)
}

// QueryHeadlines adds the commands that read entries as ListedByID does. ReadHeadlines takes their replies.
func (s *Store) QueryHeadlines(b *core.Batch, ids []string) { s.queryByID(b, ids, headlineForm) }

// ReadHeadlines takes the replies to the commands of QueryHeadlines.
func (s *Store) ReadHeadlines(ctx context.Context, ids []string, r *core.Replies) (map[string]feed.Entry, error) {
	found, err := s.readByID(ctx, ids, headlineForm, r)
	return withoutExpired(found), err
}

func withoutExpired(found map[string]feed.Entry) map[string]feed.Entry {
	maps.DeleteFunc(found, func(_ string, e feed.Entry) bool { return e.Expired })
	return found
}

func withoutHidden(found map[string]feed.Entry) map[string]feed.Entry {
	maps.DeleteFunc(found, func(_ string, e feed.Entry) bool { return e.Hidden })
	return found
}

// queryByID adds the commands that read entries where their ids say they are.
func (s *Store) queryByID(b *core.Batch, ids []string, f form) {
	b.ReturnDamage()
	for _, id := range ids {
		f.query(b, keys{Keyspace: s.db.Entry(id)}.entry(id))
	}
}

// readByID takes the replies to the commands of queryByID. It searches entries that are elsewhere, see Layout.Entry.
func (s *Store) readByID(ctx context.Context, ids []string, f form, r *core.Replies) (map[string]feed.Entry, error) {
	found := make(map[string]feed.Entry, len(ids))
	var missing []string
	for _, id := range ids {
		if e, ok := f.read(id, r); ok {
			found[id] = e
		} else {
			missing = append(missing, id)
		}
	}
	everywhere := s.db.Sources()
	if len(missing) == 0 || len(everywhere) == 1 {
		return found, nil
	}
	all, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		b.ReturnDamage()
		for _, id := range missing {
			for _, k := range everywhere {
				f.query(b, keys{Keyspace: k}.entry(id))
			}
		}
	})
	if err != nil {
		return nil, core.Wrap(err, "read entries")
	}
	for _, id := range missing {
		for range everywhere {
			if e, ok := f.read(id, &all); ok {
				found[id] = e
			}
		}
	}
	return found, nil
}
