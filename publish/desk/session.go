package desk

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"net/http"
	"strings"

	"github.com/feedwire/feedwire/store/feed"
)

// cookieName names the cookie of a session. Under https it can be set by this very host alone, and is sent under https
// only (RFC 6265bis section 4.1.3.2).
func (d *Desk) cookieName() string {
	if d.overTLS() {
		return "__Host-feedwire"
	}
	return "feedwire"
}

func (d *Desk) overTLS() bool { return strings.HasPrefix(d.opts.PublicURL, "https://") }

// newSecret is a random text of 256 bits that is safe in URLs.
func newSecret() string {
	b := make([]byte, 32)
	_, _ = rand.Read(b) // it never fails
	return base64.RawURLEncoding.EncodeToString(b)
}

// fromCookie knows a person by the session of this browser. The cookie names the account too, so that one exchange with the
// store reads both.
func (d *Desk) fromCookie(r *http.Request) (visitor, error) {
	cookie, err := r.Cookie(d.cookieName())
	if err != nil || d.signs == nil {
		return visitor{}, nil
	}
	name, secret, _ := strings.Cut(cookie.Value, ":")
	if clean, err := feed.CheckName(name); err != nil || clean != name {
		return visitor{}, nil
	}
	session, account, err := d.signs.Session(r.Context(), feed.SecretSum(secret), name)
	switch {
	case errors.Is(err, feed.ErrNotFound):
		return visitor{}, nil
	case err != nil:
		return visitor{}, err
	}
	now := d.opts.Now()
	if !session.Holds(&account, now) {
		return visitor{}, nil
	}
	if now.Sub(session.Seen) > touchAfter {
		if err := d.signs.TouchSession(r.Context(), session.Sum); err != nil {
			d.opts.Logger.Warn("session not lengthened", "err", err)
		}
	}
	return visitor{name: name, scopes: account.Role.Scopes(), account: account, session: session}, nil
}

// startSession signs a person in: a new session, whatever the browser had before. It is of the account as it was when that
// was proven: where its sessions were ended since, this one does not hold either.
func (d *Desk) startSession(w http.ResponseWriter, r *http.Request, a *feed.Account) error {
	if old := visitorOf(r).session; old.Account != "" {
		if err := d.signs.EndSession(r.Context(), old.Sum, old.Account); err != nil {
			return err
		}
	}
	secret, now := newSecret(), d.opts.Now().UTC()
	err := d.signs.AddSession(r.Context(), feed.Session{
		Sum: feed.SecretSum(secret), Account: a.Name, Created: now, Seen: now, Address: d.address(r),
		Agent: strings.ToValidUTF8(cutTo(r.UserAgent(), 200), ""), Generation: a.Generation,
	})
	if err != nil {
		return err
	}
	d.setCookie(w, a.Name+":"+secret, int(feed.SessionLife.Seconds()))
	return nil
}

// cutTo is the first n bytes of a text.
func cutTo(s string, n int) string { return s[:min(n, len(s))] }

func (d *Desk) setCookie(w http.ResponseWriter, value string, maxAge int) {
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // without TLS a Secure cookie would not come back
		Name: d.cookieName(), Value: value, Path: "/", MaxAge: maxAge, HttpOnly: true, Secure: d.overTLS(), SameSite: http.SameSiteLaxMode,
	})
}

// logout ends the session of this browser.
func (d *Desk) logout(w http.ResponseWriter, r *http.Request) error {
	session := visitorOf(r).session
	if session.Account == "" {
		return errNoSession
	}
	if err := d.signs.EndSession(r.Context(), session.Sum, session.Account); err != nil {
		return err
	}
	about(r, session.Account, "", "")
	d.setCookie(w, "", -1)
	http.Redirect(w, r, "/login?done=out", http.StatusSeeOther)
	return nil
}

// endSession ends one session of the visitor's account.
func (d *Desk) endSession(w http.ResponseWriter, r *http.Request) error {
	name := visitorOf(r).account.Name
	sessions, err := d.sessions(r.Context(), name)
	if err != nil {
		return err
	}
	about(r, name, "", "")
	for i := range sessions {
		if s := &sessions[i]; s.ID() == r.PathValue("session") {
			if err := d.signs.EndSession(r.Context(), s.Sum, name); err != nil {
				return err
			}
		}
	}
	http.Redirect(w, r, "/account?done=session", http.StatusSeeOther)
	return nil
}

// endSessions signs the visitor out everywhere.
func (d *Desk) endSessions(w http.ResponseWriter, r *http.Request) error {
	name := visitorOf(r).account.Name
	if name == "" {
		return errNoSession
	}
	if err := d.signs.ChangeAccount(r.Context(), name, feed.AccountChange{EndSessions: true}); err != nil {
		return err
	}
	about(r, name, "", "")
	d.setCookie(w, "", -1)
	http.Redirect(w, r, "/login?done=everywhere", http.StatusSeeOther)
	return nil
}

// sessions are those of an account; none of whoever has no account.
func (d *Desk) sessions(ctx context.Context, name string) ([]feed.Session, error) {
	if name == "" {
		return nil, nil
	}
	return d.signs.Sessions(ctx, name)
}
