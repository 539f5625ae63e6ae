package doctor

import (
	"cmp"
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/feedwire/feedwire/config"
	"github.com/feedwire/feedwire/publish/desk/settings"
	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/ops"
)

// Finding is the result of one check.
type Finding struct {
	Check  string `json:"check"`            // one of the words in docs/reference/doctor.md
	Level  string `json:"level"`            // LevelOK, LevelWarn or LevelBad
	What   string `json:"what"`             // the fact
	Why    string `json:"why,omitempty"`    // its consequence; empty if there is no problem
	Remedy string `json:"remedy,omitempty"` // likewise
}

// Levels of a finding.
const (
	LevelOK   = "ok"
	LevelWarn = "warn" // a risk
	LevelBad  = "bad"  // a failure, or data in danger
)

// OK returns a finding without a problem.
func OK(check, what string, args ...any) Finding {
	return Finding{Check: check, Level: LevelOK, What: fmt.Sprintf(what, args...)}
}

// warn returns a finding about a risk, bad one about a failure.
func warn(check, what, why, remedy string) Finding {
	return Finding{check, LevelWarn, what, why, remedy}
}

func bad(check, what, why, remedy string) Finding { return Finding{check, LevelBad, what, why, remedy} }

// Findings are the results of checks.
type Findings []Finding

// when adds a finding if a condition is true.
func (all *Findings) when(condition bool, f Finding) {
	if condition {
		*all = append(*all, f)
	}
}

// OrOK returns the findings, or OK if there are none.
func (all Findings) OrOK(check, what string) Findings {
	if len(all) == 0 {
		return Findings{OK(check, "%s", what)}
	}
	return all
}

// Store checks the health of Redis.
func Store(h *ops.Health, err error) (all Findings) {
	switch {
	case err != nil:
		return Findings{bad("redis", "Redis is unreachable: "+err.Error(), "the daemon can neither poll nor publish",
			"start Redis, or set store.redis to its URL")}
	case h.Version == "":
		return Findings{bad("redis", "the store is kept in memory only", "all data is lost when the daemon stops",
			"install redis-server or valkey-server, or set store.redis")}
	}
	all.when(ops.OlderThan(h.Version, "6.2"), bad("redis", "Redis is "+h.Version, "feedwire requires Redis 6.2",
		"install Redis 6.2 or later, or Valkey"))
	all = all.OrOK("redis", "Redis "+h.Version+" is reachable")
	var role Findings
	role.when(h.Role == "slave", bad("redis-role", "this Redis is a replica", "replicas reject writes", "set store.redis to its master"))
	all = slices.Concat(all, role.OrOK("redis-role", "Redis is a master"), examineDurability(h), examineMemory(h), examineTimelines(h))
	all.when(h.Timeout > 0, warn("redis-timeout", fmt.Sprintf("Redis closes idle connections after %v", h.Timeout),
		"calls after an idle period may be delayed", "CONFIG SET timeout 0"))
	all.when(len(h.Refused) > 0, bad("redis-rights", "the Redis user may not call "+strings.Join(h.Refused, ", "),
		"operations that use these commands fail", "allow these commands with ACL SETUSER"))
	all.when(len(h.Unseen) > 0, warn("redis-rights", "Redis does not return "+strings.Join(h.Unseen, ", "),
		"these settings cannot be checked", "allow the user these commands, or check the settings yourself"))
	return append(all, examineClock(h.Skew))
}

func examineDurability(h *ops.Health) (all Findings) {
	all.when(!h.AOF, bad("redis-durability", "the append-only file is disabled",
		"a crash of Redis loses acknowledged writes; signals are lost or repeated", "run CONFIG SET appendonly yes, and set it in redis.conf"))
	all.when(h.AOF && h.Fsync != "" && h.Fsync != "always", warn("redis-durability", "appendfsync is "+h.Fsync,
		"a crash of Redis loses the writes of the last second", "run CONFIG SET appendfsync always if the disk is fast enough"))
	all.when(len(h.SaveErrors) > 0, bad("redis-durability", "Redis cannot write to disk: "+strings.Join(h.SaveErrors, ", "),
		"Redis rejects or loses writes", "free disk space and check the log of Redis"))
	return all.OrOK("redis-durability", "Redis acknowledges writes after they are on disk")
}

