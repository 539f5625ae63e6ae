package ranking

import (
	"context"
	"fmt"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// VoteAnonymously sets the vote of a network on an entry and returns the score, which it does not change. A network is any text that
// names where visitors come from, such as an address without its last part; only a digest of it is stored, which differs for each entry.
// Repeating a vote changes nothing. feed.ErrForbidden: Options.AnonymousVotes is not set; feed.ErrGone: the entry was taken down;
// *feed.VotingClosedError: it is older than Options.VoteWindow; feed.ErrConflict: feed.MaxAnonymous networks have voted on it;
// *feed.QuotaError: there were feed.MaxAnonymousVotes of the network in an hour.
func (s *Store) VoteAnonymously(ctx context.Context, e *feed.Entry, network string, v feed.Vote) (feed.Score, error) {
	score := feed.Score{Vote: v}
	if err := v.Check(); err != nil {
		return score, err
	}
	if !s.db.Options().AnonymousVotes {
		return score, fmt.Errorf("votes without an account are %w", feed.ErrForbidden)
	}
	k, onEntry, inHour := s.keys(), s.db.Proof("anonymous vote on "+e.ID+" from "+network), s.db.Proof("anonymous votes from "+network)
	if onEntry == "" {
		return score, core.Wrap(feed.ErrUnavailable, "vote on %s", e.ID)
	}
	words, err := redis.Strings(s.run(ctx, "vote_anonymously", e, []any{k.anonymous(e.Number()), k.voting(inHour)},
		onEntry[:networkDigest], string(v), feed.MaxAnonymous, feed.MaxAnonymousVotes))
	if err == nil {
		switch words[0] {
		case "removed":
			err = feed.ErrGone
		case "closed":
			err = &feed.VotingClosedError{Window: s.db.Options().VoteWindow}
		case "full":
			err = fmt.Errorf("%w: %d networks have voted on the entry", feed.ErrConflict, feed.MaxAnonymous)
		case "often":
			err = &feed.QuotaError{
				Reason: fmt.Sprintf("a network can vote %d times in an hour", feed.MaxAnonymousVotes), Wait: time.Duration(number(words[1])) * time.Second,
			}
		default:
			score.Score, score.Votes, score.Anonymous = number(words[1]), int(number(words[2])), int(number(words[3]))
			s.votes.WithLabelValues("anonymous_" + string(v)).Inc()
		}
	}
	return score, core.Wrap(err, "vote on %s", e.ID)
}

// networkDigest is how many digits of a digest are stored: 64 bits, so that 10,000 networks do not collide.
const networkDigest = 16
