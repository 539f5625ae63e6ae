package hub

import (
	"cmp"
	"context"
	"fmt"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// HubState returns the numbers that the metrics of the hub show.
func (s *Store) HubState(ctx context.Context) (feed.HubState, error) {
	s.db.MergeOutboxes(ctx) // Lag is the age of a signal in the stream
	cursor, err := s.HubCursor(ctx)
	if err != nil {
		return feed.HubState{}, err
	}
	r, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		s.addState(b)
		b.Add("XRANGE", s.db.Signals(), "("+cmp.Or(cursor, "0"), "+", "COUNT", 1)
	})
	if err != nil {
		return feed.HubState{}, fmt.Errorf("read the state of the hub: %w", err)
	}
	state := readHubState(&r)
	if oldest := r.Records(); len(oldest) > 0 {
		state.Lag = max(0, s.db.Now().Sub(oldest[0].Time()))
	}
	return state, nil
}

// addState adds the commands for readHubState.
func (s *Store) addState(b *core.Batch) {
	for _, key := range []string{s.keys.subscriptions(), s.keys.topics(), s.keys.health()} {
		b.Add("HLEN", key)
	}
	for _, key := range []string{s.keys.ready(), s.keys.later(), s.keys.planning()} {
		b.Add("ZCARD", key)
	}
	b.Add("XLEN", s.keys.deadLetters())
}

func readHubState(r *core.Replies) feed.HubState {
	return feed.HubState{
		Subscriptions: r.Count(), Topics: r.Count(), Failing: r.Count(), Ready: r.Count(), Later: r.Count(), Planning: r.Count(),
		DeadLetters: r.Count(),
	}
}

// HubCounts returns the numbers that limits apply to, for a request.
func (s *Store) HubCounts(ctx context.Context, request *feed.HubRequest) (feed.HubCounts, error) {
	hosts, host := s.keys.host(feed.HostID(request.Callback))
	r, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		b.Add("HLEN", s.keys.subscriptions())
		b.Add("ZCARD", s.keys.subscribers(feed.TopicID(request.Topic)))
		b.Add("SCARD", s.keys.pings(feed.TopicID(request.Topic)))
		b.Add("HGET", hosts, host)
		b.Add("HLEN", s.keys.requests())
		b.Add("HGET", s.keys.openClients(), request.Client)
		b.Add("HEXISTS", s.keys.open(), feed.TopicID(request.Topic))
	})
	if err != nil {
		return feed.HubCounts{}, fmt.Errorf("count subscriptions: %w", err)
	}
	total, subscriptions, pings := r.Count(), r.Count(), r.Count()
	return feed.HubCounts{
		Total: total, OfTopic: subscriptions - pings, OfHost: r.Count(), Requests: r.Count(), OfClient: r.Count(), Open: r.Count() == 1,
	}, nil
}
