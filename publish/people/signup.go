package people

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/feedwire/feedwire/store/feed"
)

// SignUpMode is who may make an account.
type SignUpMode string

// Modes of sign-up.
const (
	SignUpClosed  SignUpMode = "closed"  // admins add accounts
	SignUpInvited SignUpMode = "invited" // people with an invitation
	SignUpOpen    SignUpMode = "open"    // anyone, within limits
)

// SignUpMode returns who may make an account now.
func (p *People) SignUpMode() SignUpMode { return p.access.Load().SignUp }

// NewInvitation is an invitation with its link, which is shown once.
type NewInvitation struct {
	feed.Invitation
	Link string `json:"link"`
}

// InviteMember returns an invitation that lets one person sign up as a member. feed.ErrConflict: sign-up is closed, or there are too many
// invitations.
func (p *People) InviteMember(ctx context.Context, v *feed.Visitor) (NewInvitation, error) {
	if p.SignUpMode() == SignUpClosed {
		return NewInvitation{}, fmt.Errorf("sign-up is closed; set people.sign_up to invited or open: %w", feed.ErrConflict)
	}
	secret := newSecret()
	i := feed.NewInvitation(feed.HashSecret(secret))
	i.Creator, i.Inviter, i.Created = v.Name, v.Account.ID, p.opts.Now().UTC()
	i.Expires = i.Created.Add(feed.InvitationLife)
	return NewInvitation{i, p.opts.PublicURL + "/sign-up?invitation=" + secret}, p.store.AddInvitation(ctx, i)
}

// MaySignUp returns nil if a person with an invitation, or with none if it is empty, may sign up. feed.ErrNotFound: no.
func (p *People) MaySignUp(ctx context.Context, invitation string) error {
	switch mode := p.SignUpMode(); {
	case mode == SignUpOpen && invitation == "":
		return nil
	case mode == SignUpClosed || invitation == "":
		return feed.ErrNotFound
	}
	valid, err := p.store.Invited(ctx, feed.HashSecret(invitation))
	if err == nil && !valid {
		err = feed.ErrNotFound
	}
	return err
}

// SignUp adds a member with this name and password and starts a session. It returns the account. Sign-ups that fail because
// the name is taken count as sign-ins that failed, so that names cannot be found out by trying many. feed.ErrNotFound: see MaySignUp.
func (p *People) SignUp(w http.ResponseWriter, r *http.Request, old *feed.Session, invitation, name, password, again string) (feed.Account, error) {
	a, err := p.signUp(r, invitation, name, password, again)
	p.signUps.WithLabelValues(resultOf(err)).Inc()
	if err != nil {
		return a, err
	}
	return a, p.enter(w, r, old, &a)
}

func (p *People) signUp(r *http.Request, invitation, name, password, again string) (a feed.Account, err error) {
	ctx, client := r.Context(), feed.ClientNetwork(p.client(r))
	if err := p.MaySignUp(ctx, invitation); err != nil {
		return a, err
	}
	if name, err = feed.CheckName(name); err != nil {
		return a, feed.Invalid("name", err.Error())
	}
	if err := checkChoice(name, password, again); err != nil {
		return a, err
	}
	wait, err := p.store.CountAttempt(ctx, client, client) // each network is an account of its own: no account is locked
	if err == nil && wait > 0 {
		err = ThrottledError(wait)
	}
	if err != nil {
		return a, err
	}
	up := feed.SignUp{Name: name, Network: client, PerDay: p.access.Load().SignUpPerDay}
	if invitation != "" {
		up.Invitation = feed.HashSecret(invitation)
	}
	if up.Password, err = p.hash(ctx, client, password); err != nil {
		return a, err
	}
	if err := p.store.SignUp(ctx, up); errors.Is(err, feed.ErrExists) {
		return a, feed.Invalid("name", "this name is taken; choose another one")
	} else if err != nil {
		return a, err
	}
	p.opts.OnMember(ctx, name)
	if err := p.store.ForgiveAttempt(ctx, client, client); err != nil {
		return a, err
	}
	return p.store.Account(ctx, name)
}
