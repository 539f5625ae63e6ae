package source

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// Scores in sched:unwell. Scores between them are failures in a row.
const (
	scorePaused = -1
	scoreGone   = 1_000_000
)

// RepairStates brings sched:unwell in line with the states of all sources. Every change of a state does so too; RepairStates runs at
// the start, for data of a version that did not. It returns how many sources it corrected.
func (s *Store) RepairStates(ctx context.Context) (int, error) {
	r, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		for _, space := range s.db.Sources() {
			b.Add("HVALS", keys{Keyspace: space}.feeds())
			b.Add("ZRANGE", keys{Keyspace: space}.unwell(), 0, -1) // also removed sources
		}
	})
	if err != nil {
		return 0, fmt.Errorf("list sources by state: %w", err)
	}
	corrected := 0
	for _, space := range s.db.Sources() {
		for some := range slices.Chunk(append(r.Texts(), r.Texts()...), loadSize) {
			names, args := []any{keys{Keyspace: space}.unwell()}, make([]any, len(some))
			for i, url := range some {
				names, args[i] = append(names, keys{space, url}.meta()), url
			}
			n, err := redis.Int(s.db.Run(ctx, s.scripts["note_state"], names, args))
			if err != nil {
				return corrected, fmt.Errorf("repair the states of %d sources: %w", len(some), err)
			}
			corrected += n
		}
	}
	return corrected, nil
}

// SourceStates counts the sources by state, in two exchanges. Sources that are gone or have alarm failures in a row are alarming; it
// returns up to limit of them. Sources due before late are late.
func (s *Store) SourceStates(ctx context.Context, alarm, limit int, late time.Time) (view feed.SourceStates, err error) {
	spaces := s.db.Sources()
	replies, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		for _, space := range spaces {
			k := keys{Keyspace: space}
			b.Add("HLEN", k.feeds())
			b.Add("ZCOUNT", k.unwell(), scorePaused, scorePaused)
			b.Add("ZCOUNT", k.unwell(), 0, fmt.Sprintf("(%d", scoreGone))
			b.Add("ZCOUNT", k.unwell(), scoreGone, "+inf")
			b.Add("ZCOUNT", k.unwell(), alarm, "+inf")
			b.Add("ZREVRANGEBYSCORE", k.unwell(), "+inf", alarm, "WITHSCORES", "LIMIT", 0, limit)
			b.Add("ZCOUNT", k.due(), "-inf", "("+core.Stamp(late))
		}
	})
	if err != nil {
		return view, fmt.Errorf("count sources by state: %w", err)
	}
	var total, paused, failing, gone int
	var places []feed.Cursor
	for r := replies; len(r) > 0; {
		total, paused, failing, gone = total+r.Count(), paused+r.Count(), failing+r.Count(), gone+r.Count()
		view.Alarms += r.Count()
		places = append(places, r.Places()...)
		view.Late += r.Count()
	}
	view.Sources = map[feed.SourceState]int{
		feed.SourceActive: max(0, total-paused-failing-gone), feed.SourcePaused: paused, feed.SourceFailing: failing, feed.SourceGone: gone,
	}
	slices.SortStableFunc(places, func(a, b feed.Cursor) int { return cmp.Compare(b.Score, a.Score) })
	var urls []string
	for _, place := range places[:min(limit, len(places))] {
		urls = append(urls, place.Member)
	}
	view.Alarming, err = s.listing(ctx, urls)
	return view, err
}
