// Package consumer checks the document of an outgoing feed against the published requirements of its consumer. It does
// not know how the document was made; the sources of the requirements are the facts of each profile.
package consumer

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/feedwire/feedwire/publish/xmltree"
)

// maxFaults bounds the result, because the same fault is often in every item.
const maxFaults = 50

// Check returns what the consumer of a built-in profile would refuse or criticise, one sentence each. It checks documents
// of other profiles only for syntax.
func Check(profile string, document []byte, now time.Time) []string {
	c := &checker{now: now}
	if json.Valid(document) {
		c.json(document)
		return c.faults
	}
	root, err := xmltree.Parse(document)
	switch {
	case err != nil:
		c.fault("the document is not well-formed: %v", err)
	case root.Name == "atom:feed":
		c.needs(root, "the feed", "atom:id atom:title atom:updated")
		for _, entry := range root.All("atom:entry") {
			c.needs(entry, label(entry), "atom:id atom:title atom:updated")
			if entry.Child("atom:content") == nil {
				c.fault("%s has no content", label(entry))
			}
		}
	case root.Name == "sitemap:urlset":
		c.sitemap(root, len(document))
	case root.Name != "rss" || root.Attr("version") != "2.0" || root.Child("channel") == nil:
		c.fault("the document is neither RSS 2.0, Atom nor a sitemap")
	default:
		c.rss(profile, root.Child("channel"), len(document))
	}
	return c.faults
}

// checker collects the faults of one document.
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
		Articles       []json.RawMessage
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
	if f.Articles != nil {
		c.articles(f.Articles)
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

// articles checks a list of single articles.
func (c *checker) articles(all []json.RawMessage) {
	var first struct{ HTML *string }
	if len(all) > 0 && json.Unmarshal(all[0], &first) == nil && first.HTML != nil {
		c.ampArticles(all)
		return
	}
	c.appleArticles(all)
}

func (c *checker) rss(profile string, channel *xmltree.Element, size int) {
	r := requirements[profile]
	c.needs(channel, "the channel", "title link description "+r.channel)
	if r.feed != nil {
		r.feed(c, channel, size)
	}
	guids := make(map[string]bool)
	for _, it := range channel.All("item") {
		guid := cmp.Or(it.Value("guid"), it.Value("link"))
		if guids[guid] {
			c.fault("two items have the guid %s", guid)
		}
		guids[guid] = true
		c.needs(it, label(it), r.item)
		if r.each != nil {
			r.each(c, channel, it)
		}
		if r.markup != nil {
			c.markup(it, r.markup)
		}
	}
}

// needs reports which of the elements in names, separated by spaces, e lacks or has without text.
func (c *checker) needs(e *xmltree.Element, label, names string) {
	for name := range strings.FieldsSeq(names) {
		if e.Value(name) == "" {
			local, remedy := name[strings.IndexByte(name, ':')+1:], ""
			if local == "language" { // a setting of the feed; articles have the other elements
				remedy = "; set the language of the feed"
			}
			c.fault("%s has no %s%s", label, local, remedy)
		}
	}
}

// label returns a name of an item or entry for messages.
func label(it *xmltree.Element) string {
	if title := cmp.Or(it.Value("title"), it.Value("atom:title")); title != "" {
		return fmt.Sprintf("%q", title)
	}
	return "an item without title"
}
