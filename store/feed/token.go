package feed

import (
	"crypto/md5" //nolint:gosec // see FeverKey
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"
)

// TokenPrefix is the prefix of API tokens, by which people and secret scanners recognise them.
const TokenPrefix = "fw_"

const (
	// MaxTokens bounds the stored tokens.
	MaxTokens = 5000
	// MaxAppTokens bounds the tokens with which app passwords may be added, so that those of members leave room for others.
	MaxAppTokens = 4000
	// MaxTokensOf bounds the tokens of one creator.
	MaxTokensOf = 500
	// MaxAppsOf bounds the app passwords of an account.
	MaxAppsOf = 20
)

// AppScopes are the scopes that an app password can have.
func AppScopes() []Scope { return []Scope{ScopeFollows, ScopePosts} }

// Token authorises a program to use the API within its scopes and the rights that its creator has at that time.
type Token struct {
	ID       string    `json:"id"`
	Name     string    `json:"name"` // its purpose
	Scopes   []Scope   `json:"scopes"`
	Creator  string    `json:"creator"` // the person who created it, or whose token did; or DaemonToken
	Created  time.Time `json:"created"`
	Expires  time.Time `json:"expires,omitzero"`   // zero: never
	LastUsed time.Time `json:"last_used,omitzero"` // within five minutes; zero: never

	// Effective are the scopes that the creator has now. Only lists contain it.
	Effective []Scope `json:"effective_scopes,omitzero"`

	Sum       string `json:"-"` // HashSecret of the secret
	FeverSum  string `json:"-"` // HashSecret of FeverKey; empty: Fever apps cannot use the token
	OfAccount bool   `json:"-"` // only an account that exists can create it
}

// OfApp reports whether the token is an app password: it has no other scopes than AppScopes.
func (t *Token) OfApp() bool {
	return !slices.ContainsFunc(t.Scopes, func(s Scope) bool { return !slices.Contains(AppScopes(), s) })
}

// Expired reports whether the token has expired.
func (t *Token) Expired(now time.Time) bool { return !t.Expires.IsZero() && !now.Before(t.Expires) }

// TokenText returns the text of a token: "fw_<id>_<secret>".
func TokenText(id, secret string) string { return TokenPrefix + id + "_" + secret }

// ParseToken splits the text of a token.
func ParseToken(text string) (id, secret string, ok bool) {
	rest, found := strings.CutPrefix(text, TokenPrefix)
	id, secret, ok = strings.Cut(rest, "_")
	return id, secret, found && ok && id != "" && secret != ""
}

// FeverKey returns the secret that apps of the Fever API send in place of a token of an account. It is as random as the token, which cannot
// be computed from it.
func FeverKey(account, token string) string {
	sum := md5.Sum([]byte(account + ":" + token)) //nolint:gosec // the API demands MD5
	return hex.EncodeToString(sum[:])
}

// CheckScopes checks the scopes of a token. The error is ErrInvalid.
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
