package entry

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// defaultExpireLimit is how many entries ExpireEntries keeps.
const defaultExpireLimit = 50

// tombstoneAge is how long a tombstone outlives the last document that could have listed its entry.
const tombstoneAge = 30 * 24 * time.Hour

// maxTombstones bounds the tombstones of a source. Those that the source has not listed for the longest time are dropped first.
const maxTombstones = 50_000

// ExpireEntries deletes the entries of a source beyond the newest limit, 50 if that is 0, and returns how many it deleted. Entries
// that the source still lists are not created again.
func (s *Store) ExpireEntries(ctx context.Context, feedURL string, limit int) (int, error) {
	if limit <= 0 {
		limit = defaultExpireLimit
	}
	return s.expire(ctx, feedURL, expiry{keep: limit, tombstone: s.db.Seconds(), saved: s.db.Seconds()})
}

// ExpireSource deletes the entries of a source that are beyond src.Keep, or beyond keep as far as that is zero, drops old
// tombstones, and returns how many entries it deleted. Entries that the source may still list are never deleted. The entries of a local
// source exist nowhere else, so keep does not apply to it.
func (s *Store) ExpireSource(ctx context.Context, src *feed.Source, keep feed.Keep) (int, error) {
	if src.Local() {
		keep = feed.Keep{}
		if src.Keep.Entries == 0 {
			keep.Entries = feed.MaxKeepEntries
		}
	}
	if src.Keep.Entries > 0 {
		keep.Entries = src.Keep.Entries
	}
	if src.Keep.For > 0 {
		keep.For = src.Keep.For
	}
	listed := max(src.Poll.Listed, src.Poll.Entries)
	e := expiry{keep: max(keep.Entries, listed), listed: listed, tombstone: s.db.Seconds(), saved: s.db.Seconds()}
	if keep.For > 0 {
		e.before = feed.FormatTime(s.db.Now().Add(-time.Duration(keep.For)))
	}
	n, err := s.expire(ctx, src.URL, e)
	listing := src.Poll.LastDocument
	if src.Local() {
		listing = s.db.Now() // no document lists its entries
	}
	if err != nil || listing.IsZero() {
		return n, err
	}
	k, before := s.of(src.URL), feed.FormatTime(listing.Add(-tombstoneAge))
	_, err = s.db.Pipeline(ctx, group, func(b *core.Batch) {
		for _, tombstones := range []string{k.dead(), k.takedowns(), k.deleted()} {
			b.Add("ZREMRANGEBYSCORE", tombstones, "-inf", before)
		}
	})
	return n, core.Wrap(err, "drop tombstones of %s", src.URL)
}

// spareEntries is how many entries a source may hold between two runs of housekeeping beyond those that it keeps: entries of the last
// minute, of which readers of the signals may not have heard yet. Saving expires spareStep of them at a time.
const (
	spareEntries = 1000
	spareStep    = 200
)

// makeRoom expires the oldest entries of a source before a document is saved, if the source holds spareEntries more than it keeps. So
// a source never holds more than these and one document. stored is how many it holds.
func (s *Store) makeRoom(ctx context.Context, src *feed.Source, doc *feed.Document, stored int) error {
	keep := cmp.Or(src.Keep.Entries, s.db.Options().KeepEntries)
	listed := max(src.Poll.Listed, src.Poll.Entries)
	if !doc.Partial {
		listed = max(listed, len(doc.Entries))
	}
	most := max(keep, listed) + spareEntries
	if keep == 0 || stored <= most {
		return nil
	}
	_, err := s.expire(ctx, src.URL, expiry{keep: most - spareStep, tombstone: s.db.Seconds(), saved: s.db.Seconds()})
	return err
}

// DeleteEntries deletes all entries of a source and leaves no tombstones. What users saved stays, unless the source is local: its author
// removes it.
func (s *Store) DeleteEntries(ctx context.Context, feedURL string) error {
	e := expiry{saved: s.db.Seconds()}
	if feed.IsLocal(feedURL) {
		e.saved = ""
	}
	_, err := s.expire(ctx, feedURL, e)
	return err
}

// expiry describes which entries of a source to delete: the oldest beyond keep, and those from before a time beyond listed.
type expiry struct {
	keep      int
	before    string // Unix seconds; empty: any age
	listed    int
	tombstone string // when they expired, Unix seconds; empty: leave no tombstones
	saved     string // when they expired; empty: delete also those that users saved
}

// expire deletes in batches, so that no script blocks the server for long.
func (s *Store) expire(ctx context.Context, feedURL string, e expiry) (int, error) {
	const batchSize = 200
	k := s.of(feedURL)
	keys := []any{k.sort(), k.guidmap(), k.dead(), k.alias(), k.saved()}
	args := []any{e.keep, batchSize, e.tombstone, k.Prefix(), e.before, e.listed, maxTombstones, e.saved}
	total := 0
	for {
		n, err := redis.Int(s.db.Run(ctx, s.scripts["expire_entries"], keys, args))
		if err != nil {
			return total, fmt.Errorf("expire entries of %s: %w", feedURL, err)
		}
		if total += n; n < batchSize {
			return total, nil
		}
	}
}
