package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"

	"github.com/feedwire/feedwire/config"
	"github.com/feedwire/feedwire/ingest"
	"github.com/feedwire/feedwire/publish"
	"github.com/feedwire/feedwire/signals/hub"
	"github.com/feedwire/feedwire/signals/websub"
	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
)

var (
	_ hub.Store        = (*store.Store)(nil)
	_ hub.RequestStore = (*store.Store)(nil)
	_ hub.Sources      = (*store.Store)(nil)
	_ hub.Documents    = (*store.Store)(nil)
)

// hubURL is where our hub is asked.
func hubURL(cfg *config.Config) string { return cfg.PublicURL + "/hub" }

// newEngine builds the engine of the hub.
func (a *app) newEngine() *hub.Engine {
	cfg := a.cfg
	news := hub.NewsOutlet(a.store, hubURL(cfg))
	if cfg.Hub.Distribution == "full" {
		news = hub.DocumentOutlet(a.store)
	}
	return hub.NewEngine(a.store, []hub.Outlet{news, hub.Webhooks()}, a.outgoing(), hub.Options{
		HubURL: hubURL(cfg), UserAgent: userAgent(cfg), Method: websub.Method(cfg.Hub.Signature), Workers: cfg.Hub.Workers,
		PerHost: cfg.Hub.PerHost, Timeout: cfg.Hub.Timeout, Horizon: cfg.Hub.Horizon, Served: servedFeeds(a.publisher, a.types),
		Pings:   cfg.Hub.Ping,
		OnPanic: a.metrics.panicked, Logger: a.log, Registerer: a.registry,
	})
}

// servedFeeds are the outgoing feeds that can be subscribed to.
func servedFeeds(p *publish.Publisher, types []string) (all []hub.Served) {
	for _, typ := range types {
		topic := p.Topic(typ)
		if topic == "" {
			continue
		}
		all = append(all, hub.Served{Topic: topic, Get: func(ctx context.Context) (d feed.Distribution, err error) {
			d.Body, d.ContentType, err = p.Document(ctx, typ)
			return d, err
		}})
	}
	return all
}

// outgoing is the transport of all that goes to callbacks: it reaches what sources may be fetched from, and nothing else.
func (a *app) outgoing() *http.Transport {
	dialer := ingest.NewDialer(a.cfg.Fetch.AllowNetworks)
	return hub.NewTransport(func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dialer.DialContext(ctx, network, address)
		if refused, ok := errors.AsType[*ingest.Error](err); ok && refused.Class == ingest.ClassBlockedAddress {
			return nil, fmt.Errorf("%w: %s", hub.ErrBlocked, refused.Reason)
		}
		return conn, err
	}, a.cfg.Hub.PerHost)
}
