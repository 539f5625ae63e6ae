package people

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// Accounts returns all accounts by name.
func (s *Store) Accounts(ctx context.Context) ([]feed.Account, error) {
	names, err := redis.Strings(s.db.Do(ctx, group, "SMEMBERS", s.keys.accounts()))
	if err != nil {
		return nil, fmt.Errorf("list accounts: %w", err)
	}
	slices.Sort(names)
	replies, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		for _, name := range names {
			b.Add("HGETALL", s.keys.account(name))
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

// Account returns the account with a name. feed.ErrNotFound: there is none.
func (s *Store) Account(ctx context.Context, name string) (feed.Account, error) {
	reply, err := s.db.Do(ctx, group, "HGETALL", s.keys.account(name))
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

// accountFrom reads the hash of an account. If there is none, the name is empty.
func accountFrom(reply any) (feed.Account, error) {
	f, err := redis.StringMap(reply, nil)
	generation, _ := strconv.ParseInt(f["generation"], 10, 64) // absent: 0
	return feed.Account{
		Name: f["name"], Role: feed.ParseStoredRole(f["role"]), Password: f["password"], Created: feed.ParseTime(f["created"]),
		LastSignIn: feed.ParseTime(f["last_sign_in"]), Disabled: f["disabled"] == "1", Generation: generation,
	}, err
}

// AddAccount adds an account. feed.ErrExists: the name is taken.
func (s *Store) AddAccount(ctx context.Context, a feed.Account) error {
	added, err := redis.Bool(s.db.RunOnce(ctx, s.scripts["add_account"], []any{s.keys.account(a.Name), s.keys.accounts()}, []any{
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

// ChangeAccount changes the fields of an account that are not nil. feed.ErrNotFound: there is no account with that name.
func (s *Store) ChangeAccount(ctx context.Context, name string, change feed.AccountChange) error {
	args := []any{core.Bit(change.EndSessions)}
	if change.Role != nil {
		args = append(args, "role", string(*change.Role))
	}
	if change.Disabled != nil {
		args = append(args, "disabled", core.Bit(*change.Disabled))
	}
	if change.Password != nil {
		args = append(args, "password", *change.Password)
	}
	if change.LastSignIn != nil {
		args = append(args, "last_sign_in", feed.FormatTime(*change.LastSignIn))
	}
	found, err := redis.Bool(s.db.Run(ctx, s.scripts["change_account"], []any{s.keys.account(name)}, args))
	if err == nil && !found {
		err = feed.ErrNotFound
	}
	if err != nil {
		return fmt.Errorf("change account %s: %w", name, err)
	}
	return nil
}
