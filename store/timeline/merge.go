package timeline

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// place is where an entry of a source is. The member is its number.
type place struct {
	feed.Cursor
	feedURL string
}

// span is a source from a timestamp on.
type span struct {
	feedURL string
	lowest  string // "12": from it; "(12": above it; "-inf"
}

// above reports whether a score is above the timestamp.
func (s *span) above(score float64) bool {
	bound, exclusive := strings.CutPrefix(s.lowest, "(")
	return s.lowest == "-inf" || score > parseScore(bound) || !exclusive && score == parseScore(bound)
}

// merge returns the places of the newest limit entries of sources after a cursor, newest first.
func (s *Store) merge(ctx context.Context, urls []string, after feed.Cursor, limit int) ([]feed.Cursor, error) {
	spans := make([]span, len(urls))
	for i, url := range urls {
		spans[i] = span{url, "-inf"}
	}
	found, err := s.mergeSpans(ctx, spans, after, limit)
	all := make([]feed.Cursor, len(found))
	for i := range found {
		all[i] = found[i].Cursor
	}
	return all, err
}

// mergeSpans returns the places of the newest limit entries of spans after a cursor, newest first. It reads little more than that: first
// a few places of each source, which give a bound, then those of busy sources that are above the bound.
func (s *Store) mergeSpans(ctx context.Context, spans []span, after feed.Cursor, limit int) ([]place, error) {
	if len(spans) == 0 {
		return nil, nil
	}
	few := (limit-1)/len(spans) + 3
	all, lists, err := s.readSpans(ctx, spans, slices.Repeat([]feed.Cursor{after}, len(spans)), few)
	if err != nil {
		return nil, err
	}
	var busy []span
	var from []feed.Cursor
	for i, list := range lists {
		if len(list) < few {
			continue
		}
		last := list[len(list)-1]
		if len(all) >= limit {
			bound := all[limit-1].Score
			if last.Score < bound {
				continue
			}
			if spans[i].above(bound) {
				spans[i].lowest = formatScore(bound)
			}
		}
		busy, from = append(busy, spans[i]), append(from, last.Cursor)
	}
	more, _, err := s.readSpans(ctx, busy, from, limit)
	all = sortPlaces(append(all, more...))
	return all[:min(limit, len(all))], err
}

// readSpans returns up to limit places of each span after its cursor, sorted and by span.
func (s *Store) readSpans(ctx context.Context, spans []span, from []feed.Cursor, limit int) (all []place, lists [][]place, err error) {
	for i := range from {
		if !from[i].IsZero() {
			from[i].Member = entryPrefix + from[i].Member
		}
	}
	r, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		for i := range spans {
			s.entries.QueryPlaces(b, spans[i].feedURL, spans[i].lowest, from[i], limit)
		}
	})
	if err != nil {
		return nil, nil, err
	}
	lists = make([][]place, len(spans))
	for i := range spans {
		for _, p := range r.Page(from[i]) {
			if p.Member = strings.TrimPrefix(p.Member, entryPrefix); spans[i].above(p.Score) { // others share the score of the cursor
				lists[i] = append(lists[i], place{p, spans[i].feedURL})
			}
		}
		all = append(all, lists[i]...)
	}
	return sortPlaces(all), lists, nil
}

// sortPlaces sorts places in the order of Redis.
func sortPlaces(all []place) []place {
	slices.SortFunc(all, func(a, b place) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(b.Member, a.Member))
	})
	return all
}
