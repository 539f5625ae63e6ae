package store

import (
	"context"
	"fmt"
	"slices"

	"github.com/feedwire/feedwire/store/feed"
)

// Scores in sched:unwell; those between them are failures in a row.
const (
	scorePaused = -1
	scoreGone   = 1_000_000
)

// NoteStates puts sources where Overview looks for those that are not active. Whatever changes the state of a source does
// so too; it is for the start, over data of a version that did not. It returns how many were not there, or there in vain.
func (s *Store) NoteStates(ctx context.Context) (int, error) {
	sources, err := s.ListSources(ctx)
	if err != nil {
		return 0, err
	}
	replies, err := s.askParts(ctx, "sources", func(p part) []any { return []any{"ZRANGE", p.unwell(), 0, -1, "WITHSCORES"} })
	if err != nil {
		return 0, fmt.Errorf("list sources that are not active: %w", err)
	}
	places := make(map[string]float64)
	for a := answers(replies); len(a) > 0; {
		for _, place := range a.places() {
			places[place.Member] = place.Score
		}
	}
	wrong, count := make(map[part][]string), 0
	note := func(url string) {
		p := s.keys.of(url)
		wrong[p], count = append(wrong[p], url), count+1
	}
	for i := range sources {
		src := &sources[i]
		place, placed := places[src.URL]
		delete(places, src.URL)
		if want, unwell := placeOf(src); unwell != placed || unwell && want != place {
			note(src.URL)
		}
	}
	for url := range places { // of sources that are no more
		note(url)
	}
	for p, urls := range wrong {
		for some := range slices.Chunk(urls, sourcesAtOnce) {
			keys, args := []any{p.unwell()}, make([]any, len(some))
			for i, url := range some {
				keys, args[i] = append(keys, p.meta(url)), url
			}
			if _, err := s.run(ctx, "note_state", keys, args); err != nil {
				return 0, fmt.Errorf("note the state of %d sources: %w", len(some), err)
			}
		}
	}
	return count, nil
}

// placeOf is the score of a source in sched:unwell, as note_state.lua has it.
func placeOf(src *feed.Source) (score float64, unwell bool) {
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
