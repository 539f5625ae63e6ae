package timeline

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// Follow makes a user follow a source and reports whether they did not before. If they did, nothing changes. feed.ErrConflict: they
// follow feed.MaxFollows sources.
func (s *Store) Follow(ctx context.Context, user int64, f feed.Follow) (created bool, err error) {
	f.Since = s.db.Now()
	// A follower without a follow is harmless, a follow without a follower gets no entries. Unfollow may run between the steps.
	if _, err := s.addFollower(ctx, user, f.FeedURL); err != nil {
		return false, err
	}
	k := s.of(user)
	n, err := redis.Int(s.db.Run(ctx, s.scripts["follow"],
		[]any{k.follows(), k.cache(), k.warm()}, []any{f.FeedURL, encode(f), feed.MaxFollows}))
	if err == nil && n < 0 {
		if err := s.Unfollow(ctx, user, f.FeedURL); err != nil {
			return false, err
		}
		err = errFollowsMost
	}
	if err != nil {
		return false, core.Wrap(err, "follow %s", f.FeedURL)
	}
	return n == 1, s.restoreFollower(ctx, user, f.FeedURL)
}

var errFollowsMost = fmt.Errorf("%w: a user can follow %d sources; unfollow another one first", feed.ErrConflict, feed.MaxFollows)

// MayFollow returns nil if a user may follow another source. feed.ErrConflict: they follow feed.MaxFollows sources.
func (s *Store) MayFollow(ctx context.Context, user int64) error {
	count, err := redis.Int(s.db.Do(ctx, group, "HLEN", s.of(user).follows()))
	if err == nil && count >= feed.MaxFollows {
		err = errFollowsMost
	}
	return core.Wrap(err, "follow another source")
}

func (s *Store) addFollower(ctx context.Context, user int64, feedURL string) (added bool, err error) {
	added, err = redis.Bool(s.db.Do(ctx, group, "ZADD", s.followers(feedURL), user, user))
	return added, core.Wrap(err, "add a follower of %s", feedURL)
}

// restoreFollower adds a follower that an Unfollow removed beside a Follow. The fan-out may have passed over the user meanwhile, so the
// cache is dropped.
func (s *Store) restoreFollower(ctx context.Context, user int64, feedURL string) error {
	added, err := s.addFollower(ctx, user, feedURL)
	if added {
		_, err = s.forCaches(ctx, "drop_caches", []string{strconv.FormatInt(user, 10)})
	}
	return core.Wrap(err, "drop the timeline of user %d", user)
}

// Unfollow ends a follow. It is a no-op if the user does not follow the source.
func (s *Store) Unfollow(ctx context.Context, user int64, feedURL string) error {
	k := s.of(user)
	if _, err := s.db.Run(ctx, s.scripts["unfollow"], []any{k.follows(), k.cache(), k.warm()}, []any{feedURL}); err != nil {
		return core.Wrap(err, "unfollow %s", feedURL)
	}
	if _, err := s.db.Do(ctx, group, "ZREM", s.followers(feedURL), user); err != nil {
		return core.Wrap(err, "unfollow %s", feedURL)
	}
	again, err := redis.Bool(s.db.Do(ctx, group, "HEXISTS", k.follows(), feedURL)) // followed again meanwhile
	if again {
		err = s.restoreFollower(ctx, user, feedURL)
	}
	return core.Wrap(err, "unfollow %s", feedURL)
}

// ChangeFollow changes a follow and returns it. feed.ErrNotFound: the user does not follow the source; feed.ErrInvalid: see
// feed.FollowChange.
func (s *Store) ChangeFollow(ctx context.Context, user int64, feedURL string, change feed.FollowChange) (f feed.Follow, err error) {
	key := s.of(user).follows()
	for changed := false; !changed; {
		stored, err := core.OptionalString(s.db.Do(ctx, group, "HGET", key, feedURL))
		if err = core.Unless(stored != "", err, feed.ErrNotFound); err != nil {
			return f, core.Wrap(err, "follow of %s", feedURL)
		}
		if f, err = change.Apply(decode(feedURL, stored)); err != nil {
			return f, err
		}
		changed, err = redis.Bool(s.db.Run(ctx, s.scripts["change_follow"], []any{key}, []any{feedURL, stored, encode(f)}))
		if err != nil {
			return f, core.Wrap(err, "change the follow of %s", feedURL)
		}
	}
	return f, nil
}

// Follows returns the follows of a user by feed URL.
func (s *Store) Follows(ctx context.Context, user int64) ([]feed.Follow, error) {
	stored, err := redis.StringMap(s.db.Do(ctx, group, "HGETALL", s.of(user).follows()))
	return followsFrom(stored), core.Wrap(err, "follows of user %d", user)
}

