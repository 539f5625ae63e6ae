package people

import (
	"context"
	"slices"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// Accounts returns all accounts by name.
func (s *Store) Accounts(ctx context.Context) ([]feed.Account, error) {
	names, err := redis.Strings(s.db.Do(ctx, group, "SMEMBERS", s.keys.accounts()))
	slices.Sort(names)
	hashes, err := s.hashes(ctx, s.keys.account, names, err)
	all := make([]feed.Account, len(hashes))
	for i, fields := range hashes {
		all[i] = accountFrom(fields)
	}
	return all, core.Wrap(err, "list accounts")
}

// hashes reads the hashes with some names, unless the names could not be read.
func (s *Store) hashes(ctx context.Context, key func(string) string, names []string, err error) ([]map[string]string, error) {
	if err != nil {
		return nil, err
	}
	r, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		for _, name := range names {
			b.Add("HGETALL", key(name))
		}
	})
	all := make([]map[string]string, len(r))
	for i := range all {
		all[i] = r.Map()
	}
	return all, err
}

// Account returns the account with a name. feed.ErrNotFound: there is none.
func (s *Store) Account(ctx context.Context, name string) (feed.Account, error) {
	fields, err := redis.StringMap(s.db.Do(ctx, group, "HGETALL", s.keys.account(name)))
	a := accountFrom(fields)
	return a, core.Wrap(core.Unless(a.Name != "", err, feed.ErrNotFound), "account %s", name)
}

// accountFrom reads the hash of an account. If there is none, the name is empty.
func accountFrom(hash map[string]string) (a feed.Account) {
	accountFields.Read(hash, &a)
	a.Role = feed.ParseStoredRole(string(a.Role))
	return a
}

var accountFields = core.FieldsOf[feed.Account]()

// AddAccount adds an account. feed.ErrExists: the name is taken.
func (s *Store) AddAccount(ctx context.Context, a feed.Account) error {
	added, err := redis.Bool(s.db.Run(ctx, s.scripts["add_account"], []any{s.keys.account(a.Name), s.keys.accounts()}, []any{
		a.Name, "name", a.Name, "role", string(a.Role), "password", a.Password, "created", feed.FormatTime(a.Created), "generation", 0,
	}))
	return core.Wrap(core.Unless(added, err, feed.ErrExists), "account %s", a.Name)
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
	return core.Wrap(core.Unless(found, err, feed.ErrNotFound), "change account %s", name)
}
