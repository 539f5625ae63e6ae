package users

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// appRoutes returns the routes of app passwords: tokens of an account that have no other scopes than feed.AppScopes, with which apps sign in.
func (us *Users) appRoutes() []web.Route {
	create := &web.Action{Name: "app_create", Text: "created an app password", Secret: true}
	revoke := &web.Action{Name: "app_revoke", Text: "revoked an app password"}
	revokeByForm := func(r *http.Request) (web.Next, error) {
		return web.Next{Page: "/account", Did: "app-revoked"}, us.revokeApp(r)
	}
	list := func(r *http.Request) (feed.Page[feed.Token], error) {
		account, err := web.AccountOf(r, us.store.Account)
		if err != nil {
			return feed.Page[feed.Token]{}, err
		}
		apps, err := us.apps(r.Context(), account.Name)
		return web.List(apps, ""), err
	}
	return []web.Route{
		{Pattern: "POST /account/apps", Scope: web.SignedIn, Action: create, Serve: us.createAppByForm, Failed: us.showAccount},
		{Pattern: "POST /account/apps/{token}/revoke", Scope: web.SignedIn, Action: revoke, Serve: web.Form(revokeByForm), Failed: us.showAccount},
		{Pattern: "GET /api/v1/me/apps", Query: []string{"user"}, Scope: feed.ScopeFollows, Serve: web.Reply(http.StatusOK, list)},
		{Pattern: "POST /api/v1/me/apps", Query: []string{"user"}, Scope: feed.ScopeFollows, Action: create, Serve: web.Reply(http.StatusCreated, us.createApp)},
		{Pattern: "DELETE /api/v1/me/apps/{token}", Query: []string{"user"}, Scope: feed.ScopeFollows, Action: revoke, Serve: web.Done(us.revokeApp)},
	}
}

// apps returns the app passwords of an account, newest first.
func (us *Users) apps(ctx context.Context, account string) ([]feed.Token, error) {
	tokens, err := us.store.TokensOf(ctx, account)
	return slices.DeleteFunc(tokens, func(t feed.Token) bool { return !t.OfApp() }), err
}

func isApp(t *feed.Token, account string) bool { return t.Creator == account && t.OfApp() }

// appOwner returns the account whose app passwords a request changes: that of a person, or any if an admin's token changes them. An app
// password cannot create another one, which would stay valid after it is revoked.
func (us *Users) appOwner(r *http.Request) (feed.Account, error) {
	if v := web.VisitorOf(r); v.ByToken && !v.May(feed.ScopeAdmin) {
		return feed.Account{}, fmt.Errorf("a token without the scope admin is %w to create or revoke app passwords; sign in and use Your account", feed.ErrForbidden)
	}
	return web.AccountOf(r, us.store.Account)
}

// createApp serves POST /api/v1/me/apps.
func (us *Users) createApp(r *http.Request) (NewToken, error) {
	account, err := us.appOwner(r)
	if err != nil {
		return NewToken{}, err
	}
	var body struct {
		Name   string       `json:"name"`
		Scopes []feed.Scope `json:"scopes"`
	}
	if err := web.Input(r, &body); err != nil {
		return NewToken{}, err
	}
	if len(body.Scopes) == 0 {
		body.Scopes = feed.AppScopes()[:1]
	}
	v := web.VisitorOf(r)
	for _, s := range body.Scopes {
		if !slices.Contains(feed.AppScopes(), s) || !v.May(s) {
			return NewToken{}, feed.Invalid("scopes", fmt.Sprintf("%s cannot give %q to an app", v.Name, s))
		}
	}
	t, text, err := us.people.CreateToken(r.Context(), &feed.Visitor{Name: account.Name}, body.Name, body.Scopes, 0)
	web.Changed(r, feed.TokenObject(&t, account.ID), "", scopesText(t.Scopes))
	return NewToken{t, text}, err
}

// createAppByForm serves POST /account/apps, and shows the app password once.
func (us *Users) createAppByForm(w http.ResponseWriter, r *http.Request) error {
	t, err := us.createApp(r)
	if err != nil {
		return err
	}
	return us.renderAccount(w, r, &t)
}

// revokeApp revokes the app password of the path. It is a no-op if the account has no such app password.
func (us *Users) revokeApp(r *http.Request) error {
	id := r.PathValue("token")
	account, err := us.appOwner(r)
	if err != nil {
		return err
	}
	t, err := us.store.Token(r.Context(), id)
	if errors.Is(err, feed.ErrNotFound) || err == nil && !isApp(&t, account.Name) {
		web.NothingChanged(r)
		return nil
	}
	if err != nil {
		return err
	}
	web.Changed(r, feed.TokenObject(&t, account.ID), scopesText(t.Scopes), "")
	return us.people.RevokeToken(r.Context(), id)
}
