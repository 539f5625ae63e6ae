package people

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/feedwire/feedwire/store/feed"
)

// cookieName returns the name of the session cookie. With https, only this host can set it (RFC 6265bis section 4.1.3.2).
func (p *People) cookieName() string {
	if p.overTLS() {
		return "__Host-feedwire"
	}
	return "feedwire"
}

func (p *People) overTLS() bool { return strings.HasPrefix(p.opts.PublicURL, "https://") }

// newSecret returns 256 random bits that are safe in URLs.
func newSecret() string {
	b := make([]byte, 32)
	_, _ = rand.Read(b) // it never fails
	return base64.RawURLEncoding.EncodeToString(b)
}

// fromCookie identifies a person by the session of the browser. The cookie names the account too, so that one call reads both:
// "12.<secret>", or "ann:<secret>" from before layout 3.
func (p *People) fromCookie(r *http.Request) (feed.Visitor, error) {
	cookie, err := r.Cookie(p.cookieName())
	if err != nil {
		return feed.Visitor{}, nil
	}
	account, secret, err := p.cookieAccount(r.Context(), cookie.Value)
	if err != nil || account == 0 {
		return feed.Visitor{}, err
	}
	return p.sessionVisitor(r.Context(), feed.SessionSum(secret), account)
}

// sessionVisitor returns the visitor of a session of an account, and prolongs it. The visitor is unknown if it is not valid.
func (p *People) sessionVisitor(ctx context.Context, sum string, account int64) (feed.Visitor, error) {
	session, a, err := p.store.Session(ctx, sum, account)
	switch {
	case errors.Is(err, feed.ErrNotFound):
		return feed.Visitor{}, nil
	case err != nil:
		return feed.Visitor{}, err
	}
	now := p.opts.Now()
	if !session.Valid(&a, now) {
		return feed.Visitor{}, nil
	}
	if now.Sub(session.Seen).Abs() > touchAfter {
		if err := p.store.TouchSession(ctx, session.Sum); err != nil {
			p.opts.Logger.Warn("session not prolonged", "err", err)
		}
	}
	return feed.Visitor{Name: a.Name, Scopes: a.Role.Scopes(), Account: a, Session: session}, nil
}

// cookieAccount returns the id of the account that a cookie names, and the secret of its session. 0: it names none.
func (p *People) cookieAccount(ctx context.Context, value string) (id int64, secret string, err error) {
	if text, secret, ok := strings.Cut(value, "."); ok && !strings.Contains(value, ":") {
		id, _ := strconv.ParseInt(text, 10, 64)
		return max(0, id), secret, nil
	}
	name, secret, _ := strings.Cut(value, ":")
	if clean, err := feed.CheckName(name); err != nil || clean != name {
		return 0, "", nil
	}
	a, err := p.store.Account(ctx, name)
	if errors.Is(err, feed.ErrNotFound) {
		err = nil
	}
	return a.ID, secret, err
}

// startSession ends the old session of the browser, if there is one, and starts one for an account. The session has the generation
// of the account as it was proven: if its sessions were ended since then, this one is not valid either.
func (p *People) startSession(w http.ResponseWriter, r *http.Request, old *feed.Session, a *feed.Account) error {
	if old.AccountID != 0 {
		if err := p.store.EndSession(r.Context(), old.Sum, old.AccountID); err != nil {
			return err
		}
	}
	secret := newSecret()
	if err := p.addSession(r, secret, a); err != nil {
		return err
	}
	p.setCookie(w, strconv.FormatInt(a.ID, 10)+"."+secret, int(feed.SessionLife.Seconds()))
	return nil
}

// addSession adds a session of an account with a secret.
func (p *People) addSession(r *http.Request, secret string, a *feed.Account) error {
	now := p.opts.Now().UTC()
	return p.store.AddSession(r.Context(), feed.Session{
		Sum: feed.SessionSum(secret), AccountID: a.ID, Account: a.Name, Created: now, Seen: now, Address: p.Address(r),
		Agent: strings.ToValidUTF8(r.UserAgent()[:min(200, len(r.UserAgent()))], ""), Generation: a.Generation,
	})
}

// setCookie sets the cookie of a session, or removes it. What the browser stores of pages belongs to the account before, so it is cleared.
func (p *People) setCookie(w http.ResponseWriter, value string, maxAge int) {
	w.Header().Set("Clear-Site-Data", `"storage"`)
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // without TLS a Secure cookie would not come back
		Name: p.cookieName(), Value: value, Path: "/", MaxAge: maxAge, HttpOnly: true, Secure: p.overTLS(), SameSite: http.SameSiteLaxMode,
	})
}

// SignOut ends the session of the browser. ErrNoSession: it has none.
func (p *People) SignOut(w http.ResponseWriter, r *http.Request, v *feed.Visitor) error {
	if v.Session.Account == "" {
		return ErrNoSession
	}
	defer p.Forget()
	if err := p.store.EndSession(r.Context(), v.Session.Sum, v.Session.AccountID); err != nil {
		return err
	}
	p.setCookie(w, "", -1)
	return nil
}

// SignOutEverywhere ends all sessions of the visitor's account. ErrNoSession: the visitor has no account.
func (p *People) SignOutEverywhere(w http.ResponseWriter, r *http.Request, v *feed.Visitor) error {
	if v.Account.Name == "" {
		return ErrNoSession
	}
	defer p.Forget()
	if err := p.store.ChangeAccount(r.Context(), v.Account.Name, feed.AccountChange{EndSessions: true}); err != nil {
		return err
	}
	p.setCookie(w, "", -1)
	return nil
}
