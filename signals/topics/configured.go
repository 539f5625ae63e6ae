package topics

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/feedwire/feedwire/store/feed"
)

// Configure creates a subscription that the configuration names, unless it exists with the same secret. A webhook without a
// secret keeps the existing one or gets a new one. A hub to ping is stored again: earlier versions counted it as a subscriber.
func (c *Catalog) Configure(ctx context.Context, sub feed.Subscription) error {
	known, err := c.store.Subscription(ctx, feed.SubscriptionID(sub.Topic, sub.Callback))
	switch {
	case err == nil && sub.Kind != feed.KindPing && (sub.Secret == "" || sub.Secret == known.Secret):
		return nil
	case err != nil && !errors.Is(err, feed.ErrNotFound):
		return err
	case sub.Kind == feed.KindWebhook && sub.Secret == "":
		sub.Secret = feed.NewWebhookSecret()
	}
	return c.store.Subscribe(ctx, &sub)
}

// Pings returns the subscriptions that ping other hubs at each change of an outgoing feed, in the order of the topics.
func (c *Catalog) Pings(hubs []string) (all []feed.Subscription) {
	for _, topic := range slices.Sorted(maps.Keys(c.opts.Outgoing.Topics())) {
		for _, url := range hubs {
			all = append(all, feed.Subscription{Topic: topic, Callback: url, Kind: feed.KindPing})
		}
	}
	return all
}
