package users

import (
	"context"
	"net/http"
	"strings"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// accountPage is the data of account.html.
type accountPage struct {
	web.Frame
	Name, Role    string
	Own           bool // signed in with a password
	LastSignIn    web.Moment
	Sessions      []sessionRow
	Problem, Done string
	Least         int // characters of a password
}

// sessionRow is one session.
type sessionRow struct {
	ID            string
	Browser       string
	Address       string
	Created, Seen web.Moment
	This          bool // the session of this request
}

// showAccount serves GET /account.
func (us *Users) showAccount(w http.ResponseWriter, r *http.Request) error {
	return us.renderAccount(w, r, http.StatusOK, "")
}

// failAccount shows the page with the reason why its form failed.
func (us *Users) failAccount(w http.ResponseWriter, r *http.Request, status int, problem string) {
	if err := us.renderAccount(w, r, status, problem); err != nil {
		us.web.ErrorPage(w, r, status, problem)
	}
}

func (us *Users) renderAccount(w http.ResponseWriter, r *http.Request, status int, problem string) error {
	v, now := web.VisitorOf(r), us.web.Now()
	page := accountPage{
		Frame: us.web.Frame(r, "Your account – feedwire", 0), Name: v.Name, Own: v.Session.Account != "", Problem: problem, Done: done(r),
		Least: feed.MinPassword,
	}
	page.Role, page.LastSignIn = string(v.Account.Role), web.Ago(v.Account.LastSignIn, now)
	sessions, err := us.sessions(r.Context(), v.Session.Account)
	if err != nil {
		return err
	}
	for i := range sessions {
		s := &sessions[i]
		page.Sessions = append(page.Sessions, sessionRow{
			ID: s.ID(), Browser: browser(s.Agent), Address: s.Address, Created: web.Ago(s.Created, now), Seen: web.Ago(s.Seen, now),
			This: s.Sum == v.Session.Sum,
		})
	}
	us.pages.Render(w, r, status, "account.html", page)
	return nil
}

// browser names the program and the system of a User-Agent.
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

// ownRoutes returns the routes of the visitor's own account.
func (us *Users) ownRoutes() []web.Route {
	changePassword := web.Action{Name: "password_change", Text: "changed the password of"}
	endSession := web.Action{Name: "session_end", Text: "ended a session of"}
	endSessions := web.Action{Name: "sessions_end", Text: "signed out everywhere"}
	return []web.Route{
		{Pattern: "POST /logout", Scope: web.SignedIn, Action: &endSession, Serve: us.logout},
		{Pattern: "GET /account", Scope: web.SignedIn, Serve: us.showAccount},
		{Pattern: "POST /account/password", Scope: web.SignedIn, Action: &changePassword, Serve: us.changePassword, Failed: us.failAccount},
		{Pattern: "POST /account/sessions/{session}/end", Scope: web.SignedIn, Action: &endSession, Serve: us.endSession, Failed: us.failAccount},
		{Pattern: "POST /account/sessions/end", Scope: web.SignedIn, Action: &endSessions, Serve: us.endSessions, Failed: us.failAccount},
	}
}

// changePassword sets another password for a visitor who knows the current one.
func (us *Users) changePassword(w http.ResponseWriter, r *http.Request) error {
	v := web.VisitorOf(r)
	err := us.people.ChangePassword(w, r, &v, r.PostFormValue("current"), r.PostFormValue("password"), r.PostFormValue("again"))
	web.Changed(r, feed.AccountObject(v.Session.Account), "", "")
	return then(w, r, err, "/account?done=password")
}

// logout ends the session of this browser.
func (us *Users) logout(w http.ResponseWriter, r *http.Request) error {
	v := web.VisitorOf(r)
	web.Changed(r, feed.AccountObject(v.Session.Account), "", "")
	return then(w, r, us.people.SignOut(w, r, &v), "/login?done=out")
}

// endSession ends one session of the visitor's account.
func (us *Users) endSession(w http.ResponseWriter, r *http.Request) error {
	name := web.VisitorOf(r).Account.Name
	sessions, err := us.sessions(r.Context(), name)
	if err != nil {
		return err
	}
	web.Changed(r, feed.AccountObject(name), "", "")
	for i := range sessions {
		if s := &sessions[i]; s.ID() == r.PathValue("session") {
			if err := us.store.EndSession(r.Context(), s.Sum, name); err != nil {
				return err
			}
		}
	}
	http.Redirect(w, r, "/account?done=session", http.StatusSeeOther)
	return nil
}

// endSessions signs the visitor out everywhere.
func (us *Users) endSessions(w http.ResponseWriter, r *http.Request) error {
	v := web.VisitorOf(r)
	web.Changed(r, feed.AccountObject(v.Account.Name), "", "")
	return then(w, r, us.people.SignOutEverywhere(w, r, &v), "/login?done=everywhere")
}

// sessions returns the sessions of an account. A visitor without an account has none.
func (us *Users) sessions(ctx context.Context, name string) ([]feed.Session, error) {
	if name == "" {
		return nil, nil
	}
	return us.store.Sessions(ctx, name)
}

// done returns what a page says after its form was sent, by the word in its query.
func done(r *http.Request) string {
	switch r.URL.Query().Get("done") {
	case "out":
		return "You are signed out."
	case "everywhere":
		return "You are signed out everywhere."
	case "password":
		return "The password is changed. Your other sessions have ended."
	case "session":
		return "The session has ended."
	case "role":
		return "The role is changed. It applies from the next request."
	case "disabled":
		return "The account is disabled. Its sessions have ended."
	case "enabled":
		return "The account is enabled."
	case "revoked":
		return "The token is revoked."
	}
	return ""
}

// then redirects to a page unless an action failed.
func then(w http.ResponseWriter, r *http.Request, err error, page string) error {
	if err == nil {
		http.Redirect(w, r, page, http.StatusSeeOther)
	}
	return err
}
