package community

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// CommentsOf returns up to limit comments of a user after a cursor, as a reader sees them, newest first, without replies and author, and the
// cursor of the following ones; zero: there are none. Votes are those of the reader; 0: no reader.
func (s *Store) CommentsOf(ctx context.Context, user, reader int64, after feed.Cursor, limit int) ([]feed.UserComment, feed.Cursor, error) {
	return s.commentsOf(ctx, user, reader, false, after, limit)
}

// CountComments returns how many comments a user has written, with those that were deleted.
func (s *Store) CountComments(ctx context.Context, user int64) (int, error) {
	n, err := redis.Int(s.db.Do(ctx, group, "ZCARD", s.keys().comments(user)))
	return n, core.Wrap(err, "count the comments of user %d", user)
}

// ModeratedCommentsOf is CommentsOf as moderators read it: hidden and removed comments are complete, and have a state.
func (s *Store) ModeratedCommentsOf(ctx context.Context, user, reader int64, after feed.Cursor, limit int) ([]feed.UserComment, feed.Cursor, error) {
	return s.commentsOf(ctx, user, reader, true, after, limit)
}

func (s *Store) commentsOf(ctx context.Context, user, reader int64, moderates bool, after feed.Cursor, limit int) (all []feed.UserComment, next feed.Cursor, err error) {
	k := s.keys()
	places, more, err := s.db.Page(ctx, group, k.comments(user), time.Time{}, after, limit)
	if err != nil || len(places) == 0 {
		return nil, next, core.Wrap(err, "comments of user %d", user)
	}
	r, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		for _, p := range places {
			n, c, _ := strings.Cut(p.Member, "-")
			b.Add("HGET", k.Key("thread:comment:"+n), c)
		}
	})
	if err != nil {
		return nil, next, core.Wrap(err, "comments of user %d", user)
	}
	for _, p := range places {
		n, field, _ := strings.Cut(p.Member, "-")
		if d := decode(field, r.Text()); d.id != 0 {
			number, _ := strconv.ParseInt(n, 10, 64)
			all = append(all, feed.UserComment{NewsID: number, Comment: d.as(reader, moderates)})
		}
	}
	if more {
		next = places[len(places)-1]
	}
	return all, next, nil
}
