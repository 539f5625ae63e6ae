package desk

import (
	"errors"
	"net/http"
	"strings"

	"github.com/feedwire/feedwire/store/feed"
)

// accountPage is what the template shows.
type accountPage struct {
	frame
	Name, Role    string
	Own           bool // it has a password and sessions here
	LastSignIn    moment
	Sessions      []sessionRow
	Problem, Done string
	Least         int // characters of a password
}

// sessionRow is one browser.
type sessionRow struct {
	ID            string
	Browser       string
	Address       string
	Created, Seen moment
	This          bool // the request came from it
}

// showAccount serves "/account": what is the visitor's own.
func (d *Desk) showAccount(w http.ResponseWriter, r *http.Request) error {
	return d.account(w, r, http.StatusOK, "")
}

// accountWith is the page with what was wrong with a form.
func (d *Desk) accountWith(w http.ResponseWriter, r *http.Request, status int, problem string) {
	if err := d.account(w, r, status, problem); err != nil {
		d.sorry(w, r, status, problem)
	}
}

func (d *Desk) account(w http.ResponseWriter, r *http.Request, status int, problem string) error {
	v, now := visitorOf(r), d.opts.Now()
	page := accountPage{
		frame: d.frame(r, "Your account – feedwire", 0), Name: v.name, Own: v.session.Account != "", Problem: problem, Done: done(r),
		Least: feed.MinPassword,
	}
	page.Role, page.LastSignIn = string(v.account.Role), ago(v.account.LastSignIn, now)
	sessions, err := d.sessions(r.Context(), v.session.Account)
	if err != nil {
		return err
	}
	for i := range sessions {
		s := &sessions[i]
		page.Sessions = append(page.Sessions, sessionRow{
			ID: s.ID(), Browser: browser(s.Agent), Address: s.Address, Created: ago(s.Created, now), Seen: ago(s.Seen, now),
			This: s.Sum == v.session.Sum,
		})
	}
	d.render(w, r, status, "account.html", page)
	return nil
}

// browser is what a User-Agent says, for people: the program, and the system where one of the common is named.
func browser(agent string) string {
	name := "A browser"
	for _, known := range []string{"Firefox/", "Edg/", "OPR/", "Chrome/", "Safari/", "curl/"} {
		if strings.Contains(agent, known) {
			name = map[string]string{"Edg/": "Edge", "OPR/": "Opera"}[known]
			if name == "" {
				name = strings.TrimSuffix(known, "/")
			}
			break
		}
	}
	for _, system := range []string{"Android", "iPhone", "iPad", "Windows", "Mac OS X", "Linux"} {
		if strings.Contains(agent, system) {
			return name + " on " + strings.Replace(system, "Mac OS X", "macOS", 1)
		}
	}
	return name
}

// changePassword sets another password for whoever knows the one until now. All sessions end; this browser gets a new one.
func (d *Desk) changePassword(w http.ResponseWriter, r *http.Request) error {
	name := visitorOf(r).session.Account
	if name == "" {
		return errNoSession
	}
	account, err := d.proven(r, name, r.PostFormValue("current"))
	switch {
	case errors.Is(err, errNotProven):
		return wrong("current", "the current password is another one")
	case err != nil:
		return err
	}
	hash, err := d.chosen(r.Context(), name, r.PostFormValue("password"), r.PostFormValue("again"))
	if err != nil {
		return err
	}
	if err := d.signs.ChangeAccount(r.Context(), name, feed.AccountChange{Password: &hash, EndSessions: true}); err != nil {
		return err
	}
	about(r, name, "", "")
	account.Generation++ // by that change
	if err := d.startSession(w, r, &account); err != nil {
		return err
	}
	http.Redirect(w, r, "/account?done=password", http.StatusSeeOther)
	return nil
}
