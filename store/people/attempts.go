package people

import (
	"context"
	"net/netip"
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

// networkOf returns the feed.ClientNetwork of an address. It returns any other text unchanged.
func networkOf(address string) string {
	ip, err := netip.ParseAddr(address)
	if err != nil {
		return address
	}
	return feed.ClientNetwork(ip)
}

// CountAttempt counts a sign-in before its password is checked. If there were too many from the address or for the account, it
// counts nothing and returns how long to wait. Addresses of one network count as one. An address from which the account
// signed in before is not held up by attempts from elsewhere. The account need not exist.
func (s *Store) CountAttempt(ctx context.Context, address, account string) (wait time.Duration, err error) {
	network := networkOf(address)
	n, err := redis.Int64(s.db.Run(ctx, s.scripts["count_attempt"],
		[]any{s.keys.attemptsFrom(network), s.keys.attemptsAs(account), s.keys.idOf(account)},
		[]any{s.db.Stamp(), s.keys.users(), network, freeAttemptsFrom, freeAttemptsAs, int(attemptsTTL / time.Second)}))
	return time.Duration(n) * time.Second, core.Wrap(err, "count a sign-in")
}

// ForgiveAttempt removes a sign-in that succeeded from the count.
func (s *Store) ForgiveAttempt(ctx context.Context, address, account string) error {
	keys := []any{s.keys.attemptsFrom(networkOf(address)), s.keys.attemptsAs(account)}
	_, err := s.db.Run(ctx, s.scripts["forgive_attempt"], keys, nil)
	return core.Wrap(err, "forgive a sign-in")
}
