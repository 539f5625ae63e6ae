package people

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// stranger is the name of a visitor of open pages. Its space distinguishes it from accounts.
const stranger = "a stranger"

// touchAfter is how long the last use of a session or token is not written again. A last use as far in the future is: the clock was set
// back.
const touchAfter = 5 * time.Minute

// FromAPI returns the visitor who sends a request to the API: a program with a token, or a person who is signed in.
func (p *People) FromAPI(r *http.Request) (feed.Visitor, error) { return p.identify(r, p.fromAPI) }

func (p *People) fromAPI(r *http.Request) (v feed.Visitor, err error) {
	if header := r.Header.Get("Authorization"); header == "" {
		v, err = p.person(r)
	} else {
		if key, ok := strings.CutPrefix(header, "Fever "); ok {
			v, err = p.feverApp(r.Context(), key)
		} else {
			token, _ := bearer(header)
			v, err = p.program(r.Context(), token)
		}
		v.ByToken = true
		if err == nil {
			p.Tried(r, "token", v.Known())
		}
		return v, err
	}
	if err == nil && !v.Known() {
		p.opts.OnFailure("token")
	}
	return v, err
}

// FromPages returns the visitor who requests a page: a person who is signed in, or anyone if the pages are open.
func (p *People) FromPages(r *http.Request) (feed.Visitor, error) { return p.identify(r, p.fromPages) }

func (p *People) fromPages(r *http.Request) (feed.Visitor, error) {
	v, err := p.person(r)
	if err == nil && !v.Known() && p.opts.Open(r) {
		v = feed.Visitor{Name: stranger, Scopes: feed.RoleEditor.Scopes(), Open: true}
	}
	return v, err
}

// Trusts reports whether a request has a token with the scope signals, as a bearer token or as the password of HTTP Basic.
func (p *People) Trusts(r *http.Request) bool { return p.trusts(r, feed.ScopeSignals) }

// TrustsPublisher reports whether a request has a token with the scope sources, as Trusts does.
func (p *People) TrustsPublisher(r *http.Request) bool { return p.trusts(r, feed.ScopeSources) }

func (p *People) trusts(r *http.Request, scope feed.Scope) bool {
	_, token, given := r.BasicAuth()
	if text, ok := bearer(r.Header.Get("Authorization")); ok {
		token, given = text, true
	}
	if !given {
		return false
	}
	v, err := p.program(r.Context(), token)
	if err == nil {
		p.Tried(r, "token", v.Known())
	}
	return err == nil && v.May(scope)
}

// bearer returns the token of an Authorization header (RFC 6750 section 2.1), or of "GoogleLogin auth=<token>", which apps for readers
// send.
func bearer(header string) (token string, ok bool) {
	scheme, token, _ := strings.Cut(header, " ")
	if text, ok := strings.CutPrefix(token, "auth="); ok && strings.EqualFold(scheme, "GoogleLogin") {
		return strings.TrimSpace(text), true
	}
	if !strings.EqualFold(scheme, "Bearer") {
		return "", false
	}
	return strings.TrimSpace(token), true
}

// person identifies a person by the session cookie or by a trusted proxy.
func (p *People) person(r *http.Request) (feed.Visitor, error) {
	v, err := p.fromCookie(r)
	if err != nil || v.Known() {
		return v, err
	}
	return p.fromProxy(r)
}

// program identifies a program by its token.
func (p *People) program(ctx context.Context, text string) (feed.Visitor, error) {
	if own := p.access.Load().Token; own != "" && feed.SameSecret(text, feed.HashSecret(own)) {
		return feed.Visitor{Name: feed.DaemonToken, Scopes: feed.RoleAdmin.Scopes()}, nil
	}
	id, secret, ok := feed.ParseToken(text)
	if !ok {
		return feed.Visitor{}, nil
	}
	return p.holder(ctx, id, func(t *feed.Token) bool { return feed.SameSecret(secret, t.Sum) })
}

// feverApp identifies an app by the feed.FeverKey of its token. It may only change and read what the account follows.
func (p *People) feverApp(ctx context.Context, key string) (feed.Visitor, error) {
	key = strings.ToLower(key)
	id, err := p.store.FeverToken(ctx, feed.HashSecret(key))
	if errors.Is(err, feed.ErrNotFound) {
		return feed.Visitor{}, nil
	}
	if err != nil {
		return feed.Visitor{}, err
	}
	v, err := p.holder(ctx, id, func(t *feed.Token) bool { return feed.SameSecret(key, t.FeverSum) })
	v.Scopes = feed.CommonScopes(v.Scopes, []feed.Scope{feed.ScopeFollows})
	return v, err
}

// holder returns the visitor who has proved to have the token with an id.
func (p *People) holder(ctx context.Context, id string, proved func(*feed.Token) bool) (feed.Visitor, error) {
	t, creator, err := p.store.TokenAccount(ctx, id)
	switch {
	case errors.Is(err, feed.ErrNotFound):
		return feed.Visitor{}, nil
	case err != nil:
		return feed.Visitor{}, err
	}
	now := p.opts.Now()
	if !proved(&t) || t.Expired(now) {
		return feed.Visitor{}, nil
	}
	scopes, limit := p.rights(&t, creator)
	if now.Sub(t.LastUsed).Abs() > touchAfter {
		if err := p.store.UsedToken(ctx, t.ID); err != nil {
			p.opts.Logger.Warn("use of a token not recorded", "err", err)
		}
	}
	return feed.Visitor{Name: "token " + t.Name, Scopes: scopes, Account: creator, Creator: t.Creator, Limit: limit}, nil
}

// fromProxy identifies a person by the header of a trusted proxy. It ignores the header of other clients.
func (p *People) fromProxy(r *http.Request) (feed.Visitor, error) {
	access := p.access.Load()
	if access.ProxyHeader == "" || r.Header.Get(access.ProxyHeader) == "" {
		return feed.Visitor{}, nil
	}
	names := r.Header.Values(access.ProxyHeader)
	name, err := feed.CheckName(names[0])
	if err != nil || len(names) > 1 || !access.isProxy(feed.PeerAddress(r)) {
		p.opts.OnFailure("proxy")
		return feed.Visitor{}, nil
	}
	v := feed.Visitor{Name: name, Scopes: access.ProxyRole.Scopes()}
	a, err := p.store.Account(r.Context(), name)
	switch {
	case errors.Is(err, feed.ErrNotFound):
		return v, nil
	case err != nil || a.Disabled:
		return feed.Visitor{}, err
	}
	return feed.Visitor{Name: name, Scopes: a.Role.Scopes(), Account: a}, nil
}
