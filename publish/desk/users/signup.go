package users

import (
	"errors"
	"net/http"

	"github.com/feedwire/feedwire/publish/people"
	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// noSignUp is the problem of a person who may not sign up.
const noSignUp = "Sign-up needs an invitation here. If you have one, it was used or revoked, or has expired."

// badInvitation is the problem of a person who may sign up, but not with this invitation.
const badInvitation = "This invitation was used or revoked, or has expired. You can sign up without one."

func (us *Users) signUpRoutes() []web.Route {
	invite := &web.Action{Name: "invite", Text: "invited a member", Secret: true}
	revoke := &web.Action{Name: "invitation_revoke", Text: "revoked an invitation"}
	revokeByForm := func(r *http.Request) (web.Next, error) {
		return web.Next{Page: "/users", Did: "uninvited"}, us.revokeInvitation(r)
	}
	list := web.Paged(us.store.Invitations, func(i feed.Invitation) string { return newestFirst(i.Created, i.ID) })
	return []web.Route{
		{Pattern: "GET /sign-up", Scope: web.Anyone, Serve: us.showSignUp},
		{Pattern: "POST /sign-up", Scope: web.Anyone, Serve: us.signUp, Failed: us.showSignUp, MaxBody: maxWelcome},
		{Pattern: "POST /users/invitations", Scope: feed.ScopeAdmin, Action: invite, Serve: us.inviteByForm, Failed: us.showUsers},
		{Pattern: "POST /users/invitations/{invitation}/revoke", Scope: feed.ScopeAdmin, Action: revoke, Serve: web.Form(revokeByForm), Failed: us.showUsers},
		{Pattern: "GET /api/v1/invitations", Query: []string{"limit", "cursor"}, Scope: feed.ScopeAdmin, Serve: web.Reply(http.StatusOK, list)},
		{Pattern: "GET /api/v1/invitations/{invitation}", Scope: feed.ScopeAdmin, Serve: web.Reply(http.StatusOK, us.invitation)},
		{Pattern: "POST /api/v1/invitations", Scope: feed.ScopeAdmin, Action: invite, Serve: web.Reply(http.StatusCreated, us.inviteMember)},
		{Pattern: "DELETE /api/v1/invitations/{invitation}", Scope: feed.ScopeAdmin, Action: revoke, Serve: web.Done(us.revokeInvitation)},
	}
}

// inviteMember creates an invitation and returns it with its link.
func (us *Users) inviteMember(r *http.Request) (people.NewInvitation, error) {
	v := web.VisitorOf(r)
	made, err := us.people.InviteMember(r.Context(), &v)
	web.Changed(r, feed.InvitationObject(&made.Invitation), "", "")
	return made, err
}

func (us *Users) inviteByForm(w http.ResponseWriter, r *http.Request) error {
	made, err := us.inviteMember(r)
	if err != nil {
		return err
	}
	return us.renderUsers(w, r, usersPage{Invitation: made.Link})
}

// invitation returns the invitation of the path.
func (us *Users) invitation(r *http.Request) (feed.Invitation, error) {
	all, err := us.store.Invitations(r.Context())
	return web.One(all, err, func(i feed.Invitation) bool { return i.ID == r.PathValue("invitation") })
}

// revokeInvitation ends the invitation of the path.
func (us *Users) revokeInvitation(r *http.Request) error {
	i, err := us.invitation(r)
	if err != nil {
		return err
	}
	web.Changed(r, feed.InvitationObject(&i), "", "")
	return us.store.RemoveInvitation(r.Context(), i.Sum)
}

// signUpView is the data of signup.html.
type signUpView struct {
	web.Frame
	Allowed    bool   // this visitor may sign up
	Open       bool   // anyone may, without an invitation
	Invitation string // secret of the link; empty: there is none
	Name       string // in the form
	Least      int    // characters of a password
	Next       string // path to go to
}

// Beside returns the address of another page that leads to the same one.
func (p *signUpView) Beside(path string) string { return withNext(path, p.Next) }

// showSignUp serves GET /sign-up, where invitations lead.
func (us *Users) showSignUp(w http.ResponseWriter, r *http.Request) error {
	if v := web.VisitorOf(r); v.Known() && !v.Open { // strangers on open pages may have an account
		http.Redirect(w, r, web.LocalPath(r.FormValue("next")), http.StatusSeeOther) //nolint:gosec // LocalPath is a path of this daemon
		return nil
	}
	page := signUpView{
		Frame: web.Frame{Title: "Sign up"}, Invitation: r.FormValue("invitation"), Name: web.Cut(r.PostFormValue("name"), feed.MaxName),
		Least: people.MinPassword, Next: web.LocalPath(r.FormValue("next")),
	}
	switch err := us.people.MaySignUp(r.Context(), page.Invitation); {
	case errors.Is(err, feed.ErrNotFound):
		page.Status, page.Problem = http.StatusNotFound, noSignUp
		if page.Open = us.people.SignUpMode() == people.SignUpOpen; page.Open {
			page.Problem = badInvitation
		}
	case err != nil:
		return err
	default:
		page.Allowed = true
	}
	return us.web.Render(w, r, "signup.html", &page)
}

// signUp serves POST /sign-up: it adds a member and signs the visitor in.
func (us *Users) signUp(w http.ResponseWriter, r *http.Request) error {
	v, value := web.VisitorOf(r), r.PostFormValue
	account, err := us.people.SignUp(w, r, &v.Session, value("invitation"), value("name"), value("password"), value("again"))
	if err != nil {
		return err
	}
	us.web.Record(r, signedUp, &account)
	http.Redirect(w, r, web.LocalPath(value("next")), http.StatusSeeOther)
	return nil
}
