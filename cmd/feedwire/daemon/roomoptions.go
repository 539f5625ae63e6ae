package daemon

import (
	"net/http"
	"time"

	"github.com/feedwire/feedwire/cmd/feedwire/setup"
	"github.com/feedwire/feedwire/config"
	"github.com/feedwire/feedwire/ingest"
	"github.com/feedwire/feedwire/ingest/fetch"
	"github.com/feedwire/feedwire/publish"
	"github.com/feedwire/feedwire/publish/community"
	"github.com/feedwire/feedwire/publish/images"
	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
)

// The options of each room that follow from a configuration, at the start and after a reload.

func (a *app) storeOptions(cfg *config.Config) store.Options {
	return store.Options{
		URL: cfg.Store.Redis.Reveal(), Prefix: cfg.Store.Prefix, Pool: cfg.Store.Pool, Timeout: cfg.Store.Timeout,
		Owner: setup.DaemonID(cfg), HostDelay: cfg.Fetch.HostDelay, PollFloor: min(cfg.Fetch.MinInterval, pollFloor), Spread: firstPollSpread(cfg),
		FirstSignals: zero(cfg.Fetch.FirstSignals), KeepEntries: cfg.Fetch.KeepEntries, PushEntries: cfg.Fetch.PushEntries,
		DayEntries: cfg.Fetch.DayEntries, ShallowTimelines: !cfg.Timeline.Deep, PullFollowers: cfg.Timeline.PullFollowers,
		VoteWeight: cfg.Votes.Weight, VoteWindow: cfg.Votes.Window, AnonymousVotes: cfg.Votes.Anonymous,
		Community: cfg.Community.Enabled, Discussed: discussed(cfg), Logger: a.log, Registerer: a.registry,
	}
}

// threadURL returns the address of the comments on an entry.
func threadURL(cfg *config.Config) func(n string) string {
	site := community.NewMount(cfg.Community.Host, cfg.PublicURL)
	return func(n string) string { return site.URL("/news/" + n) }
}

// discussed returns the sources on whose entries members vote and comment.
func discussed(cfg *config.Config) []string {
	if !cfg.Community.Enabled {
		return nil
	}
	return cfg.Community.Sources
}

func (a *app) ingestOptions(cfg *config.Config) ingest.Options {
	return ingest.Options{
		Workers: cfg.Fetch.Workers, Interval: cfg.Fetch.Interval, MinInterval: zero(cfg.Fetch.MinInterval), MaxEntries: cfg.Fetch.MaxEntries,
		Fetch: fetch.Options{
			Timeout: cfg.Fetch.Timeout, MaxBytes: cfg.Fetch.MaxBytes, MaxRedirects: zero(cfg.Fetch.MaxRedirects),
			AllowNetworks: cfg.Fetch.AllowNetworks, UserAgent: setup.UserAgent(cfg), Proxy: cfg.Fetch.Proxy.Reveal(),
			Proxies: proxiesOf(cfg.Sources),
		},
		Now: a.store.CommonTime, OnTurn: a.systemd.beat, OnPanic: a.metrics.panicked, Logger: a.log, Registerer: a.registry,
	}
}

func (a *app) publishOptions(cfg *config.Config, rules *setup.Rules) publish.Options {
	return publish.Options{
		Now: a.store.CommonTime, Dir: cfg.DataDir, PublicURL: cfg.PublicURL, HubURL: hubURL(cfg),
		Profiles: cfg.Profiles, FeedRules: rules.Feeds, SourceRules: rules.Sources,
		OnCredentials: func(r *http.Request, right bool) { a.people.Tried(r, "basic", right) },
		OnPromoted:    a.metrics.promoted, OnPanic: a.metrics.panicked,
		Logger: a.log, Registerer: a.registry,
	}
}

func (a *app) imageLimits(cfg *config.Config) images.Limits {
	return images.Limits{Fetch: a.ingestOptions(cfg).Fetch, Cache: cfg.Images.Cache}
}

// proxiesOf returns the proxies that sources of the configuration name.
func proxiesOf(sources []feed.Source) (all []string) {
	for i := range sources {
		if proxy := sources[i].Request.Proxy; proxy != "" && proxy != "direct" {
			all = append(all, proxy)
		}
	}
	return all
}

// pollFloor is the longest minimum time between a poll and one that a person requests. It protects the server from impatient
// people and scripts.
const pollFloor = 10 * time.Second

// zero converts a setting for a room, which reads 0 as its default and a negative value as 0.
func zero[T int | time.Duration](setting T) T {
	if setting == 0 {
		return -1
	}
	return setting
}

// firstPollSpread returns the time over which the first polls of sources that are added together are spread.
func firstPollSpread(cfg *config.Config) time.Duration {
	switch {
	case cfg.Fetch.HostDelay == 0:
		return 0
	case cfg.Fetch.Interval > 0:
		return min(cfg.Fetch.Interval, time.Hour)
	}
	return time.Hour
}
