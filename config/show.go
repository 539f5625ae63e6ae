package config

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// Setting is an option in force.
type Setting struct {
	Key    string // "fetch.interval", "sources[0].url"
	Value  string // as the file would have it, secrets masked
	Origin string // where it comes from: "default", "feedwire.yaml:12", "env FEEDWIRE_LISTEN" or "flag --listen"
}

// Settings are all options in force, with those of sources, webhooks, profiles and feeds behind the others.
func (c *Config) Settings() []Setting {
	all := settings(c, c, options(), "")
	for i := range c.Sources {
		all = append(all, settings(c, &c.Sources[i], sourceOptions(), sourceKey(i)+".")...)
	}
	for i := range c.Webhooks {
		all = append(all, settings(c, &c.Webhooks[i], webhookOptions(), itemKey("webhooks", i)+".")...)
	}
	for i := range c.Profiles {
		all = append(all, settings(c, &c.Profiles[i], profileOptions(), profileKey(c.Profiles[i].Name)+".")...)
	}
	for i := range c.Feeds {
		all = append(all, settings(c, &c.Feeds[i], feedOptions(), feedKey(c.Feeds[i].Type)+".")...)
	}
	return all
}

func settings[T any](c *Config, t *T, table []option[T], prefix string) (all []Setting) {
	for _, o := range table {
		key := prefix + o.key
		at, ok := c.places[key]
		if !ok {
			at = c.places[key+"_file"] // a secret comes from the file that its twin names
		}
		all = append(all, Setting{Key: key, Value: spellText(o.value(t).show(), o.value(t).list), Origin: fmt.Sprint(at)})
	}
	return all
}

// Show writes what is in force, one option a line, secrets masked. With origin, each line ends with where its value comes
// from.
func (c *Config) Show(w io.Writer, origin bool) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, s := range c.Settings() {
		if origin {
			fmt.Fprintf(table, "%s:\t%s\t# %s\n", s.Key, s.Value, s.Origin)
		} else {
			fmt.Fprintf(table, "%s:\t%s\n", s.Key, s.Value)
		}
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("show the configuration: %w", err)
	}
	return nil
}
