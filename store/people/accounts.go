package people

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// indexedAtOnce bounds the accounts that one script reads or adds to the index.
const indexedAtOnce = 500

// AccountsAfter returns up to limit accounts by name, from the first one after a name.
func (s *Store) AccountsAfter(ctx context.Context, after string, limit int) ([]feed.Account, error) {
	names, err := s.namesAfter(ctx, after, limit)
	if err != nil {
		return nil, core.Wrap(err, "list accounts")
	}
	found, err := s.AccountsNamed(ctx, names)
	all := make([]feed.Account, 0, len(names))
	for _, name := range names {
		if a, ok := found[name]; ok { // it may have been removed meanwhile
			all = append(all, a)
		}
	}
	return all, err
}

// namesAfter returns names of accounts from the index, which it builds if it is incomplete.
func (s *Store) namesAfter(ctx context.Context, after string, limit int) ([]string, error) {
	k, from := s.keys, "-"
	if after != "" {
		from = "(" + after
	}
	for indexed := false; ; indexed = true {
		r, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
			b.Add("SCARD", k.staff())
			b.Add("SCARD", k.members())
			b.Add("ZCARD", k.names())
			b.Add("ZRANGEBYLEX", k.names(), from, "+", "LIMIT", 0, limit)
		})
		if err != nil {
			return nil, err
		}
		if complete := r.Count()+r.Count() == r.Count(); complete || indexed { // accounts are added and removed meanwhile
			return r.Texts(), nil
		}
		if err := s.indexAccounts(ctx); err != nil {
			return nil, err
		}
	}
}

// indexAccounts builds the index of names anew.
func (s *Store) indexAccounts(ctx context.Context) error {
	k := s.keys
	r, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		b.Add("UNLINK", k.names())
		b.Add("SUNION", k.staff(), k.members())
	})
	if err != nil {
		return err
	}
	r.Next()
	for some := range slices.Chunk(r.Texts(), indexedAtOnce) {
		args := []any{k.users()}
		for _, id := range some {
			args = append(args, id)
		}
		if _, err := s.db.Run(ctx, s.scripts["index_accounts"], []any{k.names()}, args); err != nil {
			return err
		}
	}
	return nil
}

// AccountsNamed returns the accounts with some names, by name, without those that do not exist.
func (s *Store) AccountsNamed(ctx context.Context, names []string) (map[string]feed.Account, error) {
	all := make(map[string]feed.Account, len(names))
	for some := range slices.Chunk(names, indexedAtOnce) {
		args := []any{s.keys.idOf(""), s.keys.users()}
		for _, name := range some {
			args = append(args, name)
		}
		reply, err := redis.Values(s.db.Run(ctx, s.scripts["accounts"], []any{s.keys.names()}, args))
		if err != nil {
			return nil, core.Wrap(err, "read accounts")
		}
		for r := core.Replies(reply); len(r) > 0; {
			if a := accountFrom(r.Map()); a.ID != 0 {
				all[a.Name] = a
			}
		}
	}
	return all, nil
}

// HasStaff reports whether there are accounts other than of members.
func (s *Store) HasStaff(ctx context.Context) (bool, error) {
	count, err := redis.Int(s.db.Do(ctx, group, "SCARD", s.keys.staff()))
	return count > 0, core.Wrap(err, "count accounts")
}

// Account returns the account with a name. feed.ErrNotFound: there is none.
func (s *Store) Account(ctx context.Context, name string) (feed.Account, error) {
	fields, err := redis.StringMap(s.db.Run(ctx, s.scripts["account"], []any{s.keys.idOf(name)}, []any{s.keys.users()}))
	a := accountFrom(fields)
	return a, core.Wrap(core.Unless(a.ID != 0, err, feed.ErrNotFound), "account %s", name)
}

// AccountByID returns the account with a number. feed.ErrNotFound: there is none.
func (s *Store) AccountByID(ctx context.Context, id int64) (feed.Account, error) {
	fields, err := redis.StringMap(s.db.Do(ctx, group, "HGETALL", s.keys.user(id)))
	a := accountFrom(fields)
	return a, core.Wrap(core.Unless(a.ID != 0, err, feed.ErrNotFound), "account %d", id)
}

// accountFrom reads the hash of an account. If there is none, the id is 0.
func accountFrom(hash map[string]string) (a feed.Account) {
	accountFields.Read(hash, &a)
	if a.ID != 0 {
		a.Role = roleOf(hash["flags"])
	}
	return a
}

var accountFields = core.FieldsOf[feed.Account]()