// followsFrom decodes the follows of a user and sorts them by feed URL.
func followsFrom(stored map[string]string) []feed.Follow {
	all := make([]feed.Follow, 0, len(stored))
	for url, text := range stored {
		all = append(all, decode(url, text))
	}
	slices.SortFunc(all, func(a, b feed.Follow) int { return cmp.Compare(a.FeedURL, b.FeedURL) })
	return all
}

// fetchTime is the time in which a user may follow feed.MaxFetches new addresses.
const fetchTime = time.Hour

// CountFetch counts an address that is fetched because a user follows it. *feed.QuotaError: there were too many.
func (s *Store) CountFetch(ctx context.Context, user int64) error {
	reason := fmt.Sprintf("an account can follow %d new addresses in an hour", feed.MaxFetches)
	return core.Wrap(s.count(ctx, s.of(user).fetches(), 1, feed.MaxFetches, fetchTime, reason), "count the new addresses of user %d", user)
}

// CountVote counts a vote of a user. *feed.QuotaError: there were feed.MaxVotes in an hour.
func (s *Store) CountVote(ctx context.Context, user int64) error {
	reason := fmt.Sprintf("an account can vote %d times in an hour", feed.MaxVotes)
	return core.Wrap(s.count(ctx, s.of(user).voting(), 1, feed.MaxVotes, time.Hour, reason), "count the votes of user %d", user)
}

// count counts something that a user may do so many times within a time. *feed.QuotaError: it was too often.
func (s *Store) count(ctx context.Context, key string, times, most int64, within time.Duration, reason string) error {
	left, err := redis.Int(s.db.Run(ctx, s.scripts["count_use"], []any{key}, []any{most, seconds(within), times}))
	if err == nil && left > 0 {
		return &feed.QuotaError{Reason: reason, Wait: time.Duration(left) * time.Second}
	}
	return err
}

// EraseFollowers ends all follows of a source, some at a time. It is safe to repeat.
func (s *Store) EraseFollowers(ctx context.Context, feedURL string) error {
	for {
		users, err := redis.Int64s(s.db.Do(ctx, group, "ZRANGE", s.followers(feedURL), 0, chunkSize-1))
		if err != nil || len(users) == 0 {
			return core.Wrap(err, "erase the followers of %s", feedURL)
		}
		for _, user := range users {
			if err := s.Unfollow(ctx, user, feedURL); err != nil {
				return err
			}
		}
	}
}

// EraseUser deletes everything that this package stores about a user. It is safe to repeat.
func (s *Store) EraseUser(ctx context.Context, user int64) error {
	follows, err := s.Follows(ctx, user)
	if err != nil {
		return err
	}
	if err := s.unsaveAll(ctx, user); err != nil {
		return core.Wrap(err, "erase user %d", user)
	}
	// The follows go last, because they name what else there is.
	_, err = s.db.Pipeline(ctx, group, func(b *core.Batch) {
		for _, f := range follows {
			b.Add("ZREM", s.followers(f.FeedURL), user)
		}
	})
	if err != nil {
		return core.Wrap(err, "erase user %d", user)
	}
	k := s.of(user)
	_, err = s.db.Pipeline(ctx, group, func(b *core.Batch) {
		for _, key := range []string{
			k.follows(), k.fetches(), k.cache(), k.warm(), k.readMarks(), k.read(), k.keptUnread(), k.posted(), k.posting(), k.uploaded(), k.voting(),
			k.limited(feed.LimitedSubmissions), k.limited(feed.LimitedComments),
		} {
			b.Add("UNLINK", key)
		}
	})
	return core.Wrap(err, "erase user %d", user)
}

// storedFollow is a follow as it is stored.
type storedFollow struct {
	feed.Follow
	FeverID int64 `json:"fever_id,omitempty"`
}

func encode(f feed.Follow) string {
	f.FeedURL = ""
	text, _ := json.Marshal(storedFollow{f, f.FeverID}) // strings and times always encode
	return string(text)
}

// muted is whether a stored follow is muted. Few are, so most texts need not be decoded.
func muted(text string) bool { return strings.Contains(text, `"muted":`) && decode("", text).Muted }

// decode returns a stored follow. A damaged one has its URL only.
func decode(feedURL, text string) feed.Follow {
	var f storedFollow
	_ = json.Unmarshal([]byte(text), &f)
	follow := f.Follow
	follow.FeedURL, follow.FeverID = feedURL, f.FeverID
	return follow
}
