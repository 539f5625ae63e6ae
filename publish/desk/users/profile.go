package users

import (
	"net/http"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// profileRoutes returns the routes of profiles.
func (us *Users) profileRoutes() []web.Route {
	change := &web.Action{Name: "profile_change", Text: "changed the profile of"}
	user := []string{"user"}
	return []web.Route{
		own("POST /account/profile", change, "/account", "profile", us.changeOwnProfile, us.showAccount),
		{Pattern: "GET /api/v1/me/profile", Query: user, Scope: feed.ScopeFollows, Serve: web.Reply(http.StatusOK, us.profile)},
		{Pattern: "PATCH /api/v1/me/profile", Query: user, Scope: feed.ScopePosts, Action: change, Serve: web.Reply(http.StatusOK, us.patchProfile)},
	}
}

// profile serves GET /api/v1/me/profile.
func (us *Users) profile(r *http.Request) (p feed.Profile, err error) {
	a, err := web.AccountOf(r, us.store.Account)
	if err != nil {
		return p, err
	}
	return us.people.Profile(r.Context(), a.ID)
}

// patchProfile serves PATCH /api/v1/me/profile.
func (us *Users) patchProfile(r *http.Request) (p feed.Profile, err error) {
	a, err := web.AccountOf(r, us.store.Account)
	if err != nil {
		return p, err
	}
	web.Changed(r, feed.AccountObject(&a), "", "")
	v := web.VisitorOf(r)
	return us.changeProfile(r, &v, &a)
}

// changeOwnProfile changes the profile of the visitor's account.
func (us *Users) changeOwnProfile(_ http.ResponseWriter, r *http.Request, v *feed.Visitor) error {
	_, err := us.changeProfile(r, v, &v.Account)
	return err
}

// changeProfile changes what the body of a request names.
func (us *Users) changeProfile(r *http.Request, v *feed.Visitor, a *feed.Account) (p feed.Profile, err error) {
	var body struct {
		About   *string `json:"about"`
		Email   *string `json:"email"`
		Current string  `json:"current"`
	}
	if err := web.Input(r, &body); err != nil {
		return p, err
	}
	return us.people.ChangeProfile(r, v, a, feed.ProfileChange{About: body.About, Email: body.Email}, body.Current)
}
