package daemon

import (
	"context"

	"github.com/feedwire/feedwire/signals/retry"
	"github.com/feedwire/feedwire/store/feed"
)

// patiently calls f until it succeeds, ctx ends, or it fails with another error than feed.ErrUnavailable, which it returns.
func patiently(ctx context.Context, f func() error) error {
	_, err := retry.Do(ctx, retry.Options{Final: retry.NotUnavailable}, func() (struct{}, error) { return struct{}{}, f() })
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
		err := patiently(ctx, func() error {
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
		if err := patiently(ctx, func() error { return a.catalog.Configure(ctx, sub) }); err != nil {
			a.log.Error("subscription of the configuration not created", "subscription", feed.SubscriptionID(sub.Topic, sub.Callback), "err", err)
		}
	}
}
