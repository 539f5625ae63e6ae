package lamernews

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/feedwire/feedwire/publish/people"
	"github.com/feedwire/feedwire/store/feed"
)

const errFields refused = "username and password are two required fields"

// login serves POST /api/login.
func (a *API) login(r *http.Request) (answer, error) { return a.signIn(r, r.PostForm) }

// loginByURL serves GET /api/login, whose password is in logs of proxies and in the history of browsers.
func (a *API) loginByURL(r *http.Request) (answer, error) {
	if !a.opts.LegacyLogin() {
		return nil, refused("send this call with POST: a password does not belong in an address")
	}
	return a.signIn(r, r.URL.Query())
}

func (a *API) signIn(r *http.Request, form url.Values) (answer, error) {
	name, password := strings.TrimSpace(form.Get("username")), strings.TrimSpace(form.Get("password"))
	if name == "" || password == "" {
		return nil, errFields
	}
	s, err := a.people.SignInByToken(r, name, password)
	if errors.Is(err, people.ErrNotProven) {
		err = refused("no match for the specified username / password pair")
	}
	return signedIn(&s), err
}

// signedIn is the answer to a client that has a new session.
func signedIn(s *people.AuthSession) answer { return answer{"auth": s.Token, "apisecret": s.Secret} }

// logout serves POST /api/logout. Other sessions of the account go on.
func (a *API) logout(r *http.Request) (answer, error) {
	_, v, err := a.member(r, feed.ScopeFollows)
	if err == nil {
		err = a.people.EndSession(r.Context(), v)
	}
	return answer{}, err
}

// createAccount serves POST /api/create_account.
func (a *API) createAccount(r *http.Request) (answer, error) {
	name, password := value(r, "username"), value(r, "password")
	if name == "" || password == "" {
		return nil, errFields
	}
	s, err := a.people.SignUpByToken(r, value(r, "invitation"), name, password)
	if errors.Is(err, feed.ErrNotFound) {
		err = refused("accounts are not open to everyone here; an account needs an invitation, or is added by an admin")
	}
	return signedIn(&s), err
}

// resetPassword serves POST /api/reset-password. The answer is the same whether a mail is sent or not.
func (a *API) resetPassword(r *http.Request) (answer, error) {
	return a.requestReset(r, r.PostForm)
}

// resetByURL serves GET /api/reset-password, which old clients send. Pages of other sites can make browsers send it.
func (a *API) resetByURL(r *http.Request) (answer, error) {
	if !a.opts.LegacyLogin() {
		return nil, refused("send this call with POST: it sends a mail")
	}
	return a.requestReset(r, r.URL.Query())
}

func (a *API) requestReset(r *http.Request, form url.Values) (answer, error) {
	name, email := strings.TrimSpace(form.Get("username")), strings.TrimSpace(form.Get("email"))
	if name == "" || email == "" {
		return nil, refused("username and email are two required fields")
	}
	return answer{}, a.people.RequestReset(r, name, email)
}

// updateProfile serves POST /api/updateprofile. A new password ends all sessions, and the answer has another one.
func (a *API) updateProfile(r *http.Request) (answer, error) {
	r, v, err := a.member(r, feed.ScopePosts)
	if err != nil {
		return nil, err
	}
	if !has(r, "about", "email", "password") {
		return nil, feed.Invalid("about", "about, email and password are required; they may be empty")
	}
	password := value(r, "password")
	if password != "" && v.ByToken {
		return nil, refused("a token of the API cannot change the password")
	}
	letters, email := []rune(value(r, "about")), value(r, "email")
	about := string(letters[:min(len(letters), feed.MaxAbout)])
	change := feed.ProfileChange{About: &about, Email: &email}
	if err := a.people.CheckProfile(&v.Account, &change); err != nil { // before the password changes
		return nil, err
	}
	if v.ByToken { // links to choose a password go to the address
		before, err := a.people.Profile(r.Context(), v.Account.ID)
		if err == nil && before.Email != *change.Email {
			err = refused("a token of the API cannot change the email address")
		}
		if err != nil {
			return nil, err
		}
	}
	result := answer{}
	if password != "" {
		s, err := a.people.ReplacePassword(r, v, password)
		if err != nil {
			return nil, err
		}
		result = signedIn(&s)
	}
	return result, a.people.SetProfile(r.Context(), &v.Account, change)
}
