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

// storedToken is a token with the hash of its secret, which is never shown.
type storedToken struct {
	feed.Token
	Sum string `json:"sum"`
}

// AddToken adds a token. feed.ErrConflict: there are feed.MaxTokens already.
func (s *Store) AddToken(ctx context.Context, t feed.Token) error {
	text, err := json.Marshal(storedToken{t, t.Sum})
	if err != nil {
		return fmt.Errorf("add token %s: %w", t.Name, err)
	}
	n, err := redis.Int(s.db.Do(ctx, group, "HLEN", s.keys.tokens()))
	if err == nil && n >= feed.MaxTokens {
		err = fmt.Errorf("there are %d already, the maximum: %w; remove one", n, feed.ErrConflict)
	}
	if err == nil {
		_, err = s.db.Do(ctx, group, "HSET", s.keys.tokens(), t.ID, text)
	}
	if err != nil {
		return fmt.Errorf("add token %s: %w", t.Name, err)
	}
	return nil
}

// Token returns the token with an id. feed.ErrNotFound: there is none.
func (s *Store) Token(ctx context.Context, id string) (feed.Token, error) {
	replies, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		b.Add("HGET", s.keys.tokens(), id)
		b.Add("HGET", s.keys.tokensUsed(), id)
	})
	if err != nil {
		return feed.Token{}, fmt.Errorf("read token %.32q: %w", id, err)
	}
	text, err := redis.Bytes(replies[0], nil)
	if errors.Is(err, redis.ErrNil) {
		err = feed.ErrNotFound
	}
	var t storedToken
	if err == nil {
		err = json.Unmarshal(text, &t)
	}
	if err != nil {
		return feed.Token{}, fmt.Errorf("token %.32q: %w", id, err)
	}
	used, _ := redis.String(replies[1], nil) // absent: it was never used
	t.Token.Sum, t.LastUsed = t.Sum, feed.ParseTime(used)
	return t.Token, nil
}

// Tokens returns all tokens, newest first.
func (s *Store) Tokens(ctx context.Context) ([]feed.Token, error) {
	replies, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		b.Add("HGETALL", s.keys.tokens())
		b.Add("HGETALL", s.keys.tokensUsed())
	})
	if err != nil {
		return nil, fmt.Errorf("list tokens: %w", err)
	}
	texts, err := redis.StringMap(replies[0], nil)
	if err != nil {
		return nil, fmt.Errorf("list tokens: %w", err)
	}
	used, err := redis.StringMap(replies[1], nil)
	if err != nil {
		return nil, fmt.Errorf("list tokens: %w", err)
	}
	all := make([]feed.Token, 0, len(texts))
	for id, text := range texts {
		var t storedToken
		if err := json.Unmarshal([]byte(text), &t); err != nil {
			return nil, fmt.Errorf("token %s: %w", id, err)
		}
		t.LastUsed = feed.ParseTime(used[id])
		all = append(all, t.Token)
	}
	slices.SortFunc(all, func(a, b feed.Token) int { return cmp.Or(b.Created.Compare(a.Created), cmp.Compare(a.ID, b.ID)) })
	return all, nil
}

// UsedToken records that a token is used now.
func (s *Store) UsedToken(ctx context.Context, id string) error {
	if _, err := s.db.Do(ctx, group, "HSET", s.keys.tokensUsed(), id, s.db.Seconds()); err != nil {
		return fmt.Errorf("record the use of token %s: %w", id, err)
	}
	return nil
}

// RemoveToken removes a token. feed.ErrNotFound: there is none with that id.
func (s *Store) RemoveToken(ctx context.Context, id string) error {
	replies, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		b.Add("HDEL", s.keys.tokens(), id)
		b.Add("HDEL", s.keys.tokensUsed(), id) // a leftover of this hash is shown nowhere
	})
	if err == nil {
		if n, _ := redis.Int(replies[0], nil); n == 0 {
			err = feed.ErrNotFound
		}
	}
	if err != nil {
		return fmt.Errorf("token %.32q: %w", id, err)
	}
	return nil
}
