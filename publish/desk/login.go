package desk

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// maxLogin bounds what a sign-in sends, in bytes: it may carry a form along, whose fields have longer names there.
const maxLogin = 3 * maxForm

// loginPage is what the template shows.
type loginPage struct {
	frame
	Next    string // path to go to
	Name    string // that was given
	Kept    kept   // form that was sent before
	Problem string
	Done    string
}

func (d *Desk) showLogin(w http.ResponseWriter, r *http.Request, status int, page loginPage) {
	page.frame = d.frame(r, "Sign in – feedwire", 0)
	d.render(w, r, status, "login.html", page)
}

// askLogin serves "/login", to whoever is not signed in.
func (d *Desk) askLogin(w http.ResponseWriter, r *http.Request) {
	next := localPath(r.URL.Query().Get("next"))
	if visitorOf(r).known() {
		http.Redirect(w, r, next, http.StatusSeeOther) //nolint:gosec // localPath lets through our own pages only
		return
	}
	d.showLogin(w, r, http.StatusOK, loginPage{Next: next, Done: done(r)})
}

// login signs in with name and password. What it answers, and how long that takes, is the same for accounts that are not
// there, that are disabled, and whose password is another one.
func (d *Desk) login(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxLogin)
	page := loginPage{Next: localPath(r.PostFormValue("next")), Name: cutTo(r.PostFormValue("name"), feed.MaxName), Kept: keptIn(r)}
	name, _ := feed.CheckName(page.Name) // empty: the name of nobody
	account, err := d.proven(r, name, r.PostFormValue("password"))
	if err == nil {
		err = d.enter(w, r, &account, signIn)
	}
	var wait tooManyError
	var status int
	switch {
	case err == nil:
		d.metrics.signIns[signInOK].Inc()
		if page.Kept.Path != "" {
			d.offerAgain(w, r, name, page.Next, page.Kept)
			return
		}
		http.Redirect(w, r, page.Next, http.StatusSeeOther)
		return
	case errors.Is(err, errNotProven):
		d.metrics.signIns[signInRefused].Inc()
		status, page.Problem = http.StatusUnauthorized, "Name or password is not right."
	case errors.As(err, &wait):
		d.metrics.signIns[signInThrottled].Inc()
		w.Header().Set("Retry-After", strconv.Itoa(int(time.Duration(wait).Seconds())))
		status, page.Problem = d.say(r, err)
	default:
		d.metrics.signIns[signInUnavailable].Inc()
		status, page.Problem = d.say(r, err)
	}
	d.showLogin(w, r, status, page)
}

// errNotProven: the password is not that of an account which may sign in.
var errNotProven = errors.New("name or password is not right")

// tooManyError is how long the next sign-in has to wait, since too many have failed.
type tooManyError time.Duration

func (t tooManyError) Error() string {
	return "too many sign-ins have failed; try again in " + length(time.Duration(t))
}

// proven is the account that a password is of. errNotProven: it is not, or the account may not sign in; tooManyError: that was
// not looked at.
func (d *Desk) proven(r *http.Request, name, password string) (feed.Account, error) {
	ctx, address := r.Context(), network(d.client(r))
	wait, err := d.signs.CountAttempt(ctx, address, name)
	if err != nil {
		return feed.Account{}, err
	}
	if wait > 0 {
		d.logRefused(r, name, "too many have failed")
		return feed.Account{}, tooManyError(wait)
	}
	account, err := d.signs.Account(ctx, name)
	if err != nil && !errors.Is(err, feed.ErrNotFound) {
		return account, err
	}
	ok, err := d.matches(ctx, account.Password, password)
	if err != nil {
		return account, err
	}
	if !ok || account.Disabled {
		d.opts.OnAuthFailure("password")
		d.logRefused(r, name, "name or password")
		return account, errNotProven
	}
	return account, d.signs.ForgiveAttempt(ctx, address, name)
}

