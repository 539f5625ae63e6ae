package main

import (
	"io"
	"time"

	"github.com/feedwire/feedwire/config"
	"github.com/feedwire/feedwire/ingest"
	"github.com/feedwire/feedwire/publish"
	"github.com/feedwire/feedwire/publish/desk"
	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
)

// What a configuration means for each room, at the start and again when it is reloaded.

func (a *app) storeOptions(cfg *config.Config) store.Options {
	return store.Options{
		URL: cfg.Store.Redis.Reveal(), Prefix: cfg.Store.Prefix, Pool: cfg.Store.Pool, Timeout: cfg.Store.Timeout,
		Owner: daemonID(cfg), HostDelay: cfg.Fetch.HostDelay, PollFloor: min(cfg.Fetch.MinInterval, pollFloor), Spread: crowdSpread(cfg),
		FirstSignals: zero(cfg.Fetch.FirstSignals), Logger: a.log, Registerer: a.registry,
	}
}

func (a *app) ingestOptions(cfg *config.Config) ingest.Options {
	return ingest.Options{
		Workers: cfg.Fetch.Workers, Interval: cfg.Fetch.Interval, MinInterval: zero(cfg.Fetch.MinInterval), Proxy: cfg.Fetch.Proxy.Reveal(),
		Timeout: cfg.Fetch.Timeout, MaxBytes: cfg.Fetch.MaxBytes,
		MaxRedirects: zero(cfg.Fetch.MaxRedirects), MaxEntries: cfg.Fetch.MaxEntries, AllowNetworks: cfg.Fetch.AllowNetworks,
		UserAgent: userAgent(cfg), OnTurn: a.systemd.turn, OnPanic: a.metrics.panicked, Logger: a.log, Registerer: a.registry,
	}
}

func (a *app) publishOptions(cfg *config.Config, rules *publisherRules) publish.Options {
	return publish.Options{
		Dir: cfg.DataDir, PublicURL: cfg.PublicURL, HubURL: hubURL(cfg), Profiles: cfg.Profiles, FeedRules: rules.feeds, SourceRules: rules.sources,
		OnAuthFailure: a.metrics.authFailed, OnPromoted: a.metrics.promoted, OnPanic: a.metrics.panicked,
		AddVisits: a.store.AddVisits, Logger: a.log, Registerer: a.registry,
	}
}

func (a *app) deskOptions(cfg *config.Config) desk.Options {
	return desk.Options{
		Feeds: cfg.Outgoing(), Token: a.token, OpenPages: a.openPages,
		PublicURL: cfg.PublicURL, Version: thisBuild().Version, StoreKind: a.storeKind, Trace: a.ingester.Trace, Pace: a.ingester.Pace, OnTransition: a.moved,
		Republished: a.republish.URLs, OnAuthFailure: a.metrics.authFailed, OnPanic: a.metrics.panicked, Logger: a.log, Registerer: a.registry,
		Discover: a.ingester.Discover, ReadOPML: ingest.ReadOPML, WriteOPML: func(w io.Writer, sources []feed.Source) error {
			return ingest.WriteOPML(w, sources, time.Now())
		},
		Peek: a.ingester.Peek, Document: a.publisher.Document, Events: a.events, Settings: settingsOf(cfg),
		LastReload: a.reloads.last,
		Hub:        a.store, TestWebhook: a.engine.TestWebhook, HeldBack: a.publisher.HeldBack, Held: a.publisher.Held,
		Preview: a.preview,
		SignIn: desk.SignIn{
			Store: a.store, ProxyHeader: cfg.Auth.ProxyHeader, ProxyNetworks: cfg.Auth.ProxyNetworks, ProxyRole: cfg.Auth.ProxyRole,
			Cost: cfg.Auth.Cost,
		},
	}
}

// settingsOf are the settings in force, for the desk.
func settingsOf(cfg *config.Config) []desk.Setting {
	var all []desk.Setting
	for _, s := range cfg.Settings() {
		all = append(all, desk.Setting(s))
	}
	return all
}

// pollFloor is the longest time from a poll to one that a person asks for: enough that a finger that is impatient, or a
// script that asks in a loop, does not reach the server. The request is conditional.
const pollFloor = 10 * time.Second

// zero is a setting as a room takes it, which reads 0 as its default and what is negative as 0.
func zero[T int | time.Duration](setting T) T {
	if setting == 0 {
		return -1
	}
	return setting
}

// crowdSpread is the time over which sources that are added together are polled for the first time.
func crowdSpread(cfg *config.Config) time.Duration {
	switch {
	case cfg.Fetch.HostDelay == 0:
		return 0
	case cfg.Fetch.Interval > 0:
		return min(cfg.Fetch.Interval, time.Hour)
	}
	return time.Hour
}
