package store

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/feed"
)

// hubRequest is a request as it is stored. The secret is any bytes, which JSON would not keep.
type hubRequest struct {
	Mode        feed.HubMode `json:"mode"`
	Topic       string       `json:"topic"`
	As          string       `json:"as,omitempty"`
	Callback    string       `json:"callback"`
	Secret      []byte       `json:"secret,omitempty"`
	Method      string       `json:"method,omitempty"`
	Lease       int64        `json:"lease,omitempty"` // seconds
	VerifyToken string       `json:"verify_token,omitempty"`
	Reason      string       `json:"reason,omitempty"`
}

// requestText is the request in two parts: what it wants, by which repetitions are known, and how far it is.
func requestText(r *feed.HubRequest) (what, progress string, err error) {
	text, err := json.Marshal(hubRequest{
		Mode: r.Mode, Topic: r.Topic, As: r.As, Callback: r.Callback, Secret: []byte(r.Secret), Method: r.Method,
		Lease: int64(r.Lease / time.Second), VerifyToken: r.VerifyToken, Reason: r.Reason,
	})
	return string(text), stamp(r.Asked) + " " + strconv.Itoa(r.Tries), err
}

// requestValue is the request as the hash has it.
func requestValue(r *feed.HubRequest) (string, error) {
	what, progress, err := requestText(r)
	return what + "\n" + progress, err
}

func requestFrom(id, value string) (feed.HubRequest, error) {
	what, progress, _ := strings.Cut(value, "\n")
	var r hubRequest
	if err := json.Unmarshal([]byte(what), &r); err != nil {
		return feed.HubRequest{}, fmt.Errorf("request %s: %w", id, err)
	}
	asked, tries, _ := strings.Cut(progress, " ")
	n, _ := strconv.Atoi(tries) // absent: 0
	return feed.HubRequest{
		ID: id, Mode: r.Mode, Topic: r.Topic, As: r.As, Callback: r.Callback, Secret: string(r.Secret), Method: r.Method,
		Lease: time.Duration(r.Lease) * time.Second, VerifyToken: r.VerifyToken, Reason: r.Reason,
		Asked: feed.ParseTime(asked), Tries: n,
	}, nil
}

// AddHubRequest writes a request down, due at once. One that waits already in the same words is not written twice; where
// it has failed it is due at once again.
// feed.ErrConflict: the subscription has most requests that wait.
func (s *Store) AddHubRequest(ctx context.Context, r feed.HubRequest, most int) error {
	r.Asked = s.opts.Now()
	what, progress, err := requestText(&r)
	if err != nil {
		return fmt.Errorf("add request to the hub: %w", err)
	}
	id, err := redis.String(s.run(ctx, "hub_request", []any{s.keys.hub("requests"), s.keys.hub("verify")},
		[]any{r.Subscription(), most, s.stamp(), what, progress}))
	if err == nil && id == "" {
		err = fmt.Errorf("%d requests for the subscription wait already: %w", most, feed.ErrConflict)
	}
	if err != nil {
		return fmt.Errorf("add request to the hub: %w", err)
	}
	return nil
}

// ClaimHubRequests claims up to limit requests that are due, the one due longest first, and says when the next one is
// due; zero: none is. Nobody else gets them until the lease ends; then they are due again.
func (s *Store) ClaimHubRequests(ctx context.Context, limit int, lease time.Duration) ([]feed.HubRequest, time.Time, error) {
	now := s.opts.Now()
	keys := []any{s.keys.hub("verify")}
	if s.opts.Owner != "" {
		keys = append(keys, s.keys.asking(s.opts.Owner))
	}
	members, err := redis.Strings(s.run(ctx, "claim_callbacks", keys, []any{stamp(now), limit, stamp(now.Add(lease))}))
	if err != nil {
		return nil, time.Time{}, fmt.Errorf("claim requests to the hub: %w", err)
	}
	next, ids := feed.ParseTime(members[0]), members[1:]
	values, err := s.hashValues(ctx, "requests", ids)
	if err != nil {
		return nil, next, fmt.Errorf("claim requests to the hub: %w", err)
	}
	all, err := requestsFrom(ids, values)
	return all, next, err
}

