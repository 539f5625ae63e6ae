package main

import (
	"cmp"
	"context"
	"fmt"
	"net/netip"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/feedwire/feedwire/config"
	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
)

// finding is one thing that the doctor looked at.
type finding struct {
	Check  string `json:"check"`            // what was looked at, one of the words of docs/operating.md
	Level  string `json:"level"`            // wellLevel, warnLevel or badLevel
	What   string `json:"what"`             // was found
	Why    string `json:"why,omitempty"`    // it matters; empty: all is well
	Remedy string `json:"remedy,omitempty"` // likewise
}

const (
	wellLevel = "ok"
	warnLevel = "warn" // it works, and may not for long
	badLevel  = "bad"  // something does not work, or data is in danger
)

func well(check, what string, args ...any) finding {
	return finding{Check: check, Level: wellLevel, What: fmt.Sprintf(what, args...)}
}

// orWell is the findings, or that all is well where there are none.
func orWell(check, what string, found []finding) []finding {
	if len(found) == 0 {
		return []finding{well(check, "%s", what)}
	}
	return found
}

// examineStore judges what the server tells of itself.
func examineStore(h *store.Health, err error) []finding {
	if err != nil {
		return []finding{{"redis", badLevel, "Redis does not answer: " + err.Error(), "nothing is polled, written or counted",
			"start it, or set store.redis to where it is"}}
	}
	if h.Version == "" {
		return []finding{{"redis", badLevel, "the store is in memory", "all is lost with the end of the daemon",
			"install redis-server or valkey-server, or set store.redis"}}
	}
	all := []finding{well("redis", "Redis %s answers", h.Version)}
	if store.OlderThan(h.Version, "6.2") {
		all[0] = finding{"redis", badLevel, "Redis is " + h.Version, "feedwire uses commands of 6.2", "install Redis 6.2 or newer, or Valkey"}
	}
	if h.Role == "slave" {
		all = append(all, finding{"redis-role", badLevel, "this Redis is a replica", "it takes no writes", "set store.redis to its master"})
	} else {
		all = append(all, well("redis-role", "it is a master"))
	}
	all = append(all, examineDurability(h)...)
	all = append(all, examineMemory(h)...)
	if h.Timeout > 0 {
		all = append(all, finding{"redis-timeout", warnLevel, fmt.Sprintf("it closes idle connections after %v", h.Timeout),
			"calls after a quiet time may be delayed", "CONFIG SET timeout 0"})
	}
	if len(h.Refused) > 0 {
		all = append(all, finding{"redis-rights", badLevel, "its user may not call " + strings.Join(h.Refused, ", "),
			"what needs them fails", "allow its user these commands with ACL SETUSER"})
	}
	if len(h.Unseen) > 0 {
		all = append(all, finding{"redis-rights", warnLevel, "it does not tell " + strings.Join(h.Unseen, ", "),
			"the doctor cannot see those settings", "allow the user these commands, or look yourself"})
	}
	return append(all, examineClock(h.Skew))
}

func examineDurability(h *store.Health) (all []finding) {
	switch {
	case !h.AOF:
		all = append(all, finding{"redis-durability", badLevel, "it keeps no append-only file",
			"what was acknowledged is lost with a crash of Redis: signals go missing or are sent again", "CONFIG SET appendonly yes, and in its file"})
	case h.Fsync != "" && h.Fsync != "always":
		all = append(all, finding{"redis-durability", warnLevel, "appendfsync is " + h.Fsync,
			"a crash loses the last second or more", "CONFIG SET appendfsync always, where the disk is quick enough"})
	}
	if len(h.SaveErrors) > 0 {
		all = append(all, finding{"redis-durability", badLevel, "it could not write to disk: " + strings.Join(h.SaveErrors, ", "),
			"Redis refuses writes, or loses them", "make room on its disk and see its log"})
	}
	return orWell("redis-durability", "each write is on disk before it is acknowledged", all)
}

func examineMemory(h *store.Health) (all []finding) {
	if h.Policy != "" && h.Policy != "noeviction" {
		all = append(all, finding{"redis-memory", badLevel, "maxmemory-policy is " + h.Policy,
			"when memory is short Redis deletes entries, articles and subscriptions", "CONFIG SET maxmemory-policy noeviction"})
	}
	if share := float64(h.Memory) / float64(max(h.MaxMemory, 1)); h.MaxMemory > 0 && share > 0.8 {
		level := warnLevel
		if share > 0.95 {
			level = badLevel
		}
		all = append(all, finding{"redis-memory", level, fmt.Sprintf("%.0f %% of maxmemory is in use", 100*share),
			"when it is full no write is taken", "raise maxmemory, or lower fetch.keep_entries and signals.keep"})
	}
	return orWell("redis-memory", fmt.Sprintf("%d MiB in use, nothing is evicted", h.Memory>>20), all)
}

