package timeline

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// AddSaved saves an entry for a user. It stays when it expires at its source. feed.ErrNotFound: there is no such entry;
// feed.ErrConflict: the user has saved feed.MaxSaved entries.
func (s *Store) AddSaved(ctx context.Context, user int64, id string) error {
	ref, err := s.refOf(ctx, id)
	if err != nil {
		return core.Wrap(err, "save %s", id)
	}
	// An entry that stays for a user who did not save it is harmless. One that does not stay would be lost.
	if err := s.entries.SaveFor(ctx, ref, user); err != nil {
		return err
	}
	saved, err := redis.Bool(s.db.Run(ctx, s.scripts["save_entry"], []any{s.of(user).saved()},
		[]any{strings.TrimPrefix(id, entryPrefix), s.db.Seconds(), feed.MaxSaved}))
	if err == nil && !saved {
		if err := s.entries.UnsaveFor(ctx, ref, user); err != nil {
			return err
		}
		err = fmt.Errorf("%w: a user can save %d entries; remove another one first", feed.ErrConflict, feed.MaxSaved)
	}
	return core.Wrap(err, "save %s", id)
}

// RemoveSaved reverts AddSaved. It is a no-op if the user has not saved the entry.
func (s *Store) RemoveSaved(ctx context.Context, user int64, id string) error {
	ref, err := s.refOf(ctx, id)
	if err == nil {
		err = s.entries.UnsaveFor(ctx, ref, user)
	} else if errors.Is(err, feed.ErrNotFound) {
		err = nil
	}
	if err == nil {
		_, err = s.db.Do(ctx, group, "ZREM", s.of(user).saved(), strings.TrimPrefix(id, entryPrefix))
	}
	return core.Wrap(err, "unsave %s", id)
}

// refOf returns where an entry is. feed.ErrNotFound: it does not exist.
func (s *Store) refOf(ctx context.Context, id string) (feed.EntryRef, error) {
	found, err := s.entries.SavedByID(ctx, []string{id})
	e, ok := found[id]
	return feed.EntryRef{FeedURL: e.FeedURL, ID: id}, core.Unless(ok, err, feed.ErrNotFound)
}

// Saved returns up to limit entries that a user has saved after a cursor, those that were saved last first. The score of a cursor is when
// an entry was saved. Entries that were taken down or hidden are left out, so that a page may have fewer entries although more follow.
func (s *Store) Saved(ctx context.Context, user int64, after feed.Cursor, limit int) (page feed.TimelinePage, err error) {
	places, more, err := s.SavedPlaces(ctx, user, after, limit)
	if err != nil {
		return page, err
	}
	ids := make([]string, len(places))
	for i, p := range places {
		ids[i] = entryPrefix + p.Member
	}
	found, err := s.entries.SavedByID(ctx, ids)
	page.Entries = make([]feed.Entry, 0, len(ids))
	for _, id := range ids {
		if e, ok := found[id]; ok && e.ShownTo(user) {
			page.Entries = append(page.Entries, e)
		}
	}
	if more {
		page.Next = places[len(places)-1]
	}
	return page, err
}

// SavedPlaces returns up to limit numbers of entries that a user has saved after a cursor, as Saved does, and whether more follow.
func (s *Store) SavedPlaces(ctx context.Context, user int64, after feed.Cursor, limit int) (places []feed.Cursor, more bool, err error) {
	places, more, err = s.db.Page(ctx, group, s.of(user).saved(), time.Time{}, after, limit)
	return places, more, core.Wrap(err, "saved entries of user %d", user)
}

// unsaveAll reverts AddSaved for all entries that a user has saved.
func (s *Store) unsaveAll(ctx context.Context, user int64) error {
	for {
		places, _, err := s.SavedPlaces(ctx, user, feed.Cursor{}, markedAtOnce)
		if err != nil || len(places) == 0 {
			return err
		}
		for _, p := range places {
			if err := s.RemoveSaved(ctx, user, entryPrefix+p.Member); err != nil {
				return err
			}
		}
	}
}
