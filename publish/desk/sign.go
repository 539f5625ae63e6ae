package desk

import (
	"context"
	"net/netip"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// SignIn is how people are known. With the zero value they are not, and only the token of the daemon opens the API.
type SignIn struct {
	Store SignStore // nil: nobody can sign in, and /login is not there
	Cost  int       // of bcrypt; 0: 12

	ProxyHeader   string         // in which a proxy names who comes, "X-Forwarded-User"; empty: none does
	ProxyNetworks []netip.Prefix // where such proxies are, which also name the address of their clients
	ProxyRole     feed.Role      // of those who have no account; empty: nothing
}

// SignStore is what the desk keeps of people. All methods may be called concurrently. Each returns feed.ErrUnavailable when
// the store cannot answer now, and feed.ErrNotFound for a name, id or sum that names nothing.
type SignStore interface {
	// Accounts returns all accounts, by name.
	Accounts(ctx context.Context) ([]feed.Account, error)
	// Account returns one account.
	Account(ctx context.Context, name string) (feed.Account, error)
	// AddAccount adds an account. feed.ErrExists: there is one of its name.
	AddAccount(ctx context.Context, a feed.Account) error
	// ChangeAccount changes an account at once as a whole.
	ChangeAccount(ctx context.Context, name string, change feed.AccountChange) error

	// AddLink makes a one-time link for an account, or for the first one where account is empty, by the sum of its secret. It
	// lasts for feed.LinkLife.
	AddLink(ctx context.Context, sum, account string) error
	// Link returns the account that a link is for.
	Link(ctx context.Context, sum string) (account string, err error)
	// UseLink uses up a link: the account gets this password, a bcrypt hash, and its sessions end. For a first one it is made,
	// as an admin; that happens once, whoever else tries.
	UseLink(ctx context.Context, sum, name, password string) error

	// CountAttempt counts a sign-in that begins, unless it has to wait, then nothing is counted.
	CountAttempt(ctx context.Context, address, account string) (wait time.Duration, err error)
	// ForgiveAttempt takes back what CountAttempt counted.
	ForgiveAttempt(ctx context.Context, address, account string) error

	// AddSession keeps a session for feed.SessionIdle.
	AddSession(ctx context.Context, s feed.Session) error
	// Session returns a session, by its sum, and the account of this name.
	Session(ctx context.Context, sum, account string) (feed.Session, feed.Account, error)
	// TouchSession lets a session last for feed.SessionIdle from now, unless it has ended.
	TouchSession(ctx context.Context, sum string) error
	// EndSession ends a session.
	EndSession(ctx context.Context, sum, account string) error
	// Sessions returns the sessions of an account that hold, the newest first.
	Sessions(ctx context.Context, account string) ([]feed.Session, error)

	// AddToken keeps a token. feed.ErrConflict: there are feed.MaxTokens.
	AddToken(ctx context.Context, t feed.Token) error
	// Token returns a token with its Sum.
	Token(ctx context.Context, id string) (feed.Token, error)
	// Tokens returns all tokens, the newest first, without their sums.
	Tokens(ctx context.Context) ([]feed.Token, error)
	// UsedToken remembers that a token is used now.
	UsedToken(ctx context.Context, id string) error
	// RemoveToken removes a token.
	RemoveToken(ctx context.Context, id string) error

	// AddAudit writes to the audit log, and what was done with articles to those.
	AddAudit(ctx context.Context, entries ...feed.AuditEntry) error
	// Audit returns up to limit entries before the one with the id before ("" for the newest), newest first.
	Audit(ctx context.Context, before string, limit int) ([]feed.AuditEntry, error)
}
