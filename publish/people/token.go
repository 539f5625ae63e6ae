package people

import (
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

// CreateToken creates a token that is valid for life; 0: forever. It returns the token and its text, which is not stored.
func (p *People) CreateToken(ctx context.Context, creator, name string, scopes []feed.Scope, life time.Duration) (feed.Token, string, error) {
	name = strings.TrimSpace(name)
	if name == "" || len(name) > maxTokenName || strings.ContainsFunc(name, func(c rune) bool { return !unicode.IsPrint(c) }) {
		return feed.Token{}, "", feed.Invalid("name", fmt.Sprintf("describe in up to %d bytes what the token is for", maxTokenName))
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
		Creator: creator, Created: now, Sum: feed.HashSecret(secret),
	}
	if life > 0 {
		t.Expires = now.Add(life)
	}
	return t, feed.TokenText(t.ID, secret), p.store.AddToken(ctx, t)
}
