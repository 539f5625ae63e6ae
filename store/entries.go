package store

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/feed"
)

// Limits of seed 001.
const (
	defaultOrderLimit  = 20
	defaultExpireLimit = 50
)

// SaveEntry creates an entry, or modifies the one with its ID: post.save() of seed 001. It sets e.ID. A new entry whose
// guid exists already is feed.ErrExists, an ID that does not exist feed.ErrNotFound. The signal, post_created or
// post_modified, is written with it.
func (s *Store) SaveEntry(ctx context.Context, e *feed.Entry) error {
	if err := e.Validate(); err != nil {
		return err
	}
	if e.ID == "" {
		if _, err := s.EntryByGUID(ctx, e.FeedURL, e.GUID); err == nil {
			return fmt.Errorf("save entry %s of %s: %w", e.GUID, e.FeedURL, feed.ErrExists)
		}
	}
	_, id, err := s.saveEntries(ctx, writing{feedURL: e.FeedURL}, []draft{newDraft(e)})
	if err != nil {
		return err
	}
	e.ID = id
	return nil
}

// DeleteEntry deletes an entry: post.delete() of seed 001. The source creates it again when it still lists it.
// feed.ErrNotFound when there is none.
func (s *Store) DeleteEntry(ctx context.Context, id string) error {
	e, err := s.Entry(ctx, id)
	if err != nil {
		return err
	}
	p := s.keys.of(e.FeedURL)
	keys := []any{p.entry(id), p.sort(e.FeedURL), p.guidmap(e.FeedURL), p.alias(e.FeedURL)}
	if _, err := s.run(ctx, "delete_entry", keys, []any{id}); err != nil {
		return fmt.Errorf("delete %s: %w", id, err)
	}
	return nil
}

// UpdateOrCreateEntry updates the entry with this guid, or creates it: post.objects.update_or_create of seed 001. Only
// the given fields change, named as in the hash; a value of "" removes one. It returns the entry and whether it is new.
func (s *Store) UpdateOrCreateEntry(
	ctx context.Context, feedURL, guid string, fields map[string]string,
) (feed.Entry, bool, error) {
	stored, err := s.EntryByGUID(ctx, feedURL, guid)
	if err != nil && !isNotFound(err) {
		return feed.Entry{}, false, err
	}
	merged := stored.Fields()
	maps.Copy(merged, fields)
	merged["feed_url"], merged["guid"] = feedURL, guid
	if fields["author"] != "" && fields["authors"] == "" {
		delete(merged, "authors") // the list spoke of the authors before
	}
	maps.DeleteFunc(merged, func(_, v string) bool { return v == "" })
	e := feed.EntryFromFields(stored.ID, merged)
	if err := e.Validate(); err != nil {
		return feed.Entry{}, false, err
	}
	saved, id, err := s.saveEntries(ctx, writing{feedURL: feedURL}, []draft{newDraft(&e)})
	if err != nil {
		return feed.Entry{}, false, err
	}
	e.ID = id
	return e, saved.Created > 0, nil
}

// ExpireEntries deletes the oldest entries of a source beyond the newest limit: post.objects.expire of seed 001. A limit
// of 0 means 50. What the source still lists of them is not created again. It returns how many were deleted.
func (s *Store) ExpireEntries(ctx context.Context, feedURL string, limit int) (int, error) {
	if limit <= 0 {
		limit = defaultExpireLimit
	}
	return s.expire(ctx, feedURL, expiry{keep: limit, tombstone: s.seconds()})
}

// expiry says which entries of a source go: the oldest beyond keep, and those from before a time beyond listed.
type expiry struct {
	keep      int
	before    string // Unix seconds; empty: age does not matter
	listed    int
	tombstone string // when they died, Unix seconds; empty: they may come again
}

// expire deletes in batches, so that no script holds the server for long.
func (s *Store) expire(ctx context.Context, feedURL string, e expiry) (int, error) {
	const batchSize = 200
	p := s.keys.of(feedURL)
	keys := []any{p.sort(feedURL), p.guidmap(feedURL), p.dead(feedURL), p.alias(feedURL)}
	args := []any{e.keep, batchSize, e.tombstone, p.prefix, e.before, e.listed}
	total := 0
	for {
		n, err := redis.Int(s.run(ctx, "expire_entries", keys, args))
		if err != nil {
			return total, fmt.Errorf("expire entries of %s: %w", feedURL, err)
		}
		if total += n; n < batchSize {
			return total, nil
		}
	}
}

