package people

import (
	"context"
	"fmt"
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
		a.Name, "name", a.Name, "role", string(a.Role), "password", a.Password, "created", feed.FormatTime(a.Created),
		"generation", s.db.Now().Unix(), // no session of a removed account with this name has it
	}))
	return core.Wrap(core.Unless(added, err, feed.ErrExists), "account %s", a.Name)
}

// ChangeAccount changes the fields of an account that are not nil. feed.ErrNotFound: there is no account with that name.
// feed.ErrConflict: it is the last admin and would get another role. A new password ends the one-time link of the account.
func (s *Store) ChangeAccount(ctx context.Context, name string, change feed.AccountChange) error {
	role := ""
	if change.Role != nil {
		role = string(*change.Role)
	}
	args := []any{name, s.keys.account(""), role, core.Bit(change.EndSessions), core.Bit(change.Enable)}
	if change.Password != nil {
		args = append(args, "password", *change.Password, "link", "")
	}
	if change.LastSignIn != nil {
		args = append(args, "last_sign_in", feed.FormatTime(*change.LastSignIn))
	}
	k := s.keys
	done, err := redis.Int(s.db.Run(ctx, s.scripts["change_account"], []any{k.account(name), k.accounts(), k.tokens(), k.tokensUsed()}, args))
	return core.Wrap(unlessDone(done, err), "change account %s", name)
}

// Results of the scripts that change an account.
const (
	accountMissing   = 0
	accountLastAdmin = -1
)

// unlessDone returns the error of a script that changes an account.
func unlessDone(done int, err error) error {
	switch {
	case err == nil && done == accountMissing:
		return feed.ErrNotFound
	case err == nil && done == accountLastAdmin:
		return fmt.Errorf("it is the last admin; make another account admin first: %w", feed.ErrConflict)
	}
	return err
}

// DisableAccount disables an account, ends its sessions and its one-time link, and revokes the tokens that it created. It returns
// these tokens. feed.ErrNotFound: there is no account with that name. feed.ErrConflict: it is the last admin.
func (s *Store) DisableAccount(ctx context.Context, name string) ([]feed.Token, error) {
	revoked, err := s.endAccount(ctx, name, "disable")
	return revoked, core.Wrap(err, "disable account %s", name)
}

// RemoveAccount removes an account with everything that DisableAccount ends. The audit log keeps its name.
func (s *Store) RemoveAccount(ctx context.Context, name string) ([]feed.Token, error) {
	revoked, err := s.endAccount(ctx, name, "remove")
	return revoked, core.Wrap(err, "remove account %s", name)
}

func (s *Store) endAccount(ctx context.Context, name, how string) ([]feed.Token, error) {
	k := s.keys
	reply, err := redis.Values(s.db.Run(ctx, s.scripts["end_account"],
		[]any{k.account(name), k.accounts(), k.sessions(name), k.known(name), k.tokens(), k.tokensUsed()},
		[]any{name, how, k.account(""), k.session("")}))
	if err != nil {
		return nil, err
	}
	done, err := redis.Int(reply[0], nil)
	if err = unlessDone(done, err); err != nil {
		return nil, err
	}
	texts, err := redis.Strings(reply[1:], err)
	revoked := make([]feed.Token, len(texts))
	for i, text := range texts {
		t, _ := tokenFrom(text, "") // the script could decode it
		revoked[i] = t.Token
	}
	sortTokens(revoked)
	return revoked, err
}
