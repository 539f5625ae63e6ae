package source

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

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
	sources, err := s.ListSources(ctx)
	if err != nil {
		return 0, err
	}
	replies, err := s.db.QueryAll(ctx, group, func(k core.Keyspace) []any {
		return []any{"ZRANGE", keys{Keyspace: k}.unwell(), 0, -1, "WITHSCORES"}
	})
	if err != nil {
		return 0, fmt.Errorf("list sources that are not active: %w", err)
	}
	stored := make(map[string]float64)
	for r := replies; len(r) > 0; {
		for _, place := range r.Places() {
			stored[place.Member] = place.Score
		}
	}
	wrong, count := make(map[core.Keyspace][]string), 0
	correct := func(url string) {
		k := s.db.Source(url)
		wrong[k], count = append(wrong[k], url), count+1
	}
	for i := range sources {
		src := &sources[i]
		score, listed := stored[src.URL]
		delete(stored, src.URL)
		if want, unwell := unwellScore(src); unwell != listed || unwell && want != score {
			correct(src.URL)
		}
	}
	for url := range stored { // of removed sources
		correct(url)
	}
	for space, urls := range wrong {
		for some := range slices.Chunk(urls, loadSize) {
			names, args := []any{keys{Keyspace: space}.unwell()}, make([]any, len(some))
			for i, url := range some {
				names, args[i] = append(names, keys{space, url}.meta()), url
			}
			if _, err := s.db.Run(ctx, s.scripts["note_state"], names, args); err != nil {
				return 0, fmt.Errorf("repair the states of %d sources: %w", len(some), err)
			}
		}
	}
	return count, nil
}

// unwellScore returns the score of a source in sched:unwell, as in the fragment note_state.
func unwellScore(src *feed.Source) (score float64, unwell bool) {
	switch src.State() {
	case feed.SourcePaused:
		return scorePaused, true
	case feed.SourceGone:
		return scoreGone, true
	case feed.SourceFailing:
		return float64(src.Poll.Errors), true
	case feed.SourceActive:
	}
	return 0, false
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
