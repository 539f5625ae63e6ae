package daemon

import (
	"context"
	"net/http"
	"net/netip"
	"slices"
	"time"

	"github.com/feedwire/feedwire/cmd/feedwire/setup"
	"github.com/feedwire/feedwire/config"
	"github.com/feedwire/feedwire/ingest/fetch"
	"github.com/feedwire/feedwire/signals/delivery"
	"github.com/feedwire/feedwire/signals/hub"
	"github.com/feedwire/feedwire/signals/topics"
)

// hubURL returns the URL of the hub.
func hubURL(cfg *config.Config) string { return cfg.PublicURL + "/hub" }

// newEngine builds the part of the hub that delivers news.
func (a *app) newEngine() *delivery.Engine {
	cfg := a.cfg()
	opts := a.engineOptions(cfg)
	opts.Operator = crashingTransport(a.outgoing(func() []netip.Prefix {
		return slices.Concat(a.cfg().Fetch.AllowNetworks, a.callbackNetworks())
	}))
	return delivery.NewEngine(crashing(a.store.Nouns()), a.catalog.Outlets(a.full),
		crashingTransport(a.outgoing(a.callbackNetworks)), opts)
}

func (a *app) engineOptions(cfg *config.Config) delivery.Options {
	return delivery.Options{
		Daemon: setup.DaemonID(cfg),
		HubURL: hubURL(cfg), UserAgent: setup.UserAgent(cfg), Method: cfg.Hub.Signature, Workers: cfg.Hub.Workers,
		PerHost: cfg.Hub.PerHost, Timeout: cfg.Hub.Timeout, FirstRetry: cfg.Hub.FirstRetry,
		Horizon: cfg.Hub.Horizon, Attempts: cfg.Hub.Attempts, Served: a.catalog.Served, Lists: a.catalog.Lists,
		Pings: cfg.Hub.Ping, Shape: a.catalog.Shape, Now: a.store.CommonTime, OnPanic: a.metrics.panicked, Logger: a.log, Registerer: a.registry,
	}
}

// storeDocument stores the unchanged document of a source for subscribers that receive it, unless it may list an entry that was taken
// down.
func (a *app) storeDocument(ctx context.Context, feedURL, contentType string, body []byte) error {
	if a.full {
		return a.storeWhole(ctx, feedURL, contentType, body)
	}
	if full, err := a.catalog.IsFull(ctx, feedURL); err != nil || !full {
		return err
	}
	return a.storeWhole(ctx, feedURL, contentType, body)
}

func (a *app) storeWhole(ctx context.Context, feedURL, contentType string, body []byte) error {
	taken, err := a.store.Entries.HasTakedowns(ctx, feedURL)
	if err != nil || taken {
		return err
	}
	return a.store.Topics.StoreDocument(ctx, feedURL, contentType, body)
}

// callbackNetworks returns the private networks that callbacks may be in.
func (a *app) callbackNetworks() []netip.Prefix { return a.cfg().Hub.AllowNetworks }

// outgoing returns a transport for requests of the hub. It dials only public addresses and the networks that the configuration
// names at that moment.
func (a *app) outgoing(networks func() []netip.Prefix) *http.Transport {
	return delivery.NewTransport(fetch.NewDialer(networks).DialContext, a.cfg().Hub.PerHost)
}

func (a *app) newCatalog() *topics.Catalog {
	return topics.New(a.store.Nouns(), topics.Options{
		HubURL: hubURL(a.cfg()), PublicURL: a.cfg().PublicURL, Outgoing: a.publisher, Republished: a.republish, Discover: a.ingester.Discover,
		Fetch: a.topics.Fetch, Accept: a.ingester.AcceptContent, Open: func() topics.OpenOptions {
			cfg := a.cfg()
			return topics.OpenOptions{
				Topics: cfg.Hub.OpenTopics, Bytes: cfg.Hub.OpenTotal, Interval: cfg.Hub.OpenInterval, HostDelay: cfg.Fetch.HostDelay,
				Hosts: cfg.Hub.OpenHosts, Full: cfg.Hub.OpenDistribution == "full",
			}
		},
		Logger: a.log, Registerer: a.registry, Now: a.store.CommonTime, OnPanic: a.metrics.panicked,
	})
}

// topicFetchOptions returns the settings of requests for open topics. Strangers name these, so they may be only in networks in which
// their callbacks may be.
func topicFetchOptions(cfg *config.Config) fetch.Options {
	return fetch.Options{
		Timeout: min(cfg.Fetch.Timeout, topicTimeout), MaxBytes: cfg.Hub.OpenBytes, MaxRedirects: zero(cfg.Fetch.MaxRedirects),
		AllowNetworks: cfg.Hub.AllowNetworks, UserAgent: setup.UserAgent(cfg), Proxy: cfg.Fetch.Proxy.Reveal(),
	}
}

const topicTimeout = 20 * time.Second

// newFront builds the part of the hub that accepts requests and verifies them.
func (a *app) newFront() *hub.Front {
	return hub.NewFront(crashing(a.store.Nouns()), a.catalog, crashingTransport(a.outgoing(a.callbackNetworks)), a.frontOptions(a.cfg()))
}

func (a *app) frontOptions(cfg *config.Config) hub.FrontOptions {
	opts := hub.FrontOptions{
		URL: hubURL(cfg), UserAgent: setup.UserAgent(cfg), DefaultLease: cfg.Hub.Lease, MinLease: cfg.Hub.MinLease, MaxLease: cfg.Hub.MaxLease,
		TopicLeases: cfg.Hub.TopicLeases, Badges: cfg.Hub.Badges, Stylesheet: a.kit.Asset("desk.css"),
		Timeout: cfg.Hub.VerifyTimeout, FirstRetry: cfg.Hub.VerifyRetry,
		Trusted: a.people.Trusts, Publisher: a.people.TrustsPublisher, ContentBytes: cfg.Hub.OpenBytes, IsProxy: a.people.IsProxy, Test: a.engine.Test,
		Now: a.store.CommonTime, OnPanic: a.metrics.panicked, Logger: a.log, Registerer: a.registry,
	}
	if cfg.Hub.OpenTopics > 0 {
		opts.AddTopic = a.catalog.AddTopic
	}
	return opts
}
