package hub

import (
	"context"
	"errors"

	"github.com/feedwire/feedwire/store/feed"
)

// SubscriptionStore stores subscriptions that need no verification.
type SubscriptionStore interface {
	// Subscription returns a subscription. feed.ErrNotFound: it does not exist.
	Subscription(ctx context.Context, id string) (feed.Subscription, error)
	// Subscribe creates or replaces a subscription.
	Subscribe(ctx context.Context, sub *feed.Subscription) error
}

// Configure creates a subscription that the configuration names, unless it exists with the same secret. A webhook without a
// secret keeps the existing one or gets a new one.
func Configure(ctx context.Context, store SubscriptionStore, sub feed.Subscription) error {
	known, err := store.Subscription(ctx, feed.SubscriptionID(sub.Topic, sub.Callback))
	switch {
	case err == nil && (sub.Secret == "" || sub.Secret == known.Secret):
		return nil
	case err != nil && !errors.Is(err, feed.ErrNotFound):
		return err
	case sub.Kind == feed.KindWebhook && sub.Secret == "":
		sub.Secret = feed.NewWebhookSecret()
	}
	return store.Subscribe(ctx, &sub)
}

// Pings returns the subscriptions by which other hubs are told of each change of the outgoing feeds.
func Pings(feeds OutgoingFeeds, hubs []string) (all []feed.Subscription) {
	for _, name := range feeds.Names() {
		topic := feeds.Topic(name)
		if topic == "" {
			continue
		}
		for _, url := range hubs {
			all = append(all, feed.Subscription{Topic: topic, Callback: url, Kind: feed.KindPing})
		}
	}
	return all
}
