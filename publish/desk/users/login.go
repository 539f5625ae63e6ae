package users

import (
	"errors"
	"net/http"
	"net/url"

	"github.com/feedwire/feedwire/publish/people"
	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// Bounds of forms that anyone may send, in bytes. A sign-in can carry another form, whose fields have longer names there.
const (
	maxLogin   = 16 << 10
	maxWelcome = 4 << 10
)

func (us *Users) signInRoutes() []web.Route {
	return []web.Route{
		{Pattern: "GET /login", Scope: web.Anyone, Serve: us.showLogin},
		{Pattern: "POST /login", Scope: web.Anyone, Serve: us.login, Failed: us.renderLogin, MaxBody: maxLogin},
		{Pattern: "GET /reset-password", Scope: web.Anyone, Serve: us.showForgot},
		{Pattern: "POST /reset-password", Scope: web.Anyone, Serve: web.Form(us.requestReset), Failed: us.showForgot, MaxBody: maxWelcome},
		{Pattern: "GET /welcome", Scope: web.Anyone, Serve: us.showWelcome},
		{Pattern: "POST /welcome", Scope: web.Anyone, Serve: us.welcome, Failed: us.showWelcome, MaxBody: maxWelcome},
	}
}

// loginView is the data of login.html.
type loginView struct {
	web.Frame
	Next string // path to go to
	Name string // in the form
	Form form   // refused before; see form.go
	Join bool   // anyone may sign up
	Mail bool   // people get mail here

	First bool // there are no accounts except those of members
}

// Beside returns the address of another page that leads to the same one.
func (p *loginView) Beside(path string) string { return withNext(path, p.Next) }

// withNext returns the address of a page that leads to next.
func withNext(path, next string) string {
	if next == "/" {
		return path
	}
	return web.WithQuery(path, url.Values{"next": {next}})
}

// showLogin serves GET /login.
func (us *Users) showLogin(w http.ResponseWriter, r *http.Request) error {
	if v := web.VisitorOf(r); v.Known() && !v.Open { // strangers on open pages may have an account
		http.Redirect(w, r, web.LocalPath(r.FormValue("next")), http.StatusSeeOther) //nolint:gosec // LocalPath is a path of this daemon
		return nil
	}
	return us.renderLogin(w, r)
}

// renderLogin shows the sign-in page with the fields of the request.
func (us *Users) renderLogin(w http.ResponseWriter, r *http.Request) error {
	return us.renderLoginView(w, r, loginViewOf(r))
}

func (us *Users) renderLoginView(w http.ResponseWriter, r *http.Request, page loginView) error {
	staffed, err := us.store.HasStaff(r.Context())
	page.First = err == nil && !staffed // without the store, people may sign in later
	page.Join, page.Mail = us.people.SignUpMode() == people.SignUpOpen, us.people.SendsMail()
	return us.web.Render(w, r, "login.html", &page)
}

func loginViewOf(r *http.Request) loginView {
	notice := signedOut.Get(r.URL.Query().Get("did"), "", 1)
	return loginView{
		Frame: web.Frame{Title: "Sign in", Notice: notice}, Next: web.LocalPath(r.FormValue("next")),
		Name: web.Cut(r.PostFormValue("name"), feed.MaxName),
		Form: carriedForm(r),
	}
}

// offerSignIn answers a form whose sender is signed out with a sign-in page that carries the form.
func (us *Users) offerSignIn(w http.ResponseWriter, r *http.Request) error {
	page := loginView{Frame: web.Frame{Title: "Sign in", Status: http.StatusUnauthorized}, Next: pageOf(r.URL.Path), Form: refusedForm(w, r)}
	page.Problem = "You were signed out, so the form was not saved. Sign in and fill it in again."
	if page.Form.Path != "" {
		page.Problem = "You were signed out, so the form was not saved. Sign in, then submit it."
	}
	return us.renderLoginView(w, r, page)
}

// login serves POST /login.
func (us *Users) login(w http.ResponseWriter, r *http.Request) error {
	v, page := web.VisitorOf(r), loginViewOf(r)
	account, err := us.people.SignIn(w, r, &v.Session, page.Name, r.PostFormValue("password"))
	if errors.Is(err, people.ErrNotProven) {
		page.Status, page.Problem = http.StatusUnauthorized, "Name or password is wrong."
		return us.renderLoginView(w, r, page)
	}
	if err != nil {
		return err
	}
	us.web.Record(r, signIn, &account)
	if page.Form.Path != "" {
		return us.web.Render(w, r, "resubmit.html", &resubmitPage{web.Frame{Title: "Unsubmitted form"}, account.Name, page.Next, page.Form})
	}
	http.Redirect(w, r, page.Next, http.StatusSeeOther)
	return nil
}

// welcomeView is the data of welcome.html.
type welcomeView struct {
	web.Frame
	Once  string // secret of the link; empty: the link is not valid
	Name  string // of the account
	First bool   // the link creates the first account, so its name can be chosen
	Least int    // characters of a password
}

// showWelcome serves GET /welcome?once=…, where one-time links lead.
func (us *Users) showWelcome(w http.ResponseWriter, r *http.Request) error {
	page := welcomeView{Frame: web.Frame{Title: "Welcome"}, Once: r.FormValue("once"), Least: people.MinPassword}
	name, err := us.people.LinkAccount(r.Context(), page.Once)
	switch {
	case errors.Is(err, feed.ErrNotFound):
		page.Once, page.Status, page.Problem = "", http.StatusNotFound, usedLink
	case err != nil:
		return err
	case name == "":
		page.First, page.Name = true, r.PostFormValue("name")
	default:
		page.Name = name
	}
	return us.web.Render(w, r, "welcome.html", &page)
}

// welcome serves POST /welcome: it sets the password of the account of a link and signs the visitor in.
func (us *Users) welcome(w http.ResponseWriter, r *http.Request) error {
	v, value := web.VisitorOf(r), r.PostFormValue
	account, err := us.people.UseLink(w, r, &v.Session, value("once"), value("name"), value("password"), value("again"))
	if err != nil {
		return err
	}
	us.web.Record(r, linkUsed, &account)
	http.Redirect(w, r, "/", http.StatusSeeOther)
	return nil
}
