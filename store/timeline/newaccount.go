package timeline

import (
	"context"
	"errors"
	"time"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// CountLimited counts what an account does in the community, before it does so, if the account is so new that it has a quota. Votes of all
// others are counted as by CountVote. *feed.QuotaError: it was too often.
func (s *Store) CountLimited(ctx context.Context, a *feed.Account, what feed.Limited, limits feed.NewAccountLimits) error {
	q, ok := limits.QuotaOf(a, what, s.db.Now())
	if !ok {
		if what == feed.LimitedVotes {
			return s.CountVote(ctx, a.ID)
		}
		return nil
	}
	err := s.count(ctx, s.of(a.ID).limited(what), 1, int64(q.Most), q.Within, q.Reason)
	if quota, exceeded := errors.AsType[*feed.QuotaError](err); exceeded {
		quota.Wait = min(quota.Wait, max(time.Second, q.Ends))
	}
	return core.Wrap(err, "count what user %d does", a.ID)
}
