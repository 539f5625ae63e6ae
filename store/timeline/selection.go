package timeline

import (
	"context"
	"slices"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// Select returns up to limit selected entries of the timeline of a user after a cursor, as Timeline does.
func (s *Store) Select(ctx context.Context, user int64, selected feed.Selection, after feed.Cursor, limit int) (page feed.TimelinePage, err error) {
	if selected == (feed.Selection{}) {
		return s.Timeline(ctx, user, after, limit)
	}
	places, next, err := s.SelectPlaces(ctx, user, selected, after, limit)
	if err != nil {
		return page, err
	}
	ids := make([]string, len(places))
	for i, p := range places {
		ids[i] = entryPrefix + p.Member
	}
	found, err := s.entries.ListedByID(ctx, ids)
	page = feed.TimelinePage{Entries: make([]feed.Entry, 0, len(ids)), Next: next}
	for _, id := range ids {
		if e, ok := found[id]; ok && e.ShownTo(user) { // it may have expired meanwhile
			page.Entries = append(page.Entries, e)
		}
	}
	return page, err
}

// SelectPlaces returns where up to limit selected entries of the timeline of a user after a cursor are, newest first, and the cursor
// that continues the list; zero: nothing follows. The members are numbers of entries. If very many entries in between are not selected,
// because they are read or unread, the list is shorter although more follow.
func (s *Store) SelectPlaces(
	ctx context.Context, user int64, selected feed.Selection, after feed.Cursor, limit int,
) (all []feed.Cursor, next feed.Cursor, err error) {
	all, next, err = s.selectPlaces(ctx, user, selected, after, limit)
	return all, next, core.Wrap(err, "timeline of user %d", user)
}

func (s *Store) selectPlaces(
	ctx context.Context, user int64, selected feed.Selection, after feed.Cursor, limit int,
) (all []feed.Cursor, next feed.Cursor, err error) {
	k := s.of(user)
	r, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		b.Add("HGETALL", k.follows())
		k.queryReading(b)
	})
	if err != nil {
		return nil, next, err
	}
	follows, reading := followsFrom(r.Map()), readingFrom(&r)
	var spans []span
	for i := range follows {
		if f := &follows[i]; selected.Includes(f) {
			spans = append(spans, span{f.FeedURL, "-inf"})
			if mark, marked := reading.marks[f.FeedURL]; selected.State == feed.StateUnread {
				spans[len(spans)-1].lowest = lowest(mark, marked)
			}
		}
	}
	kept, err := s.keptUnread(ctx, reading, spans)
	if err != nil {
		return nil, next, err
	}
	for round, size := 1, limit+1; ; round, size = round+1, min(4*size, 10*cacheSize+limit) {
		places, err := s.mergeSpans(ctx, slices.Clone(spans), after, size)
		if err != nil {
			return nil, next, err
		}
		if selected.State == feed.StateUnread {
			places = withKept(places, kept, after, size)
		}
		for _, p := range places {
			isRead := reading.isRead(p.feedURL, p.Cursor)
			after = p.Cursor
			switch {
			case selected.State == feed.StateUnread && isRead, selected.State == feed.StateRead && !isRead:
			case len(all) == limit:
				return all, next, nil
			default:
				all, next = append(all, p.Cursor), p.Cursor
			}
		}
		if len(places) < size {
			return all, feed.Cursor{}, nil
		}
		if round == maxRounds {
			return all, after, nil
		}
	}
}

// keptUnread returns the places of entries of spans that are unread although the mark of their source is later.
func (s *Store) keptUnread(ctx context.Context, reading *reading, spans []span) (kept []place, err error) {
	numbers := bySource(reading.keptUnread)
	spans = slices.DeleteFunc(slices.Clone(spans), func(sp span) bool { return len(numbers[sp.feedURL]) == 0 })
	r, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		for _, sp := range spans {
			s.entries.QueryTimestamps(b, sp.feedURL, numbers[sp.feedURL])
		}
	})
	if err != nil {
		return nil, err
	}
	for _, sp := range spans {
		for i, text := range r.Texts() {
			if text != "" && !sp.above(parseScore(text)) {
				kept = append(kept, place{feed.Cursor{Score: parseScore(text), Member: numbers[sp.feedURL][i]}, sp.feedURL})
			}
		}
	}
	return sortPlaces(kept), nil
}

// withKept adds those of some places that come after a cursor to the next size places.
func withKept(places, kept []place, after feed.Cursor, size int) []place {
	for _, p := range kept {
		if after.IsZero() || p.Score < after.Score || p.Score == after.Score && p.Member < after.Member {
			places = append(places, p)
		}
	}
	places = sortPlaces(places)
	return places[:min(size, len(places))]
}
