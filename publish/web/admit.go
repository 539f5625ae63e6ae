package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/feedwire/feedwire/store/feed"
)

type visitorKey struct{}

// VisitorOf returns the visitor who sends an admitted request.
func VisitorOf(r *http.Request) feed.Visitor {
	v, _ := r.Context().Value(visitorKey{}).(feed.Visitor)
	return v
}

// ErrOtherAccount is a feed.ErrForbidden: a visitor who is no admin named another account.
var ErrOtherAccount = fmt.Errorf("user is %w: only admins can name another account", feed.ErrForbidden)

// AccountOf returns the account that a request is about: that of the visitor, or one that an admin names with the parameter user.
func AccountOf(r *http.Request, find func(ctx context.Context, name string) (feed.Account, error)) (feed.Account, error) {
	v := VisitorOf(r)
	name := r.URL.Query().Get("user")
	switch {
	case name != "" && name != v.Account.Name && !v.May(feed.ScopeAdmin):
		return feed.Account{}, ErrOtherAccount
	case name != "" && name != v.Account.Name:
		a, err := find(r.Context(), name)
		if errors.Is(err, feed.ErrNotFound) {
			err = feed.Invalid("user", "there is no such account")
		}
		return a, err
	case v.Account.ID == 0:
		return feed.Account{}, feed.Invalid("user", v.Name+" has no account; name one")
	}
	return v.Account, nil
}

// WithVisitor returns a request that a visitor sends, for routes that are Public and identify their visitors themselves.
func WithVisitor(r *http.Request, v feed.Visitor) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), visitorKey{}, v))
}

// Guard admits requests of visitors who have a scope, as the API does. Others get 401 or 403.
func (k *Kit) Guard(scope feed.Scope, next http.Handler) http.Handler {
	return k.admit(scope, true, nil, next)
}

// GuardStream is Guard for a response that lasts until the visitor loses the scope.
func (k *Kit) GuardStream(scope feed.Scope, next http.Handler) http.Handler {
	return k.Guard(scope, k.whileAdmitted(scope, true, next))
}

// lookUp returns what identifies the visitors of the API or of the pages.
func (k *Kit) lookUp(api bool) func(*http.Request) (feed.Visitor, error) {
	if api {
		return k.visitors.FromAPI
	}
	return k.visitors.FromPages
}

// admit passes on a request if its visitor has what it needs. Handlers get the visitor from VisitorOf. unknown answers visitors who are
// not known; nil: refuseAPI or refusePage does.
func (k *Kit) admit(need feed.Scope, api bool, unknown Handler, next http.Handler) http.Handler {
	if need == Public {
		return next
	}
	lookUp, refuse := k.lookUp(api), k.refusePage
	if api {
		refuse = refuseAPI
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v, err := lookUp(r)
		r = WithVisitor(r, v)
		if body, ok := r.Body.(interface{ Known() }); ok && v.Known() {
			body.Known() // limits of strangers do not apply
		}
		switch {
		case !v.ByToken && k.FromOtherSite(r):
			refuse(w, r, feed.ProblemForbidden, "The request came from a page of another site. Nothing was changed.")
		case need == Anyone && (err == nil || errors.Is(err, feed.ErrUnavailable)):
			next.ServeHTTP(w, r)
		case need == Optional && err == nil && !v.Known() && r.Header.Get("Authorization") == "":
			next.ServeHTTP(w, r)
		case err != nil:
			k.logError(r, err)
			refuse(w, r, feed.ProblemUnavailable, whyUnknown(err))
		case !v.Known() && unknown != nil:
			_ = unknown(w, r) // it has written the response
		case !v.Known():
			refuse(w, r, feed.ProblemUnknown, `send a token as "Authorization: Bearer <token>": create one with feedwire token create, or use `+
				"api.token of the configuration, which is by default in the file token of the data directory")
		case need != SignedIn && need != Optional && !v.May(need):
			text := v.Name + " may not do this. It needs the scope " + string(need)
			if v.Limit != "" {
				text += ", and a token has no more rights than its creator: " + v.Limit
			}
			refuse(w, r, feed.ProblemForbidden, text+".")
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// whyUnknown returns why visitors cannot be identified. A store without its data has no accounts, but that does not say that a password
// or token is wrong: programs that get 401 forget it, and the data may be restored.
func whyUnknown(err error) string {
	why := "The store cannot be reached"
	if errors.Is(err, feed.ErrEmptied) {
		why = "The data of this installation is gone from the store until a backup is restored or the daemon is restarted"
	}
	return why + ", so visitors cannot be identified. Feeds are served from the last good copy."
}

func refuseAPI(w http.ResponseWriter, r *http.Request, kind feed.ProblemKind, text string) {
	switch kind {
	case feed.ProblemUnavailable:
		w.Header().Set("Retry-After", "5")
	case feed.ProblemUnknown:
		w.Header().Set("WWW-Authenticate", `Bearer realm="feedwire API"`)
	}
	WriteProblem(w, kind.Problem(r, text))
}

// refusePage redirects an unknown visitor to the sign-in page, and a visitor who may not see the overview to the first page of the
// header. A form of an unknown visitor goes to Site.SignIn, and a stream of events ends.
func (k *Kit) refusePage(w http.ResponseWriter, r *http.Request, kind feed.ProblemKind, text string) {
	safe := r.Method == http.MethodGet || r.Method == http.MethodHead
	v, site := VisitorOf(r), k.site.Load()
	nav, signIn := site.navOf(&v), site.SignIn
	switch {
	case kind == feed.ProblemForbidden && r.URL.Path == "/" && safe && len(nav) > 0:
		http.Redirect(w, r, nav[0].Path, http.StatusSeeOther)
	case kind != feed.ProblemUnknown:
		k.errorPage(w, r, kind.Problem(r, "").Status, text)
	case safe && r.Header.Get("Accept") == "text/event-stream":
		w.WriteHeader(http.StatusNoContent) // the open page of an ended session: its stream stops, and so needs no page
	case safe:
		http.Redirect(w, r, "/login?next="+url.QueryEscape(r.URL.RequestURI()), http.StatusSeeOther)
	case signIn != nil:
		_ = signIn(w, r) // it renders a page
	default:
		k.errorPage(w, r, http.StatusUnauthorized, "Sign in first.")
	}
}
