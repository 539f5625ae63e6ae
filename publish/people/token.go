package people

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/feedwire/feedwire/store/feed"
)

const (
	// TokenLife is the default life of a token.
	TokenLife    = 90 * 24 * time.Hour
	maxTokenLife = 10 * 365 * 24 * time.Hour
	maxTokenName = 64 // bytes
)

// CreateToken creates a token that is valid for life; 0: forever. It returns the token and its text, which is not stored. The creator
// is the visitor, or the creator of the token that the visitor has.
func (p *People) CreateToken(
	ctx context.Context, v *feed.Visitor, name string, scopes []feed.Scope, life time.Duration,
) (feed.Token, string, error) {
	name = strings.TrimSpace(name)
	if name == "" || len(name) > maxTokenName || strings.ContainsFunc(name, func(c rune) bool { return !unicode.IsPrint(c) }) {
		kind := "token"
		if t := (feed.Token{Scopes: scopes}); t.OfApp() {
			kind = "app password"
		}
		return feed.Token{}, "", feed.Invalid("name", fmt.Sprintf(
			"describe in up to %d bytes, without control or other invisible characters, what the %s is for", maxTokenName, kind))
	}
	if err := feed.CheckScopes(scopes); err != nil {
		return feed.Token{}, "", feed.Invalid("scopes", err.Error())
	}
	if life < 0 || life > maxTokenLife || life > 0 && life < time.Minute {
		return feed.Token{}, "", feed.Invalid("lasts", fmt.Sprintf("use a duration from 1m to %.0fh, like 720h, or 0s for a token that does not expire", maxTokenLife.Hours()))
	}
	secret, now := newSecret(), p.opts.Now().UTC()
	t := feed.Token{
		ID: strings.ToLower(rand.Text()[:12]), Name: name, Scopes: slices.Compact(slices.Sorted(slices.Values(scopes))),
		Creator: cmp.Or(v.Creator, v.Name), Created: now, Sum: feed.HashSecret(secret),
	}
	t.OfAccount = t.Creator != feed.DaemonToken && p.access.Load().ProxyHeader == ""
	if life > 0 {
		t.Expires = now.Add(life)
	}
	text := feed.TokenText(t.ID, secret)
	if slices.Contains(t.Scopes, feed.ScopeFollows) {
		t.FeverSum = feed.HashSecret(feed.FeverKey(t.Creator, text))
	}
	return t, text, p.store.AddToken(ctx, t)
}

// RevokeToken revokes a token. feed.ErrNotFound: there is none with that id.
func (p *People) RevokeToken(ctx context.Context, id string) error {
	defer p.Forget()
	return p.store.RemoveToken(ctx, id)
}

// Tokens returns all tokens with their effective scopes, newest first.
func (p *People) Tokens(ctx context.Context) ([]feed.Token, error) {
	tokens, err := p.store.Tokens(ctx)
	if err != nil {
		return nil, err
	}
	var creators []string
	for i := range tokens {
		creators = append(creators, tokens[i].Creator)
	}
	byName, err := p.store.AccountsNamed(ctx, slices.Compact(slices.Sorted(slices.Values(creators))))
	for i := range tokens {
		t := &tokens[i]
		scopes, _ := p.rightsOf(t.Creator, byName[t.Creator])
		t.Effective = feed.CommonScopes(t.Scopes, scopes)
	}
	return tokens, err
}

// rights returns the scopes that a token has now, and why they are fewer than those it was created with; "": they are not. The creator
// has no name if there is no such account.
func (p *People) rights(t *feed.Token, creator feed.Account) (scopes []feed.Scope, limit string) {
	if t.Creator == feed.DaemonToken {
		return t.Scopes, ""
	}
	has, standing := p.rightsOf(t.Creator, creator)
	scopes = feed.CommonScopes(t.Scopes, has)
	for _, s := range t.Scopes {
		if !feed.Allow(has, s) {
			limit = t.Creator + " " + standing
		}
	}
	return scopes, limit
}

// rightsOf returns the scopes that the creator of tokens has now, and the reason as a predicate. The account has no name if there is
// none. A person whom only a proxy names has auth.proxy_role, as on the pages.
func (p *People) rightsOf(creator string, a feed.Account) (scopes []feed.Scope, standing string) {
	access := p.access.Load()
	clean, err := feed.CheckName(creator)
	switch {
	case creator == feed.DaemonToken:
		return feed.RoleAdmin.Scopes(), ""
	case a.Disabled:
		return nil, "is disabled"
	case a.Name != "":
		return a.Role.Scopes(), "has the role " + string(a.Role)
	case err == nil && clean == creator && access.ProxyHeader != "" && access.ProxyRole != "":
		return access.ProxyRole.Scopes(), "has the role " + string(access.ProxyRole)
	}
	return nil, "has no account"
}