// draft is an entry as it will be written. It is made once for each save: the digest in it costs more than all the rest.
type draft struct {
	id      string // empty: the entry with this guid, or a new one
	fields  map[string]string
	aliases []string // by which it will be known
	flag    string   // see save_entries.lua
}

// What may be special about a draft.
const (
	flagHeld    = "held"
	flagRevived = "revived"
)

func newDraft(e *feed.Entry) draft { return draft{id: e.ID, fields: e.Fields(), aliases: e.Aliases} }

// writing is what the entries that are written together have in common.
type writing struct {
	feedURL  string
	token    string      // of the lease; "push" and empty as in save_entries.lua
	about    *feed.About // nil: it has not changed
	received string      // when the document came; empty: there is none, a person writes
	format   string      // of the document; empty: as it is known
}

// saveEntries sends entries to the script in parts small enough not to hold the server for long. The id is the last
// entry's. What the feed says of itself is saved with the last part.
func (s *Store) saveEntries(ctx context.Context, w writing, entries []draft) (feed.Saved, string, error) {
	const partEntries, partBytes = 200, 2 << 20
	p := s.keys.of(w.feedURL)
	keys := []any{
		p.entryIDs(), p.sort(w.feedURL), p.guidmap(w.feedURL), p.dead(w.feedURL), p.meta(w.feedURL), p.signals(), p.lease(),
		p.alias(w.feedURL), p.activity(s.opts.Now()),
	}
	now := s.stamp() // the same for all parts: readers of the signals tell documents apart by it
	var total feed.Saved
	for {
		args := []any{w.feedURL, w.token, now, p.prefix, "", "", "", "", "", w.received, w.format, len(s.keys.parts), p.number}
		n, size := 0, 0
		for n < len(entries) && n < partEntries && size < partBytes {
			e := &entries[n]
			args = append(args, e.id, e.fields["guid"], e.fields["digest"], e.fields["timestamp"], e.flag,
				strings.Join(e.aliases, " "), len(e.fields))
			for name, value := range e.fields {
				args = append(args, name, value)
				size += len(name) + len(value)
			}
			n++
		}
		entries = entries[n:]
		if w.about != nil && len(entries) == 0 {
			args[4], args[5], args[6], args[7], args[8] = "feed", w.about.Title, w.about.Description, w.about.Link, w.about.Language
		}
		reply, err := redis.Values(s.run(ctx, "save_entries", keys, args))
		if err != nil {
			return total, "", fmt.Errorf("save entries of %s: %w", w.feedURL, err)
		}
		counts, id, err := savedReply(reply)
		if err != nil {
			return total, "", fmt.Errorf("save entries of %s: %w", w.feedURL, err)
		}
		total.Created += counts[0]
		total.Modified += counts[1]
		total.Unchanged += counts[2]
		total.Dead += counts[3]
		total.FeedModified = total.FeedModified || counts[4] == 1
		total.Held.Created += counts[5]
		total.Held.Modified += counts[6]
		if counts[0]+counts[1]+counts[4] > 0 {
			s.gather(ctx, p)
		}
		if len(entries) == 0 {
			return total, id, nil
		}
	}
}

// savedReply reads the answer of save_entries: its counts, without the last id.
func savedReply(reply []any) (counts [7]int, id string, err error) {
	if len(reply) == 1 {
		code, err := redis.Int(reply[0], nil)
		switch {
		case err != nil:
			return counts, "", err
		case code == -1:
			return counts, "", feed.ErrLeaseLost
		case code == -2:
			return counts, "", fmt.Errorf("another entry has this guid: %w", feed.ErrExists)
		}
		return counts, "", feed.ErrNotFound
	}
	if len(reply) != 8 {
		return counts, "", fmt.Errorf("save_entries answered %d values", len(reply))
	}
	if id, err = redis.String(reply[5], nil); err != nil {
		return counts, "", err
	}
	for i, value := range slices.Delete(reply, 5, 6) {
		if counts[i], err = redis.Int(value, nil); err != nil {
			return counts, "", err
		}
	}
	return counts, id, nil
}
