package hub

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// AddHubRequest stores a request and makes it due now. An identical pending request is not stored twice, but becomes due now if
// it has failed. feed.ErrConflict: the subscription already has limit pending requests.
func (s *Store) AddHubRequest(ctx context.Context, r feed.HubRequest, limit int) error {
	r.Created = s.db.Now()
	what, progress := requestText(&r)
	id, err := redis.String(s.db.Run(ctx, s.scripts["add_request"], []any{s.keys.requests(), s.keys.dueRequests()},
		[]any{r.Subscription(), limit, s.db.Stamp(), what, progress}))
	if err == nil && id == "" {
		err = fmt.Errorf("%d requests for the subscription are pending, the maximum: %w; wait until they are verified", limit, feed.ErrConflict)
	}
	return core.Wrap(err, "add a request to the hub")
}

// ClaimHubRequests claims up to limit due requests, the oldest first, and returns when the next one is due; zero: none is. A
// request that is still stored when its claim ends is due again.
func (s *Store) ClaimHubRequests(ctx context.Context, limit int, lease time.Duration) ([]feed.HubRequest, time.Time, error) {
	now := s.db.Now()
	keys := []any{s.keys.dueRequests()}
	if owner := s.db.Options().Owner; owner != "" {
		keys = append(keys, s.keys.claimed(owner))
	}
	reply, err := redis.Strings(s.db.Run(ctx, s.scripts["claim_requests"], keys, []any{core.Stamp(now), limit, core.Stamp(now.Add(lease))}))
	if err != nil {
		return nil, time.Time{}, fmt.Errorf("claim requests to the hub: %w", err)
	}
	next := feed.ParseTime(reply[0])
	all, err := s.loadRequests(ctx, reply[1:])
	return all, next, core.Wrap(err, "claim requests to the hub")
}

// maxRequests bounds the pending requests of a subscription; forget_request.lua uses the same number.
const maxRequests = 9

// HubRequests returns the pending requests of a subscription in no particular order.
func (s *Store) HubRequests(ctx context.Context, subscription string) ([]feed.HubRequest, error) {
	ids := make([]string, maxRequests)
	for i := range ids {
		ids[i] = subscription + "." + strconv.Itoa(i+1)
	}
	all, err := s.loadRequests(ctx, ids)
	return all, core.Wrap(err, "list requests to the hub")
}

// loadRequests reads requests. Those that do not exist are left out.
func (s *Store) loadRequests(ctx context.Context, ids []string) ([]feed.HubRequest, error) {
	values, err := s.fields(ctx, s.keys.requests(), ids)
	if err != nil {
		return nil, err
	}
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

// ReclaimHubRequests ends the claims of an earlier process of this daemon that was killed, and returns how many there were. Call it
// before the first ClaimHubRequests. Without core.Options.Owner it finds none.
func (s *Store) ReclaimHubRequests(ctx context.Context) (int, error) {
	owner := s.db.Options().Owner
	if owner == "" {
		return 0, nil
	}
	n, err := redis.Int(s.db.Run(ctx, s.scripts["reclaim_requests"],
		[]any{s.keys.dueRequests(), s.keys.claimed(owner)}, []any{s.db.Stamp()}))
	return n, core.Wrap(err, "reclaim requests to the hub")
}

// RetryHubRequest makes a request due at a later time and stores the number of its tries. It is a no-op if the request is gone.
func (s *Store) RetryHubRequest(ctx context.Context, r feed.HubRequest, tries int, due time.Time) error {
	later := r
	later.Tries = tries
	return s.updateRequest(ctx, &r, requestValue(&later), due)
}

// DropHubRequest deletes a request and leaves the subscription as it is.
func (s *Store) DropHubRequest(ctx context.Context, r feed.HubRequest) error {
	return s.updateRequest(ctx, &r, "", time.Time{})
}

// updateRequest replaces the value of a request; "" deletes it.
func (s *Store) updateRequest(ctx context.Context, r *feed.HubRequest, value string, due time.Time) error {
	_, err := s.db.Run(ctx, s.scripts["update_request"],
		[]any{s.keys.requests(), s.keys.dueRequests()}, []any{r.ID, requestValue(r), value, core.Stamp(due)})
	return core.Wrap(err, "update request %s to the hub", r.ID)
}

// GrantHubRequest applies a request and deletes it, atomically. Subscribe creates or renews the subscription from the given time
// until its lease ends (0: no end); a renewed subscription keeps its position in the topic, a new one starts with the next version.
// Unsubscribe and denied end the subscription. Earlier requests of the same subscription are deleted. feed.ErrNotFound: the
// request was already granted or dropped.
func (s *Store) GrantHubRequest(ctx context.Context, r feed.HubRequest, from time.Time) (err error) {
	var done bool
	if r.Mode == feed.HubSubscribe {
		done, err = s.subscribe(ctx, &r, &feed.Subscription{
			ID: r.Subscription(), Topic: r.Topic, Callback: r.Callback, Kind: feed.KindWebSub, Secret: r.Secret, Method: r.Method,
			Form: r.Form, Lease: r.Lease, Since: from,
		})
	} else {
		done, err = s.endSubscription(ctx, reason{"request", r.ID, requestValue(&r)}, r.Subscription(), feed.TopicID(r.Topic))
	}
	return core.Wrap(core.Unless(done, err, feed.ErrNotFound), "grant request %s to the hub", r.ID)
}
