package daemon

import (
	"context"
	"errors"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/feedwire/feedwire/store/feed"
)

// retry calls f until it succeeds, ctx ends, or it fails with another error than feed.ErrUnavailable, which retry returns.
func retry(ctx context.Context, f func() error) error {
	_, err := backoff.Retry(ctx, func() (struct{}, error) {
		err := f()
		if err != nil && !errors.Is(err, feed.ErrUnavailable) {
			err = backoff.Permanent(err)
		}
		return struct{}{}, err
	}, backoff.WithMaxElapsedTime(0),
		backoff.WithBackOff(&backoff.ExponentialBackOff{InitialInterval: 100 * time.Millisecond, Multiplier: 2, MaxInterval: 2 * time.Second}))
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// configure writes the sources and subscriptions of the configuration to the store at the start and after each reload. Sources
// and webhooks that were removed from the configuration stay in the store until a person removes them. The engine removes other hubs.
// Subscriptions are written first, so that a new webhook receives the signals of sources added in the same reload.
func (a *app) configure(ctx context.Context) error {
	for {
		a.configureSubscriptions(ctx)
		a.configureSources(ctx)
		select {
		case <-a.reloads.sources:
		case <-ctx.Done():
			return nil
		}
	}
}

func (a *app) configureSources(ctx context.Context) {
	for _, src := range a.cfg().Sources {
		err := retry(ctx, func() error {
			_, added, err := a.store.Sources.AddSource(ctx, src)
			if err == nil && added {
				a.log.Info("source added", "source", src.URL)
			}
			return err
		})
		if err != nil {
			a.log.Error("source of the configuration not added", "source", src.URL, "err", err)
		}
	}
}

func (a *app) configureSubscriptions(ctx context.Context) {
	all := a.catalog.Pings(a.cfg().Hub.Ping)
	for i := range a.cfg().Webhooks {
		w := &a.cfg().Webhooks[i]
		all = append(all, feed.Subscription{
			Topic: w.Filter().Topic(), Callback: w.URL.Reveal(), Kind: feed.KindWebhook, Secret: w.Secret.Reveal(),
		})
	}
	for _, sub := range all {
		if err := retry(ctx, func() error { return a.catalog.Configure(ctx, sub) }); err != nil {
			a.log.Error("subscription of the configuration not created", "subscription", feed.SubscriptionID(sub.Topic, sub.Callback), "err", err)
		}
	}
}
