package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"

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
	cfg := a.cfg()
	news := hub.NewsOutlet(a.store, hubURL(cfg))
	if cfg.Hub.Distribution == "full" {
		news = hub.DocumentOutlet(a.store)
	}
	opts := a.engineOptions(cfg)
	opts.Operator = mortalTransport(a.outgoing(func() []netip.Prefix {
		return slices.Concat(a.cfg().Fetch.AllowNetworks, a.callbackNetworks())
	}))
	outlets := []hub.Outlet{news, republishedNews(a.republish), hub.Webhooks()}
	return hub.NewEngine(mortal(a.store), outlets, mortalTransport(a.outgoing(a.callbackNetworks)), opts)
}

func (a *app) engineOptions(cfg *config.Config) hub.Options {
	return hub.Options{
		HubURL: hubURL(cfg), UserAgent: userAgent(cfg), Method: websub.Method(cfg.Hub.Signature), Workers: cfg.Hub.Workers,
		PerHost: cfg.Hub.PerHost, Timeout: cfg.Hub.Timeout, Horizon: cfg.Hub.Horizon, Served: servedFeeds(a.publisher),
		Pings:   cfg.Hub.Ping,
		OnPanic: a.metrics.panicked, Logger: a.log, Registerer: a.registry,
	}
}

// callbackNetworks are the private networks in which subscribers may be.
func (a *app) callbackNetworks() []netip.Prefix { return a.cfg().Hub.AllowNetworks }

// servedFeeds are the outgoing feeds that can be subscribed to, each form by itself.
func servedFeeds(p *publish.Publisher) (all []hub.Served) {
	for _, name := range p.Names() {
		topic := p.Topic(name)
		if topic == "" {
			continue
		}
		all = append(all, hub.Served{Topic: topic, Get: func(ctx context.Context) (d feed.Distribution, err error) {
			d.Body, d.ContentType, err = p.Document(ctx, name)
			return d, err
		}})
	}
	return all
}

// outgoing is a transport of what the hub sends: it reaches public addresses and the networks named at that moment, and
// nothing else.
func (a *app) outgoing(networks func() []netip.Prefix) *http.Transport {
	dialer := ingest.NewDialer(networks)
	return hub.NewTransport(func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dialer.DialContext(ctx, network, address)
		if refused, ok := errors.AsType[*ingest.Error](err); ok && refused.Class == ingest.ClassBlockedAddress {
			return nil, fmt.Errorf("%w: %s", hub.ErrBlocked, refused.Reason)
		}
		return conn, err
	}, a.cfg().Hub.PerHost)
}
