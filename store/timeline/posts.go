package timeline

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

const (
	maxRemoved = 100_000 // posts
	postTime   = 24 * time.Hour
)

// CountPost counts a post of a user. *feed.QuotaError: there were too many in a day.
func (s *Store) CountPost(ctx context.Context, user int64, most int) error {
	reason := fmt.Sprintf("an account can write %d posts in a day", most)
	return core.Wrap(s.count(ctx, s.of(user).posting(), 1, int64(most), postTime, reason), "count the posts of user %d", user)
}

// CountUpload counts bytes that a user stores. *feed.QuotaError: there were too many in a day.
func (s *Store) CountUpload(ctx context.Context, user, bytes, most int64) error {
	reason := fmt.Sprintf("an account can store %d MiB of images in a day", most>>20)
	return core.Wrap(s.count(ctx, s.of(user).uploaded(), bytes, most, postTime, reason), "count the uploads of user %d", user)
}

// UpdatePost brings the list of the posts of a user in line with an entry of feed.MemberURL, which may have been taken down. It is safe
// to repeat.
func (s *Store) UpdatePost(ctx context.Context, user int64, id string) error {
	ref, number := feed.EntryRef{FeedURL: feed.MemberURL(user), ID: id}, strings.TrimPrefix(id, entryPrefix)
	at, err := s.entries.Place(ctx, ref)
	for before := "unknown"; err == nil && at != before; at, err = s.entries.Place(ctx, ref) { // it may change between the read and the write
		before = at
		_, err = s.db.Pipeline(ctx, group, func(b *core.Batch) {
			if at != "" {
				b.Add("ZADD", s.of(user).posted(), at, number)
				return
			}
			b.Add("ZREM", s.of(user).posted(), number)
			b.Add("ZADD", s.removed(), s.db.Seconds(), number)
			b.Add("ZREMRANGEBYRANK", s.removed(), 0, -1-maxRemoved)
		})
		if err != nil {
			break
		}
	}
	return core.Wrap(err, "update the posts of user %d", user)
}

// IsRemovedPost reports whether an entry was a post that was taken down.
func (s *Store) IsRemovedPost(ctx context.Context, id string) (bool, error) {
	at, err := core.OptionalString(s.db.Do(ctx, group, "ZSCORE", s.removed(), strings.TrimPrefix(id, entryPrefix)))
	return at != "", core.Wrap(err, "removal of %s", id)
}

// Posts returns up to limit posts of a user after a cursor, newest first and without content.
func (s *Store) Posts(ctx context.Context, user int64, after feed.Cursor, limit int) (feed.TimelinePage, error) {
	key := s.of(user).posted()
	page, err := collect(after, limit, func(after feed.Cursor, size int) ([]feed.Cursor, map[string]feed.Entry, error) {
		places, _, err := s.db.Page(ctx, group, key, time.Time{}, after, size)
		if err != nil {
			return nil, nil, err
		}
		ids := make([]string, len(places))
		for i, p := range places {
			ids[i] = entryPrefix + p.Member
		}
		found, err := s.entries.ListedByID(ctx, ids)
		return places, found, err
	})
	return page, core.Wrap(err, "posts of user %d", user)
}

// CountPosts returns how many posts a user has.
func (s *Store) CountPosts(ctx context.Context, user int64) (int, error) {
	n, err := redis.Int(s.db.Do(ctx, group, "ZCARD", s.of(user).posted()))
	return n, core.Wrap(err, "count the posts of user %d", user)
}

// updatePosts updates the lists of the posts that some signals are about.
func (s *Store) updatePosts(ctx context.Context, signals []feed.Signal) error {
	var done []string
	for _, one := range signals {
		author := feed.MemberOf(one.FeedURL)
		if author == 0 || !one.IsPost() || slices.Contains(done, one.Entry) {
			continue
		}
		if err := s.UpdatePost(ctx, author, one.Entry); err != nil {
			return err
		}
		done = append(done, one.Entry)
	}
	return nil
}
