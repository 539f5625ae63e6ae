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

// revokeToken is also what becomes of the tokens of a disabled or removed account.
var revokeToken = &web.Action{Name: "token_revoke", Text: "revoked a token"}

func (us *Users) tokenRoutes() []web.Route {
	create := &web.Action{Name: "token_create", Text: "created a token", Secret: true}
	revokeByForm := func(r *http.Request) (web.Next, error) {
		return web.Next{Page: "/tokens", Did: "revoked"}, us.revokeToken(r)
	}
	return []web.Route{
		{Pattern: "GET /tokens", Scope: feed.ScopeAdmin, Serve: us.showTokens},
		{Pattern: "POST /tokens", Scope: feed.ScopeAdmin, Action: create, Serve: us.createTokenByForm, Failed: us.showTokens},
		{Pattern: "POST /tokens/{token}/revoke", Scope: feed.ScopeAdmin, Action: revokeToken, Serve: web.Form(revokeByForm), Failed: us.showTokens},
		{Pattern: "GET /api/v1/tokens", Query: []string{"limit", "cursor"}, Scope: feed.ScopeAdmin, Serve: web.Reply(http.StatusOK, us.listTokens)},
		{Pattern: "POST /api/v1/tokens", Scope: feed.ScopeAdmin, Action: create, Serve: web.Reply(http.StatusCreated, us.createToken)},
		{Pattern: "GET /api/v1/tokens/{token}", Scope: feed.ScopeAdmin, Serve: web.Reply(http.StatusOK, us.token)},
		{Pattern: "DELETE /api/v1/tokens/{token}", Scope: feed.ScopeAdmin, Action: revokeToken, Serve: web.Done(us.revokeToken)},
	}
}

// newestFirst returns the key of a list, for web.Paged.
func newestFirst(created time.Time, id string) string {
	return fmt.Sprintf("%020d %s", math.MaxInt64-created.UnixMilli(), id)
}

// listTokens returns the page of tokens that a request asks for, newest first.
func (us *Users) listTokens(r *http.Request) (feed.Page[feed.Token], error) {
	newest := func(t feed.Token) string { return newestFirst(t.Created, t.ID) }
	return web.Paged(us.people.Tokens, newest)(r)
}

// token serves GET /api/v1/tokens/{token}.
func (us *Users) token(r *http.Request) (feed.Token, error) {
	all, err := us.people.Tokens(r.Context())
	return web.One(all, err, func(t feed.Token) bool { return t.ID == r.PathValue("token") })
}

// createToken creates a token and returns it with its text.
func (us *Users) createToken(r *http.Request) (NewToken, error) {
	var body struct {
		Name   string       `json:"name"`
		Scopes []feed.Scope `json:"scopes"`
		Lasts  *string      `json:"lasts"` // absent: 90 days; "0s": forever
	}
	if err := web.Input(r, &body); err != nil {
		return NewToken{}, err
	}
	lasts := people.TokenLife
	if body.Lasts != nil {
		var err error
		if lasts, err = time.ParseDuration(*body.Lasts); err != nil {
			lasts = -1
		}
	}
	v := web.VisitorOf(r)
	t, text, err := us.people.CreateToken(r.Context(), &v, body.Name, body.Scopes, lasts)
	web.Changed(r, feed.TokenObject(&t, v.Account.ID), "", scopesText(t.Scopes))
	return NewToken{t, text}, err
}

func scopesText(scopes []feed.Scope) string {
	texts := make([]string, len(scopes))
	for i, s := range scopes {
		texts[i] = string(s)
	}
	return strings.Join(texts, ", ")
}

// revokeToken revokes the token of the path.
func (us *Users) revokeToken(r *http.Request) error {
	id := r.PathValue("token")
	t, creator, err := us.store.TokenAccount(r.Context(), id)
	if err != nil {
		return err
	}
	web.Changed(r, feed.TokenObject(&t, creator.ID), scopesText(t.Scopes), "")
	return us.people.RevokeToken(r.Context(), id)
}

// tokensPage is the data of tokens.html.
type tokensPage struct {
	web.Frame
	Rows         []feed.Token
	Pager        web.Pager
	Scopes       []web.Choice
	Name         string // in the form
	New, NewName string // just created
}

// Limit returns the scopes that a token has now if its creator has lost some of them.
func (tokensPage) Limit(t feed.Token) string {
	lost := func(s feed.Scope) bool { return !feed.Allow(t.Effective, s) }
	switch {
	case !slices.ContainsFunc(t.Scopes, lost):
		return ""
	case len(t.Effective) == 0:
		return "now none: " + t.Creator + " has lost them"
	}
	return "now only " + scopesText(t.Effective) + ": " + t.Creator + " has lost the others"
}

// showTokens serves GET /tokens.
func (us *Users) showTokens(w http.ResponseWriter, r *http.Request) error {
	if web.FailedWith(r) != 0 {
		return us.renderTokens(w, r, tokensPage{Name: r.PostFormValue("name"), Scopes: scopeChoices(r.PostForm["scopes"]...)})
	}
	return us.renderTokens(w, r, tokensPage{Scopes: scopeChoices(string(feed.ScopeRead))})
}

func scopeChoices(given ...string) []web.Choice {
	choices := []web.Choice{
		{Value: string(feed.ScopeRead), Text: "read everything except users and tokens"},
		{Value: string(feed.ScopeFollows), Text: "read your timeline and change what you follow"},
		{Value: string(feed.ScopePosts), Text: "write posts and remove your own"},
		{Value: string(feed.ScopePublish), Text: "publish and withdraw articles"},
		{Value: string(feed.ScopeEntries), Text: "write entries of local sources"},
		{Value: string(feed.ScopeSources), Text: "add, poll, pause and remove sources; write entries and take them down"},
		{Value: string(feed.ScopeSignals), Text: "manage subscribers and webhooks"},
		{Value: string(feed.ScopeAdmin), Text: "everything, including users and tokens"},
	}
	for i := range choices {
		choices[i].On = slices.Contains(given, choices[i].Value)
	}
	return choices
}

func (us *Users) createTokenByForm(w http.ResponseWriter, r *http.Request) error {
	t, err := us.createToken(r)
	if err != nil {
		return err
	}
	return us.renderTokens(w, r, tokensPage{New: t.Text, NewName: t.Name, Scopes: scopeChoices(string(feed.ScopeRead))})
}

func (us *Users) renderTokens(w http.ResponseWriter, r *http.Request, page tokensPage) error {
	tokens, err := us.listTokens(r)
	if err != nil {
		return err
	}
	page.Title, page.Rows, page.Pager = "Tokens", tokens.Items, web.PagerOf(r, tokens.Next)
	return us.web.Render(w, r, "tokens.html", &page)
}
