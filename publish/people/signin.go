package people

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

var (
	// ErrNotProven means that the password is wrong, or the account does not exist or is disabled.
	ErrNotProven = errors.New("name or password is wrong")
	// ErrNoSession means that the visitor is known without having signed in with a password.
	ErrNoSession = fmt.Errorf("you have no account here; the proxy or token that identifies you decides about this: %w", feed.ErrConflict)
)

// ThrottledError is how long the next sign-in must wait after too many failures.
type ThrottledError time.Duration

// RetryAfter returns the time to wait.
func (t ThrottledError) RetryAfter() time.Duration { return time.Duration(t) }

func (t ThrottledError) Error() string {
	return fmt.Sprintf("too many sign-ins failed; try again in %s", time.Duration(t).Round(time.Second))
}

// SignIn starts a session for the account that has this name and password, and returns it. Response and duration are the same for accounts that do
// not exist, that are disabled and that have another password. ErrNotProven or ThrottledError: no session.
func (p *People) SignIn(w http.ResponseWriter, r *http.Request, old *feed.Session, name, password string) (feed.Account, error) {
	name, _ = feed.CheckName(name) // empty: no account has it
	account, err := p.prove(r, name, password)
	if err == nil {
		err = p.enter(w, r, old, &account)
	}
	p.signIns.WithLabelValues(resultOf(err)).Inc()
	return account, err
}

// prove returns the account that has this name and password.
func (p *People) prove(r *http.Request, name, password string) (feed.Account, error) {
	ctx, address := r.Context(), p.Address(r)
	wait, err := p.store.CountAttempt(ctx, address, name)
	if err != nil {
		return feed.Account{}, err
	}
	if wait > 0 {
		p.logRefused(r, name, "too many failures")
		return feed.Account{}, ThrottledError(wait)
	}
	account, err := p.store.Account(ctx, name)
	if err != nil && !errors.Is(err, feed.ErrNotFound) {
		return account, err
	}
	ok, current, err := p.matches(ctx, address, account.Password, password)
	if err != nil {
		return account, err
	}
	if !ok || account.Disabled {
		p.opts.OnFailure("password")
		p.logRefused(r, name, "name or password")
		return account, ErrNotProven
	}
	if !current {
		if err := p.rehash(ctx, &account, password); err != nil {
			return account, err
		}
	}
	return account, p.store.ForgiveAttempt(ctx, address, name)
}

// rehash stores the password of an account in the current form.
func (p *People) rehash(ctx context.Context, a *feed.Account, password string) error {
	after, err := p.hash(ctx, "", password)
	if err != nil {
		return err
	}
	p.opts.Logger.InfoContext(ctx, "password stored in the current form", "account", a.Name)
	return p.store.Rehash(ctx, a.ID, a.Password, after)
}

// enter starts a session and records the sign-in.
func (p *People) enter(w http.ResponseWriter, r *http.Request, old *feed.Session, a *feed.Account) error {
	if err := p.startSession(w, r, old, a); err != nil {
		return err
	}
	now := p.opts.Now()
	return p.store.ChangeAccount(r.Context(), a.Name, feed.AccountChange{LastSignIn: &now})
}

func (p *People) logRefused(r *http.Request, name, why string) {
	p.opts.Logger.LogAttrs(r.Context(), slog.LevelWarn, "sign-in refused", slog.String("account", name[:min(feed.MaxName, len(name))]),
		slog.String("from", p.Address(r)), slog.String("reason", why))
}

// ChangePassword sets another password for a visitor who knows the current one. All sessions end, and this browser gets a new one.
func (p *People) ChangePassword(w http.ResponseWriter, r *http.Request, v *feed.Visitor, current, password, again string) error {
	account, err := p.proveOwner(r, v, current)
	if err != nil {
		return err
	}
	hash, err := p.choose(r.Context(), account.Name, password, again)
	if err != nil {
		return err
	}
	defer p.Forget()
	if err := p.store.ChangeAccount(r.Context(), account.Name, feed.AccountChange{Password: &hash, EndSessions: true, Notify: p.SendsMail()}); err != nil {
		return err
	}
	p.wakeMails()
	account.Generation++ // by that change
	return p.startSession(w, r, &v.Session, &account)
}

// RemoveOwn removes the account of a visitor who knows its password, and returns the revoked tokens. ErrNoSession: the visitor has no
// session. feed.ErrConflict: it is the last admin.
func (p *People) RemoveOwn(w http.ResponseWriter, r *http.Request, v *feed.Visitor, current string) ([]feed.Token, error) {
	account, err := p.proveOwner(r, v, current)
	if err != nil {
		return nil, err
	}
	_, revoked, err := p.Remove(r.Context(), account.Name)
	if err == nil {
		p.setCookie(w, "", -1)
	}
	return revoked, err
}

// proveOwner returns the account of a visitor who knows its password. ErrNoSession: the visitor has no session.
func (p *People) proveOwner(r *http.Request, v *feed.Visitor, current string) (feed.Account, error) {
	if v.Session.Account == "" {
		return feed.Account{}, ErrNoSession
	}
	account, err := p.prove(r, v.Session.Account, current)
	if errors.Is(err, ErrNotProven) {
		err = feed.Invalid("current", "the current password is wrong")
	}
	return account, err
}
