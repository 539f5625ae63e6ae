package users

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/feedwire/feedwire/publish/people"
	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// accountPage is the data of account.html.
type accountPage struct {
	web.Frame
	Visitor  feed.Visitor
	Profile  feed.Profile // as a form sent it, if it was refused
	Sessions []feed.Session
	Apps     []feed.Token
	New      *NewToken // an app password that was just created; nil: there is none
	Site     string    // address of this site for apps
	Least    int       // characters of a password
}

// showAccount serves GET /account.
func (us *Users) showAccount(w http.ResponseWriter, r *http.Request) error {
	return us.renderAccount(w, r, nil)
}

// renderAccount renders the page of the visitor's account, with an app password that was just created.
func (us *Users) renderAccount(w http.ResponseWriter, r *http.Request, created *NewToken) error {
	v := web.VisitorOf(r)
	sessions, err := us.sessions(r.Context(), v.Session.AccountID)
	if err != nil {
		return err
	}
	apps, err := us.apps(r.Context(), v.Account.Name)
	if err != nil {
		return err
	}
	profile, err := us.shownProfile(r, &v)
	if err != nil {
		return err
	}
	return us.web.Render(w, r, "account.html",
		&accountPage{web.Frame{Title: "Your account"}, v, profile, sessions, apps, created, us.web.PublicURL, people.MinPassword})
}

// shownProfile returns the profile of the visitor with what a form that was refused says.
func (us *Users) shownProfile(r *http.Request, v *feed.Visitor) (p feed.Profile, err error) {
	if v.Account.ID != 0 {
		p, err = us.people.Profile(r.Context(), v.Account.ID)
	}
	if r.PostForm.Has("about") && r.PostForm.Has("email") {
		p = feed.Profile{About: r.PostFormValue("about"), Email: r.PostFormValue("email")}
	}
	return p, err
}

// AboutLimit returns the maximum length of the text about a person in characters.
func (accountPage) AboutLimit() int { return feed.MaxAbout }

// Browser returns the browser and operating system in a User-Agent, for example "Firefox on Linux".
func (accountPage) Browser(agent string) string {
	first := func(names ...string) string {
		for _, name := range names {
			if strings.Contains(agent, name) {
				return name
			}
		}
		return ""
	}
	product := first("Firefox/", "Edg/", "OPR/", "Chrome/", "Safari/", "curl/")
	browser := cmp.Or(strings.NewReplacer("Edg/", "Edge", "OPR/", "Opera", "/", "").Replace(product), "A browser")
	if system := first("Android", "iPhone", "iPad", "Windows", "Mac OS X", "Linux"); system != "" {
		return browser + " on " + strings.Replace(system, "Mac OS X", "macOS", 1)
	}
	return browser
}

// ownRoutes returns the routes of the visitor's own account.
func (us *Users) ownRoutes() []web.Route {
	changePassword := &web.Action{Name: "password_change", Text: "changed the password of"}
	endSession := &web.Action{Name: "session_end", Text: "ended a session of"}
	removeOwn := &web.Action{Name: "account_remove", Text: "removed their own account"}
	endSessions := &web.Action{Name: "sessions_end", Text: "signed out everywhere"}
	return []web.Route{
		{Pattern: "GET /account", Scope: web.SignedIn, Serve: us.showAccount},
		{Pattern: "GET /account/export", Scope: web.SignedIn, Serve: us.exportAccount},
		own("POST /account/remove", removeOwn, "/login", "removed", us.removeOwn, us.showAccount),
		own("POST /logout", endSession, "/login", "out", us.people.SignOut, nil),
		own("POST /account/password", changePassword, "/account", "password", us.changePassword, us.showAccount),
		own("POST /account/sessions/{session}/end", endSession, "/account", "session", us.endSession, us.showAccount),
		own("POST /account/sessions/end", endSessions, "/login", "everywhere", us.people.SignOutEverywhere, us.showAccount),
	}
}

// own returns the route of a form that changes the visitor's own account.
func own(
	pattern string, action *web.Action, page, did string, do func(http.ResponseWriter, *http.Request, *feed.Visitor) error, failed web.Handler,
) web.Route {
	return web.Route{Pattern: pattern, Scope: web.SignedIn, Action: action, Failed: failed, Serve: func(w http.ResponseWriter, r *http.Request) error {
		v := web.VisitorOf(r)
		web.Changed(r, feed.AccountObject(&v.Account), "", "")
		if err := do(w, r, &v); err != nil {
			return err
		}
		web.Redirect(w, r, web.Next{Page: page, Did: did})
		return nil
	}}
}

// changePassword sets another password for a visitor who knows the current one.
func (us *Users) changePassword(w http.ResponseWriter, r *http.Request, v *feed.Visitor) error {
	return us.people.ChangePassword(w, r, v, r.PostFormValue("current"), r.PostFormValue("password"), r.PostFormValue("again"))
}

