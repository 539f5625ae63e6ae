// Package users serves the pages and the API of accounts, tokens, sign-in and the audit log.
package users

import (
	"context"
	"embed"
	"slices"
	"time"

	"github.com/feedwire/feedwire/publish/people"
	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// Store is what users need. Implementations must be safe for concurrent use. Methods return feed.ErrUnavailable if the store cannot
// answer now, and feed.ErrNotFound for an unknown name or id.
type Store interface {
	// HasStaff reports whether there are accounts other than of members.
	HasStaff(ctx context.Context) (bool, error)
	// AccountsAfter returns up to limit accounts by name, from the first one after a name.
	AccountsAfter(ctx context.Context, after string, limit int) ([]feed.Account, error)
	// Account returns an account.
	Account(ctx context.Context, name string) (feed.Account, error)
	// AccountByID returns the account with a number. feed.ErrNotFound: there is none.
	AccountByID(ctx context.Context, id int64) (feed.Account, error)
	// Inviters returns the account that invited an account, the one that invited that one and so on.
	Inviters(ctx context.Context, id int64) ([]int64, error)
	// Tokens returns all tokens, newest first.
	Tokens(ctx context.Context) ([]feed.Token, error)
	// TokensOf returns the tokens that an account created, newest first.
	TokensOf(ctx context.Context, account string) ([]feed.Token, error)
	// Sessions returns the valid sessions of an account, newest first.
	Sessions(ctx context.Context, account int64) ([]feed.Session, error)
	// Follows returns the follows of an account by feed URL.
	Follows(ctx context.Context, account int64) ([]feed.Follow, error)
	// Saved returns up to limit entries that an account has saved after a cursor.
	Saved(ctx context.Context, account int64, after feed.Cursor, limit int) (feed.TimelinePage, error)
	// Posts returns up to limit posts of an account after a cursor, newest first and without content.
	Posts(ctx context.Context, account int64, after feed.Cursor, limit int) (feed.TimelinePage, error)
	// VotesOf returns the votes of an account on entries that users vote on, or did until a day ago, newest first.
	VotesOf(ctx context.Context, account int64) ([]feed.OwnVote, error)
	// CommentsOf returns up to limit comments of an account after a cursor, as a reader sees them, newest first, and the cursor of the next page.
	CommentsOf(ctx context.Context, account, reader int64, after feed.Cursor, limit int) ([]feed.UserComment, feed.Cursor, error)
	// ReportsBy returns the reports that an account made, newest first.
	ReportsBy(ctx context.Context, account int64) ([]feed.OwnReport, error)
	// BannedSince returns since when an account is banned from the community; zero: it is not.
	BannedSince(ctx context.Context, account int64) (time.Time, error)
	// Invitations returns the valid invitations, newest first.
	Invitations(ctx context.Context) ([]feed.Invitation, error)
	// RemoveInvitation ends an invitation.
	RemoveInvitation(ctx context.Context, sum string) error
	// EndSession ends a session.
	EndSession(ctx context.Context, sum string, account int64) error
	// Token returns a token with its Sum.
	Token(ctx context.Context, id string) (feed.Token, error)
	// TokenAccount is Token with the account of the creator, which has no name if there is none.
	TokenAccount(ctx context.Context, id string) (feed.Token, feed.Account, error)
	// Audit returns up to limit entries of the audit log before the one with the id before ("": from the newest), newest first.
	Audit(ctx context.Context, before string, limit int) ([]feed.AuditEntry, error)
}

// Users serves the routes of accounts, tokens, sign-in and the audit log. Create it with New.
type Users struct {
	store  Store
	people *people.People
	web    *web.Pages
}

//go:embed templates
var files embed.FS

// Sign-ins are audited by their handlers, which know the account; people counts them.
var (
	signIn   = &web.Action{Name: "sign_in", Text: "signed in"}
	linkUsed = &web.Action{Name: "link_used", Text: "used a one-time link"}
	signedUp = &web.Action{Name: "sign_up", Text: "signed up"}
)

// usedLink is the problem of a one-time link that is no longer valid.
var usedLink = "This link was used already or is older than " + web.Span(feed.LinkLife) + "."

var notices = web.Notices{
	"password":  {One: "The password is changed. Your other sessions have ended."},
	"profile":   {One: "Your profile is changed."},
	"session":   {One: "The session has ended."},
	"role":      {One: "The role is changed. It applies from the next request."},
	"disabled":  {One: "The account is disabled. Its sessions have ended. It had no tokens."},
	"removed":   {One: "The account is removed. It had no tokens."},
	"enabled":   {One: "The account is enabled."},
	"revoked":   {One: "The token is revoked."},
	"uninvited": {One: "The invitation is revoked."},

	"app-revoked": {One: "The app password is revoked."},
}

// signedOut are the notices of the sign-in page.
var signedOut = web.Notices{
	"out":        {One: "You are signed out."},
	"everywhere": {One: "You are signed out everywhere."},
	"requested":  {One: "If an account has this name and email address, a mail with a link is on its way. An account gets one mail a day."},
	"removed":    {One: "Your account is removed, with its posts and everything that it followed."},
}

// New returns Users.
func New(store Store, visitors *people.People, kit *web.Kit) *Users {
	return &Users{store: store, people: visitors, web: kit.Pages(files, notices)}
}

// Site returns the routes of users.
func (us *Users) Site() web.Site {
	allUsers, allTokens := web.Link{Path: "/users", Text: "All users"}, web.Link{Path: "/tokens", Text: "All tokens"}
	return web.Site{
		Routes:  slices.Concat(us.signInRoutes(), us.ownRoutes(), us.profileRoutes(), us.appRoutes(), us.accountRoutes(), us.signUpRoutes(), us.tokenRoutes(), us.auditRoutes()),
		Actions: []*web.Action{signIn, linkUsed, signedUp},
		SignIn:  us.offerSignIn,
		Missing: []web.Missing{
			{Below: "/users/invitations/", Text: "This invitation was used or revoked, or has expired.", List: allUsers},
			{Below: "/users/", Text: "This user does not exist.", List: allUsers},
			{Below: "/tokens/", Text: "This token does not exist.", List: allTokens},
			{Below: "/sign-up", Text: noSignUp, List: web.Link{Path: "/login", Text: "Sign in"}},
			{Below: "/welcome", Text: usedLink, List: web.Link{Path: "/login", Text: "Sign in"}},
		},
		AdminNav: []web.Link{{Path: "/users", Text: "users"}, {Path: "/tokens", Text: "tokens"}, {Path: "/audit", Text: "audit log"}},
	}
}
