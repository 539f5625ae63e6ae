package desk

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// visitor is whoever sends a request.
type visitor struct {
	name    string       // "ann", "token nightly", "the daemon's token"; empty: not known
	scopes  []feed.Scope //
	account feed.Account // without a name: it has none
	session feed.Session // zero: it has none
	byToken bool         // a program; no browser sends that of itself
	open    bool         // pages are open to everyone who sends such a request
}

func (v visitor) known() bool { return v.name != "" }

type visitorKey struct{}

// visitorOf is whoever sends a request that admit has let through.
func visitorOf(r *http.Request) visitor {
	v, _ := r.Context().Value(visitorKey{}).(visitor)
	return v
}

// The names of those who have no account. Spaces tell them from accounts.
const (
	daemonToken = "the daemon's token"
	everybody   = "a stranger"
)

// touchAfter is how old the last sign of life of a session or token gets before another one is written.
const touchAfter = 5 * time.Minute

// visitorOfAPI knows programs by their token, and people who are signed in.
func (d *Desk) visitorOfAPI(r *http.Request) (visitor, error) {
	if r.Header.Get("Authorization") == "" {
		v, err := d.person(r)
		if err == nil && !v.known() {
			d.opts.OnAuthFailure("token")
		}
		return v, err
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		token = ""
	}
	v, err := d.program(r.Context(), strings.TrimSpace(token))
	if err == nil && !v.known() {
		d.opts.OnAuthFailure("token")
	}
	v.byToken = true
	return v, err
}

// visitorOfPages knows people who are signed in, and everybody where the pages are open.
func (d *Desk) visitorOfPages(r *http.Request) (visitor, error) {
	v, err := d.person(r)
	if err == nil && !v.known() && d.opts.OpenPages(r) {
		v = visitor{name: everybody, scopes: feed.RoleEditor.Scopes(), open: true}
	}
	return v, err
}

// person knows people by the cookie of their session, or by what a proxy says of them.
func (d *Desk) person(r *http.Request) (visitor, error) {
	v, err := d.fromCookie(r)
	if err != nil || v.known() {
		return v, err
	}
	return d.fromProxy(r)
}

// Trusts reports whether a request shows a token of the API that may do what subscribers are not let do: as a bearer
// token, or as the password of HTTP Basic.
func (d *Desk) Trusts(r *http.Request) bool {
	_, token, given := r.BasicAuth()
	if scheme, bearer, _ := strings.Cut(r.Header.Get("Authorization"), " "); strings.EqualFold(scheme, "Bearer") {
		token, given = strings.TrimSpace(bearer), true
	}
	if !given {
		return false
	}
	v, err := d.latest.Load().program(r.Context(), token)
	return err == nil && feed.Allow(v.scopes, feed.ScopeSignals)
}

// program knows a program by a token.
func (d *Desk) program(ctx context.Context, text string) (visitor, error) {
	if d.isDaemonToken(text) {
		return visitor{name: daemonToken, scopes: feed.RoleAdmin.Scopes()}, nil
	}
	id, secret, ok := feed.ParseToken(text)
	if !ok || d.signs == nil {
		return visitor{}, nil
	}
	t, err := d.signs.Token(ctx, id)
	switch {
	case errors.Is(err, feed.ErrNotFound):
		return visitor{}, nil
	case err != nil:
		return visitor{}, err
	}
	now := d.opts.Now()
	if subtle.ConstantTimeCompare([]byte(feed.SecretSum(secret)), []byte(t.Sum)) != 1 || t.Expired(now) {
		return visitor{}, nil
	}
	if now.Sub(t.LastUsed) > touchAfter {
		if err := d.signs.UsedToken(ctx, t.ID); err != nil {
			d.opts.Logger.Warn("use of a token not remembered", "err", err)
		}
	}
	return visitor{name: "token " + t.Name, scopes: t.Scopes}, nil
}

// isDaemonToken compares in constant time; sums, because the length would show otherwise.
func (d *Desk) isDaemonToken(token string) bool {
	got, want := sha256.Sum256([]byte(token)), sha256.Sum256([]byte(d.opts.Token))
	return d.opts.Token != "" && subtle.ConstantTimeCompare(got[:], want[:]) == 1
}

// fromProxy knows a person by the header of a proxy that has asked who comes. From elsewhere it means nothing.
func (d *Desk) fromProxy(r *http.Request) (visitor, error) {
	opts := &d.opts.SignIn
	if opts.ProxyHeader == "" || r.Header.Get(opts.ProxyHeader) == "" {
		return visitor{}, nil
	}
	said := r.Header.Values(opts.ProxyHeader)
	name, err := feed.CheckName(said[0])
	if err != nil || len(said) > 1 || !d.isProxy(remote(r)) {
		d.opts.OnAuthFailure("proxy")
		return visitor{}, nil
	}
	v := visitor{name: name, scopes: opts.ProxyRole.Scopes()}
	if d.signs == nil {
		return v, nil
	}
	a, err := d.signs.Account(r.Context(), name)
	switch {
	case errors.Is(err, feed.ErrNotFound):
		return v, nil
	case err != nil:
		return visitor{}, err
	case a.Disabled:
		return visitor{}, nil
	}
	return visitor{name: name, scopes: a.Role.Scopes(), account: a}, nil
}

// levelOf is how loud a failure of the store is logged.
func levelOf(err error) slog.Level {
	if errors.Is(err, feed.ErrUnavailable) {
		return slog.LevelWarn
	}
	return slog.LevelError
}
