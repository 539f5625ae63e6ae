package users

import (
	"net/http"
	"time"

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
}

// userRow is one account.
type userRow struct {
	Name                string
	Role                feed.Role
	State               string // active, invited or disabled
	Created, LastSignIn web.Moment
	Disabled            bool
}

// showUsers serves GET /users.
func (us *Users) showUsers(w http.ResponseWriter, r *http.Request) error {
	return us.renderUsers(w, r, usersPage{New: r.PostFormValue("name")})
}

// showLink shows the link that a form creates.
func (us *Users) showLink(create func(*http.Request) (User, error)) web.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		u, err := create(r)
		if err != nil {
			return err
		}
		return us.renderUsers(w, r, usersPage{Link: u.Link, LinkFor: u.Name})
	}
}

func (us *Users) renderUsers(w http.ResponseWriter, r *http.Request, page usersPage) error {
	accounts, err := us.store.Accounts(r.Context())
	if err != nil {
		return err
	}
	page.Title, page.Roles, page.LinkLasts = "Users", feed.Roles(), web.Span(feed.LinkLife)
	page.Rows = web.Rows(accounts, us.web.Now(), userRowOf)
	return us.pages.Render(w, r, "users.html", &page)
}

func userRowOf(a *feed.Account, now time.Time) userRow {
	row := userRow{
		Name: a.Name, Role: a.Role, State: "active", Created: web.Ago(a.Created, now), LastSignIn: web.Ago(a.LastSignIn, now), Disabled: a.Disabled,
	}
	switch {
	case a.Disabled:
		row.State = "disabled"
	case a.Password == "":
		row.State = "invited"
	}
	return row
}
