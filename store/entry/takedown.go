package entry

import (
	"context"
	"errors"
	"fmt"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// Bounds of the takedowns of a source. Those that the source has not listed for the longest time are dropped first.
const (
	maxTakedowns = 10_000 // names
	maxDeleted   = 100    // guids that its feeds show as deleted
)

// TakeDownEntry deletes an entry and appends the signal. The entry is not created again while the source lists it. It returns the entry
// as it was. feed.ErrNotFound: there is no entry with the ID.
func (s *Store) TakeDownEntry(ctx context.Context, id string) (feed.Entry, error) {
	e, err := s.Entry(ctx, id)
	if err != nil {
		return e, err
	}
	k := s.of(e.FeedURL)
	args := append([]any{id, e.FeedURL, s.db.Stamp(), maxTakedowns, maxDeleted, textName(&e)}, linkTombstones(&e)...)
	_, err = redis.Int(s.db.Run(ctx, s.scripts["take_down_entry"], // 0 if a lost reply was of the first call
		[]any{k.entry(id), k.sort(), k.guidmap(), k.alias(), k.takedowns(), k.deleted(), k.Outbox(), k.Activity(s.db.Now()), k.saved()}, args))
	if err == nil {
		s.db.Signalled(ctx, k.Keyspace)
	}
	return e, core.Wrap(err, "take down %s", id)
}

// IsTakenDown reports whether the entry of a source with a guid was taken down and was not written again since.
func (s *Store) IsTakenDown(ctx context.Context, feedURL, guid string) (bool, error) {
	_, err := redis.String(s.db.Do(ctx, group, "ZSCORE", s.of(feedURL).takedowns(), guid))
	if errors.Is(err, redis.ErrNil) {
		return false, nil
	}
	return err == nil, core.Wrap(err, "takedown of %s", guid)
}

// HasTakedowns reports whether entries of a source were taken down that it may still list.
func (s *Store) HasTakedowns(ctx context.Context, feedURL string) (bool, error) {
	n, err := redis.Int(s.db.Do(ctx, group, "EXISTS", s.of(feedURL).takedowns()))
	return n > 0, core.Wrap(err, "takedowns of %s", feedURL)
}

// Deleted returns the entries of a source that were taken down last, newest first.
func (s *Store) Deleted(ctx context.Context, feedURL string) ([]feed.DeletedEntry, error) {
	words, err := redis.Strings(s.db.Do(ctx, group, "ZREVRANGE", s.of(feedURL).deleted(), 0, -1, "WITHSCORES"))
	if err != nil {
		return nil, fmt.Errorf("deleted entries of %s: %w", feedURL, err)
	}
	var all []feed.DeletedEntry
	for i := 0; i+1 < len(words); i += 2 {
		all = append(all, feed.DeletedEntry{GUID: words[i], Time: feed.ParseTime(words[i+1])})
	}
	return all, nil
}

// QueryDeleted adds the command that reads the guids of deleted entries. Its reply is a list.
func (s *Store) QueryDeleted(b *core.Batch, feedURL string) {
	b.Add("ZRANGE", s.of(feedURL).deleted(), 0, -1)
}
