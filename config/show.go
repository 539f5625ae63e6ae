package config

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// item is a source, webhook, profile or feed of a configuration.
type item struct {
	key, name string // "sources[0]", and "sources[https://example.org/]", which does not depend on the position
	object    any
	table     []*option
}

// items returns the items of all lists.
func (c *Config) items() (all []item) {
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

// Setting is the value of an option.
type Setting struct {
	Key    string // "fetch.interval", "sources[0].url"
	Value  string // as in the file, secrets masked
	Origin string // "default", "feedwire.yaml:12", "env FEEDWIRE_LISTEN" or "flag --listen"
}

// Settings returns all options, those of sources, webhooks, profiles and feeds last.
func (c *Config) Settings() (all []Setting) {
	for _, i := range append([]item{{object: c, table: tables().Options}}, c.items()...) {
		prefix := ""
		if i.key != "" {
			prefix = i.key + "."
		}
		for _, o := range i.table {
			at, ok := c.places[prefix+o.Key]
			if !ok && !o.file {
				at = c.places[prefix+o.twin] // of the file with the secret
			}
			all = append(all, Setting{Key: prefix + o.Key, Value: spellText(o.value(i.object).show(), o.list), Origin: at.String()})
		}
	}
	return all
}

// Show writes all options, one per line, with secrets masked. With origin, each line ends with the origin of the value.
func (c *Config) Show(w io.Writer, origin bool) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, s := range c.Settings() {
		line := s.Key + ":\t" + s.Value
		if origin {
			line += "\t# " + s.Origin
		}
		fmt.Fprintln(table, line)
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("show the configuration: %w", err)
	}
	return nil
}
