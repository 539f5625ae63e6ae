package people

import (
	"context"
	"errors"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

var profileFields = core.FieldsOf[feed.Profile]()

// Profile returns the profile of an account. feed.ErrNotFound: there is no such account.
func (s *Store) Profile(ctx context.Context, account int64) (p feed.Profile, err error) {
	hash, err := redis.StringMap(s.db.Do(ctx, group, "HGETALL", s.keys.user(account)))
	profileFields.Read(hash, &p)
	return p, core.Wrap(core.Unless(hash["id"] != "", err, feed.ErrNotFound), "profile of account %d", account)
}

// ChangeProfile changes the fields of the profile of an account that are not nil. feed.ErrNotFound: there is no such account.
func (s *Store) ChangeProfile(ctx context.Context, account int64, change feed.ProfileChange) error {
	var fields []any
	if change.About != nil {
		fields = append(fields, "about", *change.About)
	}
	if change.Email != nil {
		fields = append(fields, "email", *change.Email)
	}
	changed, err := redis.Bool(s.db.Run(ctx, s.scripts["change_profile"], []any{s.keys.user(account)}, fields))
	return core.Wrap(core.Unless(changed, err, feed.ErrNotFound), "profile of account %d", account)
}

// SessionAccount returns the account of the session with a sum; 0: there is no such session.
func (s *Store) SessionAccount(ctx context.Context, sum string) (int64, error) {
	account, err := redis.Int64(s.db.Do(ctx, group, "GET", s.keys.auth(sum)))
	if errors.Is(err, redis.ErrNil) {
		err = nil
	}
	return account, core.Wrap(err, "account of a session")
}

// AddAPISecret records a session as the last one by token of its account, and returns the secret of the account. It is fresh unless the account
// has one since its sessions ended last. feed.ErrNotFound: there is no such account.
func (s *Store) AddAPISecret(ctx context.Context, account int64, fresh, sum string) (string, error) {
	secret, err := redis.String(s.db.Run(ctx, s.scripts["add_api_secret"], []any{s.keys.user(account)}, []any{fresh, sum}))
	if errors.Is(err, redis.ErrNil) {
		err = feed.ErrNotFound
	}
	return secret, core.Wrap(err, "secret of account %d", account)
}

// APISecret returns the secret of an account; empty: it has none.
func (s *Store) APISecret(ctx context.Context, account int64) (string, error) {
	secret, err := redis.String(s.db.Do(ctx, group, "HGET", s.keys.user(account), "apisecret"))
	if errors.Is(err, redis.ErrNil) {
		err = nil
	}
	return secret, core.Wrap(err, "secret of account %d", account)
}
