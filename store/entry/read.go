package entry

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// defaultOrderLimit is how many entries Entries returns.
const defaultOrderLimit = 20

// Entry returns the entry with an id such as Entry:5. feed.ErrNotFound: there is none.
func (s *Store) Entry(ctx context.Context, id string) (feed.Entry, error) {
	if !strings.HasPrefix(id, "Entry:") {
		return feed.Entry{}, fmt.Errorf("entry %q: %w; an id looks like Entry:5", id, feed.ErrNotFound)
	}
	fields, err := redis.StringMap(s.db.Find(ctx, group, s.db.Entry(id), func(k core.Keyspace) []any {
		return []any{"HGETALL", keys{Keyspace: k}.entry(id)}
	}))
	if errors.Is(err, redis.ErrNil) {
		err = feed.ErrNotFound
	}
	if err != nil {
		return feed.Entry{}, fmt.Errorf("%s: %w", id, err)
	}
	return feed.EntryFromFields(id, fields), nil
}

// EntryByGUID returns the entry of a source with a guid. feed.ErrNotFound: there is none.
func (s *Store) EntryByGUID(ctx context.Context, feedURL, guid string) (feed.Entry, error) {
	id, err := redis.String(s.db.Do(ctx, group, "HGET", s.of(feedURL).guidmap(), guid))
	if errors.Is(err, redis.ErrNil) {
		return feed.Entry{}, fmt.Errorf("guid %s of %s: %w", guid, feedURL, feed.ErrNotFound)
	}
	if err != nil {
		return feed.Entry{}, err
	}
	return s.Entry(ctx, id)
}

// Entries returns up to limit entries of a source, newest first by timestamp; 20 if limit is 0.
func (s *Store) Entries(ctx context.Context, feedURL string, limit int) ([]feed.Entry, error) {
	if limit <= 0 {
		limit = defaultOrderLimit
	}
	return s.rankedEntries(ctx, feedURL, 0, int64(limit-1))
}

// EntriesPage returns up to limit entries of a source after a cursor, newest first by timestamp, and the next cursor, which is zero
// at the end.
func (s *Store) EntriesPage(ctx context.Context, feedURL string, from feed.Cursor, limit int) ([]feed.Entry, feed.Cursor, error) {
	places, more, err := s.db.Page(ctx, group, s.of(feedURL).sort(), time.Time{}, from, limit)
	if err != nil {
		return nil, feed.Cursor{}, fmt.Errorf("list entries of %s: %w", feedURL, err)
	}
	ids := make([]string, len(places))
	for i := range places {
		ids[i] = places[i].Member
	}
	var next feed.Cursor
	if more {
		next = places[len(places)-1]
	}
	all, err := s.LoadEntries(ctx, Refs(feedURL, ids...))
	return all, next, err
}

// EntriesBetween returns up to limit entries of a source between two guids, newest first by timestamp. They are the newest entries
// older than before; if after is set, they are the oldest entries newer than after. An empty guid is no bound. feed.ErrNotFound: the
// source has no entry with one of the guids.
func (s *Store) EntriesBetween(ctx context.Context, feedURL, before, after string, limit int) ([]feed.Entry, error) {
	first, last := int64(0), int64(limit-1)
	if before != "" {
		rank, err := s.rank(ctx, feedURL, before)
		if err != nil {
			return nil, err
		}
		first, last = rank+1, rank+int64(limit)
	}
	if after != "" {
		rank, err := s.rank(ctx, feedURL, after)
		if err != nil {
			return nil, err
		}
		first, last = max(first, rank-int64(limit)), rank-1
	}
	if last < first {
		return nil, nil
	}
	return s.rankedEntries(ctx, feedURL, first, last)
}

// rankedEntries returns the entries of a source from rank first to rank last. The newest entry has rank 0.
func (s *Store) rankedEntries(ctx context.Context, feedURL string, first, last int64) ([]feed.Entry, error) {
	ids, err := redis.Strings(s.db.Do(ctx, group, "ZREVRANGE", s.of(feedURL).sort(), first, last))
	if err != nil {
		return nil, fmt.Errorf("list entries of %s: %w", feedURL, err)
	}
	return s.LoadEntries(ctx, Refs(feedURL, ids...))
}

// rank returns the rank of the entry with a guid.
func (s *Store) rank(ctx context.Context, feedURL, guid string) (int64, error) {
	k := s.of(feedURL)
	rank, err := redis.Int64(s.db.Call(ctx, group, func(c redis.Conn) (any, error) {
		id, err := redis.String(c.Do("HGET", k.guidmap(), guid))
		if err != nil {
			return nil, err
		}
		return c.Do("ZREVRANK", k.sort(), id)
	}))
	if errors.Is(err, redis.ErrNil) {
		err = feed.ErrNotFound
	}
	return rank, core.Wrap(err, "guid %s of %s", guid, feedURL)
}
