package people

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

const (
	responseTTL = 24 * time.Hour
	claimTTL    = 2 * time.Minute // after which a request without a response may be repeated
)

// ClaimResponse returns the response to the first request with an id. If there was no such request, known is false and the id is
// claimed: StoreResponse or DropResponse must follow. The response is erased with the account (0: none). Sum identifies the request, token the claim. feed.ErrKeyReused: the first
// request had another sum. feed.ErrUnderWay: the first request has no response yet.
func (s *Store) ClaimResponse(ctx context.Context, account int64, id, sum, token string) (a feed.StoredResponse, known bool, err error) {
	reply, err := redis.Strings(s.db.Run(ctx, s.scripts["claim_answer"], []any{s.keys.response(id), s.keys.responsesOf(account)},
		[]any{sum, token, int(claimTTL / time.Second), id, core.Bit(account != 0), int(responseTTL / time.Second), s.db.Seconds()}))
	switch {
	case err != nil:
	case reply[0] == "claimed":
		return a, false, nil
	case reply[0] == "other":
		return a, false, feed.ErrKeyReused
	case reply[0] == "busy":
		return a, false, feed.ErrUnderWay
	case len(reply) != 6:
		err = fmt.Errorf("claim_answer returned %d values", len(reply))
	default:
		a = feed.StoredResponse{Type: reply[2], Location: reply[3], Body: []byte(reply[4]), BodyOmitted: reply[5] == "1"}
		a.Status, err = strconv.Atoi(reply[1])
	}
	return a, err == nil, core.Wrap(err, "look up a response")
}

// StoreResponse stores the response to a claimed request for a day. It is a no-op if the claim has ended.
func (s *Store) StoreResponse(ctx context.Context, id, token string, a *feed.StoredResponse) error {
	told := ""
	if a.BodyOmitted {
		told = "1"
	}
	return s.endClaim(ctx, id, token, responseTTL, a.Status, a.Type, a.Location, a.Body, told)
}

// DropResponse ends a claim without a response: the request was not executed and may be repeated at once.
func (s *Store) DropResponse(ctx context.Context, id, token string) error {
	return s.endClaim(ctx, id, token, 0)
}

func (s *Store) endClaim(ctx context.Context, id, token string, ttl time.Duration, answer ...any) error {
	args := append([]any{token, int(ttl / time.Second)}, answer...)
	_, err := s.db.Run(ctx, s.scripts["keep_answer"], []any{s.keys.response(id)}, args)
	return core.Wrap(err, "store a response")
}
