package feedtest

import (
	"fmt"
	"strings"

	"github.com/feedwire/feedwire/publish/xmltree"
)

// RSS checks an RSS 2.0 document against the specification and the profile of the RSS Advisory Board.
func RSS(document []byte) []string {
	var c checker
	root := c.parse(document, "rss")
	if root == nil {
		return c.faults
	}
	if version := root.Attr("version"); version != "2.0" {
		c.fault("rss", "has the version %q instead of 2.0", version)
	}
	channels := root.All("channel")
	if len(channels) != 1 || len(root.Children) != 1 {
		c.fault("rss", "has %d channels in %d elements instead of one in one", len(channels), len(root.Children))
		return c.faults
	}
	c.channel("channel", channels[0])
	return c.faults
}

func (c *checker) channel(place string, e *xmltree.Element) {
	c.required(place, e, "title")
	c.address("channel link", c.required(place, e, "link"))
	if e.Child("description") == nil {
		c.fault(place, "has no description")
	}
	c.children(place, e, "", "title link description language copyright managingEditor webMaster pubDate lastBuildDate generator docs "+
		"cloud ttl image rating textInput skipHours skipDays", "category item")
	c.each(place, e, "pubDate lastBuildDate", c.date822)
	c.each(place, e, "managingEditor webMaster", c.mailWithName)
	c.each(place, e, "language", c.language)
	c.each(place, e, "ttl", c.digits)
	for _, image := range e.All("image") {
		c.address("channel image url", c.required("channel image", image, "url"))
		c.required("channel image", image, "title")
		c.address("channel image link", c.required("channel image", image, "link"))
	}
	for _, l := range e.All("atom:link") {
		c.address("channel atom:link", l.Attr("href"))
		if l.Attr("rel") == "" {
			c.fault("channel atom:link", "has no rel")
		}
	}
	if self := c.self(place, e); self != nil && self.Attr("type") != "application/rss+xml" {
		c.fault("channel atom:link", "has the type %q for the feed itself", self.Attr("type"))
	}
	ids := make(map[string]bool)
	for i, item := range e.All("item") {
		c.item(fmt.Sprintf("item %d", i+1), item, ids)
	}
}

func (c *checker) item(place string, e *xmltree.Element, ids map[string]bool) {
	c.children(place, e, "", "title link description comments guid pubDate source enclosure content:encoded", "author category")
	if e.Child("title") == nil && e.Child("description") == nil {
		c.fault(place, "has neither title nor description")
	}
	for _, name := range []string{"title", "category", "dc:creator"} {
		for _, child := range e.All(name) {
			c.filled(place, child)
		}
	}
	c.each(place, e, "link", c.address)
	c.each(place, e, "pubDate", c.date822)
	c.each(place, e, "author", c.mailWithName)
	c.each(place, e, "description content:encoded", c.markup)
	c.guid(place, e, ids)
	for _, source := range e.All("source") {
		c.address(place+" source", source.Attr("url"))
	}
	for _, enclosure := range e.All("enclosure") {
		c.address(place+" enclosure", enclosure.Attr("url"))
		c.digits(place+" enclosure length", enclosure.Attr("length"))
		c.media(place+" enclosure", enclosure.Attr("type"))
	}
}

// mailWithName checks a mail address with a name after it in parentheses.
func (c *checker) mailWithName(place, s string) {
	address, _, _ := strings.Cut(s, " (")
	c.mail(place, address)
}

func (c *checker) guid(place string, e *xmltree.Element, ids map[string]bool) {
	guid := e.Child("guid")
	if guid == nil {
		c.fault(place, "has no guid")
		return
	}
	c.filled(place, guid)
	c.unique(place, guid.Text, ids)
	switch permanent := guid.Attr("isPermaLink"); permanent {
	case "false":
	case "true", "":
		c.address(place+" guid", guid.Text)
	default:
		c.fault(place, "has a guid with isPermaLink %q", permanent)
	}
}
