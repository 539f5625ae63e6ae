package people

import (
	"context"
	"fmt"
	"net/http"

	"github.com/feedwire/feedwire/store/feed"
)

// FirstLink returns a one-time link to create the first admin, or "" if there are accounts other than of members.
func (p *People) FirstLink(ctx context.Context) (string, error) {
	if staffed, err := p.store.HasStaff(ctx); err != nil || staffed {
		return "", err
	}
	return p.newLink(ctx, "")
}

// newLink returns a one-time link to choose the password of an account, or to create the first one.
func (p *People) newLink(ctx context.Context, account string) (string, error) {
	secret := newSecret()
	if err := p.store.AddLink(ctx, feed.HashSecret(secret), account); err != nil {
		return "", err
	}
	return p.opts.PublicURL + "/welcome?once=" + secret, nil
}

// LinkAccount returns the account of a one-time link; empty: the link creates the first account. feed.ErrNotFound: the link is used
// or expired.
func (p *People) LinkAccount(ctx context.Context, secret string) (string, error) {
	return p.store.Link(ctx, feed.HashSecret(secret))
}

// UseLink sets the password of the account of a link, or creates the first account with this name, and starts a session. It
// returns the account.
func (p *People) UseLink(
	w http.ResponseWriter, r *http.Request, old *feed.Session, secret, name, password, again string,
) (a feed.Account, err error) {
	ctx, sum := r.Context(), feed.HashSecret(secret)
	account, err := p.store.Link(ctx, sum) // before hashing, which takes time
	if err != nil {
		return a, err
	}
	if account == "" {
		if account, err = feed.CheckName(name); err != nil {
			return a, err
		}
	}
	hash, err := p.choose(ctx, account, password, again)
	if err != nil {
		return a, err
	}
	defer p.Forget()
	if err := p.store.UseLink(ctx, sum, account, hash, p.SendsMail()); err != nil {
		return a, err
	}
	if a, err = p.store.Account(ctx, account); err != nil {
		return a, err
	}
	if a.Disabled {
		return a, fmt.Errorf("the password is set, but the account is disabled: %w", feed.ErrConflict)
	}
	p.wakeMails()
	p.opts.Logger.InfoContext(ctx, "one-time link used", "account", account)
	return a, p.enter(w, r, old, &a)
}
