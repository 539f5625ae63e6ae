package entry

import (
	"context"
	"fmt"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// Refs names entries of one source.
func Refs(feedURL string, ids ...string) []feed.EntryRef {
	refs := make([]feed.EntryRef, len(ids))
	for i, id := range ids {
		refs[i] = feed.EntryRef{FeedURL: feedURL, ID: id}
	}
	return refs
}

// LoadEntries returns entries in the order of refs. It leaves out entries that do not exist or are damaged.
func (s *Store) LoadEntries(ctx context.Context, refs []feed.EntryRef) ([]feed.Entry, error) {
	r, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		b.ReturnDamage()
		for _, ref := range refs {
			b.Add("HGETALL", s.of(ref.FeedURL).entry(ref.ID))
		}
	})
	if err != nil {
		return nil, fmt.Errorf("read entries: %w", err)
	}
	all := make([]feed.Entry, 0, len(refs))
	for _, ref := range refs {
		if fields := r.Map(); len(fields) > 0 {
			all = append(all, feed.EntryFromFields(ref.ID, fields))
		}
	}
	return all, nil
}

// headline are the fields that a list shows: content may be megabytes.
var headline = []any{
	"feed_url", "guid", "timestamp", "title", "link", "author", "date_published", "date_updated", "image", "enclosures", "comment_count",
	"expired_at", "hidden",
}

// LoadHeadlines is LoadEntries for the fields that a list shows.
func (s *Store) LoadHeadlines(ctx context.Context, refs []feed.EntryRef) ([]feed.Entry, error) {
	r, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		b.ReturnDamage()
		for _, ref := range refs {
			queryHeadline(b, s.of(ref.FeedURL).entry(ref.ID))
		}
	})
	if err != nil {
		return nil, fmt.Errorf("read entries: %w", err)
	}
	all := make([]feed.Entry, 0, len(refs))
	for _, ref := range refs {
		if e, ok := readHeadline(ref.ID, &r); ok {
			all = append(all, e)
		}
	}
	return all, nil
}

// queryHeadline adds the command that reads the fields of headline.
func queryHeadline(b *core.Batch, key string) { b.AddFields(key, headline) }

// readHeadline decodes the fields of headline; false if there is no such entry, or it is damaged.
func readHeadline(id string, r *core.Replies) (feed.Entry, bool) { return readFields(id, headline, r) }

// readFields decodes some fields, as readHeadline does.
func readFields(id string, names []any, r *core.Replies) (feed.Entry, bool) {
	values := r.Texts()
	e := feed.EntryFromEach(id, func(yield func(string, string) bool) {
		for i, value := range values {
			if value != "" && !yield(names[i].(string), value) {
				return
			}
		}
	})
	return e, e.GUID != ""
}

// QueryNewest adds the command that reads the ids of the newest entries of a source; limit may be 0. Its reply is a list.
func (s *Store) QueryNewest(b *core.Batch, feedURL string, limit int) {
	b.Add("ZREVRANGEBYSCORE", s.of(feedURL).sort(), "+inf", "-inf", "LIMIT", 0, limit)
}

// QueryEntryCount adds the command that counts the entries of a source. Its reply is a number.
func (s *Store) QueryEntryCount(b *core.Batch, feedURL string) { b.Add("ZCARD", s.of(feedURL).sort()) }

// QueryVersion adds the command that reads what changes with each new version of an entry. Its reply is a list.
func (s *Store) QueryVersion(b *core.Batch, ref feed.EntryRef) {
	b.Add("HMGET", s.of(ref.FeedURL).entry(ref.ID), "digest", "date_published", "date_updated", "reread_at")
}
