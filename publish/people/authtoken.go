package people

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"net/http"
	"strings"

	"github.com/feedwire/feedwire/store/feed"
)

// AuthSession is a session of a client of the API of Lamer News, which sends its token as a cookie of its own. Each sign-in starts another one.
type AuthSession struct {
	Account feed.Account
	Token   string // 40 hexadecimal digits
	Secret  string // of the account, which requests that change something repeat
}

// authToken returns 160 random bits in hexadecimal.
func authToken() string {
	b := make([]byte, 20)
	_, _ = rand.Read(b) // it never fails
	return hex.EncodeToString(b)
}

// isAuthToken reports whether a text has the form of a token.
func isAuthToken(text string) bool {
	b, err := hex.DecodeString(text)
	return err == nil && len(b) == 20
}

// SignInByToken is SignIn for a client of the API of Lamer News.
func (p *People) SignInByToken(r *http.Request, name, password string) (s AuthSession, err error) {
	name, _ = feed.CheckName(name) // empty: no account has it
	account, err := p.prove(r, name, password)
	if err == nil {
		s, err = p.enterByToken(r, &account)
	}
	p.signIns.WithLabelValues(resultOf(err)).Inc()
	return s, err
}

// SignUpByToken is SignUp for a client of the API of Lamer News.
func (p *People) SignUpByToken(r *http.Request, invitation, name, password string) (s AuthSession, err error) {
	account, err := p.signUp(r, invitation, name, password, password)
	p.signUps.WithLabelValues(resultOf(err)).Inc()
	if err != nil {
		return s, err
	}
	return p.enterByToken(r, &account)
}

// enterByToken starts a session and records the sign-in.
func (p *People) enterByToken(r *http.Request, a *feed.Account) (s AuthSession, err error) {
	s.Account, s.Token = *a, authToken()
	if err := p.addSession(r, s.Token, a); err != nil {
		return s, err
	}
	now := p.opts.Now()
	if err := p.store.ChangeAccount(r.Context(), a.Name, feed.AccountChange{LastSignIn: &now}); err != nil {
		return s, err
	}
	s.Secret, err = p.store.AddAPISecret(r.Context(), a.ID, authToken(), feed.SessionSum(s.Token))
	return s, err
}

// FromAuthToken returns the visitor with a token of AuthSession, in letters of any case. The visitor is unknown if the token is not valid.
func (p *People) FromAuthToken(ctx context.Context, token string) (feed.Visitor, error) {
	token = strings.ToLower(token)
	if !isAuthToken(token) {
		return feed.Visitor{}, nil
	}
	sum := feed.SessionSum(token)
	account, err := p.store.SessionAccount(ctx, sum)
	if err != nil || account == 0 {
		return feed.Visitor{}, err
	}
	return p.sessionVisitor(ctx, sum, account)
}

// HasSecret reports whether a text is the secret of an account.
func (p *People) HasSecret(ctx context.Context, account int64, text string) (bool, error) {
	secret, err := p.store.APISecret(ctx, account)
	return secret != "" && subtle.ConstantTimeCompare([]byte(secret), []byte(text)) == 1, err
}

// EndSession ends the session of a visitor. ErrNoSession: the visitor has none.
func (p *People) EndSession(ctx context.Context, v *feed.Visitor) error {
	if v.Session.AccountID == 0 {
		return ErrNoSession
	}
	defer p.Forget()
	return p.store.EndSession(ctx, v.Session.Sum, v.Session.AccountID)
}

// ReplacePassword sets another password of the account of a session, ends all its sessions, and starts one. ErrNoSession: the visitor has none.
func (p *People) ReplacePassword(r *http.Request, v *feed.Visitor, password string) (s AuthSession, err error) {
	if v.Session.AccountID == 0 {
		return s, ErrNoSession
	}
	hash, err := p.choose(r.Context(), v.Account.Name, password, password)
	if err != nil {
		return s, err
	}
	defer p.Forget()
	if err := p.store.ChangeAccount(r.Context(), v.Account.Name, feed.AccountChange{Password: &hash, EndSessions: true, Notify: p.SendsMail()}); err != nil {
		return s, err
	}
	p.wakeMails()
	account := v.Account
	account.Generation++ // by that change
	return p.enterByToken(r, &account)
}
