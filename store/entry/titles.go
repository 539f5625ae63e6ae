package entry

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// matchTitles finds entries whose guid and link both changed: one entry is new to the document, and another one with the same title
// and day is missing from it. Only a complete document shows which entries are missing.
func (s *Store) matchTitles(
	ctx context.Context, src *feed.Source, doc *feed.Document, drafts []draft, all []match, listed map[string]bool,
) error {
	if doc.Partial || doc.Repaired || src.Poll.LastDocument.IsZero() {
		return nil
	}
	fresh := make(map[string]int)  // by title; -1: several entries have it
	var oldest, firstNew time.Time // day of the document's entries, of the new ones
	for i := range doc.Entries {
		e := &doc.Entries[i]
		day := dayOf(e)
		if day.IsZero() {
			continue
		}
		oldest = core.Sooner(oldest, day)
		if all[i].verdict != feed.VerdictNew || e.Title == "" {
			continue
		}
		firstNew = core.Sooner(firstNew, day)
		if _, twice := fresh[e.Title]; twice {
			fresh[e.Title] = -1
		} else {
			fresh[e.Title] = i
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	missing, err := s.missingSince(ctx, src.URL, firstNew.Add(-sameDay), oldest, listed)
	if err != nil {
		return err
	}
	for title, found := range missing {
		i, ok := fresh[title]
		if !ok || i < 0 || len(found) != 1 || found[0].day.Sub(dayOf(&doc.Entries[i])).Abs() > sameDay {
			continue
		}
		if all[i], err = s.matchCandidate(ctx, &found[0], &doc.Entries[i], &drafts[i]); err != nil {
			return err
		}
		all[i].by, all[i].renamed = feed.MatchTitle, true
	}
	return nil
}

// missingSince returns the stored entries, by title, that the document does not list although they are not older than its oldest
// entry.
func (s *Store) missingSince(ctx context.Context, url string, since, oldest time.Time, listed map[string]bool) (map[string][]candidate, error) {
	const limit = 500
	k := s.of(url)
	ids, err := redis.Strings(s.db.Do(ctx, group, "ZREVRANGEBYSCORE", k.sort(), "+inf", since.Unix(), "LIMIT", 0, limit))
	if err != nil {
		return nil, fmt.Errorf("list entries of %s: %w", url, err)
	}
	ids = slices.DeleteFunc(ids, func(id string) bool { return listed[id] })
	if len(ids) == 0 {
		return nil, nil
	}
	r, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		for _, id := range ids {
			b.Add("HMGET", k.entry(id), "guid", "digest", "title", "date_published", "date_updated")
		}
	})
	if err != nil {
		return nil, fmt.Errorf("read entries of %s: %w", url, err)
	}
	missing := make(map[string][]candidate)
	for _, id := range ids {
		f := r.Texts()
		e := feed.Entry{Published: feed.ParseTime(f[3]), Updated: feed.ParseTime(f[4])}
		if day := dayOf(&e); f[0] != "" && f[2] != "" && !day.IsZero() && !day.Before(oldest) {
			missing[f[2]] = append(missing[f[2]], candidate{id: id, guid: f[0], digest: f[1], title: f[2], day: day})
		}
	}
	return missing, nil
}
