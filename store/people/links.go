package people

import (
	"context"
	"fmt"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// AddLink adds a one-time link that is valid for feed.LinkLife. It sets the password of an account, or makes the first account
// if account is empty.
func (s *Store) AddLink(ctx context.Context, hash, account string) error {
	if _, err := s.db.Do(ctx, group, "SET", s.keys.link(hash), account, "EX", int(feed.LinkLife/time.Second)); err != nil {
		return fmt.Errorf("add a link: %w", err)
	}
	return nil
}

// Link returns the account of a link; empty: the first account. feed.ErrNotFound: the link is not valid, or no longer.
func (s *Store) Link(ctx context.Context, hash string) (account string, err error) {
	replies, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		b.Add("GET", s.keys.link(hash))
		b.Add("SCARD", s.keys.accounts())
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

// UseLink sets the password of an account with a link, and ends the sessions of the account. A link for the first account
// makes it, as an admin. The link is then no longer valid. feed.ErrNotFound: it was not valid, or is for another account.
func (s *Store) UseLink(ctx context.Context, hash, name, password string) error {
	used, err := redis.Bool(s.db.RunOnce(ctx, s.scripts["use_link"], []any{s.keys.link(hash), s.keys.account(name), s.keys.accounts()},
		[]any{name, password, string(feed.RoleAdmin), s.db.Seconds()}))
	if err == nil && !used {
		err = feed.ErrNotFound
	}
	if err != nil {
		return fmt.Errorf("use a link: %w", err)
	}
	return nil
}
