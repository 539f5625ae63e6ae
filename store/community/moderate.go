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

// ModerateComment changes who sees a comment, and returns what it was before. feed.ErrInvalid: the state; feed.ErrNotFound: there is no such
// comment; feed.ErrGone: its author deleted it. It is a no-op if the comment is in the state.
func (s *Store) ModerateComment(ctx context.Context, n, c int64, state feed.Visibility) (before feed.Visibility, err error) {
	if err := state.Check(); err != nil {
		return "", err
	}
	k := s.keys()
	reply, err := redis.Strings(s.db.Run(ctx, s.scripts["moderate_comment"], []any{k.news(n), k.thread(n)}, []any{c, string(state), k.Key("user:")}))
	if err == nil {
		before, err = feed.Visibility(reply[1]), refusal(reply[0])
	}
	return before, core.Wrap(err, "moderate comment %d-%d", n, c)
}

// ModerateNews changes who sees a submission and its comments, and returns what it was before. Errors are those of ModerateComment;
// feed.ErrConflict: an entry of a source is not reviewed. It is a no-op if the submission is in the state. Its author still sees it unless it is
// removed, and reads the reason if it is rejected; without one, the reason is as before.
func (s *Store) ModerateNews(ctx context.Context, n int64, state feed.Visibility, reason string) (before feed.Visibility, err error) {
	if err := state.CheckNews(); err != nil {
		return "", err
	}
	k := s.keys()
	reply, err := redis.Strings(s.db.Run(ctx, s.scripts["moderate_news"], []any{k.news(n), k.top(), k.latest(), k.unlisted(), k.held()}, []any{
		k.Prefix(), n, string(state), core.Stamp(s.db.Now()), reason, int(feed.NewsRepost.Seconds()),
	}))
	if err == nil && reply[0] == "new" {
		reply, err = s.approve(ctx, n)
	}
	if err == nil {
		before, err = feed.Visibility(reply[1]), refusal(reply[0])
	}
	return before, core.Wrap(err, "moderate submission %d", n)
}

// approve publishes a submission that only its author has seen.
func (s *Store) approve(ctx context.Context, n int64) (reply []string, err error) {
	found, err := s.ModeratedNews(ctx, 0, n)
	if err != nil || len(found) == 0 {
		return []string{"missing", ""}, err
	}
	one, k := &found[0], s.keys()
	call := s.articles.Invocation(&feed.Entry{
		ID: one.EntryID(), FeedURL: feed.MemberURL(one.AuthorID), Title: one.Title, Link: one.URL, Timestamp: s.db.Now(),
	})
	return redis.Strings(s.db.Run(ctx, s.scripts["approve_news"],
		append(call.Keys, k.news(n), k.top(), k.latest(), k.held(), k.unlisted()), append(call.Args, n, int(feed.NewsRepost.Seconds()))))
}

// LockNews ends or permits new comments on a submission, and reports whether something changed. feed.ErrNotFound: there is no such submission.
func (s *Store) LockNews(ctx context.Context, n int64, locked bool) (changed bool, err error) {
	reply, err := redis.Values(s.db.Run(ctx, s.scripts["lock_news"], []any{s.keys().news(n)}, []any{core.Bit(locked)}))
	result, count := pair(reply)
	return count == 1, core.Wrap(cmp.Or(err, refusal(result)), "lock submission %d", n)
}

// Ban keeps an account from submitting, editing, commenting, voting and reporting in the community, and reports whether something changed. What
// the account wrote stays.
func (s *Store) Ban(ctx context.Context, user int64) (changed bool, err error) {
	added, err := redis.Int(s.db.Do(ctx, group, "ZADD", s.keys().banned(), "NX", core.Stamp(s.db.Now()), user))
	return added == 1, core.Wrap(err, "ban user %d", user)
}

// Unban reverts Ban, and reports whether something changed.
func (s *Store) Unban(ctx context.Context, user int64) (changed bool, err error) {
	removed, err := redis.Int(s.db.Do(ctx, group, "ZREM", s.keys().banned(), user))
	return removed == 1, core.Wrap(err, "unban user %d", user)
}

// BannedSince returns since when an account is banned; zero: it is not.
func (s *Store) BannedSince(ctx context.Context, user int64) (time.Time, error) {
	since, err := core.OptionalString(s.db.Do(ctx, group, "ZSCORE", s.keys().banned(), user))
	return feed.ParseTime(since), core.Wrap(err, "ban of user %d", user)
}

// Bans returns up to limit banned accounts after a cursor, the latest first, and the cursor of the next page.
func (s *Store) Bans(ctx context.Context, after feed.Cursor, limit int) (bans []feed.Ban, next feed.Cursor, err error) {
	places, more, err := s.db.Page(ctx, group, s.keys().banned(), time.Time{}, after, limit)
	if err != nil {
		return nil, next, core.Wrap(err, "list bans")
	}
	ids := make([]int64, 0, len(places))
	for _, p := range places {
		id, _ := strconv.ParseInt(p.Member, 10, 64) // members are numbers
		bans = append(bans, feed.Ban{AccountID: id, Since: timeOf(p.Score)})
		ids = append(ids, id)
	}
	if more {
		next = places[len(places)-1]
	}
	names, err := s.Names(ctx, ids...)
	for i := range bans {
		bans[i].Account = names[bans[i].AccountID]
	}
	return bans, next, core.Wrap(err, "list bans")
}
