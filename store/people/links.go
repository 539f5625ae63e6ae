package people

import (
	"context"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// AddLink adds a one-time link that is valid for feed.LinkLife. It sets the password of an account and ends the links that the
// account had, or makes the first account if account is empty. feed.ErrNotFound: there is no such account.
func (s *Store) AddLink(ctx context.Context, hash, account string) error {
	added, err := redis.Bool(s.db.Run(ctx, s.scripts["add_link"], []any{s.keys.link(hash), s.keys.account(account)},
		[]any{hash, account, int(feed.LinkLife / time.Second)}))
	return core.Wrap(core.Unless(added, err, feed.ErrNotFound), "add a link")
}

// Link returns the account of a link; empty: the first account. feed.ErrNotFound: the link is not valid, or no longer.
func (s *Store) Link(ctx context.Context, hash string) (account string, err error) {
	r, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		b.Add("GET", s.keys.link(hash))
		b.Add("SCARD", s.keys.accounts())
	})
	if err == nil {
		valid := r[0] != nil
		account = r.Text()
		if accounts := r.Count(); !valid || account == "" && accounts > 0 {
			err = feed.ErrNotFound
		}
	}
	if err == nil && account != "" {
		err = s.checkNewest(ctx, hash, account)
	}
	return account, core.Wrap(err, "link")
}

// checkNewest returns feed.ErrNotFound if an account is removed or has a newer link, or none.
func (s *Store) checkNewest(ctx context.Context, hash, account string) error {
	fields, err := redis.StringMap(s.db.Do(ctx, group, "HGETALL", s.keys.account(account)))
	newest, has := fields["link"] // accounts of older versions have none
	return core.Unless(len(fields) > 0 && (!has || newest == hash), err, feed.ErrNotFound)
}

// UseLink sets the password of an account with a link, and ends the sessions of the account. A link for the first account
// makes it, as an admin. The link is then no longer valid. feed.ErrNotFound: it was not valid, or is for another account.
func (s *Store) UseLink(ctx context.Context, hash, name, password string) error {
	used, err := redis.Bool(s.db.Run(ctx, s.scripts["use_link"], []any{s.keys.link(hash), s.keys.account(name), s.keys.accounts()},
		[]any{name, password, string(feed.RoleAdmin), s.db.Seconds(), hash}))
	return core.Wrap(core.Unless(used, err, feed.ErrNotFound), "use a link")
}
