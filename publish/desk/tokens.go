package desk

import (
	"crypto/rand"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/feedwire/feedwire/store/feed"
)

// NewToken is the answer of POST /api/v1/tokens: the one time that the token itself is told.
type NewToken struct {
	feed.Token
	Text string `json:"token"`
}

// How long a token lasts.
const (
	tokenLasts = 90 * 24 * time.Hour // where nobody says
	tokenMost  = 10 * 365 * 24 * time.Hour
	tokenName  = 64 // bytes
)

// makeToken makes a token that lasts for a time; 0: for ever.
func (d *Desk) makeToken(r *http.Request, name string, scopes []feed.Scope, lasts time.Duration) (NewToken, error) {
	name = strings.TrimSpace(name)
	if name == "" || len(name) > tokenName || strings.ContainsFunc(name, func(c rune) bool { return !unicode.IsPrint(c) }) {
		return NewToken{}, wrong("name", fmt.Sprintf("say in up to %d bytes what the token is for", tokenName))
	}
	if err := feed.CheckScopes(scopes); err != nil {
		return NewToken{}, wrong("scopes", err.Error())
	}
	if lasts < 0 || lasts > tokenMost || lasts > 0 && lasts < time.Minute {
		return NewToken{}, wrong("lasts", "use a duration from 1m to "+whole(tokenMost)+", like 720h, or 0s for a token without end")
	}
	secret, now := newSecret(), d.opts.Now().UTC()
	t := feed.Token{
		ID: strings.ToLower(rand.Text()[:12]), Name: name, Scopes: slices.Compact(slices.Sorted(slices.Values(scopes))),
		Creator: visitorOf(r).name, Created: now, Sum: feed.SecretSum(secret),
	}
	if lasts > 0 {
		t.Expires = now.Add(lasts)
	}
	if err := d.signs.AddToken(r.Context(), t); err != nil {
		return NewToken{}, err
	}
	about(r, t.Name+" ("+t.ID+")", "", scopesText(t.Scopes))
	return NewToken{t, feed.TokenText(t.ID, secret)}, nil
}

func scopesText(scopes []feed.Scope) string {
	texts := make([]string, len(scopes))
	for i, s := range scopes {
		texts[i] = string(s)
	}
	return strings.Join(texts, ", ")
}

// dropToken revokes the token of the path.
func (d *Desk) dropToken(r *http.Request) error {
	id := r.PathValue("token")
	t, err := d.signs.Token(r.Context(), id)
	if err != nil {
		return err
	}
	about(r, t.Name+" ("+t.ID+")", scopesText(t.Scopes), "")
	return d.signs.RemoveToken(r.Context(), id)
}

func (d *Desk) listTokens(w http.ResponseWriter, r *http.Request) error {
	tokens, err := d.signs.Tokens(r.Context())
	if err != nil {
		return err
	}
	newest := func(t feed.Token) string { return fmt.Sprintf("%020d %s", math.MaxInt64-t.Created.UnixMilli(), t.ID) }
	page, err := pieceOf(r, tokens, newest)
	if err != nil {
		return err
	}
	answer(w, http.StatusOK, page)
	return nil
}

func (d *Desk) createToken(w http.ResponseWriter, r *http.Request) error {
	var body struct {
		Name   string       `json:"name"`
		Scopes []feed.Scope `json:"scopes"`
		Lasts  *string      `json:"lasts"` // left out: 90 days; "0s": for ever
	}
	if err := decode(w, r, &body); err != nil {
		return err
	}
	lasts := tokenLasts
	if body.Lasts != nil {
		var err error
		if lasts, err = time.ParseDuration(*body.Lasts); err != nil {
			lasts = -1
		}
	}
	t, err := d.makeToken(r, body.Name, body.Scopes, lasts)
	if err != nil {
		return err
	}
	answer(w, http.StatusCreated, t)
	return nil
}

func (d *Desk) revokeToken(w http.ResponseWriter, r *http.Request) error {
	if err := d.dropToken(r); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// tokensPage is what the template shows.
type tokensPage struct {
	frame
	Rows          []tokenRow
	Scopes        []scopeChoice
	Name          string // that was given for one
	New, NewName  string // just made
	Problem, Done string
}

// tokenRow is one token.
type tokenRow struct {
	ID, Name, Scopes, Creator  string
	Created, Expires, LastUsed moment
	Ended                      bool
}

// scopeChoice is a scope that may be given, in words.
type scopeChoice struct {
	Scope feed.Scope
	Text  string
	Given bool
}

// showTokens serves "/tokens".
func (d *Desk) showTokens(w http.ResponseWriter, r *http.Request) error {
	return d.tokens(w, r, http.StatusOK, tokensPage{Scopes: scopeChoices([]string{string(feed.ScopeRead)})})
}

// tokensWith is the page with what was wrong with a form.
func (d *Desk) tokensWith(w http.ResponseWriter, r *http.Request, status int, problem string) {
	page := tokensPage{Problem: problem, Name: r.PostFormValue("name"), Scopes: scopeChoices(r.PostForm["scope"])}
	if err := d.tokens(w, r, status, page); err != nil {
		d.sorry(w, r, status, problem)
	}
}

func scopeChoices(given []string) []scopeChoice {
	choices := []scopeChoice{
		{Scope: feed.ScopeRead, Text: "see everything but users and tokens"},
		{Scope: feed.ScopePublish, Text: "publish articles and take them back"},
		{Scope: feed.ScopeSources, Text: "add, poll, pause and remove sources"},
		{Scope: feed.ScopeSignals, Text: "look after subscribers and webhooks"},
		{Scope: feed.ScopeAdmin, Text: "everything, users and tokens included"},
	}
	for i := range choices {
		choices[i].Given = slices.Contains(given, string(choices[i].Scope))
	}
	return choices
}

func (d *Desk) tokens(w http.ResponseWriter, r *http.Request, status int, page tokensPage) error {
	tokens, err := d.signs.Tokens(r.Context())
	if err != nil {
		return err
	}
	now := d.opts.Now()
	page.frame, page.Done = d.frame(r, "Tokens – feedwire", 0), done(r)
	for i := range tokens {
		t := &tokens[i]
		row := tokenRow{
			ID: t.ID, Name: t.Name, Creator: t.Creator, Created: ago(t.Created, now), Expires: ahead(t.Expires, now),
			LastUsed: ago(t.LastUsed, now), Ended: t.Expired(now), Scopes: scopesText(t.Scopes),
		}
		page.Rows = append(page.Rows, row)
	}
	d.render(w, r, status, "tokens.html", page)
	return nil
}

func (d *Desk) createTokenByForm(w http.ResponseWriter, r *http.Request) error {
	var scopes []feed.Scope
	for _, s := range r.PostForm["scope"] {
		scopes = append(scopes, feed.Scope(s))
	}
	lasts, err := time.ParseDuration(r.PostFormValue("lasts"))
	if err != nil {
		lasts = -1
	}
	t, err := d.makeToken(r, r.PostFormValue("name"), scopes, lasts)
	if err != nil {
		return err
	}
	return d.tokens(w, r, http.StatusOK, tokensPage{
		New: t.Text, NewName: t.Name, Scopes: scopeChoices([]string{string(feed.ScopeRead)}),
	})
}

func (d *Desk) revokeByForm(w http.ResponseWriter, r *http.Request) error {
	return then(w, r, d.dropToken(r), "/tokens?done=revoked")
}
