package feed

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// TokenPrefix is what a token of the API begins with, so that people and scanners of source code know one.
const TokenPrefix = "fw_"

// MaxTokens bounds the tokens that are kept.
const MaxTokens = 1000

// Token lets a program use the API within its scopes.
type Token struct {
	ID       string    `json:"id"`
	Name     string    `json:"name"` // what it is for
	Scopes   []Scope   `json:"scopes"`
	Creator  string    `json:"creator"`
	Created  time.Time `json:"created"`
	Expires  time.Time `json:"expires,omitzero"`   // zero: never
	LastUsed time.Time `json:"last_used,omitzero"` // to five minutes; zero: never

	Sum string `json:"-"` // SecretSum of the secret
}

// Expired reports whether the token has ended.
func (t *Token) Expired(now time.Time) bool { return !t.Expires.IsZero() && !now.Before(t.Expires) }

// TokenText is a token as a program shows it: "fw_<id>_<secret>".
func TokenText(id, secret string) string { return TokenPrefix + id + "_" + secret }

// ParseToken takes a token apart.
func ParseToken(text string) (id, secret string, ok bool) {
	rest, found := strings.CutPrefix(text, TokenPrefix)
	id, secret, ok = strings.Cut(rest, "_")
	return id, secret, found && ok && id != "" && secret != ""
}

// CheckScopes says what is wrong with the scopes of a token, as an ErrInvalid.
func CheckScopes(scopes []Scope) error {
	if len(scopes) == 0 {
		return fmt.Errorf("%w scopes: name at least one of %v", ErrInvalid, Scopes())
	}
	for _, s := range scopes {
		if !slices.Contains(Scopes(), s) {
			return fmt.Errorf("%w scope %.32q: there are %v", ErrInvalid, s, Scopes())
		}
	}
	return nil
}