// requestsFrom leaves out those that were carried out since.
func requestsFrom(ids, values []string) ([]feed.HubRequest, error) {
	all := make([]feed.HubRequest, 0, len(ids))
	for i, id := range ids {
		if values[i] == "" {
			continue
		}
		r, err := requestFrom(id, values[i])
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

// mostRequests is how many requests of one subscription may wait at most; the scripts know it too.
const mostRequests = 9

// HubRequests are the requests of a subscription that are not carried out yet, in no order.
func (s *Store) HubRequests(ctx context.Context, subscription string) ([]feed.HubRequest, error) {
	ids := make([]string, mostRequests)
	for i := range ids {
		ids[i] = subscription + "." + strconv.Itoa(i+1)
	}
	values, err := s.hashValues(ctx, "requests", ids)
	if err != nil {
		return nil, fmt.Errorf("list requests to the hub: %w", err)
	}
	return requestsFrom(ids, values)
}

// ReclaimHubRequests makes due at once what this daemon had claimed and not written when it was last killed; otherwise that
// would wait for the end of the claim. It is for the start, before the first claim. It returns how many there were.
func (s *Store) ReclaimHubRequests(ctx context.Context) (int, error) {
	if s.opts.Owner == "" {
		return 0, nil
	}
	n, err := redis.Int(s.run(ctx, "hub_reclaim", []any{s.keys.hub("verify"), s.keys.asking(s.opts.Owner)}, []any{s.stamp()}))
	if err != nil {
		return 0, fmt.Errorf("reclaim requests to the hub: %w", err)
	}
	return n, nil
}

// hashValues reads fields of one of the hub's hashes; "" for one that does not exist.
func (s *Store) hashValues(ctx context.Context, name string, fields []string) ([]string, error) {
	if len(fields) == 0 {
		return nil, nil
	}
	args := make([]any, 0, 1+len(fields))
	args = append(args, s.keys.hub(name))
	for _, f := range fields {
		args = append(args, f)
	}
	return redis.Strings(s.call(ctx, "hub", func(c redis.Conn) (any, error) { return c.Do("HMGET", args...) }))
}

// DelayHubRequest makes a request due at a later time, with one more try. A request that is gone stays so.
func (s *Store) DelayHubRequest(ctx context.Context, r feed.HubRequest, until time.Time) error {
	later := r
	later.Tries++
	value, err := requestValue(&later)
	if err != nil {
		return fmt.Errorf("delay request to the hub: %w", err)
	}
	return s.requeue(ctx, r, value, until)
}

// PostponeHubRequest makes a request due at a later time without counting a try. A request that is gone stays so.
func (s *Store) PostponeHubRequest(ctx context.Context, r feed.HubRequest, until time.Time) error {
	value, err := requestValue(&r)
	if err != nil {
		return fmt.Errorf("postpone request to the hub: %w", err)
	}
	return s.requeue(ctx, r, value, until)
}

// DropHubRequest forgets a request; the subscription stays as it was.
func (s *Store) DropHubRequest(ctx context.Context, r feed.HubRequest) error {
	return s.requeue(ctx, r, "", time.Time{})
}

func (s *Store) requeue(ctx context.Context, r feed.HubRequest, value string, due time.Time) error {
	was, err := requestValue(&r)
	if err == nil {
		_, err = s.run(ctx, "hub_requeue", []any{s.keys.hub("requests"), s.keys.hub("verify")}, []any{r.ID, was, value, stamp(due)})
	}
	if err != nil {
		return fmt.Errorf("write request to the hub: %w", err)
	}
	return nil
}

// GrantHubRequest carries a request out and forgets it, in one step. A subscription is written as the request says, from
// the given time until its lease ends (0: never): where it exists its place in the topic stays, a new one begins with the
// next version. Unsubscribe and denied end it. Requests of the same subscription that were asked before are forgotten
// too. feed.ErrNotFound: somebody has carried it out, or dropped it.
func (s *Store) GrantHubRequest(ctx context.Context, r feed.HubRequest, from time.Time) error {
	value, err := requestValue(&r)
	if err != nil {
		return fmt.Errorf("grant request to the hub: %w", err)
	}
	var done bool
	if r.Mode == feed.HubSubscribe {
		done, err = s.subscribe(ctx, r.ID, value, &feed.Subscription{
			ID: r.Subscription(), Topic: r.Topic, Callback: r.Callback, Way: feed.WayWebSub, Secret: r.Secret, Method: r.Method,
			Lease: r.Lease, Since: from,
		})
	} else {
		done, err = s.endSubscription(ctx, reason{"request", r.ID, value}, r.Subscription(), feed.TopicID(r.Topic))
	}
	if err == nil && !done {
		err = feed.ErrNotFound
	}
	if err != nil {
		return fmt.Errorf("grant request to the hub: %w", err)
	}
	return nil
}
