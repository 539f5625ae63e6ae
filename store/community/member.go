package community

import (
	"cmp"
	"context"
	"strconv"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// karmaEvery is how often a member who uses the site gets karma.
const karmaEvery = time.Hour

// VisitCommunity counts that a member uses the site, who gets one karma an hour for that, and returns what the community knows about the
// account. It changes nothing if the account was removed.
func (s *Store) VisitCommunity(ctx context.Context, user int64) (m feed.Member, err error) {
	words, err := redis.Strings(s.db.Run(ctx, s.scripts["visit"], []any{s.keys().user(user)}, []any{core.Stamp(s.db.Now()), karmaEvery.Seconds()}))
	if err == nil {
		m = memberFrom(words[0], words[1])
	}
	return m, core.Wrap(err, "karma of user %d", user)
}

// Member returns what the community knows about an account. feed.ErrNotFound: there is no such account.
func (s *Store) Member(ctx context.Context, user int64) (m feed.Member, err error) {
	words, err := redis.Strings(s.db.Do(ctx, group, "HMGET", s.keys().user(user), "id", "karma", "replies"))
	if err == nil {
		m = memberFrom(words[1], words[2])
	}
	return m, core.Wrap(core.Unless(err != nil || words[0] != "", err, feed.ErrNotFound), "member %d", user)
}

// memberFrom returns a member with stored numbers. Empty ones were never changed.
func memberFrom(karma, replies string) (m feed.Member) {
	m.Karma, _ = strconv.Atoi(cmp.Or(karma, "1"))
	m.Replies, _ = strconv.Atoi(cmp.Or(replies, "0"))
	return m
}
