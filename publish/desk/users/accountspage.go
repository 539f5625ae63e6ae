package users

import (
	"net/http"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// usersPage is the data of users.html.
type usersPage struct {
	web.Frame
	Rows          []userRow
	Roles         []feed.Role
	New           string // name in the form
	Link, LinkFor string // just created
	LinkLasts     string
	Problem, Done string
}

// userRow is one account.
type userRow struct {
	Name                string
	Role                feed.Role
	State               string // active, invited or disabled
	Created, LastSignIn web.Moment
	Disabled, Self      bool
}

// showUsers serves GET /users.
func (us *Users) showUsers(w http.ResponseWriter, r *http.Request) error {
	return us.renderAccounts(w, r, http.StatusOK, usersPage{})
}

// failAccounts shows the page with the reason why its form failed.
func (us *Users) failAccounts(w http.ResponseWriter, r *http.Request, status int, problem string) {
	if err := us.renderAccounts(w, r, status, usersPage{Problem: problem, New: r.PostFormValue("name")}); err != nil {
		us.web.ErrorPage(w, r, status, problem)
	}
}

func (us *Users) renderAccounts(w http.ResponseWriter, r *http.Request, status int, page usersPage) error {
	accounts, err := us.store.Accounts(r.Context())
	if err != nil {
		return err
	}
	now, v := us.web.Now(), web.VisitorOf(r)
	page.Frame, page.Roles, page.Done, page.LinkLasts = us.web.Frame(r, "Users – feedwire", 0), feed.Roles(), done(r), web.Span(feed.LinkLife)
	for i := range accounts {
		a := &accounts[i]
		row := userRow{
			Name: a.Name, Role: a.Role, State: "active", Created: web.Ago(a.Created, now), LastSignIn: web.Ago(a.LastSignIn, now),
			Disabled: a.Disabled, Self: a.Name == v.Account.Name,
		}
		switch {
		case a.Disabled:
			row.State = "disabled"
		case a.Password == "":
			row.State = "invited"
		}
		page.Rows = append(page.Rows, row)
	}
	us.pages.Render(w, r, status, "users.html", page)
	return nil
}

func (us *Users) addUserByForm(w http.ResponseWriter, r *http.Request) error {
	u, err := us.invite(r, r.PostFormValue("name"), feed.Role(r.PostFormValue("role")))
	if err != nil {
		return err
	}
	return us.renderAccounts(w, r, http.StatusOK, usersPage{Link: u.Link, LinkFor: u.Name})
}

func (us *Users) resetByForm(w http.ResponseWriter, r *http.Request) error {
	u, err := us.reset(r, "")
	if err != nil {
		return err
	}
	return us.renderAccounts(w, r, http.StatusOK, usersPage{Link: u.Link, LinkFor: u.Name})
}

func (us *Users) changeRoleByForm(w http.ResponseWriter, r *http.Request) error {
	_, err := us.setRole(r, feed.Role(r.PostFormValue("role")))
	return then(w, r, err, "/users?done=role")
}

func (us *Users) disableByForm(w http.ResponseWriter, r *http.Request) error {
	_, err := us.disable(r, "")
	return then(w, r, err, "/users?done=disabled")
}

func (us *Users) enableByForm(w http.ResponseWriter, r *http.Request) error {
	_, err := us.enable(r, "")
	return then(w, r, err, "/users?done=enabled")
}
