package people

import (
	"context"
	"slices"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// User is an account, with the one-time link to choose its password or the revoked tokens if the request created or revoked them.
type User struct {
	feed.Account
	Link        string       `json:"link,omitempty"`
	LinkExpires time.Time    `json:"link_expires,omitzero"`
	Revoked     []feed.Token `json:"revoked_tokens,omitempty"`
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
	if role == feed.RoleMember {
		p.opts.OnMember(ctx, name)
	}
	return p.Reset(ctx, name)
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
	return User{Account: a, Link: link, LinkExpires: p.opts.Now().UTC().Add(feed.LinkLife)}, err
}

// CheckRole returns feed.ErrInvalid if a role does not exist.
func CheckRole(role feed.Role) error {
	if !slices.Contains(feed.Roles(), role) {
		return feed.Invalid("role", "use member, viewer, editor or admin")
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
	after.Disabled = after.Disabled && !change.Enable
	defer p.Forget()
	return before, after, p.store.ChangeAccount(ctx, before.Name, change)
}

// Disable disables an account and returns it as it was before, and the tokens that this revokes.
func (p *People) Disable(ctx context.Context, name string) (before feed.Account, revoked []feed.Token, err error) {
	return p.end(ctx, name, p.store.DisableAccount)
}

// Remove removes an account and returns it, and the tokens that this revokes.
func (p *People) Remove(ctx context.Context, name string) (before feed.Account, revoked []feed.Token, err error) {
	before, revoked, err = p.end(ctx, name, p.store.RemoveAccount)
	if err == nil {
		p.opts.OnRemoved(ctx)
	}
	return before, revoked, err
}

func (p *People) end(
	ctx context.Context, name string, end func(context.Context, string) ([]feed.Token, error),
) (before feed.Account, revoked []feed.Token, err error) {
	if before, err = p.store.Account(ctx, name); err != nil {
		return before, nil, err
	}
	defer p.Forget()
	revoked, err = end(ctx, before.Name)
	return before, revoked, err
}
