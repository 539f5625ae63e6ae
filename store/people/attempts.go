package people

import (
	"context"
	"slices"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// Failed sign-ins after which the next one must wait, and how long they are counted.
const (
	freeAttemptsFrom = 10  // an address
	freeAttemptsAs   = 100 // an account
	attemptsTTL      = 2 * time.Hour
)

// CountAttempt counts a sign-in before its password is checked. If there were too many from the address or for the account, it
// counts nothing and returns how long to wait. Addresses of one feed.NetworkOf count as one. An address from which the account
// signed in before is not held up by attempts from elsewhere. The account need not exist.
func (s *Store) CountAttempt(ctx context.Context, address, account string) (wait time.Duration, err error) {
	network := feed.NetworkOf(address)
	known, err := redis.Strings(s.db.Do(ctx, group, "ZRANGE", s.keys.known(account), 0, -1))
	if err != nil {
		return 0, core.Wrap(err, "count a sign-in")
	}
	// Accounts of older versions have whole addresses.
	isKnown := slices.ContainsFunc(known, func(stored string) bool { return feed.NetworkOf(stored) == network })
	n, err := redis.Int64(s.db.Run(ctx, s.scripts["count_attempt"],
		[]any{s.keys.attemptsFrom(network), s.keys.attemptsAs(account)},
		[]any{s.db.Stamp(), core.Bit(isKnown), freeAttemptsFrom, freeAttemptsAs, int(attemptsTTL / time.Second)}))
	return time.Duration(n) * time.Second, core.Wrap(err, "count a sign-in")
}

// ForgiveAttempt removes a sign-in that succeeded from the count.
func (s *Store) ForgiveAttempt(ctx context.Context, address, account string) error {
	keys := []any{s.keys.attemptsFrom(feed.NetworkOf(address)), s.keys.attemptsAs(account)}
	_, err := s.db.Run(ctx, s.scripts["forgive_attempt"], keys, nil)
	return core.Wrap(err, "forgive a sign-in")
}
