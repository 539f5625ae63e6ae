package config

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// Show writes what is in force, one option a line, secrets masked. With origin, each line ends with where its value comes
// from: "default", "feedwire.yaml:12", "env FEEDWIRE_LISTEN" or "flag --listen".
func (c *Config) Show(w io.Writer, origin bool) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	show(table, c, c, options(), "", origin)
	for i := range c.Sources {
		show(table, c, &c.Sources[i], sourceOptions(), sourceKey(i)+".", origin)
	}
	for i := range c.Webhooks {
		show(table, c, &c.Webhooks[i], webhookOptions(), itemKey("webhooks", i)+".", origin)
	}
	for i := range c.Feeds {
		show(table, c, &c.Feeds[i], feedOptions(), feedKey(c.Feeds[i].Type)+".", origin)
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("show the configuration: %w", err)
	}
	return nil
}

func show[T any](w io.Writer, c *Config, t *T, table []option[T], prefix string, origin bool) {
	for _, o := range table {
		key, text := prefix+o.key, spellText(o.value(t).show(), o.value(t).list)
		if !origin {
			fmt.Fprintf(w, "%s:\t%s\n", key, text)
			continue
		}
		at, ok := c.places[key]
		if !ok {
			at = c.places[key+"_file"] // a secret comes from the file that its twin names
		}
		fmt.Fprintf(w, "%s:\t%s\t# %s\n", key, text, at)
	}
}
