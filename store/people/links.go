package people

import (
	"context"
	"errors"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// AddLink adds a one-time link that is valid for feed.LinkLife. It sets the password of an account and ends the links that the
// account had, or makes the first account if account is empty. feed.ErrNotFound: there is no such account.
func (s *Store) AddLink(ctx context.Context, hash, account string) error {
	added, err := redis.Bool(s.db.Run(ctx, s.scripts["add_link"], []any{s.keys.link(hash), s.keys.idOf(account)},
		[]any{hash, account, int(feed.LinkLife / time.Second), s.keys.users()}))
	return core.Wrap(core.Unless(added, err, feed.ErrNotFound), "add a link")
}

// Link returns the account of a link; empty: the first account. feed.ErrNotFound: the link is not valid, or no longer.
func (s *Store) Link(ctx context.Context, hash string) (account string, err error) {
	name, err := redis.String(s.db.Run(ctx, s.scripts["link"], []any{s.keys.link(hash), s.keys.staff()}, []any{hash, s.keys.users()}))
	if errors.Is(err, redis.ErrNil) {
		err = feed.ErrNotFound
	}
	return name, core.Wrap(err, "link")
}

// UseLink sets the password of an account with a link, and ends the sessions of the account. A link for the first account
// makes it, as an admin. The link is then no longer valid. notify queues a notice to the owner of an account that had a password.
// feed.ErrNotFound: the link was not valid, or is for another account.
func (s *Store) UseLink(ctx context.Context, hash, name string, password feed.PasswordHash, notify bool) error {
	k := s.keys
	used, err := redis.Bool(s.db.Run(ctx, s.scripts["use_link"], []any{k.link(hash), k.idOf(name), k.lastID(), k.staff(), k.names(), k.mails()},
		[]any{name, k.users(), password.Sum, password.Salt, roleFlags[feed.RoleAdmin], s.db.Seconds(), hash, noticeTTL(notify)}))
	return core.Wrap(core.Unless(used, err, feed.ErrNotFound), "use a link")
}
