package feed

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Scope is a kind of thing that somebody may do. A request needs one; roles and tokens give some.
type Scope string

// The scopes. ScopeAdmin includes all others; none of those includes another one.
const (
	ScopeRead    Scope = "read"    // see sources, entries, articles, signals and what is in force
	ScopePublish Scope = "publish" // publish articles and take them back
	ScopeSources Scope = "sources" // add, change, poll, pause and remove sources
	ScopeSignals Scope = "signals" // deny, pause and resend to subscribers; webhooks
	ScopeAdmin   Scope = "admin"   // users, tokens, the audit log, and all else
)

// Scopes lists all scopes.
func Scopes() []Scope {
	return []Scope{ScopeRead, ScopePublish, ScopeSources, ScopeSignals, ScopeAdmin}
}

// Allow reports whether scopes let somebody do what needs one of them.
func Allow(given []Scope, needed Scope) bool {
	return slices.Contains(given, needed) || slices.Contains(given, ScopeAdmin)
}

// Role is what an account may do.
type Role string

// The roles.
const (
	RoleReader Role = "reader" // sees
	RoleEditor Role = "editor" // also publishes, and looks after sources
	RoleAdmin  Role = "admin"  // everything
)

// Roles lists all roles, the least first.
func Roles() []Role { return []Role{RoleReader, RoleEditor, RoleAdmin} }

// Scopes are what the role gives; an unknown role gives nothing.
func (r Role) Scopes() []Scope {
	switch r {
	case RoleReader:
		return []Scope{ScopeRead}
	case RoleEditor:
		return []Scope{ScopeRead, ScopePublish, ScopeSources}
	case RoleAdmin:
		return []Scope{ScopeAdmin}
	}
	return nil
}

// Account is a person who signs in.
type Account struct {
	Name       string    `json:"name"` // as CheckName has it
	Role       Role      `json:"role"`
	Created    time.Time `json:"created"`
	LastSignIn time.Time `json:"last_sign_in,omitzero"` // zero: never
	Disabled   bool      `json:"disabled,omitempty"`

	// Password is a bcrypt hash; empty: none was chosen yet, so that nobody can sign in with one.
	Password string `json:"-"`
	// Generation counts what ends all sessions of the account. Those of another one do not hold.
	Generation int64 `json:"-"`
}

// AccountChange is what is to be different about an account; nil leaves it as it is.
type AccountChange struct {
	Role        *Role
	Disabled    *bool
	Password    *string // bcrypt hash
	LastSignIn  *time.Time
	EndSessions bool
}

// The bounds of names and passwords.
const (
	MaxName     = 64 // bytes
	MinPassword = 10 // characters
	MaxPassword = 72 // bytes; bcrypt takes no more
)

// CheckName brings the name of an account to its one spelling: a word of small letters, digits, dots, dashes,
// underscores and at signs that begins with a letter or digit. Anything else is ErrInvalid.
func CheckName(s string) (string, error) {
	name := strings.ToLower(strings.TrimSpace(s))
	const first = "abcdefghijklmnopqrstuvwxyz0123456789"
	if name == "" || len(name) > MaxName || strings.Trim(name, first+".-_@") != "" || !strings.Contains(first, name[:1]) {
		return "", fmt.Errorf("%w name: use up to %d letters, digits, dots, dashes, underscores and @, a letter or digit first",
			ErrInvalid, MaxName)
	}
	return name, nil
}

// CheckPassword says what is wrong with a password that is to be chosen, as an ErrInvalid.
func CheckPassword(password, name string) error {
	switch {
	case utf8.RuneCountInString(password) < MinPassword:
		return fmt.Errorf("%w password: use at least %d characters", ErrInvalid, MinPassword)
	case len(password) > MaxPassword:
		return fmt.Errorf("%w password: use at most %d bytes", ErrInvalid, MaxPassword)
	case strings.EqualFold(password, name), strings.Count(password, password[:1]) == len(password):
		return fmt.Errorf("%w password: use one that is harder to guess", ErrInvalid)
	}
	return nil
}
