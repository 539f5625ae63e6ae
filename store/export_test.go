package store

import (
	"cmp"
	"context"
	"crypto/rand"

	"github.com/feedwire/feedwire/store/feed"
)

// Publish publishes an article for a person, with a request id; empty: an unused one.
func (s *Store) Publish(ctx context.Context, uuid, typ, id string) (feed.Transition, error) {
	return s.decide(ctx, id, feed.Decision{UUID: uuid, Type: typ, Publish: true})
}

// Withdraw withdraws an article in the same way.
func (s *Store) Withdraw(ctx context.Context, uuid, typ, id string) (feed.Transition, error) {
	return s.decide(ctx, id, feed.Decision{UUID: uuid, Type: typ})
}

func (s *Store) decide(ctx context.Context, id string, d feed.Decision) (feed.Transition, error) {
	done, err := s.Articles.Decide(ctx, cmp.Or(id, rand.Text()), []feed.Decision{d})
	if err != nil {
		return feed.Transition{}, err
	}
	return done[0].Transition, done[0].Err
}

// AppendSignal writes a signal by itself, as nothing else does.
func (s *Store) AppendSignal(ctx context.Context, kind feed.SignalKind, e *feed.Entry) error {
	_, err := s.db.Do(ctx, "xadd", "XADD", s.db.Signals(), "*", "kind", string(kind), "feed_url", e.FeedURL, "time", s.db.Stamp(),
		"guid", e.GUID, "digest", e.Digest())
	return err
}
