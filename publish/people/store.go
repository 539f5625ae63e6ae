package people

import (
	"context"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// Store is what this kit needs. Implementations must be safe for concurrent use. Methods return feed.ErrUnavailable if the store
// cannot answer now, and feed.ErrNotFound for an unknown name, id or sum.
type Store interface {
	// AccountsNamed returns the accounts with some names, by name, without those that do not exist.
	AccountsNamed(ctx context.Context, names []string) (map[string]feed.Account, error)
	// HasStaff reports whether there are accounts other than of members.
	HasStaff(ctx context.Context) (bool, error)
	// Account returns an account.
	Account(ctx context.Context, name string) (feed.Account, error)
	// AddAccount adds an account. feed.ErrExists: the name is taken.
	AddAccount(ctx context.Context, a feed.Account) error
	// ChangeAccount changes an account atomically. feed.ErrConflict: it is the last admin and would get another role.
	ChangeAccount(ctx context.Context, name string, change feed.AccountChange) error
	// DisableAccount disables an account, ends its sessions and its link, and revokes the tokens it created, all or nothing. It
	// returns these tokens. feed.ErrConflict: it is the last admin.
	DisableAccount(ctx context.Context, name string) (revoked []feed.Token, err error)
	// RemoveAccount removes an account with everything that DisableAccount ends.
	RemoveAccount(ctx context.Context, name string) (revoked []feed.Token, err error)

	// AddLink stores a one-time link for an account, or for the first account if account is empty, by the sum of its secret. It
	// lasts for feed.LinkLife and ends older links of the account.
	AddLink(ctx context.Context, sum, account string) error
	// Link returns the account of a link.
	Link(ctx context.Context, sum string) (account string, err error)
	// UseLink removes a link, sets the password of its account and ends its sessions. A link for the first account creates it as an
	// admin, exactly once. notify queues a notice to the owner of an account that had a password.
	UseLink(ctx context.Context, sum, name string, password feed.PasswordHash, notify bool) error
	// Rehash replaces the stored form of a password, unless it is no longer the form before.
	Rehash(ctx context.Context, id int64, before, after feed.PasswordHash) error

	// RequestReset queues a mail with a link, if an account has this name and this address, is not disabled, and has not requested one for
	// feed.ResetPause. *feed.QuotaError: too many requests came from the network.
	RequestReset(ctx context.Context, name, email, network string) error
	// ClaimMail returns a mail to send, or false if none is due. It is due again after feed.MailRetry, unless FinishMail is called.
	ClaimMail(ctx context.Context) (m feed.Mail, ok bool, err error)
	// MailsTo returns how many mails were sent to an address in a day.
	MailsTo(ctx context.Context, email string) (int, error)
	// CountMail counts a mail that was sent to an address.
	CountMail(ctx context.Context, email string) error
	// FinishMail removes a mail from the queue. If a request for a link is given up, the account may request another one at once.
	FinishMail(ctx context.Context, m feed.Mail, givenUp bool) error
	// AccountByID returns an account.
	AccountByID(ctx context.Context, id int64) (feed.Account, error)

	// AddInvitation stores an invitation. feed.ErrConflict: feed.MaxInvitations are valid.
	AddInvitation(ctx context.Context, i feed.Invitation) error
	// Invited reports whether an invitation is valid.
	Invited(ctx context.Context, sum string) (bool, error)
	// SignUp adds a member and ends the invitation, all or nothing. feed.ErrNotFound: the invitation is not valid. feed.ErrExists: the
	// name is taken. *feed.QuotaError: there is no invitation, and too many accounts were made.
	SignUp(ctx context.Context, up feed.SignUp) error

	// CountAttempt counts a sign-in from an address, or returns how long it must wait and does not count it.
	CountAttempt(ctx context.Context, address, account string) (wait time.Duration, err error)
	// ForgiveAttempt reverts CountAttempt.
	ForgiveAttempt(ctx context.Context, address, account string) error

	// AddSession stores a session for feed.SessionIdle.
	AddSession(ctx context.Context, s feed.Session) error
	// Session returns a session by its sum, and the account with this id.
	Session(ctx context.Context, sum string, account int64) (feed.Session, feed.Account, error)
	// TouchSession makes a session last for feed.SessionIdle from now. It is a no-op if the session has ended.
	TouchSession(ctx context.Context, sum string) error
	// SessionAccount returns the account of a session; 0: there is no such session.
	SessionAccount(ctx context.Context, sum string) (int64, error)
	// AddAPISecret records the session with a sum as the last one by token, and returns the secret of the account, which is fresh unless the
	// account has one.
	AddAPISecret(ctx context.Context, account int64, fresh, sum string) (string, error)
	// APISecret returns the secret of an account; empty: it has none.
	APISecret(ctx context.Context, account int64) (string, error)
	// ChangeProfile changes the fields of the profile of an account that are not nil.
	ChangeProfile(ctx context.Context, account int64, change feed.ProfileChange) error
	// Profile returns the profile of an account.
	Profile(ctx context.Context, account int64) (feed.Profile, error)
	// EndSession ends a session.
	EndSession(ctx context.Context, sum string, account int64) error

	// AddToken stores a token. feed.ErrConflict: there are feed.MaxTokens, or feed.MaxAppTokens and it is an app password; its creator has
	// feed.MaxTokensOf, or feed.MaxAppsOf and it is an app password; or the account of the creator is disabled or removed.
	AddToken(ctx context.Context, t feed.Token) error
	// Tokens returns all tokens without their sums, newest first.
	Tokens(ctx context.Context) ([]feed.Token, error)
	// TokenAccount returns a token with its Sum, and the account of its creator; without a name if there is none.
	TokenAccount(ctx context.Context, id string) (feed.Token, feed.Account, error)
	// RemoveToken removes a token.
	RemoveToken(ctx context.Context, id string) error
	// FeverToken returns the id of the token with a FeverSum.
	FeverToken(ctx context.Context, sum string) (id string, err error)
	// UsedToken records that a token is used now.
	UsedToken(ctx context.Context, id string) error
}
