package feedcheck

import (
	"fmt"
	"slices"
	"strings"
)

// RSS checks an RSS 2.0 document against the specification and the profile of the RSS Advisory Board.
func RSS(document []byte) []string {
	var c checker
	root := c.parse(document)
	if root == nil {
		return c.faults
	}
	if root.space != "" || root.name != "rss" {
		c.fault("document", "its root is %s, not rss", root.name)
		return c.faults
	}
	if version, _ := root.attr("version"); version != "2.0" {
		c.fault("rss", "version is %q, not 2.0", version)
	}
	channels := root.all("", "channel")
	if len(channels) != 1 || len(root.children) != 1 {
		c.fault("rss", "has %d channels in %d elements, not one alone", len(channels), len(root.children))
		return c.faults
	}
	c.channel(channels[0])
	return c.faults
}

func (c *checker) channel(e *element) {
	const place = "channel"
	c.required(place, e, "", "title")
	c.address("channel link", c.required(place, e, "", "link"))
	if _, ok := e.one("", "description"); !ok {
		c.fault(place, "has no description")
	}
	single := []string{"title", "link", "description", "language", "copyright", "managingEditor", "webMaster", "pubDate",
		"lastBuildDate", "generator", "docs", "cloud", "ttl", "image", "rating", "textInput", "skipHours", "skipDays"}
	c.once(place, e, "", single...)
	c.known(place, e, append(single, "category", "item"))
	c.dates(place, e, "pubDate", "lastBuildDate")
	c.mails(place, e, "managingEditor", "webMaster")
	if s, ok := e.one("", "language"); ok && !language.MatchString(s) {
		c.fault(place, "language %.40q is no language tag", s)
	}
	if s, ok := e.one("", "ttl"); ok && !digits.MatchString(s) {
		c.fault(place, "ttl %.40q is no number of minutes", s)
	}
	for _, image := range e.all("", "image") {
		c.address("channel image url", c.required("channel image", image, "", "url"))
		c.required("channel image", image, "", "title")
		c.address("channel image link", c.required("channel image", image, "", "link"))
	}
	c.selfLink(e)
	ids := make(map[string]bool)
	for i, item := range e.all("", "item") {
		c.item(fmt.Sprintf("item %d", i+1), item, ids)
	}
}

// known reports elements without a namespace that RSS does not define.
func (c *checker) known(place string, e *element, names []string) {
	for _, child := range e.children {
		if child.space == "" && !slices.Contains(names, child.name) {
			c.fault(place, "has an element %s, which RSS does not know", child.name)
		}
	}
}

func (c *checker) dates(place string, e *element, names ...string) {
	for _, name := range names {
		if s, ok := e.one("", name); ok {
			c.date822(place+" "+name, s)
		}
	}
}

func (c *checker) mails(place string, e *element, names ...string) {
	for _, name := range names {
		for _, found := range e.all("", name) {
			address, _, _ := strings.Cut(found.text, " (")
			c.mail(place+" "+name, address)
		}
	}
}

// selfLink checks the Atom links of a channel. Exactly one names the feed itself.
func (c *checker) selfLink(e *element) {
	self := 0
	for _, l := range e.all(atomSpace, "link") {
		href, _ := l.attr("href")
		c.address("channel atom:link", href)
		switch rel, _ := l.attr("rel"); rel {
		case "self":
			self++
			if kind, _ := l.attr("type"); kind != "application/rss+xml" {
				c.fault("channel atom:link", "the type of the feed itself is %q", kind)
			}
		case "":
			c.fault("channel atom:link", "has no rel")
		}
	}
	if self != 1 {
		c.fault("channel", "has %d atom:link of rel self, not one", self)
	}
}

func (c *checker) item(place string, e *element, ids map[string]bool) {
	single := []string{"title", "link", "description", "comments", "guid", "pubDate", "source", "enclosure"}
	c.once(place, e, "", single...)
	c.once(place, e, contentSpace, "encoded")
	c.known(place, e, append(single, "author", "category"))
	title, titled := e.one("", "title")
	if titled && strings.TrimSpace(title) == "" {
		c.fault(place, "has an empty title")
	}
	description, described := e.one("", "description")
	if !titled && !described {
		c.fault(place, "has neither title nor description")
	}
	if s, ok := e.one("", "link"); ok {
		c.address(place+" link", s)
	}
	c.dates(place, e, "pubDate")
	c.mails(place, e, "author")
	c.guid(place, e, ids)
	c.markup(place+" description", description)
	for _, content := range e.all(contentSpace, "encoded") {
		c.markup(place+" content:encoded", content.text)
	}
	for _, category := range e.all("", "category") {
		if strings.TrimSpace(category.text) == "" {
			c.fault(place, "has an empty category")
		}
	}
	for _, creator := range e.all(dcSpace, "creator") {
		if strings.TrimSpace(creator.text) == "" {
			c.fault(place, "has an empty dc:creator")
		}
	}
	for _, source := range e.all("", "source") {
		from, _ := source.attr("url")
		c.address(place+" source", from)
	}
	for _, enclosure := range e.all("", "enclosure") {
		c.enclosure(place+" enclosure", enclosure)
	}
}

func (c *checker) guid(place string, e *element, ids map[string]bool) {
	found := e.all("", "guid")
	if len(found) == 0 {
		c.fault(place, "has no guid")
		return
	}
	id := found[0].text
	switch permanent, _ := found[0].attr("isPermaLink"); {
	case strings.TrimSpace(id) == "":
		c.fault(place, "has an empty guid")
	case ids[id]:
		c.fault(place, "has the guid of another item, %.80q", id)
	case permanent == "true" || permanent == "":
		c.address(place+" guid", id)
	case permanent != "false":
		c.fault(place, "isPermaLink is %q", permanent)
	}
	ids[id] = true
}

func (c *checker) enclosure(place string, e *element) {
	from, _ := e.attr("url")
	c.address(place, from)
	if length, _ := e.attr("length"); !digits.MatchString(length) {
		c.fault(place, "length %.40q is no number of bytes", length)
	}
	kind, _ := e.attr("type")
	c.media(place, kind)
}
