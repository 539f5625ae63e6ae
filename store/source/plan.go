package source

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// SetPaused pauses or resumes polling. A paused source ends the subscription at its hub. A resumed one becomes due as with PollSource,
// even if its server said 410. feed.ErrChanged: revision is neither 0 nor the stored revision; feed.ErrConflict: the source is local.
func (s *Store) SetPaused(ctx context.Context, id string, paused bool, revision int) error {
	if !paused {
		return s.planRequested(ctx, id, "resume", revision)
	}
	return s.pause(ctx, id, "pause", revision)
}

// pause pauses a source because a person pauses it, or removes it.
func (s *Store) pause(ctx context.Context, id, how string, revision int) error {
	if err := s.planRequested(ctx, id, how, revision); err != nil {
		return err
	}
	url, err := s.storedURL(ctx, id)
	if err != nil {
		return err
	}
	return s.leaveHub(ctx, url)
}

// PollSource makes a source due now, or core.Options.PollFloor after its last poll. feed.ErrConflict: the source is paused or local;
// feed.ErrChanged as for SetPaused.
func (s *Store) PollSource(ctx context.Context, id string, revision int) error {
	return s.planRequested(ctx, id, "poll", revision)
}

// PollInFull is PollSource for a poll that also processes an unchanged document.
func (s *Store) PollInFull(ctx context.Context, id string, revision int) error {
	return s.planRequested(ctx, id, "poll in full", revision)
}

// How soon a source is polled after its last poll if its hub pings. It is shorter than PollFloor, because the publisher itself
// announces news, and limits what a hub can cause.
const (
	pingFloor       = 3 * time.Second
	pingFloorFailed = time.Minute // after a poll that failed: the server is in trouble
)

// PollSoon makes a source due because of its hub: now, or 3 s after its last poll, or a minute after one that failed. It is a no-op
// if the server said 410 or Retry-After. Pages show why as the reason. feed.ErrConflict: the source is paused or local.
func (s *Store) PollSoon(ctx context.Context, id, why string) error {
	return s.plan(ctx, id, plan{how: "ping", floor: pingFloor, floorFailed: pingFloorFailed, why: why})
}

// plan describes a call of schedule_source.lua.
type plan struct {
	how         string
	revision    int           // that the source must have; 0: any
	floor       time.Duration // from the last poll to the next
	floorFailed time.Duration // the same after a poll that failed
	why         string        // shown to people
}

// planRequested plans what a person requests.
func (s *Store) planRequested(ctx context.Context, id, how string, revision int) error {
	floor := s.db.Options().PollFloor
	return s.plan(ctx, id, plan{how: how, revision: revision, floor: floor, floorFailed: floor, why: "requested"})
}

func (s *Store) plan(ctx context.Context, id string, p plan) error {
	url, err := s.storedURL(ctx, id)
	if err != nil {
		return err
	}
	if feed.IsLocal(url) && p.how != "remove" {
		return fmt.Errorf("%s source %s: %w; it is local, so it is never polled", p.how, id, feed.ErrConflict)
	}
	k := s.of(url)
	done, err := redis.Int(s.db.Run(ctx, s.scripts["schedule_source"], []any{k.feeds(), k.meta(), k.due(), k.lease(), k.unwell()}, []any{
		id, url, s.db.Stamp(), p.how, p.floor.Seconds(), p.floorFailed.Seconds(), p.why, p.revision,
	}))
	switch {
	case err != nil:
		return fmt.Errorf("%s source %s: %w", p.how, id, err)
	case done == 0:
		return fmt.Errorf("source %s: %w", id, feed.ErrNotFound)
	case done == -1:
		return fmt.Errorf("source %s is paused: %w; resume it first", id, feed.ErrConflict)
	case done < 0:
		return fmt.Errorf("%s source %s: %w", p.how, id, feed.ErrChanged)
	}
	s.db.Options().OnDue()
	return nil
}

// PollSources makes all sources due, as PollSource does with one, except those that are paused, gone or local. It returns how many. They
// become due in the order of their ids, which mixes the hosts.
func (s *Store) PollSources(ctx context.Context) (int, error) {
	replies, err := s.db.QueryAll(ctx, group, func(k core.Keyspace) []any { return []any{"HGETALL", keys{Keyspace: k}.feeds()} })
	if err != nil {
		return 0, fmt.Errorf("list sources: %w", err)
	}
	const batchSize = 500 // so that no script blocks the server for long
	due := 0
	for i, space := range s.db.Sources() {
		k := keys{Keyspace: space}
		feeds, err := redis.StringMap(replies[i], nil)
		if err != nil {
			return due, fmt.Errorf("list sources: %w", err)
		}
		maps.DeleteFunc(feeds, func(_, url string) bool { return feed.IsLocal(url) })
		before := 0
		for ids := range slices.Chunk(slices.Sorted(maps.Keys(feeds)), batchSize) {
			names, args := []any{k.due(), k.lease()}, []any{s.db.Stamp(), s.db.Options().PollFloor.Seconds(), before}
			for _, id := range ids {
				names, args = append(names, keys{space, feeds[id]}.meta()), append(args, feeds[id])
			}
			n, err := redis.Int(s.db.Run(ctx, s.scripts["poll_sources"], names, args))
			if err != nil {
				return due, fmt.Errorf("poll sources: %w", err)
			}
			due, before = due+n, before+len(ids)
			s.db.Options().OnDue()
		}
	}
	return due, nil
}
