package source

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/feed"
)

// EditSource changes the name of a source and the address at which it is polled, and returns the source as stored. URL, entries, guids and
// subscriptions stay. With another address, a poll under way ends without a trace, and the source is due at once unless it is paused. Secrets
// that were entered for another scheme, host or port are removed.
//
// feed.ErrInvalid: the address cannot be used; feed.ErrExists: it is that of another source; feed.ErrConflict: the source is local;
// feed.ErrChanged as for SetPaused.
func (s *Store) EditSource(ctx context.Context, id string, edit feed.SourceEdit, revision int) (feed.Source, error) {
	before, err := s.Source(ctx, id)
	if err != nil {
		return before, err
	}
	after, moves := before, 0
	if edit.Name != nil {
		after.Label = *edit.Name
	}
	if edit.Address != nil {
		if err := s.readdress(ctx, &after, *edit.Address); err != nil {
			return before, err
		}
	}
	set, unset := sourceFields.Changes(&before, &after)
	if after.Poll.Move != before.Poll.Move {
		moves, set = 1, append(set, "host", s.host(after.Address()))
	}
	if len(set)+len(unset) == 0 {
		return before, nil
	}
	k := s.of(before.URL)
	args := append(append([]any{id, before.URL, s.db.Stamp(), revision, moves, len(set) / 2}, set...), unset...)
	done, err := redis.Int(s.db.Run(ctx, s.scripts["edit_source"], []any{k.feeds(), k.meta(), k.due(), k.lease(), k.unwell()}, args))
	switch {
	case err == nil && done == 0:
		err = feed.ErrNotFound
	case err == nil && done < 0:
		err = feed.ErrChanged
	}
	if err != nil {
		return before, fmt.Errorf("edit source %s: %w", id, err)
	}
	s.db.Options().OnDue()
	return s.Source(ctx, id)
}

// readdress makes a source be polled at an address. It is a no-op if the source is polled there already because a person chose that.
func (s *Store) readdress(ctx context.Context, src *feed.Source, address string) error {
	if src.Local() {
		return fmt.Errorf("edit source %s: %w; it is local, so it has no address", src.ID, feed.ErrConflict)
	}
	url, err := feed.CanonicalURL(address)
	if err != nil {
		return err
	}
	move, before := &src.Poll.Move, src.Address()
	if url == before && (move.Chosen || url == src.URL) {
		return nil
	}
	other, err := s.SourceByURL(ctx, url)
	switch {
	case err == nil && other.ID != src.ID:
		return fmt.Errorf("the address is that of the source %s: %w; remove one of the two", other.ID, feed.ErrExists)
	case err != nil && !errors.Is(err, feed.ErrNotFound):
		return err
	}
	now := s.db.Now()
	*move = feed.Move{To: url, Since: now, Adopted: now, Checked: now, Chosen: true}
	if url == src.URL {
		*move = feed.Move{}
	}
	p := &src.Poll
	p.Errors, p.ErrorClass, p.ErrorText, p.Status, p.Gone = 0, "", "", 0, false
	p.FailingSince, p.GoneSince = time.Time{}, time.Time{}
	from, to := feed.Origin(before), feed.Origin(url)
	if src.Private() && to != src.SecretsOrigin() {
		src.Request = src.Request.WithoutSecrets()
		src.Request.Cleared = "the address was changed from " + from + " to " + to
	}
	return nil
}
