package users

import (
	"net/http"
	"time"

	"github.com/feedwire/feedwire/publish/people"
	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// User is an account in the API.
type User struct {
	feed.Account
	Link        string    `json:"link,omitempty"`        // one-time link to choose a password; only in the response that creates it
	LinkExpires time.Time `json:"link_expires,omitzero"` // when Link ends
}

func (us *Users) accountRoutes() []web.Route {
	add := web.Action{Name: "user_add", Text: "added a user", Secret: true}
	role := web.Action{Name: "user_role", Text: "changed the role of"}
	disable := web.Action{Name: "user_disable", Text: "disabled"}
	enable := web.Action{Name: "user_enable", Text: "enabled"}
	reset := web.Action{Name: "user_reset", Text: "made a link for", Secret: true}
	return []web.Route{
		{Pattern: "GET /users", Scope: feed.ScopeAdmin, Serve: us.showUsers},
		{Pattern: "POST /users", Scope: feed.ScopeAdmin, Action: &add, Serve: us.addUserByForm, Failed: us.failAccounts},
		{Pattern: "POST /users/{name}/role", Scope: feed.ScopeAdmin, Action: &role, Serve: us.changeRoleByForm, Failed: us.failAccounts},
		{Pattern: "POST /users/{name}/disable", Scope: feed.ScopeAdmin, Action: &disable, Serve: us.disableByForm, Failed: us.failAccounts},
		{Pattern: "POST /users/{name}/enable", Scope: feed.ScopeAdmin, Action: &enable, Serve: us.enableByForm, Failed: us.failAccounts},
		{Pattern: "POST /users/{name}/reset", Scope: feed.ScopeAdmin, Action: &reset, Serve: us.resetByForm, Failed: us.failAccounts},
		{Pattern: "GET /api/v1/users", Scope: feed.ScopeAdmin, Serve: us.listUsers},
		{Pattern: "POST /api/v1/users", Scope: feed.ScopeAdmin, Action: &add, Serve: us.addUser},
		{Pattern: "POST /api/v1/users/{name}/role", Scope: feed.ScopeAdmin, Action: &role, Serve: us.changeRole},
		{Pattern: "POST /api/v1/users/{name}/disable", Scope: feed.ScopeAdmin, Action: &disable, Serve: us.disableUser},
		{Pattern: "POST /api/v1/users/{name}/enable", Scope: feed.ScopeAdmin, Action: &enable, Serve: us.enableUser},
		{Pattern: "POST /api/v1/users/{name}/reset", Scope: feed.ScopeAdmin, Action: &reset, Serve: us.resetUser},
	}
}

// invite adds an account without a password, and returns it with a link to choose one.
func (us *Users) invite(r *http.Request, name string, role feed.Role) (User, error) {
	made, err := us.people.Invite(r.Context(), name, role)
	web.Changed(r, feed.AccountObject(made.Name), "", string(role))
	return userOf(made), err
}

func userOf(made people.Invited) User {
	return User{Account: made.Account, Link: made.Link, LinkExpires: made.Expires}
}

// changeUser changes the account of the path.
func (us *Users) changeUser(r *http.Request, change feed.AccountChange) (User, error) {
	before, after, err := us.people.Change(r.Context(), r.PathValue("name"), change)
	web.Changed(r, feed.AccountObject(before.Name), standing(&before), standing(&after))
	return User{Account: after}, err
}

// standing returns what an account may do, for the audit log.
func standing(a *feed.Account) string {
	if a.Disabled {
		return string(a.Role) + ", disabled"
	}
	return string(a.Role)
}

func (us *Users) listUsers(w http.ResponseWriter, r *http.Request) error {
	accounts, err := us.store.Accounts(r.Context())
	if err != nil {
		return err
	}
	page, err := web.PageOf(r, accounts, func(a feed.Account) string { return a.Name })
	if err != nil {
		return err
	}
	web.JSON(w, http.StatusOK, page)
	return nil
}

func (us *Users) addUser(w http.ResponseWriter, r *http.Request) error {
	var body struct {
		Name string    `json:"name"`
		Role feed.Role `json:"role"`
	}
	if err := web.Decode(w, r, &body); err != nil {
		return err
	}
	u, err := us.invite(r, body.Name, body.Role)
	if err != nil {
		return err
	}
	web.JSON(w, http.StatusCreated, u)
	return nil
}

func (us *Users) changeRole(w http.ResponseWriter, r *http.Request) error {
	var body struct {
		Role feed.Role `json:"role"`
	}
	if err := web.Decode(w, r, &body); err != nil {
		return err
	}
	return us.answerUser(w, r, body.Role, us.setRole)
}

func (us *Users) setRole(r *http.Request, role feed.Role) (User, error) {
	if err := people.CheckRole(role); err != nil {
		return User{}, err
	}
	return us.changeUser(r, feed.AccountChange{Role: &role})
}

func (us *Users) disableUser(w http.ResponseWriter, r *http.Request) error {
	return us.answerUser(w, r, "", us.disable)
}

// disable also ends the sessions, so that enabling the account does not revive them.
func (us *Users) disable(r *http.Request, _ feed.Role) (User, error) {
	yes := true
	return us.changeUser(r, feed.AccountChange{Disabled: &yes, EndSessions: true})
}

func (us *Users) enableUser(w http.ResponseWriter, r *http.Request) error {
	return us.answerUser(w, r, "", us.enable)
}

func (us *Users) enable(r *http.Request, _ feed.Role) (User, error) {
	no := false
	return us.changeUser(r, feed.AccountChange{Disabled: &no})
}

func (us *Users) resetUser(w http.ResponseWriter, r *http.Request) error {
	return us.answerUser(w, r, "", us.reset)
}

// reset returns the account of the path with a link to choose a new password. The old one is valid until then.
func (us *Users) reset(r *http.Request, _ feed.Role) (User, error) {
	made, err := us.people.Reset(r.Context(), r.PathValue("name"))
	web.Changed(r, feed.AccountObject(made.Name), "", "")
	return userOf(made), err
}

// answerUser changes the account of the path by do and responds with the result.
func (us *Users) answerUser(
	w http.ResponseWriter, r *http.Request, role feed.Role, do func(*http.Request, feed.Role) (User, error),
) error {
	u, err := do(r, role)
	if err != nil {
		return err
	}
	web.JSON(w, http.StatusOK, u)
	return nil
}