// endSession ends one session of the visitor's account.
func (us *Users) endSession(_ http.ResponseWriter, r *http.Request, v *feed.Visitor) error {
	sessions, err := us.sessions(r.Context(), v.Account.ID)
	for i := range sessions {
		if s := &sessions[i]; s.ID() == r.PathValue("session") {
			defer us.people.Forget()
			return us.store.EndSession(r.Context(), s.Sum, v.Account.ID)
		}
	}
	return err
}

// sessions returns the sessions of an account. A visitor without an account has none.
func (us *Users) sessions(ctx context.Context, account int64) ([]feed.Session, error) {
	if account == 0 {
		return nil, nil
	}
	return us.store.Sessions(ctx, account)
}

// ownData is everything that is stored about an account.
type ownData struct {
	Account  feed.Account   `json:"account"`
	Inviter  string         `json:"invited_by,omitempty"` // its name, or what the audit log calls it; empty: none
	Profile  feed.Profile   `json:"profile"`
	Sessions []feed.Session `json:"sessions"`
	Tokens   []feed.Token   `json:"tokens"`
	Follows  []feed.Follow  `json:"follows"`
	Saved    []feed.Entry   `json:"saved"`
	Posts    []feed.Entry   `json:"posts"`
	Votes    []feed.OwnVote `json:"votes"`

	Comments    []feed.UserComment `json:"comments"`
	Reports     []feed.OwnReport   `json:"reports"`
	BannedSince time.Time          `json:"banned_since,omitzero"`
}

// exportAccount serves GET /account/export: the data of the visitor's own account as a file.
func (us *Users) exportAccount(w http.ResponseWriter, r *http.Request) error {
	v := web.VisitorOf(r)
	if v.Account.ID == 0 {
		return people.ErrNoSession
	}
	data := ownData{Account: v.Account}
	var err error
	if data.Profile, err = us.people.Profile(r.Context(), v.Account.ID); err != nil {
		return err
	}
	if data.Inviter, err = us.inviter(r.Context(), v.Account.ID); err != nil {
		return err
	}
	if data.Tokens, err = us.store.TokensOf(r.Context(), v.Account.Name); err != nil {
		return err
	}
	if data.Sessions, err = us.sessions(r.Context(), v.Account.ID); err != nil {
		return err
	}
	if data.Follows, err = us.store.Follows(r.Context(), v.Account.ID); err != nil {
		return err
	}
	if data.Saved, err = readAll(r.Context(), v.Account.ID, us.store.Saved); err != nil {
		return err
	}
	if data.Posts, err = readAll(r.Context(), v.Account.ID, us.store.Posts); err != nil {
		return err
	}
	if data.Votes, err = us.store.VotesOf(r.Context(), v.Account.ID); err != nil {
		return err
	}
	if err := us.addCommunity(r.Context(), &data); err != nil {
		return err
	}
	w.Header().Set("Content-Disposition", `attachment; filename="account.json"`)
	web.JSON(w, http.StatusOK, data)
	return nil
}

// inviter returns who invited an account, as people read it; empty: no one.
func (us *Users) inviter(ctx context.Context, account int64) (string, error) {
	above, err := us.store.Inviters(ctx, account)
	if err != nil || len(above) == 0 {
		return "", err
	}
	a, err := us.store.AccountByID(ctx, above[0])
	if errors.Is(err, feed.ErrNotFound) {
		return fmt.Sprint("removed account ", above[0]), nil
	}
	return a.Name, err
}

// addCommunity adds what an account wrote and reported in the community.
func (us *Users) addCommunity(ctx context.Context, data *ownData) (err error) {
	id := data.Account.ID
	data.Comments = []feed.UserComment{}
	for after := (feed.Cursor{}); ; {
		page, next, err := us.store.CommentsOf(ctx, id, id, after, web.MaxLimit)
		if err != nil {
			return err
		}
		data.Comments = append(data.Comments, page...)
		if after = next; after.IsZero() {
			break
		}
	}
	if data.Reports, err = us.store.ReportsBy(ctx, id); err != nil {
		return err
	}
	data.BannedSince, err = us.store.BannedSince(ctx, id)
	return err
}

// readAll returns the entries of an account on all pages.
func readAll(
	ctx context.Context, account int64, read func(context.Context, int64, feed.Cursor, int) (feed.TimelinePage, error),
) ([]feed.Entry, error) {
	all := []feed.Entry{}
	for after := (feed.Cursor{}); ; {
		page, err := read(ctx, account, after, 1000)
		all = append(all, page.Entries...)
		if after = page.Next; err != nil || after.IsZero() {
			return all, err
		}
	}
}

// removeOwn removes the account of a visitor who knows its password.
func (us *Users) removeOwn(w http.ResponseWriter, r *http.Request, v *feed.Visitor) error {
	revoked, err := us.people.RemoveOwn(w, r, v, r.PostFormValue("current"))
	ended(r, v.Account, revoked)
	return err
}
