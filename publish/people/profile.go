package people

import (
	"context"
	"errors"
	"net/http"

	"github.com/feedwire/feedwire/store/feed"
)

// Profile returns the profile of an account.
func (p *People) Profile(ctx context.Context, account int64) (feed.Profile, error) {
	return p.store.Profile(ctx, account)
}

// CheckProfile removes surrounding blanks from a change, and returns the error with which SetProfile refuses it, which is feed.ErrInvalid.
func (p *People) CheckProfile(a *feed.Account, change *feed.ProfileChange) error {
	if err := change.Check(); err != nil {
		return err
	}
	if check := p.access.Load().CheckAbout; check != nil && change.About != nil {
		return check(a, *change.About)
	}
	return nil
}

// SetProfile checks and changes the profile of an account. The caller makes sure that the visitor may choose another address.
func (p *People) SetProfile(ctx context.Context, a *feed.Account, change feed.ProfileChange) error {
	if err := p.CheckProfile(a, &change); err != nil {
		return err
	}
	return p.store.ChangeProfile(ctx, a.ID, change)
}

// ChangeProfile is SetProfile by a visitor, and returns the profile. Links to choose a password go to the address, so another one needs the current
// password of the account, or a token of an admin.
func (p *People) ChangeProfile(r *http.Request, v *feed.Visitor, a *feed.Account, change feed.ProfileChange, current string) (profile feed.Profile, err error) {
	if err := p.CheckProfile(a, &change); err != nil {
		return profile, err
	}
	if profile, err = p.store.Profile(r.Context(), a.ID); err != nil {
		return profile, err
	}
	byAdmin := v.ByToken && v.May(feed.ScopeAdmin)
	if change.Email != nil && *change.Email != profile.Email && !byAdmin {
		if _, err := p.prove(r, a.Name, current); errors.Is(err, ErrNotProven) {
			return profile, feed.Invalid("current", "another email address needs the current password of the account")
		} else if err != nil {
			return profile, err
		}
	}
	if err := p.store.ChangeProfile(r.Context(), a.ID, change); err != nil {
		return profile, err
	}
	return p.store.Profile(r.Context(), a.ID)
}
