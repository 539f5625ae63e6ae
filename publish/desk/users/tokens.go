package users

import (
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/feedwire/feedwire/publish/people"
	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// NewToken is the response of POST /api/v1/tokens, the only one that contains the token itself.
type NewToken struct {
	feed.Token
	Text string `json:"token"`
}

func (us *Users) tokenRoutes() []web.Route {
	create := web.Action{Name: "token_create", Text: "created a token", Secret: true}
	revoke := web.Action{Name: "token_revoke", Text: "revoked a token"}
	return []web.Route{
		{Pattern: "GET /tokens", Scope: feed.ScopeAdmin, Serve: us.showTokens},
		{Pattern: "POST /tokens", Scope: feed.ScopeAdmin, Action: &create, Serve: us.createTokenByForm, Failed: us.failTokens},
		{Pattern: "POST /tokens/{token}/revoke", Scope: feed.ScopeAdmin, Action: &revoke, Serve: us.revokeByForm, Failed: us.failTokens},
		{Pattern: "GET /api/v1/tokens", Scope: feed.ScopeAdmin, Serve: us.listTokens},
		{Pattern: "POST /api/v1/tokens", Scope: feed.ScopeAdmin, Action: &create, Serve: us.createToken},
		{Pattern: "DELETE /api/v1/tokens/{token}", Scope: feed.ScopeAdmin, Action: &revoke, Serve: us.revokeToken},
	}
}

// makeToken creates a token that is valid for life; 0: forever.
func (us *Users) makeToken(r *http.Request, name string, scopes []feed.Scope, life time.Duration) (NewToken, error) {
	t, text, err := us.people.CreateToken(r.Context(), web.VisitorOf(r).Name, name, scopes, life)
	web.Changed(r, feed.TokenObject(&t), "", scopesText(t.Scopes))
	return NewToken{t, text}, err
}

func scopesText(scopes []feed.Scope) string {
	texts := make([]string, len(scopes))
	for i, s := range scopes {
		texts[i] = string(s)
	}
	return strings.Join(texts, ", ")
}

// dropToken revokes the token of the path.
func (us *Users) dropToken(r *http.Request) error {
	id := r.PathValue("token")
	t, err := us.store.Token(r.Context(), id)
	if err != nil {
		return err
	}
	web.Changed(r, feed.TokenObject(&t), scopesText(t.Scopes), "")
	return us.store.RemoveToken(r.Context(), id)
}

func (us *Users) listTokens(w http.ResponseWriter, r *http.Request) error {
	tokens, err := us.store.Tokens(r.Context())
	if err != nil {
		return err
	}
	newest := func(t feed.Token) string { return fmt.Sprintf("%020d %s", math.MaxInt64-t.Created.UnixMilli(), t.ID) }
	page, err := web.PageOf(r, tokens, newest)
	if err != nil {
		return err
	}
	web.JSON(w, http.StatusOK, page)
	return nil
}

func (us *Users) createToken(w http.ResponseWriter, r *http.Request) error {
	var body struct {
		Name   string       `json:"name"`
		Scopes []feed.Scope `json:"scopes"`
		Lasts  *string      `json:"lasts"` // absent: 90 days; "0s": forever
	}
	if err := web.Decode(w, r, &body); err != nil {
		return err
	}
	lasts := people.TokenLife
	if body.Lasts != nil {
		var err error
		if lasts, err = time.ParseDuration(*body.Lasts); err != nil {
			lasts = -1
		}
	}
	t, err := us.makeToken(r, body.Name, body.Scopes, lasts)
	if err != nil {
		return err
	}
	web.JSON(w, http.StatusCreated, t)
	return nil
}

func (us *Users) revokeToken(w http.ResponseWriter, r *http.Request) error {
	if err := us.dropToken(r); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// tokensPage is the data of tokens.html.
type tokensPage struct {
	web.Frame
	Rows          []tokenRow
	Scopes        []scopeChoice
	Name          string // in the form
	New, NewName  string // just created
	Problem, Done string
}

// tokenRow is one token.
type tokenRow struct {
	ID, Name, Scopes, Creator  string
	Created, Expires, LastUsed web.Moment
	Ended                      bool
}

// scopeChoice is a scope in the form.
type scopeChoice struct {
	Scope feed.Scope
	Text  string
	Given bool
}

// showTokens serves GET /tokens.
func (us *Users) showTokens(w http.ResponseWriter, r *http.Request) error {
	return us.renderTokens(w, r, http.StatusOK, tokensPage{Scopes: scopeChoices([]string{string(feed.ScopeRead)})})
}

// failTokens shows the page with the reason why its form failed.
func (us *Users) failTokens(w http.ResponseWriter, r *http.Request, status int, problem string) {
	page := tokensPage{Problem: problem, Name: r.PostFormValue("name"), Scopes: scopeChoices(r.PostForm["scope"])}
	if err := us.renderTokens(w, r, status, page); err != nil {
		us.web.ErrorPage(w, r, status, problem)
	}
}

func scopeChoices(given []string) []scopeChoice {
	choices := []scopeChoice{
		{Scope: feed.ScopeRead, Text: "read everything except users and tokens"},
		{Scope: feed.ScopePublish, Text: "publish and withdraw articles"},
		{Scope: feed.ScopeSources, Text: "add, poll, pause and remove sources"},
		{Scope: feed.ScopeSignals, Text: "manage subscribers and webhooks"},
		{Scope: feed.ScopeAdmin, Text: "everything, including users and tokens"},
	}
	for i := range choices {
		choices[i].Given = slices.Contains(given, string(choices[i].Scope))
	}
	return choices
}

func (us *Users) renderTokens(w http.ResponseWriter, r *http.Request, status int, page tokensPage) error {
	tokens, err := us.store.Tokens(r.Context())
	if err != nil {
		return err
	}
	now := us.web.Now()
	page.Frame, page.Done = us.web.Frame(r, "Tokens – feedwire", 0), done(r)
	for i := range tokens {
		t := &tokens[i]
		row := tokenRow{
			ID: t.ID, Name: t.Name, Creator: t.Creator, Created: web.Ago(t.Created, now), Expires: web.Ahead(t.Expires, now),
			LastUsed: web.Ago(t.LastUsed, now), Ended: t.Expired(now), Scopes: scopesText(t.Scopes),
		}
		page.Rows = append(page.Rows, row)
	}
	us.pages.Render(w, r, status, "tokens.html", page)
	return nil
}

func (us *Users) createTokenByForm(w http.ResponseWriter, r *http.Request) error {
	var scopes []feed.Scope
	for _, s := range r.PostForm["scope"] {
		scopes = append(scopes, feed.Scope(s))
	}
	lasts, err := time.ParseDuration(r.PostFormValue("lasts"))
	if err != nil {
		lasts = -1
	}
	t, err := us.makeToken(r, r.PostFormValue("name"), scopes, lasts)
	if err != nil {
		return err
	}
	return us.renderTokens(w, r, http.StatusOK, tokensPage{
		New: t.Text, NewName: t.Name, Scopes: scopeChoices([]string{string(feed.ScopeRead)}),
	})
}

func (us *Users) revokeByForm(w http.ResponseWriter, r *http.Request) error {
	return then(w, r, us.dropToken(r), "/tokens?done=revoked")
}