func examineMemory(h *ops.Health) (all Findings) {
	all.when(h.Policy != "" && h.Policy != "noeviction", bad("redis-memory", "maxmemory-policy is "+h.Policy,
		"if memory is short, Redis deletes entries, articles and subscriptions", "run CONFIG SET maxmemory-policy noeviction"))
	share := float64(h.Memory) / float64(max(h.MaxMemory, 1))
	full := warn("redis-memory", fmt.Sprintf("%.0f %% of maxmemory is in use", 100*share),
		"Redis rejects writes if its memory is full", "raise maxmemory, or lower fetch.keep_entries and signals.keep")
	if share > 0.95 {
		full.Level = LevelBad
	}
	all.when(h.MaxMemory > 0 && share > 0.8, full)
	return all.OrOK("redis-memory", fmt.Sprintf("%d MiB in use, eviction is disabled", h.Memory>>20))
}

// longTimeline is the number of entries of a full timeline.
const longTimeline = 500

func examineTimelines(h *ops.Health) (all Findings) {
	all.when(h.Listpack > 0 && h.Listpack < longTimeline, OK("redis-timelines",
		"a full timeline takes 52 KB; with zset-max-listpack-entries 512 instead of %d, it takes 6 KB and its changes are slower", h.Listpack))
	all.when(h.Listpack >= longTimeline, OK("redis-timelines", "a full timeline takes 6 KB: zset-max-listpack-entries is %d", h.Listpack))
	return all
}

func examineClock(skew time.Duration) Finding {
	f := warn("clock", fmt.Sprintf("the clocks of Redis and this machine differ by %v", skew.Abs()),
		"all daemons follow the clock of Redis; if that is wrong, so are the times in feeds", "synchronise both machines by NTP")
	switch off := skew.Abs(); {
	case off <= 2*time.Second:
		return OK("clock", "the clocks of Redis and this machine agree within %v", max(off, time.Millisecond))
	case off > time.Minute:
		f.Level = LevelBad
	}
	return f
}

// Config checks the configuration and the environment.
func Config(cfg *config.Config, environment []string) (all Findings) {
	open := func(p netip.Prefix) bool { return p.Bits() == 0 || p.Contains(netip.MustParseAddr("169.254.169.254")) }
	for key, networks := range map[string][]netip.Prefix{"fetch.allow_networks": cfg.Fetch.AllowNetworks, "hub.allow_networks": cfg.Hub.AllowNetworks} {
		if i := slices.IndexFunc(networks, open); i >= 0 {
			all = append(all, bad("guard", fmt.Sprintf("%s contains %s", key, networks[i]),
				"sources and subscribers can make the daemon request internal servers, including credentials of this machine", "allow only the networks that you need"))
		}
	}
	slices.SortFunc(all, func(a, b Finding) int { return cmp.Compare(a.What, b.What) })
	all = all.OrOK("guard", "only the configured private networks are allowed")
	for _, v := range environment {
		name, value, _ := strings.Cut(v, "=")
		if slices.Contains([]string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"}, strings.ToUpper(name)) && value != "" && cfg.Fetch.Proxy.Reveal() == "" {
			all = append(all, warn("proxy", name+" is set", "the daemon ignores it, because a proxy would bypass the check of addresses", "set fetch.proxy if sources are reachable only through a proxy"))
		}
	}
	all.when(cfg.Mail.Host != "" && cfg.Mail.TLS == "none" && !config.IsLoopback(cfg.Mail.Host), warn("mail", "mail.tls is none, and mail.host is another machine",
		"who reads the network can use links to choose passwords", "set mail.tls to starttls or tls"))
	all.when(cfg.Community.Enabled && cfg.Community.Gravatars && cfg.Images.Cache == 0, warn("community", "community.gravatars is set, and images.cache is 0",
		"pages show no pictures of members", "set images.cache, or remove community.gravatars"))
	return all
}

