package lamernews

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// cookie is the name of the cookie with the token of a session.
const cookie = "auth"

const (
	errUnknown refused = "not authenticated"
	errSecret  refused = "wrong form secret" //nolint:gosec // not a secret
)

// client returns who sends a call, and counts the visit. The account has no ID if the client is not known.
func (a *API) client(r *http.Request) (v feed.Visitor, err error) {
	if r.Header.Get("Authorization") != "" {
		v, err = a.people.FromAPI(r)
	} else if c, missing := r.Cookie(cookie); missing == nil {
		v, err = a.people.FromAuthToken(r.Context(), c.Value)
	}
	if err == nil && v.Account.ID != 0 {
		_, err = a.store.VisitCommunity(r.Context(), v.Account.ID)
	}
	return v, err
}

// member returns a call with its visitor, who has an account and a scope. A client without a token of the API must repeat its secret, which
// other sites do not know.
func (a *API) member(r *http.Request, scope feed.Scope) (*http.Request, *feed.Visitor, error) {
	v, err := a.client(r)
	switch {
	case err != nil:
		return r, nil, err
	case v.Account.ID == 0:
		return r, nil, errUnknown
	case !v.May(scope):
		return r, nil, refused(v.Name + " needs the scope " + string(scope))
	}
	if !v.ByToken {
		right, err := a.people.HasSecret(r.Context(), v.Account.ID, r.PostForm.Get("apisecret"))
		if err != nil {
			return r, nil, err
		}
		if !right {
			return r, nil, errSecret
		}
	}
	return web.WithVisitor(r, v), &v, nil
}

// value returns a parameter of the form without surrounding blanks.
func value(r *http.Request, name string) string { return strings.TrimSpace(r.PostForm.Get(name)) }

// has reports whether the form has parameters, empty or not.
func has(r *http.Request, names ...string) bool {
	for _, name := range names {
		if _, ok := r.PostForm[name]; !ok {
			return false
		}
	}
	return true
}

// create is the number by which a call creates a submission or a comment, or names no parent.
const create = -1

// number returns the number in a text: at least 1, or create. feed.ErrInvalid: the text has none.
func number(name, text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 && n != create {
		return 0, feed.Invalid(name, name+" is missing or no number")
	}
	return n, nil
}

// existing is number without create.
func existing(name, text string) (int64, error) {
	n, err := number(name, text)
	if err == nil && n == create {
		err = feed.Invalid(name, name+" is missing or no number")
	}
	return n, err
}
