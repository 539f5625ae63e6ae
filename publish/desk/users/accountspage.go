package users

import (
	"net/http"

	"github.com/feedwire/feedwire/publish/people"
	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// usersPage is the data of users.html.
type usersPage struct {
	web.Frame
	Rows          []feed.Account
	Pager         web.Pager
	Tokens        map[string][]feed.Token // by creator
	Roles         []feed.Role
	New           string      // name in the form
	Link, LinkFor string      // just created
	Ended         people.User // just disabled or removed, with revoked tokens
	LinkLasts     string
	Inviting      bool   // people with an invitation may sign up
	Invitation    string // link that was just created
	Invitations   []feed.Invitation
}

// State returns the state of an account: active, invited or disabled.
func (usersPage) State(a feed.Account) string {
	switch {
	case a.Disabled:
		return "disabled"
	case a.Password.Sum == "":
		return "invited"
	}
	return "active"
}

// showUsers serves GET /users.
func (us *Users) showUsers(w http.ResponseWriter, r *http.Request) error {
	return us.renderUsers(w, r, usersPage{New: r.PostFormValue("name")})
}

// showLink shows the link that a form creates.
func (us *Users) showLink(create func(*http.Request) (people.User, error)) web.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		u, err := create(r)
		if err != nil {
			return err
		}
		return us.renderUsers(w, r, usersPage{Link: u.Link, LinkFor: u.Name})
	}
}

// showRevoked shows which tokens a form revoked. Without any it redirects to the notice did.
func (us *Users) showRevoked(did string, end func(*http.Request) (people.User, error)) web.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		u, err := end(r)
		switch {
		case err != nil:
			return err
		case len(u.Revoked) == 0:
			web.Redirect(w, r, web.Next{Page: "/users", Did: did})
			return nil
		}
		return us.renderUsers(w, r, usersPage{Ended: u})
	}
}

func (us *Users) renderUsers(w http.ResponseWriter, r *http.Request, page usersPage) error {
	accounts, err := us.list(r)
	if err != nil {
		return err
	}
	tokens, err := us.store.Tokens(r.Context())
	if err != nil {
		return err
	}
	page.Tokens = make(map[string][]feed.Token)
	for _, t := range tokens {
		page.Tokens[t.Creator] = append(page.Tokens[t.Creator], t)
	}
	if page.Inviting = us.people.SignUpMode() != people.SignUpClosed; page.Inviting {
		if page.Invitations, err = us.store.Invitations(r.Context()); err != nil {
			return err
		}
	}
	page.Title, page.Rows, page.Roles, page.LinkLasts = "Users", accounts.Items, feed.Roles(), web.Span(feed.LinkLife)
	page.Pager = web.PagerOf(r, accounts.Next)
	return us.web.Render(w, r, "users.html", &page)
}