// Sources checks the polls of all sources.
func Sources(sources []feed.Source, now time.Time) (all Findings) {
	failing, overdue := 0, 0
	for i := range sources {
		switch s := &sources[i]; s.State() {
		case feed.SourceFailing:
			failing++
			fallthrough
		case feed.SourceActive:
			if !s.Poll.NextPoll.IsZero() && now.Sub(s.Poll.NextPoll) > 10*time.Minute {
				overdue++
			}
		}
	}
	all.when(failing > 0, warn("sources", fmt.Sprintf("%d of %d sources are failing", failing, len(sources)),
		"the daemon receives no news from these sources", "run feedwire source list to find them and feedwire source show for advice"))
	all.when(overdue > 0, bad("sources", fmt.Sprintf("%d sources are overdue by more than ten minutes", overdue),
		"polling is too slow or has stopped", "increase fetch.workers, decrease fetch.host_delay, and check the log"))
	return all.OrOK("sources", fmt.Sprintf("%d sources, none is failing", len(sources)))
}

// Community checks that the settings of the community have an effect.
func Community(set *config.Community, sources []feed.Source) (all Findings) {
	if !set.Enabled {
		all.when(set.Host != "" || len(set.Sources) > 0, warn("community", "community.host or community.sources is set, and community.enabled is not",
			"there is no site to comment on", "set community.enabled, or remove the others"))
		return all
	}
	for _, url := range set.Sources {
		i := slices.IndexFunc(sources, func(s feed.Source) bool { return s.URL == url })
		switch {
		case i < 0:
			all = append(all, warn("community", "community.sources contains "+url+", which is not a source",
				"its entries have no discussion", "add the source, or remove it from community.sources"))
		case sources[i].Private():
			all = append(all, warn("community", "community.sources contains "+url+", which is private",
				"private entries are not shown in the community", "remove it from community.sources"))
		}
	}
	return all.OrOK("community", "the site is served")
}

// NotReady returns the finding that the store is not ready.
func NotReady(why string) Findings {
	return Findings{bad("store", "the store is not ready: "+why, "the daemon can neither poll nor publish", "resolve the error; see docs/reference/doctor.md")}
}

// FeedFailed returns the finding that an outgoing feed cannot be rendered.
func FeedFailed(name string, err error) Findings {
	return Findings{bad("feeds", fmt.Sprintf("feed %s: %v", name, err), "the consumer receives a cached copy or an error", "check the log of the daemon")}
}

// Alone runs the checks that need no daemon. why is the error of the call to the daemon.
func Alone(ctx context.Context, cfg *config.Config, environ []string, why error) Findings {
	all := Findings{bad("daemon", why.Error(), "no source is polled and no feed is served", "run feedwire serve")}
	unseen := "the private store, public_url, sources and feeds"
	if url := cfg.Store.Redis.Reveal(); url != "" {
		unseen = "public_url, sources and feeds"
		s, err := store.New(store.Options{URL: url, Prefix: cfg.Store.Prefix, Timeout: cfg.Store.Timeout})
		var h ops.Health
		if err == nil {
			h, err = s.Ops.Health(ctx)
			_ = s.Close() // nothing was written
		}
		all = append(all, Store(&h, err)...)
	}
	all = slices.Concat(all, Host(cfg), Files(cfg), Config(cfg, environ), Proxy(ctx, cfg))
	return append(all, warn("daemon", "not checked: "+unseen, "only a running daemon can check them", "start the daemon and run the command again"))
}

// Reload checks the result of the last reload.
func Reload(last settings.Reload) Findings {
	if !last.Time.IsZero() && !last.OK {
		return Findings{warn("configuration", "the last reload failed: "+strings.Join(last.Problems, "; "),
			"the daemon continues with the previous configuration and would not start with the current one", "run feedwire config check, then feedwire reload")}
	}
	for _, c := range last.Changes {
		if c.Restart {
			return Findings{warn("configuration", c.Key+" has changed since the start", "the change takes effect after a restart", "restart the daemon")}
		}
	}
	return Findings{OK("configuration", "the configuration is up to date")}
}
