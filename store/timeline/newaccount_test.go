package timeline_test

import (
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

func newAccounts() feed.NewAccountLimits {
	return feed.NewAccountLimits{Age: 72 * time.Hour, Submissions: 5, Comments: 20, Votes: 1}
}

// 19: requests that arrive together do not exceed the limit, either.
func TestNewAccountIsLimitedUntilItIsOldEnough(t *testing.T) {
	each(t, func(h *house) {
		account := feed.Account{ID: reader, Role: feed.RoleMember, Created: h.now.Time}
		count := func(a feed.Account, what feed.Limited, limits feed.NewAccountLimits) error {
			return h.Timelines.CountLimited(h.t.Context(), &a, what, limits)
		}
		for what, want := range map[feed.Limited]struct {
			most   int
			wait   time.Duration
			reason string
		}{
			feed.LimitedSubmissions: {5, 24 * time.Hour, "an account that is younger than 3 days can submit 5 times in a day"},
			feed.LimitedComments:    {20, time.Hour, "an account that is younger than 3 days can comment 20 times in an hour"},
			feed.LimitedVotes:       {1, time.Hour, "an account that is younger than 3 days can vote once in an hour"},
		} {
			for range want.most - 1 {
				h.ok(count(account, what, newAccounts()))
			}
			var all sync.WaitGroup
			var counted atomic.Int32
			for range 8 {
				all.Go(func() {
					err := count(account, what, newAccounts())
					quota, exceeded := errors.AsType[*feed.QuotaError](err)
					switch {
					case err == nil:
						counted.Add(1)
					case !exceeded || quota.Reason != want.reason || quota.Wait <= want.wait-time.Minute || quota.Wait > want.wait:
						t.Errorf("%s: %v", what, err)
					}
				})
			}
			all.Wait()
			if n := counted.Load(); n != 1 {
				t.Errorf("%d of the requests to %s that arrived together were counted", n, what)
			}
		}
		for name, a := range map[string]feed.Account{
			"an editor": {ID: reader, Role: feed.RoleEditor, Created: h.now.Time}, "an admin": {ID: reader, Role: feed.RoleAdmin, Created: h.now.Time},
			"an old account": {ID: reader, Created: h.now.Time.Add(-72 * time.Hour)}, "an account of unknown age": {ID: reader}, "another account": {ID: reader + 1, Created: h.now.Time},
		} {
			if err := count(a, feed.LimitedSubmissions, newAccounts()); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if err := count(account, feed.LimitedComments, feed.NewAccountLimits{Age: time.Hour}); err != nil {
			t.Errorf("without a limit: %v", err)
		}
		h.now.Advance(72*time.Hour - time.Minute)
		if quota, ok := errors.AsType[*feed.QuotaError](count(account, feed.LimitedComments, newAccounts())); !ok || quota.Wait > time.Minute {
			t.Errorf("a minute before the account is old enough: %v", quota)
		}
		h.now.Advance(time.Minute)
		if err := count(account, feed.LimitedComments, newAccounts()); err != nil {
			t.Errorf("the account is old enough: %v", err)
		}
		// Votes of accounts that are not new have the limit of all.
		h.raw.Do("SET", "user.voting:404", feed.MaxVotes)
		if err := count(account, feed.LimitedVotes, newAccounts()); err == nil || !strings.Contains(err.Error(), "600 times") {
			t.Errorf("a vote too many: %v", err)
		}
	})
}