// AddAccount adds an account and gives it an id. feed.ErrExists: the name is taken.
func (s *Store) AddAccount(ctx context.Context, a feed.Account) error {
	k := s.keys
	added, err := redis.Bool(s.db.Run(ctx, s.scripts["add_account"], []any{k.idOf(a.Name), k.lastID(), k.listOf(a.Role), k.names()}, []any{
		k.users(), a.Name, "username", a.Name, "flags", roleFlags[a.Role], "password", a.Password.Sum, "salt", a.Password.Salt,
		"ctime", feed.FormatTime(a.Created), "generation", 0,
	}))
	return core.Wrap(core.Unless(added, err, feed.ErrExists), "account %s", a.Name)
}

// ChangeAccount changes the fields of an account that are not nil. feed.ErrNotFound: there is no account with that name.
// feed.ErrConflict: it is the last admin and would get another role. A new password ends the one-time link of the account, and queues a
// notice if the change says so.
func (s *Store) ChangeAccount(ctx context.Context, name string, change feed.AccountChange) error {
	k, flag := s.keys, "-"
	if change.Role != nil {
		flag = roleFlags[*change.Role]
	}
	args := []any{name, k.users(), flag, core.Bit(change.EndSessions), core.Bit(change.Enable), s.db.Seconds(), ""}
	if change.Password != nil {
		args[len(args)-1] = noticeTTL(change.Notify)
		args = append(args, "password", change.Password.Sum, "salt", change.Password.Salt, "link", "")
	}
	if change.LastSignIn != nil {
		args = append(args, "last_sign_in", feed.FormatTime(*change.LastSignIn))
	}
	done, err := redis.Int(s.db.Run(ctx, s.scripts["change_account"], []any{k.idOf(name), k.staff(), k.tokens(), k.tokensUsed(), k.members(), k.tokensFever(), k.mails()}, args))
	return core.Wrap(unlessDone(done, err), "change account %s", name)
}

// Rehash replaces the stored form of a password by another form of the same one. It is a no-op if the account has another
// password by now.
func (s *Store) Rehash(ctx context.Context, id int64, before, after feed.PasswordHash) error {
	_, err := s.db.Run(ctx, s.scripts["rehash"], []any{s.keys.user(id)}, []any{before.Sum, after.Sum, after.Salt})
	return core.Wrap(err, "store a password in another form")
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

// DisableAccount disables an account, ends its sessions, its one-time link and its invitations, and revokes the tokens that it created. It
// returns these tokens. feed.ErrNotFound: there is no account with that name. feed.ErrConflict: it is the last admin.
func (s *Store) DisableAccount(ctx context.Context, name string) ([]feed.Token, error) {
	revoked, err := s.endAccount(ctx, name, "disable")
	return revoked, core.Wrap(err, "disable account %s", name)
}

// LastAccount returns the id of the account that was added last; 0: there is none.
func (s *Store) LastAccount(ctx context.Context) (int64, error) {
	last, err := redis.Int64(s.db.Do(ctx, group, "GET", s.keys.lastID()))
	if errors.Is(err, redis.ErrNil) {
		err = nil
	}
	return last, core.Wrap(err, "read the number of accounts")
}

// RemoveAccount removes an account with everything that DisableAccount ends, the responses to its requests and its failed sign-ins.
// RemovedAccounts returns its id until ForgetRemoved is called.
func (s *Store) RemoveAccount(ctx context.Context, name string) ([]feed.Token, error) {
	revoked, err := s.endAccount(ctx, name, "remove")
	return revoked, core.Wrap(err, "remove account %s", name)
}

func (s *Store) endAccount(ctx context.Context, name, how string) ([]feed.Token, error) {
	k := s.keys
	reply, err := redis.Values(s.db.Run(ctx, s.scripts["end_account"],
		[]any{
			k.idOf(name), k.staff(), k.tokens(), k.tokensUsed(), k.removed(), k.members(), k.invitations(), k.tokensFever(), k.attemptsAs(name),
			k.names(), k.mails(), k.inviters(),
		},
		[]any{name, how, k.users(), k.auths(), core.Stamp(s.db.Now()), k.invitation(""), k.response(""), k.link("")}))
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

// RemovedAccounts returns the ids of removed accounts of which other packages may still store something.
func (s *Store) RemovedAccounts(ctx context.Context) ([]int64, error) {
	ids, err := redis.Int64s(s.db.Do(ctx, group, "ZRANGE", s.keys.removed(), 0, -1))
	return ids, core.Wrap(err, "list removed accounts")
}

// ForgetRemoved forgets the accounts that were removed before a time and whose data is all gone.
func (s *Store) ForgetRemoved(ctx context.Context, before time.Time) error {
	_, err := s.db.Do(ctx, group, "ZREMRANGEBYSCORE", s.keys.removed(), "-inf", "("+core.Stamp(before))
	return core.Wrap(err, "forget removed accounts")
}
