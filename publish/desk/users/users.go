// Package users serves the pages and the API of accounts, tokens, sign-in and the audit log.
package users

import (
	"context"
	"embed"

	"github.com/feedwire/feedwire/publish/people"
	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// Store is what users need. Implementations must be safe for concurrent use. Methods return feed.ErrUnavailable if the store cannot
// answer now, and feed.ErrNotFound for an unknown name or id.
type Store interface {
	// Accounts returns all accounts, by name.
	Accounts(ctx context.Context) ([]feed.Account, error)
	// Sessions returns the valid sessions of an account, newest first.
	Sessions(ctx context.Context, account string) ([]feed.Session, error)
	// EndSession ends a session.
	EndSession(ctx context.Context, sum, account string) error
	// Tokens returns all tokens without their sums, newest first.
	Tokens(ctx context.Context) ([]feed.Token, error)
	// Token returns a token with its Sum.
	Token(ctx context.Context, id string) (feed.Token, error)
	// RemoveToken removes a token.
	RemoveToken(ctx context.Context, id string) error
	// Audit returns up to limit entries of the audit log before the one with the id before ("": from the newest), newest first.
	Audit(ctx context.Context, before string, limit int) ([]feed.AuditEntry, error)
}

// Users serves the routes of accounts, tokens, sign-in and the audit log. Create it with New.
type Users struct {
	store  Store
	people *people.People
	web    *web.Kit
	pages  *web.Pages
}

//go:embed templates
var files embed.FS

// New returns Users.
func New(store Store, visitors *people.People, kit *web.Kit) *Users {
	return &Users{store: store, people: visitors, web: kit, pages: kit.Pages(files)}
}

// Routes returns every route of users.
func (us *Users) Routes() (all []web.Route) {
	for _, routes := range [][]web.Route{us.signInRoutes(), us.ownRoutes(), us.accountRoutes(), us.tokenRoutes(), us.auditRoutes()} {
		all = append(all, routes...)
	}
	return all
}

// Missing describes accounts and tokens that do not exist.
func Missing() []web.Missing {
	return []web.Missing{
		{Below: "/users/", Text: "This user does not exist.", List: web.Link{Path: "/users", Text: "All users"}},
		{Below: "/tokens/", Text: "This token does not exist.", List: web.Link{Path: "/tokens", Text: "All tokens"}},
	}
}
