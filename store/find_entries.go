package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/feed"
)

// Entry is one entry by id, "Entry:5": post.objects.get(id) of seed 001. feed.ErrNotFound when there is none.
func (s *Store) Entry(ctx context.Context, id string) (feed.Entry, error) {
	if !strings.HasPrefix(id, "Entry:") {
		return feed.Entry{}, fmt.Errorf("entry %q: %w; ids look like Entry:5", id, feed.ErrNotFound)
	}
	replies, err := s.askParts(ctx, "entry", func(p part) []any { return []any{"HGETALL", p.entry(id)} })
	if err != nil {
		return feed.Entry{}, fmt.Errorf("read entries: %w", err)
	}
	for _, reply := range replies {
		fields, err := redis.StringMap(reply, nil)
		if err != nil {
			return feed.Entry{}, fmt.Errorf("read %s: %w", id, err)
		}
		if len(fields) > 0 {
			return feed.EntryFromFields(id, fields), nil
		}
	}
	return feed.Entry{}, fmt.Errorf("%s: %w", id, feed.ErrNotFound)
}

// EntryByGUID is one entry by guid: post.objects.get_by_guid of seed 001. feed.ErrNotFound when there is none.
func (s *Store) EntryByGUID(ctx context.Context, feedURL, guid string) (feed.Entry, error) {
	id, err := redis.String(s.do(ctx, "HGET", s.keys.of(feedURL).guidmap(feedURL), guid))
	if err == redis.ErrNil { //nolint:errorlint // redigo returns it unwrapped
		return feed.Entry{}, fmt.Errorf("guid %s of %s: %w", guid, feedURL, feed.ErrNotFound)
	}
	if err != nil {
		return feed.Entry{}, err
	}
	all, err := s.loadEntries(ctx, entriesOf(feedURL, id))
	if err != nil {
		return feed.Entry{}, err
	}
	if len(all) == 0 {
		return feed.Entry{}, fmt.Errorf("%s: %w", id, feed.ErrNotFound)
	}
	return all[0], nil
}

// Entries are the newest entries of a source by timestamp: post.objects.all_by_order of seed 001. A limit of 0 means 20.
func (s *Store) Entries(ctx context.Context, feedURL string, limit int) ([]feed.Entry, error) {
	if limit <= 0 {
		limit = defaultOrderLimit
	}
	ids, err := redis.Strings(s.call(ctx, "entries", func(c redis.Conn) (any, error) {
		return c.Do("ZREVRANGE", s.keys.of(feedURL).sort(feedURL), 0, limit-1)
	}))
	if err != nil {
		return nil, fmt.Errorf("list entries of %s: %w", feedURL, err)
	}
	return s.loadEntries(ctx, entriesOf(feedURL, ids...))
}

// EntriesPage are up to limit entries of a source after the cursor, newest first by timestamp, and the cursor of the next
// ones, zero at the end.
func (s *Store) EntriesPage(ctx context.Context, feedURL string, from feed.Cursor, limit int) ([]feed.Entry, feed.Cursor, error) {
	places, more, err := s.places(ctx, s.keys.of(feedURL).sort(feedURL), time.Time{}, from, limit)
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
	all, err := s.loadEntries(ctx, entriesOf(feedURL, ids...))
	return all, next, err
}

// EntriesBetween are up to limit entries of a source, newest first by timestamp: those behind the one with the guid before
// ("": from the newest), or with after those that follow the one with that guid most closely, none newer than before.
// feed.ErrNotFound: there is no entry with one of these guids.
func (s *Store) EntriesBetween(ctx context.Context, feedURL, before, after string, limit int) ([]feed.Entry, error) {
	first, last := int64(0), int64(limit-1)
	if before != "" {
		rank, err := s.entryRank(ctx, feedURL, before)
		if err != nil {
			return nil, err
		}
		first, last = rank+1, rank+int64(limit)
	}
	if after != "" {
		rank, err := s.entryRank(ctx, feedURL, after)
		if err != nil {
			return nil, err
		}
		first, last = max(first, rank-int64(limit)), rank-1
	}
	if last < first {
		return nil, nil
	}
	ids, err := redis.Strings(s.call(ctx, "entries", func(c redis.Conn) (any, error) {
		return c.Do("ZREVRANGE", s.keys.of(feedURL).sort(feedURL), first, last)
	}))
	if err != nil {
		return nil, fmt.Errorf("list entries of %s: %w", feedURL, err)
	}
	return s.loadEntries(ctx, entriesOf(feedURL, ids...))
}

