package store

import (
	"context"
	"fmt"
	"slices"

	"github.com/gomodule/redigo/redis"

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
	places, err := redis.Float64Map(s.do(ctx, "ZRANGE", s.keys.unwell(), 0, -1, "WITHSCORES"))
	if err != nil {
		return 0, fmt.Errorf("list sources that are not active: %w", err)
	}
	var wrong []string
	for i := range sources {
		src := &sources[i]
		place, placed := places[src.URL]
		delete(places, src.URL)
		if want, unwell := placeOf(src); unwell != placed || unwell && want != place {
			wrong = append(wrong, src.URL)
		}
	}
	for url := range places { // of sources that are no more
		wrong = append(wrong, url)
	}
	for part := range slices.Chunk(wrong, sourcesAtOnce) {
		keys, args := []any{s.keys.unwell()}, make([]any, len(part))
		for i, url := range part {
			keys, args[i] = append(keys, s.keys.meta(url)), url
		}
		if _, err := s.run(ctx, "note_state", keys, args); err != nil {
			return 0, fmt.Errorf("note the state of %d sources: %w", len(part), err)
		}
	}
	return len(wrong), nil
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
