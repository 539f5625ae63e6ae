package store

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/feed"
)

const (
	answerTTL      = 24 * time.Hour  // how long an answer is kept for a repetition of its request
	answerClaimTTL = 2 * time.Minute // after which a request that nobody answered may be repeated
)

// ClaimAnswer is the answer that the request with this id had, or claims the id for a first one: then known is false, and
// KeepAnswer or DropAnswer must follow. Sum tells what the request asks for, token the claim. feed.ErrKeyReused: the first
// request had another sum; feed.ErrUnderWay: it was not answered yet.
func (s *Store) ClaimAnswer(ctx context.Context, id, sum, token string) (a feed.Answer, known bool, err error) {
	reply, err := redis.Strings(s.run(ctx, "claim_answer", []any{s.keys.answer(id)},
		[]any{sum, token, int(answerClaimTTL / time.Second)}))
	if err != nil {
		return a, false, fmt.Errorf("look up an answer: %w", err)
	}
	switch {
	case reply[0] == "claimed":
		return a, false, nil
	case reply[0] == "other":
		return a, false, feed.ErrKeyReused
	case reply[0] == "busy":
		return a, false, feed.ErrUnderWay
	case len(reply) != 6:
		return a, false, fmt.Errorf("claim_answer answered %d values", len(reply))
	}
	a = feed.Answer{Type: reply[2], Location: reply[3], Body: []byte(reply[4]), Told: reply[5] == "1"}
	if a.Status, err = strconv.Atoi(reply[1]); err != nil {
		return a, false, fmt.Errorf("look up an answer: %w", err)
	}
	return a, true, nil
}

// KeepAnswer keeps the answer to the request of a claim for a day. It does nothing where the claim has ended.
func (s *Store) KeepAnswer(ctx context.Context, id, token string, a *feed.Answer) error {
	told := ""
	if a.Told {
		told = "1"
	}
	return s.settleAnswer(ctx, id, token, answerTTL, a.Status, a.Type, a.Location, a.Body, told)
}

// DropAnswer gives a claim up: the request was not carried out, and may be repeated at once.
func (s *Store) DropAnswer(ctx context.Context, id, token string) error {
	return s.settleAnswer(ctx, id, token, 0)
}

func (s *Store) settleAnswer(ctx context.Context, id, token string, ttl time.Duration, answer ...any) error {
	args := append([]any{token, int(ttl / time.Second)}, answer...)
	if _, err := s.run(ctx, "keep_answer", []any{s.keys.answer(id)}, args); err != nil {
		return fmt.Errorf("keep an answer: %w", err)
	}
	return nil
}
