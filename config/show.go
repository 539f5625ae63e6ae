package config

import (
	_ "embed" // example.yaml
	"strings"

	"github.com/feedwire/feedwire/store/feed"
)

// TestShippedFilesAreUpToDate generates the file from options.yaml.
//
//go:embed example.yaml
var example string

// Example returns a file that explains every option. The defaults are comments that change nothing if the # directly before a
// key is removed.
func Example() string { return example }

// item is the configuration itself, or a group, source, webhook, profile or feed of it.
type item struct {
	key, name string // "sources[0]", and "sources[https://example.org/]", which does not depend on the position; empty: the configuration
	object    any
	table     []*option
}

// items returns the configuration and the items of all its lists.
func (c *Config) items() []item {
	all := []item{{object: c, table: tables().Options}}
	for i := range c.Groups {
		all = append(all, item{object: &c.Groups[i], table: []*option{groupOption(c.Groups[i].Name)}})
	}
	for i := range c.Sources {
		all = append(all, item{itemKey("sources", i), "sources[" + c.Sources[i].URL + "]", &c.Sources[i], tables().Source})
	}
	for i := range c.Webhooks {
		all = append(all, item{itemKey("webhooks", i), itemKey("webhooks", i), &c.Webhooks[i], tables().Webhook})
	}
	for i := range c.Profiles {
		key := profileKey(c.Profiles[i].Name)
		all = append(all, item{key, key, &c.Profiles[i], tables().Profile})
	}
	for i := range c.Feeds {
		key := feedKey(c.Feeds[i].Type)
		all = append(all, item{key, key, &c.Feeds[i], tables().Feed})
	}
	return all
}

// below returns the key of an option of an item.
func below(item string, o *option) string { return strings.TrimPrefix(item+"."+o.Key, ".") }

// Settings returns all options, those of sources, webhooks, profiles and feeds last.
func (c *Config) Settings() (all []feed.Setting) {
	for _, i := range c.items() {
		for _, o := range i.table {
			at, ok := c.places[below(i.key, o)]
			if !ok && !o.file {
				at = c.places[strings.TrimPrefix(i.key+"."+o.twin, ".")] // of the file with the secret
			}
			all = append(all, feed.Setting{Key: below(i.key, o), Value: spellText(o.value(i.object).show(), o.list), Origin: at.String()})
		}
	}
	return all
}