// enter starts a session of an account that may have one.
func (d *Desk) enter(w http.ResponseWriter, r *http.Request, a *feed.Account, by action) error {
	if err := d.startSession(w, r, a); err != nil {
		return err
	}
	now := d.opts.Now()
	if err := d.signs.ChangeAccount(r.Context(), a.Name, feed.AccountChange{LastSignIn: &now}); err != nil {
		return err
	}
	d.auditOf(r, a.Name, by)
	return nil
}

// localPath is where a visitor goes on after signing in: a page of ours, else the overview.
func localPath(next string) string {
	u, err := url.Parse(next)
	if err != nil || u.IsAbs() || u.Host != "" || !strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") ||
		strings.ContainsAny(next, "\\\r\n\t") || strings.HasPrefix(u.Path, "/log") {
		return "/"
	}
	return next
}

// pageOf is the page that a form at this path is on.
func pageOf(path string) string {
	first, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return localPath("/" + first)
}

// welcomePage is what the template shows.
type welcomePage struct {
	frame
	Once    string // secret of the link; empty: it does not hold
	Name    string // of the account
	First   bool   // the account is to be made, so that its name can be chosen
	Problem string
	Least   int // characters of a password
}

func (d *Desk) showWelcome(w http.ResponseWriter, r *http.Request, status int, page welcomePage) {
	page.frame, page.Least = d.frame(r, "Welcome – feedwire", 0), feed.MinPassword
	d.render(w, r, status, "welcome.html", page)
}

// askWelcome serves "/welcome?once=…", to which one-time links lead.
func (d *Desk) askWelcome(w http.ResponseWriter, r *http.Request) {
	page := welcomePage{Once: r.URL.Query().Get("once")}
	name, err := d.signs.Link(r.Context(), feed.SecretSum(page.Once))
	if err != nil {
		d.welcomeFailed(w, r, page, err)
		return
	}
	page.Name, page.First = name, name == ""
	d.showWelcome(w, r, http.StatusOK, page)
}

// welcomeFailed says why a link does not do what it is for.
func (d *Desk) welcomeFailed(w http.ResponseWriter, r *http.Request, page welcomePage, err error) {
	status, text := d.say(r, err)
	if status >= http.StatusInternalServerError {
		d.sorry(w, r, status, text)
		return
	}
	page.Problem = text
	if errors.Is(err, feed.ErrNotFound) {
		page.Once = ""
		page.Problem = "This link was used already, or is older than " + span(feed.LinkLife) + "."
	}
	d.showWelcome(w, r, status, page)
}

// welcome uses a one-time link: name and password are chosen, and the visitor is signed in.
func (d *Desk) welcome(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	page := welcomePage{Once: r.PostFormValue("once"), Name: r.PostFormValue("name")}
	err := d.useLink(w, r, &page)
	if err != nil {
		d.welcomeFailed(w, r, page, err)
		return
	}
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

func (d *Desk) useLink(w http.ResponseWriter, r *http.Request, page *welcomePage) error {
	sum := feed.SecretSum(page.Once)
	name, err := d.signs.Link(r.Context(), sum) // before the password, which takes time
	if err != nil {
		return err
	}
	page.First = name == ""
	if page.First {
		if name, err = feed.CheckName(page.Name); err != nil {
			return err
		}
	}
	page.Name = name
	hash, err := d.chosen(r.Context(), name, r.PostFormValue("password"), r.PostFormValue("again"))
	if err != nil {
		return err
	}
	if err := d.signs.UseLink(r.Context(), sum, name, hash); err != nil {
		return err
	}
	account, err := d.signs.Account(r.Context(), name)
	if err != nil {
		return err
	}
	if account.Disabled {
		return fmt.Errorf("the password is set, but the account is disabled: %w", feed.ErrConflict)
	}
	d.opts.Logger.InfoContext(r.Context(), "one-time link used", "account", name)
	return d.enter(w, r, &account, linkUsed)
}
