package users

import (
	"net/http"

	"github.com/feedwire/feedwire/publish/people"
	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

func (us *Users) accountRoutes() []web.Route {
	add := &web.Action{Name: "user_add", Text: "added a user", Secret: true}
	role := &web.Action{Name: "user_role", Text: "changed the role of"}
	disable := &web.Action{Name: "user_disable", Text: "disabled"}
	remove := &web.Action{Name: "user_remove", Text: "removed the user"}
	enable := &web.Action{Name: "user_enable", Text: "enabled"}
	reset := &web.Action{Name: "user_reset", Text: "made a link for", Secret: true}
	routes := []web.Route{
		{Pattern: "GET /users", Scope: feed.ScopeAdmin, Serve: us.showUsers},
		{Pattern: "GET /api/v1/users/{name}", Scope: feed.ScopeAdmin, Serve: web.Reply(http.StatusOK, us.show)},
		{Pattern: "GET /api/v1/users", Query: []string{"limit", "cursor"}, Scope: feed.ScopeAdmin, Serve: web.Reply(http.StatusOK, us.list)},
	}
	for _, one := range []struct {
		path   string
		action *web.Action
		status int
		do     func(*http.Request) (people.User, error)
		did    string // empty: the page shows the link of the response
	}{
		{"/users", add, http.StatusCreated, us.invite, ""},
		{"/users/{name}/reset", reset, http.StatusOK, us.reset, ""},
		{"/users/{name}/role", role, http.StatusOK, us.changeRole, "role"},
		{"/users/{name}/enable", enable, http.StatusOK, us.enable, "enabled"},
	} {
		page := web.Form(func(r *http.Request) (web.Next, error) {
			_, err := one.do(r)
			return web.Next{Page: "/users", Did: one.did}, err
		})
		if one.did == "" {
			page = us.showLink(one.do)
		}
		routes = append(routes,
			web.Route{Pattern: "POST " + one.path, Scope: feed.ScopeAdmin, Action: one.action, Serve: page, Failed: us.showUsers},
			web.Route{Pattern: "POST /api/v1" + one.path, Scope: feed.ScopeAdmin, Action: one.action, Serve: web.Reply(one.status, one.do)})
	}
	for _, one := range []struct {
		path, api string
		action    *web.Action
		do        func(*http.Request) (people.User, error)
		did       string
	}{
		{"POST /users/{name}/disable", "POST /api/v1/users/{name}/disable", disable, us.disable, "disabled"},
		{"POST /users/{name}/remove", "DELETE /api/v1/users/{name}", remove, us.remove, "removed"},
	} {
		routes = append(routes,
			web.Route{Pattern: one.path, Scope: feed.ScopeAdmin, Action: one.action, Serve: us.showRevoked(one.did, one.do), Failed: us.showUsers},
			web.Route{Pattern: one.api, Scope: feed.ScopeAdmin, Action: one.action, Serve: web.Reply(http.StatusOK, one.do)})
	}
	return routes
}

// list returns the page of accounts that a request asks for, by name.
func (us *Users) list(r *http.Request) (page feed.Page[feed.Account], err error) {
	query := web.QueryOf(r)
	limit, after := query.Limit(), query.Cursor()
	if query.Err != nil {
		return page, query.Err
	}
	accounts, err := us.store.AccountsAfter(r.Context(), after, limit+1)
	if len(accounts) <= limit {
		return web.List(accounts, ""), err
	}
	return web.List(accounts[:limit], web.CursorText(accounts[limit-1].Name)), err
}

// show serves GET /api/v1/users/{name}.
func (us *Users) show(r *http.Request) (feed.Account, error) {
	return us.store.Account(r.Context(), r.PathValue("name"))
}

// invite adds an account without a password, and returns it with a link to choose one.
func (us *Users) invite(r *http.Request) (people.User, error) {
	var body struct {
		Name string    `json:"name"`
		Role feed.Role `json:"role"`
	}
	if err := web.Input(r, &body); err != nil {
		return people.User{}, err
	}
	made, err := us.people.Invite(r.Context(), body.Name, body.Role)
	web.Changed(r, feed.AccountObject(&made.Account), "", string(body.Role))
	return made, err
}

// reset returns the account of the path with a link to choose a new password. The old one is valid until then.
func (us *Users) reset(r *http.Request) (people.User, error) {
	made, err := us.people.Reset(r.Context(), r.PathValue("name"))
	web.Changed(r, feed.AccountObject(&made.Account), "", "")
	return made, err
}

func (us *Users) changeRole(r *http.Request) (people.User, error) {
	var body struct {
		Role feed.Role `json:"role"`
	}
	if err := web.Input(r, &body); err != nil {
		return people.User{}, err
	}
	if err := people.CheckRole(body.Role); err != nil {
		return people.User{}, err
	}
	return us.change(r, feed.AccountChange{Role: &body.Role})
}

// disable disables the account of the path. Enabling it does not revive its sessions and tokens.
func (us *Users) disable(r *http.Request) (people.User, error) {
	before, revoked, err := us.people.Disable(r.Context(), r.PathValue("name"))
	after := before
	after.Disabled = true
	web.Changed(r, feed.AccountObject(&before), standing(&before), standing(&after))
	return ended(r, after, revoked), err
}

// remove removes the account of the path.
func (us *Users) remove(r *http.Request) (people.User, error) {
	account, revoked, err := us.people.Remove(r.Context(), r.PathValue("name"))
	web.Changed(r, feed.AccountObject(&account), standing(&account), "")
	return ended(r, account, revoked), err
}

// ended returns an account with its revoked tokens, and records them in the audit log.
func ended(r *http.Request, a feed.Account, revoked []feed.Token) people.User {
	for i := range revoked {
		web.AlsoDid(r, revokeToken, feed.TokenObject(&revoked[i], a.ID), scopesText(revoked[i].Scopes), "")
	}
	return people.User{Account: a, Revoked: revoked}
}

func (us *Users) enable(r *http.Request) (people.User, error) {
	return us.change(r, feed.AccountChange{Enable: true})
}

// change changes the account of the path.
func (us *Users) change(r *http.Request, change feed.AccountChange) (people.User, error) {
	before, after, err := us.people.Change(r.Context(), r.PathValue("name"), change)
	web.Changed(r, feed.AccountObject(&before), standing(&before), standing(&after))
	return people.User{Account: after}, err
}

// standing returns what an account may do, for the audit log.
func standing(a *feed.Account) string {
	if a.Disabled {
		return string(a.Role) + ", disabled"
	}
	return string(a.Role)
}
