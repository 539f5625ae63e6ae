package community

import (
	"context"
	"strconv"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// erasedAtOnce is how many votes or comments of a removed account are read together.
const erasedAtOnce = 500

// VoteOnNews votes up or down on a submission. It returns the vote that the user has cast on it before, which does not change; VoteNone: this
// is the first. feed.ErrInvalid: the vote; feed.ErrNotFound: there is no such submission; feed.ErrGone: it was deleted; feed.ErrVotingClosed:
// it is older than Options.VoteWindow; *feed.KarmaError: the vote needs more karma.
func (s *Store) VoteOnNews(ctx context.Context, e *feed.Entry, user int64, v feed.Vote) (before feed.Vote, err error) {
	if v != feed.VoteUp && v != feed.VoteDown {
		return "", feed.Invalid("vote", "use up or down; a vote on a submission is final")
	}
	needs, cost, transfer := feed.UpvoteCost, feed.UpvoteCost, feed.UpvoteCost
	if v == feed.VoteDown {
		needs, cost, transfer = feed.KarmaToDownvote, feed.DownvoteCost, 0
	}
	k, call, n := s.keys(), s.articles.Invocation(e), numberOf(e.ID)
	reply, err := redis.Strings(s.db.Run(ctx, s.scripts["vote_news"],
		append(call.Keys, k.news(n), k.up(n), k.down(n), k.top(), k.user(user), k.voted(user), k.banned()),
		append(call.Args, n, user, string(v), needs, cost, transfer)))
	before = feed.VoteNone
	if err == nil {
		switch reply[0] {
		case "voted":
			before = feed.Vote(reply[1])
		case "closed":
			err = feed.ErrVotingClosed
		case "karma":
			has, _ := strconv.Atoi(reply[1])
			err = &feed.KarmaError{Has: has, Needs: needs}
		default:
			err = refusal(reply[0])
		}
	}
	return before, core.Wrap(err, "vote on submission %d", n)
}

// EraseMember deletes the votes of a user on submissions and comments, which no longer count, title, URL and author of the submissions of the
// user, the author of the comments, the reports by the user, and the ban. It is safe to repeat.
func (s *Store) EraseMember(ctx context.Context, user int64) error {
	k := s.keys()
	if err := s.eraseReports(ctx, user); err != nil {
		return core.Wrap(err, "erase reports by user %d", user)
	}
	if err := s.eraseComments(ctx, user); err != nil {
		return core.Wrap(err, "erase comments of user %d", user)
	}
	for {
		voted, err := redis.Int64s(s.db.Do(ctx, group, "ZRANGE", k.voted(user), 0, erasedAtOnce-1))
		if err == nil && len(voted) == 0 {
			_, err = s.db.Do(ctx, group, "UNLINK", k.recent(user))
		}
		if err != nil || len(voted) == 0 {
			return core.Wrap(err, "erase submissions and votes of user %d", user)
		}
		for _, n := range voted {
			if _, err := s.db.Run(ctx, s.scripts["erase_news_vote"], []any{k.news(n), k.up(n), k.down(n), k.top(), k.latest(), k.voted(user)},
				[]any{k.Prefix(), n, user, core.Stamp(s.db.Now())}); err != nil {
				return core.Wrap(err, "erase submissions and votes of user %d", user)
			}
		}
	}
}

// RankNews computes the ranks of the first feed.TopNews submissions anew, rankedAtOnce in a script.
func (s *Store) RankNews(ctx context.Context) error {
	k := s.keys()
	top, err := redis.Strings(s.db.Do(ctx, group, "ZREVRANGE", k.top(), 0, feed.TopNews-1))
	for len(top) > 0 && err == nil {
		size := min(rankedAtOnce, len(top))
		args := []any{k.Prefix(), core.Stamp(s.db.Now())}
		for _, n := range top[:size] {
			args = append(args, n)
		}
		_, err = s.db.Run(ctx, s.scripts["rank_news"], []any{k.top()}, args)
		top = top[size:]
	}
	return core.Wrap(err, "rank submissions")
}

// rankedAtOnce bounds the time for which a script that ranks keeps Redis busy.
const rankedAtOnce = 100
