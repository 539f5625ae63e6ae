// Package consumer checks the document of an outgoing feed against the published requirements of its consumer. It does
// not know how the document was made; the sources of the requirements are the facts of each profile.
package consumer

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/feedwire/feedwire/publish/profile"
)

// maxFaults bounds the result, because the same fault is often in every item.
const maxFaults = 50

// Check returns what the consumer of a built-in profile would refuse or criticise, one sentence each. It checks documents
// of other profiles only for syntax.
func Check(name string, document []byte, now time.Time) []string {
	c := &checker{now: now}
	switch {
	case json.Valid(document):
		c.json(document)
	default:
		root, err := read(document)
		if err != nil {
			return []string{"it is not well-formed: " + err.Error()}
		}
		c.xml(name, root, len(document))
	}
	return c.faults
}

type checker struct {
	now    time.Time
	faults []string
}

func (c *checker) fault(format string, args ...any) {
	if len(c.faults) < maxFaults {
		c.faults = append(c.faults, fmt.Sprintf(format, args...))
	}
}

func (c *checker) json(document []byte) {
	var f struct {
		Version, Title string
		Items          []struct {
			ID          string
			ContentHTML *string `json:"content_html"`
			ContentText *string `json:"content_text"`
		}
	}
	if err := json.Unmarshal(document, &f); err != nil {
		c.fault("the document is not a JSON Feed: %v", err)
		return
	}
	if !strings.HasPrefix(f.Version, "https://jsonfeed.org/version/1") || f.Title == "" {
		c.fault("version or title is missing")
	}
	for i, it := range f.Items {
		if it.ID == "" || it.ContentHTML == nil && it.ContentText == nil {
			c.fault("item %d has no id or no content", i+1)
		}
	}
}

func (c *checker) xml(name string, root *node, size int) {
	if root.name == atomSpace+" feed" {
		c.atom(root)
		return
	}
	channel := root.child("channel")
	if root.name != "rss" || root.attrs["version"] != "2.0" || channel == nil {
		c.fault("the document is neither RSS 2.0 nor Atom")
		return
	}
	for _, required := range []string{"title", "link", "description"} {
		if channel.text(required) == "" {
			c.fault("the channel has no %s", required)
		}
	}
	items := channel.all("item")
	c.unique(items)
	switch name {
	case profile.InstantArticles:
		c.instantArticles(items)
	case "smartnews":
		c.smartNews(channel, items, size)
	case "msn":
		c.msn(items)
	case "flipboard":
		c.flipboard(channel, items)
	case "newsbreak":
		c.newsBreak(channel, items)
	case "full-text":
		c.each(items, func(it *node) { c.needs(it, "title", "link", "guid", "pubDate") })
	}
}

func (c *checker) atom(root *node) {
	in := func(n *node, names ...string) {
		for _, name := range names {
			if n.child(atomSpace+" "+name) == nil {
				c.fault("%s has no %s", c.label(n), name)
			}
		}
	}
	in(root, "id", "title", "updated")
	for _, entry := range root.all(atomSpace + " entry") {
		in(entry, "id", "title", "updated", "content")
	}
}

// unique reports duplicate guids.
func (c *checker) unique(items []*node) {
	var seen []string
	for _, it := range items {
		guid := cmp.Or(it.text("guid"), it.text("link"))
		if slices.Contains(seen, guid) {
			c.fault("two items have the guid %s", guid)
		}
		seen = append(seen, guid)
	}
}

func (c *checker) each(items []*node, check func(*node)) {
	for _, it := range items {
		check(it)
	}
}

// needs reports elements that an item lacks.
func (c *checker) needs(it *node, names ...string) {
	for _, name := range names {
		if it.text(name) == "" {
			c.fault("%s has no %s", c.label(it), name[strings.LastIndexByte(name, ' ')+1:])
		}
	}
}

// label returns a name of the item for messages.
func (c *checker) label(it *node) string {
	if title := cmp.Or(it.text("title"), it.text(atomSpace+" title")); title != "" {
		return fmt.Sprintf("%q", title)
	}
	return "an item without title"
}
