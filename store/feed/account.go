package feed

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Scope is a permission. A request requires one; roles and tokens grant some.
type Scope string

// Scopes. ScopeAdmin includes all others, and ScopeSources includes ScopeEntries.
const (
	ScopeRead    Scope = "read"    // read sources, entries, articles, signals and the configuration
	ScopeFollows Scope = "follows" // read the timeline of the account, read and change what it follows, vote, and read lists
	ScopePosts   Scope = "posts"   // write and remove posts of the account
	ScopePublish Scope = "publish" // publish and withdraw articles, group entries, and arrange lists
	ScopeEntries Scope = "entries" // write entries of local sources
	ScopeSources Scope = "sources" // add, change, poll, pause and remove sources; expire and take down entries
	ScopeSignals Scope = "signals" // deny, pause and resend to subscribers; webhooks
	ScopeAdmin   Scope = "admin"   // users, tokens, the audit log and everything else
)

// Scopes returns all scopes.
func Scopes() []Scope {
	return []Scope{ScopeRead, ScopeFollows, ScopePosts, ScopePublish, ScopeEntries, ScopeSources, ScopeSignals, ScopeAdmin}
}

// Allow reports whether the granted scopes include the needed one.
func Allow(given []Scope, needed Scope) bool {
	return slices.Contains(given, needed) || slices.Contains(given, ScopeAdmin) || needed == ScopeEntries && slices.Contains(given, ScopeSources)
}

// CommonScopes returns the scopes that both of two grants include.
func CommonScopes(a, b []Scope) []Scope {
	if Allow(a, ScopeAdmin) && Allow(b, ScopeAdmin) {
		return []Scope{ScopeAdmin}
	}
	both := func(s Scope) bool { return Allow(a, s) && Allow(b, s) }
	return slices.DeleteFunc(Scopes(), func(s Scope) bool { return !both(s) || s == ScopeEntries && both(ScopeSources) })
}

// Role is the role of an account.
type Role string

// Roles.
const (
	RoleMember Role = "member" // reads what it follows, and posts
	RoleViewer Role = "viewer" // read-only access
	RoleEditor Role = "editor" // also publishes and manages sources
	RoleAdmin  Role = "admin"  // everything
)

// Roles returns all roles, lowest first.
func Roles() []Role { return []Role{RoleMember, RoleViewer, RoleEditor, RoleAdmin} }

// Scopes returns the scopes of the role; none for an unknown role.
func (r Role) Scopes() []Scope {
	switch r {
	case RoleMember:
		return []Scope{ScopeFollows, ScopePosts}
	case RoleViewer:
		return []Scope{ScopeRead, ScopeFollows, ScopePosts}
	case RoleEditor:
		return []Scope{ScopeRead, ScopeFollows, ScopePosts, ScopePublish, ScopeSources}
	case RoleAdmin:
		return []Scope{ScopeAdmin}
	}
	return nil
}

// Account is a person who signs in.
type Account struct {
	ID         int64     `json:"id" redis:"id"`         // no other account ever has it; 0: not stored
	Name       string    `json:"name" redis:"username"` // as returned by CheckName
	Role       Role      `json:"role"`
	Created    time.Time `json:"created" redis:"ctime"`
	LastSignIn time.Time `json:"last_sign_in,omitzero" redis:"last_sign_in"` // zero: never
	Disabled   bool      `json:"disabled,omitempty" redis:"disabled"`

	LinkRequested time.Time `json:"link_requested,omitzero" redis:"pwd_reset"` // by mail; zero: never

	Password PasswordHash `json:"-"`
	// Generation increases when all sessions of the account end. Sessions of other generations are invalid.
	Generation int64 `json:"-" redis:"generation"`
}

// PasswordHash is what is stored of a password. The zero value: the account cannot sign in with a password.
type PasswordHash struct {
	Sum  string `redis:"password"` // hexadecimal; or bcrypt in its own form
	Salt string `redis:"salt"`     // none for bcrypt
}

// AccountChange changes an account. Nil fields do not change.
type AccountChange struct {
	Role        *Role
	Enable      bool // undoes a disablement; revoked tokens stay revoked
	Password    *PasswordHash
	LastSignIn  *time.Time
	EndSessions bool
	Notify      bool // the owner gets a mail about another password
}

// MaxName bounds names, in bytes.
const MaxName = 64

// CheckName returns the canonical name of an account: lower-case letters, digits, dots, dashes, underscores and at signs,
// beginning with a letter or digit. The error is ErrInvalid.
func CheckName(s string) (string, error) {
	name := strings.ToLower(strings.TrimSpace(s))
	const first = "abcdefghijklmnopqrstuvwxyz0123456789"
	if name == "" || len(name) > MaxName || strings.Trim(name, first+".-_@") != "" || !strings.Contains(first, name[:1]) {
		return "", fmt.Errorf("%w name: use up to %d letters, digits, dots, dashes, underscores and @, a letter or digit first",
			ErrInvalid, MaxName)
	}
	return name, nil
}

// DaemonToken is the name of the visitor who has the daemon's own token. Its space distinguishes it from accounts.
const DaemonToken = "the daemon's token"

// Visitor is the person or program that sends a request.
type Visitor struct {
	Name    string // "ann", "token nightly", "the daemon's token"; empty: unknown
	Scopes  []Scope
	Account Account // of the visitor, or of the creator of its token; without a name if there is none
	Session Session // zero if the visitor has none
	ByToken bool    // a program; browsers never send a token on their own
	Creator string  // of the token; its rights bound those of the visitor
	Limit   string  // why the visitor has fewer rights than the scopes of its token; empty: it has them
	Open    bool    // unknown, but the pages are open to the request
}

// Known reports whether the visitor may see anything.
func (v *Visitor) Known() bool { return v.Name != "" }

// May reports whether the visitor has a scope.
func (v *Visitor) May(scope Scope) bool { return Allow(v.Scopes, scope) }

// MaySee reports whether the visitor may see an entry of a source, which its account follows or not. Anyone may see posts of members.
func (v *Visitor) MaySee(feedURL string, followed bool) bool {
	return MemberOf(feedURL) != 0 || v.May(ScopeRead) || followed && v.May(ScopeFollows)
}

// MayFollow reports whether the visitor may begin to follow a source. Members follow those that are fetched with credentials only if an
// editor chose them as default follows.
func (v *Visitor) MayFollow(s *Source, isDefault bool) bool {
	return v.May(ScopeRead) || !s.Private() || isDefault
}
