package store

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/feed"
)

// storedToken is a token with what is never shown of it.
type storedToken struct {
	feed.Token
	Sum string `json:"sum"`
}

// AddToken keeps a token. feed.ErrConflict when there are feed.MaxTokens.
func (s *Store) AddToken(ctx context.Context, t feed.Token) error {
	text, err := json.Marshal(storedToken{t, t.Sum})
	if err != nil {
		return fmt.Errorf("add token %s: %w", t.Name, err)
	}
	n, err := redis.Int(s.do(ctx, "HLEN", s.keys.tokens()))
	if err == nil && n >= feed.MaxTokens {
		err = fmt.Errorf("there are %d, which is the most: %w", n, feed.ErrConflict)
	}
	if err == nil {
		_, err = s.do(ctx, "HSET", s.keys.tokens(), t.ID, text)
	}
	if err != nil {
		return fmt.Errorf("add token %s: %w", t.Name, err)
	}
	return nil
}

// Token is one token. feed.ErrNotFound when there is none of this id.
func (s *Store) Token(ctx context.Context, id string) (feed.Token, error) {
	replies, err := s.pipeline(ctx, "token", func(b *batch) {
		b.add("HGET", s.keys.tokens(), id)
		b.add("HGET", s.keys.tokensUsed(), id)
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
	used, _ := redis.String(replies[1], nil) // absent: it was not used yet
	t.Token.Sum, t.LastUsed = t.Sum, feed.ParseTime(used)
	return t.Token, nil
}

// Tokens are all tokens, the newest first.
func (s *Store) Tokens(ctx context.Context) ([]feed.Token, error) {
	replies, err := s.pipeline(ctx, "tokens", func(b *batch) {
		b.add("HGETALL", s.keys.tokens())
		b.add("HGETALL", s.keys.tokensUsed())
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

// UsedToken remembers that a token is used now.
func (s *Store) UsedToken(ctx context.Context, id string) error {
	if _, err := s.do(ctx, "HSET", s.keys.tokensUsed(), id, s.seconds()); err != nil {
		return fmt.Errorf("remember the use of token %s: %w", id, err)
	}
	return nil
}

// RemoveToken removes a token. feed.ErrNotFound when there is none of this id.
func (s *Store) RemoveToken(ctx context.Context, id string) error {
	replies, err := s.pipeline(ctx, "remove_token", func(b *batch) {
		b.add("HDEL", s.keys.tokens(), id)
		b.add("HDEL", s.keys.tokensUsed(), id) // what is left of it alone is shown nowhere
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
