package people

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// User is an account, and the one-time link to choose its password if one was just created.
type User struct {
	feed.Account
	Link        string    `json:"link,omitempty"`
	LinkExpires time.Time `json:"link_expires,omitzero"`
}

// Invite adds an account without a password.
func (p *People) Invite(ctx context.Context, name string, role feed.Role) (User, error) {
	name, err := feed.CheckName(name)
	if err != nil {
		return User{}, feed.Invalid("name", err.Error())
	}
	if err := CheckRole(role); err != nil {
		return User{}, err
	}
	a := feed.Account{Name: name, Role: role, Created: p.opts.Now().UTC()}
	if err := p.store.AddAccount(ctx, a); err != nil {
		return User{}, err
	}
	return p.withLink(ctx, a)
}

// Reset returns an account with a link to choose a new password. The old password is valid until the link is used.
func (p *People) Reset(ctx context.Context, name string) (User, error) {
	a, err := p.store.Account(ctx, name)
	if err != nil {
		return User{}, err
	}
	return p.withLink(ctx, a)
}

func (p *People) withLink(ctx context.Context, a feed.Account) (User, error) {
	link, err := p.newLink(ctx, a.Name)
	return User{a, link, p.opts.Now().UTC().Add(feed.LinkLife)}, err
}

// CheckRole returns feed.ErrInvalid if a role does not exist.
func CheckRole(role feed.Role) error {
	if !slices.Contains(feed.Roles(), role) {
		return feed.Invalid("role", "use viewer, editor or admin")
	}
	return nil
}

// Change changes an account and returns it before and after. feed.ErrConflict: the change would leave no admin.
func (p *People) Change(ctx context.Context, name string, change feed.AccountChange) (before, after feed.Account, err error) {
	if before, err = p.store.Account(ctx, name); err != nil {
		return before, after, err
	}
	after = before
	if change.Role != nil {
		after.Role = *change.Role
	}
	if change.Disabled != nil {
		after.Disabled = *change.Disabled
	}
	if isAdmin(&before) && !isAdmin(&after) {
		all, err := p.store.Accounts(ctx)
		if err != nil {
			return before, after, err
		}
		if !slices.ContainsFunc(all, func(o feed.Account) bool { return o.Name != before.Name && isAdmin(&o) }) {
			return before, after, fmt.Errorf("%s is the last admin; make another account admin first: %w", before.Name, feed.ErrConflict)
		}
	}
	return before, after, p.store.ChangeAccount(ctx, before.Name, change)
}

func isAdmin(a *feed.Account) bool { return a.Role == feed.RoleAdmin && !a.Disabled }
