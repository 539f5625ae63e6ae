package desk

import (
	"net/http"

	"github.com/feedwire/feedwire/store/feed"
)

// usersPage is what the template shows.
type usersPage struct {
	frame
	Rows          []userRow
	Roles         []feed.Role
	New           string // name that was given for one
	Link, LinkFor string // just made
	LinkLasts     string
	Problem, Done string
}

// userRow is one account.
type userRow struct {
	Name                string
	Role                feed.Role
	State               string // active, invited or disabled
	Created, LastSignIn moment
	Disabled, Self      bool
}

// showUsers serves "/users".
func (d *Desk) showUsers(w http.ResponseWriter, r *http.Request) error {
	return d.users(w, r, http.StatusOK, usersPage{})
}

// usersWith is the page with what was wrong with a form.
func (d *Desk) usersWith(w http.ResponseWriter, r *http.Request, status int, problem string) {
	if err := d.users(w, r, status, usersPage{Problem: problem, New: r.PostFormValue("name")}); err != nil {
		d.sorry(w, r, status, problem)
	}
}

func (d *Desk) users(w http.ResponseWriter, r *http.Request, status int, page usersPage) error {
	accounts, err := d.signs.Accounts(r.Context())
	if err != nil {
		return err
	}
	now, v := d.opts.Now(), visitorOf(r)
	page.frame, page.Roles, page.Done, page.LinkLasts = d.frame(r, "Users – feedwire", 0), feed.Roles(), done(r), span(feed.LinkLife)
	for i := range accounts {
		a := &accounts[i]
		row := userRow{
			Name: a.Name, Role: a.Role, State: "active", Created: ago(a.Created, now), LastSignIn: ago(a.LastSignIn, now),
			Disabled: a.Disabled, Self: a.Name == v.account.Name,
		}
		switch {
		case a.Disabled:
			row.State = "disabled"
		case a.Password == "":
			row.State = "invited"
		}
		page.Rows = append(page.Rows, row)
	}
	d.render(w, r, status, "users.html", page)
	return nil
}

func (d *Desk) addUserByForm(w http.ResponseWriter, r *http.Request) error {
	u, err := d.newUser(r, r.PostFormValue("name"), feed.Role(r.PostFormValue("role")))
	if err != nil {
		return err
	}
	return d.users(w, r, http.StatusOK, usersPage{Link: u.Link, LinkFor: u.Name})
}

func (d *Desk) resetByForm(w http.ResponseWriter, r *http.Request) error {
	u, err := d.reset(r, "")
	if err != nil {
		return err
	}
	return d.users(w, r, http.StatusOK, usersPage{Link: u.Link, LinkFor: u.Name})
}

func (d *Desk) changeRoleByForm(w http.ResponseWriter, r *http.Request) error {
	_, err := d.setRole(r, feed.Role(r.PostFormValue("role")))
	return then(w, r, err, "/users?done=role")
}

func (d *Desk) disableByForm(w http.ResponseWriter, r *http.Request) error {
	_, err := d.disable(r, "")
	return then(w, r, err, "/users?done=disabled")
}

func (d *Desk) enableByForm(w http.ResponseWriter, r *http.Request) error {
	_, err := d.enable(r, "")
	return then(w, r, err, "/users?done=enabled")
}

// then goes on to a page, unless something went wrong.
func then(w http.ResponseWriter, r *http.Request, err error, page string) error {
	if err == nil {
		http.Redirect(w, r, page, http.StatusSeeOther)
	}
	return err
}
