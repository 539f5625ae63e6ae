package main

import (
	"context"
	"errors"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// configureWays brings the webhooks and the other hubs of the configuration into the store, as soon as that answers. What
// the configuration names no more: webhooks stay until they are removed, as sources do; other hubs are forgotten by the
// engine.
func (a *app) configureWays(ctx context.Context) error {
	var all []feed.Subscription
	for i := range a.cfg().Webhooks {
		w := &a.cfg().Webhooks[i]
		all = append(all, feed.Subscription{
			Topic: w.Filter().Topic(), Callback: w.URL.Reveal(), Way: feed.WayWebhook, Secret: w.Secret.Reveal(),
		})
	}
	for _, name := range a.publisher.Names() {
		topic := a.publisher.Topic(name)
		if topic == "" {
			continue
		}
		for _, url := range a.cfg().Hub.Ping {
			all = append(all, feed.Subscription{Topic: topic, Callback: url, Way: feed.WayPing})
		}
	}
	for i := range all {
		for wait := 100 * time.Millisecond; ; wait = min(2*wait, 2*time.Second) {
			err := a.configureWay(ctx, all[i])
			if err == nil {
				break
			}
			if ctx.Err() == nil && !errors.Is(err, feed.ErrUnavailable) {
				id := feed.SubscriptionID(all[i].Topic, all[i].Callback)
				a.log.Error("subscription of the configuration was not made", "subscription", id, "err", err)
				break
			}
			if !sleep(ctx, wait) {
				return nil
			}
		}
	}
	return nil
}

// configureWay makes a subscription unless it is there as it should be. A webhook without a secret keeps the one it has,
// or is given one.
func (a *app) configureWay(ctx context.Context, sub feed.Subscription) error {
	known, err := a.store.Subscription(ctx, feed.SubscriptionID(sub.Topic, sub.Callback))
	switch {
	case err == nil && (sub.Secret == "" || sub.Secret == known.Secret):
		return nil
	case err != nil && !errors.Is(err, feed.ErrNotFound):
		return err
	case sub.Way == feed.WayWebhook && sub.Secret == "":
		sub.Secret = feed.NewWebhookSecret()
	}
	return a.store.Subscribe(ctx, &sub)
}
