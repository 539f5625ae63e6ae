package store

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/feed"
)

// Accounts are all accounts, by name.
func (s *Store) Accounts(ctx context.Context) ([]feed.Account, error) {
	names, err := redis.Strings(s.call(ctx, "accounts", func(c redis.Conn) (any, error) {
		return c.Do("SMEMBERS", s.keys.accounts())
	}))
	if err != nil {
		return nil, fmt.Errorf("list accounts: %w", err)
	}
	slices.Sort(names)
	replies, err := s.pipeline(ctx, "accounts", func(b *batch) {
		for _, name := range names {
			b.add("HGETALL", s.keys.account(name))
		}
	})
	if err != nil {
		return nil, fmt.Errorf("list accounts: %w", err)
	}
	all := make([]feed.Account, 0, len(names))
	for i := range replies {
		a, err := accountFrom(replies[i])
		if err != nil {
			return nil, fmt.Errorf("read account %s: %w", names[i], err)
		}
		all = append(all, a)
	}
	return all, nil
}

// Account is one account. feed.ErrNotFound when there is none of that name.
func (s *Store) Account(ctx context.Context, name string) (feed.Account, error) {
	reply, err := s.call(ctx, "account", func(c redis.Conn) (any, error) { return c.Do("HGETALL", s.keys.account(name)) })
	if err != nil {
		return feed.Account{}, fmt.Errorf("read account %s: %w", name, err)
	}
	a, err := accountFrom(reply)
	if err == nil && a.Name == "" {
		err = feed.ErrNotFound
	}
	if err != nil {
		return a, fmt.Errorf("account %s: %w", name, err)
	}
	return a, nil
}

// accountFrom reads the hash of an account; without one it has no name.
func accountFrom(reply any) (feed.Account, error) {
	f, err := redis.StringMap(reply, nil)
	generation, _ := strconv.ParseInt(f["generation"], 10, 64) // absent: 0
	return feed.Account{
		Name: f["name"], Role: feed.Role(f["role"]), Password: f["password"], Created: feed.ParseTime(f["created"]),
		LastSignIn: feed.ParseTime(f["last_sign_in"]), Disabled: f["disabled"] == "1", Generation: generation,
	}, err
}

// AddAccount adds an account. feed.ErrExists when there is one of its name.
func (s *Store) AddAccount(ctx context.Context, a feed.Account) error {
	added, err := redis.Bool(s.runOnce(ctx, "add_account", []any{s.keys.account(a.Name), s.keys.accounts()}, []any{
		a.Name, "name", a.Name, "role", string(a.Role), "password", a.Password, "created", feed.FormatTime(a.Created), "generation", 0,
	}))
	if err == nil && !added {
		err = feed.ErrExists
	}
	if err != nil {
		return fmt.Errorf("account %s: %w", a.Name, err)
	}
	return nil
}

// ChangeAccount changes an account. feed.ErrNotFound when there is none of that name.
func (s *Store) ChangeAccount(ctx context.Context, name string, change feed.AccountChange) error {
	args := []any{redisBool(change.EndSessions)}
	if change.Role != nil {
		args = append(args, "role", string(*change.Role))
	}
	if change.Disabled != nil {
		args = append(args, "disabled", redisBool(*change.Disabled))
	}
	if change.Password != nil {
		args = append(args, "password", *change.Password)
	}
	if change.LastSignIn != nil {
		args = append(args, "last_sign_in", feed.FormatTime(*change.LastSignIn))
	}
	found, err := redis.Bool(s.run(ctx, "change_account", []any{s.keys.account(name)}, args))
	if err == nil && !found {
		err = feed.ErrNotFound
	}
	if err != nil {
		return fmt.Errorf("change account %s: %w", name, err)
	}
	return nil
}

func redisBool(b bool) string {
	if b {
		return "1"
	}
	return "0"
}

// AddLink makes a one-time link, named by the feed.SecretSum of its secret, for feed.LinkLife: with it a password is chosen
// for an account, or, where account is empty, the first account is made.
func (s *Store) AddLink(ctx context.Context, sum, account string) error {
	if _, err := s.do(ctx, "SET", s.keys.link(sum), account, "EX", int(feed.LinkLife/time.Second)); err != nil {
		return fmt.Errorf("add a link: %w", err)
	}
	return nil
}

// Link is the account that a link is for; empty: the first. feed.ErrNotFound when it does not hold, or not any more.
func (s *Store) Link(ctx context.Context, sum string) (account string, err error) {
	replies, err := s.pipeline(ctx, "link", func(b *batch) {
		b.add("GET", s.keys.link(sum))
		b.add("SCARD", s.keys.accounts())
	})
	if err != nil {
		return "", fmt.Errorf("read a link: %w", err)
	}
	if account, err = redis.String(replies[0], nil); err != nil {
		return "", fmt.Errorf("link: %w", feed.ErrNotFound)
	}
	if accounts, _ := redis.Int(replies[1], nil); account == "" && accounts > 0 {
		return "", fmt.Errorf("link: %w", feed.ErrNotFound)
	}
	return account, nil
}

// UseLink uses up a link, for the account of this name: its password becomes a bcrypt hash, and its sessions end. By the
// first link the account is made as an admin. feed.ErrNotFound when the link does not hold, or not any more.
func (s *Store) UseLink(ctx context.Context, sum, name, password string) error {
	used, err := redis.Bool(s.runOnce(ctx, "use_link", []any{s.keys.link(sum), s.keys.account(name), s.keys.accounts()},
		[]any{name, password, string(feed.RoleAdmin), s.seconds()}))
	if err == nil && !used {
		err = feed.ErrNotFound
	}
	if err != nil {
		return fmt.Errorf("use a link: %w", err)
	}
	return nil
}

// The most sign-ins that fail before the next ones have to wait, and for how long they are counted.
const (
	mostOfAddress = 10
	mostOfAccount = 100
	attemptsTTL   = 2 * time.Hour
)

// CountAttempt counts a sign-in that begins, unless it has to wait, for this address or for this account, since too many
// have failed: then nothing is counted. The account may be one that does not exist.
func (s *Store) CountAttempt(ctx context.Context, address, account string) (wait time.Duration, err error) {
	n, err := redis.Int64(s.run(ctx, "count_attempt", append(s.attempts(address, account), s.keys.known(account)),
		[]any{s.stamp(), address, mostOfAddress, mostOfAccount, int(attemptsTTL / time.Second)}))
	if err != nil {
		return 0, fmt.Errorf("count a sign-in: %w", err)
	}
	return time.Duration(n) * time.Second, nil
}

// ForgiveAttempt takes back what CountAttempt counted of a sign-in that has succeeded.
func (s *Store) ForgiveAttempt(ctx context.Context, address, account string) error {
	if _, err := s.runOnce(ctx, "forgive_attempt", s.attempts(address, account), nil); err != nil {
		return fmt.Errorf("take back a sign-in: %w", err)
	}
	return nil
}

// attempts are the counters of an address and of an account, whose names tell them apart.
func (s *Store) attempts(address, account string) []any {
	return []any{s.keys.attempts("from " + strings.ReplaceAll(address, ":", "-")), s.keys.attempts("as " + account)}
}
