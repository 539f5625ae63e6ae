package config

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// lasting are the options that a running daemon cannot change, each with what keeps it as it is. All others hold from the
// moment at which the configuration is read again.
func lasting() map[string]func(c, running *Config) {
	return map[string]func(c, running *Config){
		"listen":           func(c, running *Config) { c.Listen = running.Listen },
		"public_url":       func(c, running *Config) { c.PublicURL = running.PublicURL },
		"data_dir":         func(c, running *Config) { c.DataDir = running.DataDir },
		"admin.listen":     func(c, running *Config) { c.Admin = running.Admin },
		"debug.listen":     func(c, running *Config) { c.Debug = running.Debug },
		"store.redis":      func(c, running *Config) { c.Store.Redis = running.Store.Redis },
		"store.redis_file": func(c, running *Config) { c.Store.Redis = running.Store.Redis },
		"store.prefix":     func(c, running *Config) { c.Store.Prefix = running.Store.Prefix },
		"store.pool":       func(c, running *Config) { c.Store.Pool = running.Store.Pool },
		"store.timeout":    func(c, running *Config) { c.Store.Timeout = running.Store.Timeout },
		"store.embedded":   func(c, running *Config) { c.Store.Embedded = running.Store.Embedded },
		"fetch.workers":    func(c, running *Config) { c.Fetch.Workers = running.Fetch.Workers },
		"fetch.push":       func(c, running *Config) { c.Fetch.Push = running.Fetch.Push },
		"hub.distribution": func(c, running *Config) { c.Hub.Distribution = running.Hub.Distribution },
		"hub.workers":      func(c, running *Config) { c.Hub.Workers = running.Hub.Workers },
		"hub.per_host":     func(c, running *Config) { c.Hub.PerHost = running.Hub.PerHost },
	}
}

// Change is a difference between two configurations: an option, or a source, webhook, profile or feed that one of them
// does not have.
type Change struct {
	Key     string // "fetch.interval", "feeds.production.window", "feeds.production"
	From    string // as the file would have it, secrets masked; empty: there was none
	To      string // likewise; empty: there is none any more
	Restart bool   // it holds after a restart only
}

// Adopt makes c what a daemon can work by that was started with another configuration: options that it cannot change stay
// as they are. It returns all differences, in the order of the keys.
func (c *Config) Adopt(running *Config) []Change {
	fixed := lasting()
	var all []Change
	was, is := running.exactly(), c.exactly()
	for _, key := range slices.Sorted(maps.Keys(union(was, is))) {
		from, to := was[key], is[key]
		if from.exact == to.exact {
			continue
		}
		change := Change{Key: key, From: from.shown, To: to.shown}
		if keep := fixed[key]; keep != nil {
			keep(c, running)
			c.places[key] = running.places[key]
			change.Restart = true
		}
		all = append(all, change)
	}
	c.Auth.Cost = running.Auth.Cost
	return slices.DeleteFunc(all, func(change Change) bool { // told with the whole that it is a part of
		return slices.ContainsFunc(all, func(whole Change) bool { return strings.HasPrefix(change.Key, whole.Key+".") })
	})
}

func union(a, b map[string]exactValue) map[string]exactValue {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

// exactValue is an option in force. Two secrets differ in exact where shown hides that.
type exactValue struct{ shown, exact string }

// exactly is all options by key. Sources and webhooks are named by what they are, not by their place in the list.
func (c *Config) exactly() map[string]exactValue {
	all := make(map[string]exactValue)
	gather(all, c, options(), "")
	for _, list := range []string{"sources", "webhooks", "feeds"} {
		delete(all, list) // each of them speaks for itself
	}
	for i := range c.Sources {
		name := "sources[" + c.Sources[i].URL + "]"
		all[name] = exactValue{"there", "there"}
		gather(all, &c.Sources[i], sourceOptions(), name+".")
	}
	for i := range c.Webhooks {
		name := itemKey("webhooks", i)
		all[name] = exactValue{"there", "there"}
		gather(all, &c.Webhooks[i], webhookOptions(), name+".")
	}
	for i := range c.Profiles {
		name := profileKey(c.Profiles[i].Name)
		all[name] = exactValue{"there", "there"}
		gather(all, &c.Profiles[i], profileOptions(), name+".")
	}
	for i := range c.Feeds {
		name := feedKey(c.Feeds[i].Type)
		all[name] = exactValue{"there", "there"}
		gather(all, &c.Feeds[i], feedOptions(), name+".")
	}
	return all
}

func gather[T any](all map[string]exactValue, t *T, table []option[T], prefix string) {
	for _, o := range table {
		v := o.value(t)
		shown := cmp.Or(spellText(v.show(), v.list), "nothing")
		exact := shown
		if v.exact != nil {
			exact = v.exact()
		}
		all[prefix+o.key] = exactValue{shown, exact}
	}
}
