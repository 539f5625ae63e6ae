package users

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/feedwire/feedwire/publish/people"
	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// maxLogin bounds a sign-in, in bytes: it can carry another form, whose fields have longer names there.
const maxLogin = 3 * web.MaxForm

// Sign-ins are audited by their handlers, which know the account; people counts them.
var (
	signIn   = web.Action{Name: "sign_in", Text: "signed in"}
	linkUsed = web.Action{Name: "link_used", Text: "used a one-time link"}
)

// Actions returns the actions that no route names.
func Actions() []*web.Action { return []*web.Action{&signIn, &linkUsed} }

func (us *Users) signInRoutes() []web.Route {
	return []web.Route{
		{Pattern: "GET /login", Scope: web.Anyone, Serve: us.showLogin},
		{Pattern: "POST /login", Scope: web.Anyone, Serve: us.login, MaxBody: maxLogin},
		{Pattern: "GET /welcome", Scope: web.Anyone, Serve: us.showWelcome},
		{Pattern: "POST /welcome", Scope: web.Anyone, Serve: us.welcome},
	}
}

// loginView is the data of login.html.
type loginView struct {
	web.Frame
	Next    string // path to go to
	Name    string // in the form
	Form    form   // refused before; see form.go
	Problem string
	Done    string
}

func (us *Users) renderLogin(w http.ResponseWriter, r *http.Request, status int, page loginView) {
	page.Frame = us.web.Frame(r, "Sign in – feedwire", 0)
	us.pages.Render(w, r, status, "login.html", page)
}

// showLogin serves GET /login.
func (us *Users) showLogin(w http.ResponseWriter, r *http.Request) error {
	next := web.LocalPath(r.URL.Query().Get("next"))
	if v := web.VisitorOf(r); v.Known() {
		http.Redirect(w, r, next, http.StatusSeeOther) //nolint:gosec // a path of ours, by LocalPath
		return nil
	}
	us.renderLogin(w, r, http.StatusOK, loginView{Next: next, Done: done(r)})
	return nil
}

// SignInAgain answers a form whose sender is signed out with a sign-in page that carries the form.
func (us *Users) SignInAgain(w http.ResponseWriter, r *http.Request) {
	page := loginView{Next: pageOf(r.URL.Path), Form: refusedForm(w, r)}
	page.Problem = "You were signed out, so the form was not saved. Sign in and send it again."
	if page.Form.Path != "" {
		page.Problem = "You were signed out, so the form was not saved. It is kept here: sign in, then send it."
	}
	us.renderLogin(w, r, http.StatusUnauthorized, page)
}

// login serves POST /login.
func (us *Users) login(w http.ResponseWriter, r *http.Request) error {
	v := web.VisitorOf(r)
	page := loginView{Next: web.LocalPath(r.PostFormValue("next")), Name: web.Cut(r.PostFormValue("name"), feed.MaxName), Form: carriedForm(r)}
	err := us.people.SignIn(w, r, &v.Session, page.Name, r.PostFormValue("password"))
	if err == nil {
		name, _ := feed.CheckName(page.Name) // valid: the sign-in succeeded
		us.web.Record(r, &signIn, name)
		if page.Form.Path != "" {
			us.offerAgain(w, r, name, page.Next, page.Form)
			return nil
		}
		http.Redirect(w, r, page.Next, http.StatusSeeOther)
		return nil
	}
	status := http.StatusUnauthorized
	var throttled people.ThrottledError
	switch {
	case errors.Is(err, people.ErrNotProven):
		page.Problem = "Name or password is wrong."
	case errors.As(err, &throttled):
		w.Header().Set("Retry-After", strconv.Itoa(int(time.Duration(throttled).Seconds())))
		fallthrough
	default:
		status, page.Problem = us.web.Message(r, err)
	}
	us.renderLogin(w, r, status, page)
	return nil
}

// welcomeView is the data of welcome.html.
type welcomeView struct {
	web.Frame
	Once    string // secret of the link; empty: the link is not valid
	Name    string // of the account
	First   bool   // the link creates the first account, so its name can be chosen
	Problem string
	Least   int // characters of a password
}

func (us *Users) renderWelcome(w http.ResponseWriter, r *http.Request, status int, page welcomeView) {
	page.Frame, page.Least = us.web.Frame(r, "Welcome – feedwire", 0), feed.MinPassword
	us.pages.Render(w, r, status, "welcome.html", page)
}

// showWelcome serves GET /welcome?once=…, where one-time links lead.
func (us *Users) showWelcome(w http.ResponseWriter, r *http.Request) error {
	page := welcomeView{Once: r.URL.Query().Get("once")}
	name, err := us.people.LinkAccount(r.Context(), page.Once)
	if err != nil {
		return us.welcomeFailed(w, r, page, err)
	}
	page.Name, page.First = name, name == ""
	us.renderWelcome(w, r, http.StatusOK, page)
	return nil
}

// welcomeFailed shows why a link or its form failed.
func (us *Users) welcomeFailed(w http.ResponseWriter, r *http.Request, page welcomeView, err error) error {
	status, text := us.web.Message(r, err)
	if status >= http.StatusInternalServerError {
		us.web.ErrorPage(w, r, status, text)
		return nil
	}
	page.Problem = text
	if errors.Is(err, feed.ErrNotFound) {
		page.Once = ""
		page.Problem = "This link was used already or is older than " + web.Span(feed.LinkLife) + "."
	}
	us.renderWelcome(w, r, status, page)
	return nil
}

// welcome serves POST /welcome: it sets the password of the account of a link and signs the visitor in.
func (us *Users) welcome(w http.ResponseWriter, r *http.Request) error {
	v := web.VisitorOf(r)
	page := welcomeView{Once: r.PostFormValue("once"), Name: r.PostFormValue("name")}
	account, err := us.people.LinkAccount(r.Context(), page.Once)
	if err == nil {
		page.First = account == ""
		page.Name, err = us.people.UseLink(w, r, &v.Session, page.Once, page.Name, r.PostFormValue("password"), r.PostFormValue("again"))
	}
	if err != nil {
		return us.welcomeFailed(w, r, page, err)
	}
	us.web.Record(r, &linkUsed, page.Name)
	http.Redirect(w, r, "/", http.StatusSeeOther)
	return nil
}
