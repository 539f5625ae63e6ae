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
	Check  string `json:"check"`            // what was looked at, one of the words of docs/reference/doctor.md
	Level  string `json:"level"`            // wellLevel, warnLevel or badLevel
	What   string `json:"what"`             // was found
	Why    string `json:"why,omitempty"`    // it matters; empty: all is well
	Remedy string `json:"remedy,omitempty"` // likewise
}

// Levels of a finding.
const (
	LevelOK   = "ok"
	LevelWarn = "warn" // it works, and may not for long
	LevelBad  = "bad"  // something does not work, or data is in danger
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

// OrOK returns the findings, or OK if there are none.
func OrOK(check, what string, found []Finding) []Finding {
	if len(found) == 0 {
		return []Finding{OK(check, "%s", what)}
	}
	return found
}

// Store checks the health of Redis.
func Store(h *ops.Health, err error) []Finding {
	if err != nil {
		return []Finding{bad("redis", "Redis is unreachable: "+err.Error(), "the daemon can neither poll nor publish",
			"start Redis, or set store.redis to its URL")}
	}
	if h.Version == "" {
		return []Finding{bad("redis", "the store is kept in memory only", "all data is lost when the daemon stops",
			"install redis-server or valkey-server, or set store.redis")}
	}
	all := []Finding{OK("redis", "Redis %s is reachable", h.Version)}
	if ops.OlderThan(h.Version, "6.2") {
		all[0] = bad("redis", "Redis is "+h.Version, "feedwire requires Redis 6.2", "install Redis 6.2 or later, or Valkey")
	}
	if h.Role == "slave" {
		all = append(all, bad("redis-role", "this Redis is a replica", "replicas reject writes", "set store.redis to its master"))
	} else {
		all = append(all, OK("redis-role", "Redis is a master"))
	}
	all = append(all, examineDurability(h)...)
	all = append(all, examineMemory(h)...)
	if h.Timeout > 0 {
		all = append(all, warn("redis-timeout", fmt.Sprintf("Redis closes idle connections after %v", h.Timeout),
			"calls after an idle period may be delayed", "CONFIG SET timeout 0"))
	}
	if len(h.Refused) > 0 {
		all = append(all, bad("redis-rights", "the Redis user may not call "+strings.Join(h.Refused, ", "),
			"operations that use these commands fail", "allow these commands with ACL SETUSER"))
	}
	if len(h.Unseen) > 0 {
		all = append(all, warn("redis-rights", "Redis does not return "+strings.Join(h.Unseen, ", "),
			"these settings cannot be checked", "allow the user these commands, or check the settings yourself"))
	}
	return append(all, examineClock(h.Skew))
}

func examineDurability(h *ops.Health) (all []Finding) {
	switch {
	case !h.AOF:
		all = append(all, bad("redis-durability", "the append-only file is disabled",
			"a crash of Redis loses acknowledged writes; signals are lost or repeated", "run CONFIG SET appendonly yes, and set it in redis.conf"))
	case h.Fsync != "" && h.Fsync != "always":
		all = append(all, warn("redis-durability", "appendfsync is "+h.Fsync,
			"a crash of Redis loses the writes of the last second", "run CONFIG SET appendfsync always if the disk is fast enough"))
	}
	if len(h.SaveErrors) > 0 {
		all = append(all, bad("redis-durability", "Redis cannot write to disk: "+strings.Join(h.SaveErrors, ", "),
			"Redis rejects or loses writes", "free disk space and check the log of Redis"))
	}
	return OrOK("redis-durability", "Redis acknowledges writes after they are on disk", all)
}

func examineMemory(h *ops.Health) (all []Finding) {
	if h.Policy != "" && h.Policy != "noeviction" {
		all = append(all, bad("redis-memory", "maxmemory-policy is "+h.Policy,
			"if memory is short, Redis deletes entries, articles and subscriptions", "run CONFIG SET maxmemory-policy noeviction"))
	}
	if share := float64(h.Memory) / float64(max(h.MaxMemory, 1)); h.MaxMemory > 0 && share > 0.8 {
		level := LevelWarn
		if share > 0.95 {
			level = LevelBad
		}
		all = append(all, Finding{"redis-memory", level, fmt.Sprintf("%.0f %% of maxmemory is in use", 100*share),
			"Redis rejects writes if its memory is full", "raise maxmemory, or lower fetch.keep_entries and signals.keep"})
	}
	return OrOK("redis-memory", fmt.Sprintf("%d MiB in use, eviction is disabled", h.Memory>>20), all)
}

func examineClock(skew time.Duration) Finding {
	f := warn("clock", fmt.Sprintf("the clocks of Redis and this machine differ by %v", skew.Abs()),
		"leases, due times and sessions depend on both clocks", "synchronise both machines by NTP")
	switch off := skew.Abs(); {
	case off <= 2*time.Second:
		return OK("clock", "the clocks of Redis and this machine agree within %v", max(off, time.Millisecond))
	case off > time.Minute:
		f.Level = LevelBad
	}
	return f
}

// Config checks the configuration and the environment.
func Config(cfg *config.Config, environment []string) (all []Finding) {
	open := func(p netip.Prefix) bool { return p.Bits() == 0 || p.Contains(netip.MustParseAddr("169.254.169.254")) }
	for key, networks := range map[string][]netip.Prefix{"fetch.allow_networks": cfg.Fetch.AllowNetworks, "hub.allow_networks": cfg.Hub.AllowNetworks} {
		if i := slices.IndexFunc(networks, open); i >= 0 {
			all = append(all, bad("guard", fmt.Sprintf("%s contains %s", key, networks[i]),
				"sources and subscribers can make the daemon request internal servers, including credentials of this machine", "allow only the networks that you need"))
		}
	}
	slices.SortFunc(all, func(a, b Finding) int { return cmp.Compare(a.What, b.What) })
	all = OrOK("guard", "only the configured private networks are allowed", all)
	for _, v := range environment {
		name, value, _ := strings.Cut(v, "=")
		if slices.Contains([]string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"}, strings.ToUpper(name)) && value != "" && cfg.Fetch.Proxy.Reveal() == "" {
			all = append(all, warn("proxy", name+" is set", "the daemon ignores it, because a proxy would bypass the check of addresses", "set fetch.proxy if sources are reachable only through a proxy"))
		}
	}
	return all
}

// Sources checks the polls of all sources.
func Sources(sources []feed.Source, now time.Time) (all []Finding) {
	failing, overdue := 0, 0
	for i := range sources {
		s := &sources[i]
		state := s.State()
		if state == feed.SourceFailing {
			failing++
		}
		if (state == feed.SourceActive || state == feed.SourceFailing) && !s.Poll.NextPoll.IsZero() && now.Sub(s.Poll.NextPoll) > 10*time.Minute {
			overdue++
		}
	}
	if failing > 0 {
		all = append(all, warn("sources", fmt.Sprintf("%d of %d sources are failing", failing, len(sources)),
			"the daemon receives no news from these sources", "run feedwire source list to find them and feedwire source show for advice"))
	}
	if overdue > 0 {
		all = append(all, bad("sources", fmt.Sprintf("%d sources are overdue by more than ten minutes", overdue),
			"polling is too slow or has stopped", "increase fetch.workers, decrease fetch.host_delay, and check the log"))
	}
	return OrOK("sources", fmt.Sprintf("%d sources, none is failing", len(sources)), all)
}

// NotReady returns the finding that the store is not ready.
func NotReady(why string) []Finding {
	return []Finding{bad("store", "the store is not ready: "+why, "the daemon can neither poll nor publish", "resolve the error; see docs/reference/doctor.md")}
}

// FeedFailed returns the finding that an outgoing feed cannot be rendered.
func FeedFailed(name string, err error) []Finding {
	return []Finding{bad("feeds", fmt.Sprintf("feed %s: %v", name, err), "the consumer receives a cached copy or an error", "check the log of the daemon")}
}

// Alone runs the checks that need no daemon. why is the error of the call to the daemon.
func Alone(ctx context.Context, cfg *config.Config, environ []string, why error) []Finding {
	all := []Finding{bad("daemon", why.Error(), "no source is polled and no feed is served", "run feedwire serve")}
	if url := cfg.Store.Redis.Reveal(); url != "" {
		s, err := store.New(store.Options{URL: url, Prefix: cfg.Store.Prefix, Timeout: cfg.Store.Timeout})
		var h ops.Health
		if err == nil {
			h, err = s.Ops.Health(ctx)
			_ = s.Close() // nothing was written
		}
		all = append(all, Store(&h, err)...)
	}
	all = append(all, Host(cfg)...)
	all = append(all, Config(cfg, environ)...)
	all = append(all, Proxy(ctx, cfg)...)
	unseen := "public_url, sources and feeds"
	if cfg.Store.Redis.Reveal() == "" {
		unseen = "the private store, " + unseen
	}
	return append(all, warn("daemon", "not checked: "+unseen, "only a running daemon can check them", "start the daemon and run the command again"))
}

// Reload checks the result of the last reload.
func Reload(last settings.Reload) []Finding {
	if !last.Time.IsZero() && !last.OK {
		return []Finding{warn("configuration", "the last reload failed: "+strings.Join(last.Problems, "; "),
			"the daemon continues with the previous configuration and would not start with the current one", "run feedwire config check, then feedwire reload")}
	}
	for _, c := range last.Changes {
		if c.Restart {
			return []Finding{warn("configuration", c.Key+" has changed since the start", "the change takes effect after a restart", "restart the daemon")}
		}
	}
	return []Finding{OK("configuration", "the configuration is up to date")}
}
