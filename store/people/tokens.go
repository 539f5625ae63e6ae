package people

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// storedToken is a token with the hashes of its secrets, which are never shown.
type storedToken struct {
	feed.Token
	Sum      string `json:"sum"`
	FeverSum string `json:"fever,omitempty"`
}

// AddToken adds a token. feed.ErrConflict: there are feed.MaxTokens already, or feed.MaxAppTokens and it is an app password; its creator has
// feed.MaxTokensOf, or feed.MaxAppsOf and it is an app password; or the account of its creator is disabled or removed.
func (s *Store) AddToken(ctx context.Context, t feed.Token) error {
	most, apps := feed.MaxTokens, 0
	if t.OfApp() {
		most, apps = feed.MaxAppTokens, feed.MaxAppsOf
	}
	scopes := " "
	for _, scope := range feed.AppScopes() {
		scopes += string(scope) + " "
	}
	text, _ := json.Marshal(storedToken{t, t.Sum, t.FeverSum}) // strings and times always encode
	added, err := redis.Int(s.db.Run(ctx, s.scripts["add_token"], []any{s.keys.tokens(), s.keys.idOf(t.Creator), s.keys.tokensFever()},
		[]any{t.ID, text, most, core.Bit(t.OfAccount), s.keys.users(), t.FeverSum, t.Creator, feed.MaxTokensOf, apps, scopes}))
	if err == nil {
		err = refusedToken(added, &t, most)
	}
	return core.Wrap(err, "add token %s", t.Name)
}

// refusedToken returns why add_token.lua did not add a token.
func refusedToken(result int, t *feed.Token, most int) error {
	switch result {
	case 0:
		return fmt.Errorf("there are %d tokens already, the maximum: %w; an admin can remove one", most, feed.ErrConflict)
	case -1:
		return fmt.Errorf("the account %s is disabled or removed: %w; use another account", t.Creator, feed.ErrConflict)
	case -2:
		return fmt.Errorf("%s has %d tokens, the maximum: %w; revoke one", t.Creator, feed.MaxTokensOf, feed.ErrConflict)
	case -3:
		return fmt.Errorf("an account can have %d app passwords: %w; revoke one", feed.MaxAppsOf, feed.ErrConflict)
	}
	return nil
}

// Token returns the token with an id. feed.ErrNotFound: there is none.
func (s *Store) Token(ctx context.Context, id string) (feed.Token, error) {
	r, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		b.Add("HGET", s.keys.tokens(), id)
		b.Add("HGET", s.keys.tokensUsed(), id)
	})
	var t storedToken
	if err == nil {
		t, err = tokenFrom(r.Text(), r.Text())
	}
	t.Token.Sum, t.Token.FeverSum = t.Sum, t.FeverSum
	return t.Token, core.Wrap(err, "token %.32q", id)
}

// TokenAccount is Token with the account of the creator, in one exchange. The account has no name if there is none.
func (s *Store) TokenAccount(ctx context.Context, id string) (feed.Token, feed.Account, error) {
	k := s.keys
	values, err := redis.Values(s.db.Run(ctx, s.scripts["token"], []any{k.tokens(), k.tokensUsed()}, []any{id, k.idOf(""), k.users()}))
	var t storedToken
	var a feed.Account
	if r := core.Replies(values); len(r) == 3 {
		t, err = tokenFrom(r.Text(), r.Text())
		a = accountFrom(r.Map())
	} else if err == nil {
		err = feed.ErrNotFound
	}
	t.Token.Sum, t.Token.FeverSum = t.Sum, t.FeverSum
	return t.Token, a, core.Wrap(err, "token %.32q", id)
}

// FeverToken returns the id of the token with a FeverSum. feed.ErrNotFound: there is none.
func (s *Store) FeverToken(ctx context.Context, sum string) (id string, err error) {
	id, err = redis.String(s.db.Do(ctx, group, "HGET", s.keys.tokensFever(), sum))
	if errors.Is(err, redis.ErrNil) {
		err = feed.ErrNotFound
	}
	return id, core.Wrap(err, "token of a Fever app")
}

// tokenFrom decodes a token and the time when it was last used; empty: never. feed.ErrNotFound: the text is empty.
func tokenFrom(text, used string) (t storedToken, err error) {
	if text == "" {
		return t, feed.ErrNotFound
	}
	err = json.Unmarshal([]byte(text), &t)
	t.LastUsed = feed.ParseTime(used)
	return t, err
}

// Tokens returns all tokens, newest first.
func (s *Store) Tokens(ctx context.Context) ([]feed.Token, error) {
	r, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		b.Add("HGETALL", s.keys.tokens())
		b.Add("HGETALL", s.keys.tokensUsed())
	})
	if err != nil {
		return nil, fmt.Errorf("list tokens: %w", err)
	}
	texts, used := r.Map(), r.Map()
	all := make([]feed.Token, 0, len(texts))
	for id, text := range texts {
		t, err := tokenFrom(text, used[id])
		if err != nil {
			return nil, fmt.Errorf("token %s: %w", id, err)
		}
		all = append(all, t.Token)
	}
	sortTokens(all)
	return all, nil
}

// TokensOf returns the tokens that an account created, newest first.
func (s *Store) TokensOf(ctx context.Context, account string) ([]feed.Token, error) {
	r, err := redis.Strings(s.db.Run(ctx, s.scripts["own_tokens"], []any{s.keys.tokens(), s.keys.tokensUsed()}, []any{account}))
	all := make([]feed.Token, 0, len(r)/2)
	for i := 0; i+1 < len(r) && err == nil; i += 2 {
		var t storedToken
		t, err = tokenFrom(r[i], r[i+1])
		all = append(all, t.Token)
	}
	sortTokens(all)
	return all, core.Wrap(err, "tokens of %s", account)
}

// sortTokens sorts tokens, newest first.
func sortTokens(all []feed.Token) {
	slices.SortFunc(all, func(a, b feed.Token) int { return cmp.Or(b.Created.Compare(a.Created), cmp.Compare(a.ID, b.ID)) })
}

// UsedToken records that a token is used now.
func (s *Store) UsedToken(ctx context.Context, id string) error {
	_, err := s.db.Do(ctx, group, "HSET", s.keys.tokensUsed(), id, s.db.Seconds())
	return core.Wrap(err, "record the use of token %s", id)
}

// RemoveToken removes a token. feed.ErrNotFound: there is none with that id.
func (s *Store) RemoveToken(ctx context.Context, id string) error {
	t, _ := s.Token(ctx, id) // a damaged one can be removed, too
	r, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		b.Add("HDEL", s.keys.tokens(), id)
		b.Add("HDEL", s.keys.tokensUsed(), id) // leftovers of these hashes have no effect
		b.Add("HDEL", s.keys.tokensFever(), t.FeverSum)
	})
	if err == nil && r.Count() == 0 {
		err = feed.ErrNotFound
	}
	return core.Wrap(err, "token %.32q", id)
}
