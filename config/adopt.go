package config

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/feedwire/feedwire/store/feed"
)

// Adopt prepares c for a daemon that was started with another configuration: options that require a restart keep the value
// of running. It returns all differences in the order of the keys.
func (c *Config) Adopt(running *Config) []feed.SettingChange {
	var all []feed.SettingChange
	was, is := running.exactly(), c.exactly()
	keys := maps.Clone(was)
	maps.Copy(keys, is)
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		from, to := was[key], is[key]
		if from.exact == to.exact {
			continue
		}
		change := feed.SettingChange{Key: key, From: from.shown, To: to.shown}
		if o := find(tables().Options, key); o != nil && o.Restart {
			o.field(c).Set(o.field(running))
			c.places[key] = running.places[key]
			change.Restart = true
		}
		all = append(all, change)
	}
	c.Auth.Rounds = running.Auth.Rounds
	return slices.DeleteFunc(all, func(change feed.SettingChange) bool { // the change of a whole item includes those of its options
		return slices.ContainsFunc(all, func(item feed.SettingChange) bool { return strings.HasPrefix(change.Key, item.Key+".") })
	})
}

// exactValue is the value of an option. exact contains the secrets that shown masks.
type exactValue struct{ shown, exact string }

// exactly returns all options and items by key. Keys of sources contain the URL instead of the position.
func (c *Config) exactly() map[string]exactValue {
	all := make(map[string]exactValue)
	for _, i := range c.items() {
		if i.name != "" {
			all[i.name] = exactValue{"configured", "configured"}
		}
		for _, o := range i.table {
			v := o.value(i.object)
			shown := cmp.Or(spellText(v.show(), v.list), "nothing")
			exact := shown
			if v.exact != nil {
				exact = v.exact()
			}
			all[below(i.name, o)] = exactValue{shown, exact}
		}
	}
	for _, list := range []string{"sources", "webhooks", "feeds"} {
		delete(all, list) // their items are in the map
	}
	return all
}