func examineClock(skew time.Duration) finding {
	f := finding{"clock", warnLevel, fmt.Sprintf("the clocks of Redis and of this machine differ by %v", skew.Abs()),
		"leases, due times and sessions go by both", "have both machines keep their time by NTP"}
	switch off := skew.Abs(); {
	case off <= 2*time.Second:
		return well("clock", "the clocks of Redis and of this machine agree within %v", max(off, time.Millisecond))
	case off > time.Minute:
		f.Level = badLevel
	}
	return f
}

// examineConfig judges what the configuration allows.
func examineConfig(cfg *config.Config, environment []string) (all []finding) {
	open := func(p netip.Prefix) bool { return p.Bits() == 0 || p.Contains(netip.MustParseAddr("169.254.169.254")) }
	for key, networks := range map[string][]netip.Prefix{"fetch.allow_networks": cfg.Fetch.AllowNetworks, "hub.allow_networks": cfg.Hub.AllowNetworks} {
		if i := slices.IndexFunc(networks, open); i >= 0 {
			all = append(all, finding{"guard", badLevel, fmt.Sprintf("%s has %s", key, networks[i]),
				"a source or a subscriber can lead the daemon to internal servers, also to the credentials of this machine", "name only the networks that you need"})
		}
	}
	slices.SortFunc(all, func(a, b finding) int { return cmp.Compare(a.What, b.What) })
	all = orWell("guard", "private addresses are refused but those that are named", all)
	for _, v := range environment {
		name, value, _ := strings.Cut(v, "=")
		if slices.Contains([]string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"}, strings.ToUpper(name)) && value != "" && cfg.Fetch.Proxy.Reveal() == "" {
			all = append(all, finding{"proxy", warnLevel, name + " is set", "it is ignored, lest it lead around the guard", "set fetch.proxy where sources are reached by a proxy only"})
		}
	}
	return all
}

// examineSources judges how polling goes.
func examineSources(sources []feed.Source, now time.Time) (all []finding) {
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
		all = append(all, finding{"sources", warnLevel, fmt.Sprintf("%d of %d sources fail", failing, len(sources)),
			"nothing new comes from them", "feedwire source list shows which; feedwire source show tells each way out"})
	}
	if overdue > 0 {
		all = append(all, finding{"sources", badLevel, fmt.Sprintf("%d sources are due for more than ten minutes", overdue),
			"polling does not keep up, or stands still", "raise fetch.workers, lower fetch.host_delay, and see the log"})
	}
	return orWell("sources", fmt.Sprintf("%d sources, none fails", len(sources)), all)
}

// examine looks at all that a running daemon can see.
func (a *app) examine(ctx context.Context) []finding {
	cfg := a.cfg()
	h, err := a.store.Health(ctx)
	all := examineStore(&h, err)
	if err := a.store.Check(ctx); err != nil {
		all = append(all, unready(err.Error())...)
	} else {
		all = append(all, well("store", "it takes writes, and holds this installation"))
	}
	all = append(all, examineHost(cfg)...)
	all = append(all, examineConfig(cfg, os.Environ())...)
	all = append(all, examineProxy(ctx, cfg)...)
	all = append(all, a.examineAddress(ctx)...)
	if sources, err := a.store.Sources(ctx); err == nil { // else the store is said to be away
		all = append(all, examineSources(sources, time.Now())...)
	}
	all = append(all, a.examineFeeds(ctx)...)
	return append(all, a.examineReload()...)
}

func unready(why string) []finding {
	return []finding{{"store", badLevel, "it is not ready: " + why, "nothing is polled, written or counted", "see what it says, and docs/operating.md"}}
}

func unmade(name string, err error) []finding {
	return []finding{{"feeds", badLevel, fmt.Sprintf("feed %s: %v", name, err), "its consumer gets an old copy, or nothing", "see the log of the daemon"}}
}

// examineFeeds has each outgoing feed made as its consumer gets it.
func (a *app) examineFeeds(ctx context.Context) (all []finding) {
	names := a.publisher.Names()
	for _, name := range names {
		if _, _, err := a.publisher.Document(ctx, name); err != nil {
			all = append(all, unmade(name, err)...)
		}
	}
	return orWell("feeds", fmt.Sprintf("%d are up to date: %s", len(names), strings.Join(names, ", ")), all)
}

// examineReload tells what of the configuration does not hold yet.
func (a *app) examineReload() []finding {
	last := a.reloads.last()
	if !last.Time.IsZero() && !last.OK {
		return []finding{{"configuration", warnLevel, "the last reload failed: " + strings.Join(last.Problems, "; "),
			"the daemon goes on with what it had, and would not start with what is there", "feedwire config check, then feedwire reload"}}
	}
	for _, c := range last.Changes {
		if c.Restart {
			return []finding{{"configuration", warnLevel, c.Key + " has changed since the start", "it holds after a restart", "restart the daemon"}}
		}
	}
	return []finding{well("configuration", "what is in force is what was read last")}
}