// entryRank is the place of an entry among those of its source, the newest being 0.
func (s *Store) entryRank(ctx context.Context, feedURL, guid string) (int64, error) {
	rank, err := redis.Int64(s.call(ctx, "entries", func(c redis.Conn) (any, error) {
		id, err := redis.String(c.Do("HGET", s.keys.of(feedURL).guidmap(feedURL), guid))
		if err != nil {
			return nil, err
		}
		return c.Do("ZREVRANK", s.keys.of(feedURL).sort(feedURL), id)
	}))
	if errors.Is(err, redis.ErrNil) {
		err = feed.ErrNotFound
	}
	if err != nil {
		return 0, fmt.Errorf("guid %s of %s: %w", guid, feedURL, err)
	}
	return rank, nil
}

// entryRef names an entry so that it is found: in which part it is follows from its source.
type entryRef struct{ feedURL, id string }

func (s *Store) entryKey(r entryRef) string { return s.keys.of(r.feedURL).entry(r.id) }

// entriesOf names entries of one source.
func entriesOf(feedURL string, ids ...string) []entryRef {
	refs := make([]entryRef, len(ids))
	for i, id := range ids {
		refs[i] = entryRef{feedURL, id}
	}
	return refs
}

// loadEntries reads entries in one pipeline, in the order of the refs; those that do not exist are left out.
func (s *Store) loadEntries(ctx context.Context, refs []entryRef) ([]feed.Entry, error) {
	replies, err := s.pipeline(ctx, "entry", func(b *batch) {
		for _, r := range refs {
			b.add("HGETALL", s.entryKey(r))
		}
	})
	if err != nil {
		return nil, fmt.Errorf("read entries: %w", err)
	}
	all := make([]feed.Entry, 0, len(refs))
	for i, r := range refs {
		fields, err := redis.StringMap(replies[i], nil)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", r.id, err)
		}
		if len(fields) > 0 {
			all = append(all, feed.EntryFromFields(r.id, fields))
		}
	}
	return all, nil
}

// loadHeadlines reads entries as loadEntries does, but only what a list shows of them: content may be megabytes.
func (s *Store) loadHeadlines(ctx context.Context, refs []entryRef) ([]feed.Entry, error) {
	replies, err := s.pipeline(ctx, "entry", func(b *batch) { s.askHeadlines(b, refs) })
	if err != nil {
		return nil, fmt.Errorf("read entries: %w", err)
	}
	return headlinesFrom(refs, replies)
}

func headlineFields() []any {
	return []any{"feed_url", "guid", "timestamp", "title", "link", "author", "date_published", "date_updated"}
}

func (s *Store) askHeadlines(b *batch, refs []entryRef) {
	names := headlineFields()
	for _, r := range refs {
		b.add("HMGET", append([]any{s.entryKey(r)}, names...)...)
	}
}

// headlinesFrom reads what askHeadlines asked for; unknown entries are left out.
func headlinesFrom(refs []entryRef, replies []any) ([]feed.Entry, error) {
	names, all := headlineFields(), make([]feed.Entry, 0, len(refs))
	for i, r := range refs {
		values, err := redis.Strings(replies[i], nil)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", r.id, err)
		}
		fields := make(map[string]string, len(names))
		for j, name := range names {
			fields[name.(string)] = values[j]
		}
		if fields["guid"] != "" {
			all = append(all, feed.EntryFromFields(r.id, fields))
		}
	}
	return all, nil
}
