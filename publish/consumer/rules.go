package consumer

import (
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// instantArticles checks the RSS format of Facebook's Instant Articles.
func (c *checker) instantArticles(items []*node) {
	if len(items) > 100 {
		c.fault("the feed has %d items; the consumer imports at most 100 at a time", len(items))
	}
	c.each(items, func(it *node) {
		c.needs(it, "title", "link", contentSpace+" encoded")
		if date := it.text("pubDate"); date != "" {
			if _, ok := rfc3339(date); !ok {
				c.fault("%s: pubDate %q is not an ISO 8601 date", c.label(it), date)
			}
		}
		document := it.text(contentSpace + " encoded")
		for _, part := range []string{
			"<!doctype html>", `<link rel="canonical" href="` + strings.ReplaceAll(it.text("link"), "&", "&amp;") + `">`,
			`<meta property="op:markup_version" content="v1.0">`, "<article>", "<h1>", `<time class="op-published"`, "</html>",
		} {
			if !strings.Contains(document, part) {
				c.fault("%s: its document lacks %s", c.label(it), part)
			}
		}
	})
}

// smartNews checks SmartFormat 2.1 and 2.2.
func (c *checker) smartNews(channel *node, items []*node, size int) {
	if size > 1_000_000 {
		c.fault("the file has %d bytes; at most 1 MB is recommended", size)
	}
	if n := utf8.RuneCountInString(channel.text("description")); n > 30 {
		c.fault("the description of the channel has %d characters; SmartNews shows at most 30", n)
	}
	if len(items) > 0 {
		c.rfc822(channel, "pubDate")
	}
	if channel.text("language") == "" {
		c.fault("the channel has no language; set the language of the feed")
	}
	for _, name := range []string{"logo", "darkModeLogo"} {
		if logo := channel.child(snfSpace + " " + name); logo != nil && !absolute(logo.text("url")) {
			c.fault("snf:%s has no url", name)
		}
	}
	allowed := strings.Fields("p div span br hr b strong i em u s sub sup small h1 h2 h3 h4 h5 h6 a img figure figcaption ul ol li dl " +
		"dt dd table thead tbody tfoot tr th td caption blockquote q cite pre code iframe video audio source")
	c.each(items, func(it *node) {
		c.needs(it, "title", "link", "guid", "pubDate", contentSpace+" encoded")
		c.rfc822(it, "pubDate")
		if strings.Contains(it.text("link"), "utm_") {
			c.fault("%s: its link contains utm parameters", c.label(it))
		}
		if thumbnail := it.child(mediaSpace + " thumbnail"); thumbnail != nil && !absolute(thumbnail.attrs["url"]) {
			c.fault("%s: its thumbnail has no absolute URL", c.label(it))
		}
		c.html(it, allowed, 0)
	})
}

// msn checks the item metadata and the HTML guidelines of the Partner Hub.
func (c *checker) msn(items []*node) {
	allowed := strings.Fields("p div span br b i em strong sub sup small h1 h2 h3 h4 h5 a img table thead tbody tr th td ul ol li blockquote iframe")
	c.each(items, func(it *node) {
		c.needs(it, "title", "link", "guid", "pubDate", contentSpace+" encoded")
		title := utf8.RuneCountInString(it.text("title"))
		short := utf8.RuneCountInString(it.text(msnSpace + " shortTitle"))
		if title <= 20 || title > 150 && (short == 0 || short > 150) {
			c.fault("%s: its title has %d characters; MSN accepts 21 to 150", c.label(it), title)
		}
		published := c.rfc822(it, "pubDate")
		switch age := c.now.Sub(published); {
		case age < 0:
			c.fault("%s: its publication date is in the future", c.label(it))
		case age > 365*24*time.Hour:
			c.fault("%s: it is older than a year", c.label(it))
		}
		if text := it.text(termsSpace + " modified"); text != "" {
			if modified, ok := rfc3339(text); !ok || modified.Before(published) {
				c.fault("%s: dcterms:modified %q is not a date after pubDate", c.label(it), text)
			}
		}
		c.html(it, allowed, 9)
	})
}

// flipboard checks the RSS specification for publishers.
func (c *checker) flipboard(channel *node, items []*node) {
	if channel.text("language") == "" {
		c.fault("the channel has no language; set the language of the feed")
	}
	site := hostOf(channel.text("link"))
	c.each(items, func(it *node) {
		c.needs(it, "title", "link", "guid", "pubDate", "description", dcSpace+" creator", contentSpace+" encoded")
		if hostOf(it.text("link")) != site {
			c.fault("%s: its link is not on %s, the host of the feed's link", c.label(it), site)
		}
		if n := utf8.RuneCountInString(it.text("description")); n < 300 {
			c.fault("%s: its description has %d characters; at least 300 are required", c.label(it), n)
		}
		enclosure := it.child("enclosure")
		if enclosure == nil || !absolute(enclosure.attrs["url"]) || !strings.HasPrefix(enclosure.attrs["type"], "image/") && enclosure.attrs["type"] != "video/mp4" {
			c.fault("%s: it has no enclosure with an image or a video", c.label(it))
		}
		c.html(it, nil, 0)
	})
}

// newsBreak checks the requirements of the publisher FAQ.
func (c *checker) newsBreak(channel *node, items []*node) {
	if channel.text("language") == "" {
		c.fault("the channel has no language; set the language of the feed")
	}
	c.each(items, func(it *node) {
		c.needs(it, "title", "link", "guid", "pubDate", "description", dcSpace+" creator", contentSpace+" encoded")
		c.rfc822(it, "pubDate")
		if guid := it.child("guid"); guid != nil && (guid.attrs["isPermaLink"] == "false" || guid.own.String() != it.text("link")) {
			c.fault("%s: its guid is not its permalink", c.label(it))
		}
		image := it.child(mediaSpace+" thumbnail") != nil
		for _, m := range markupOf(it.text(contentSpace + " encoded")) {
			image = image || m.tag == "img"
		}
		if !image {
			c.fault("%s: it has no image", c.label(it))
		}
		c.html(it, nil, 0)
	})
}

// rfc822 parses a date in the format of RSS 2.0.
func (c *checker) rfc822(n *node, name string) time.Time {
	t, ok := rfc822(n.text(name))
	if !ok {
		c.fault("%s: %s %q is not an RFC 822 date", c.label(n), name, n.text(name))
	}
	return t
}

// html checks the content of an item: no active content, only allowed elements (nil allows all others), nesting up to
// depth (0 means no limit), and absolute URLs.
func (c *checker) html(it *node, allowed []string, depth int) {
	never := []string{"script", "style", "object", "embed", "form", "base", "meta", "link", "svg", "math", "applet", "template"}
	for _, m := range markupOf(it.text(contentSpace + " encoded")) {
		if m.depth < 1 {
			continue // html, head and body, which the parser adds
		}
		switch {
		case slices.Contains(never, m.tag), allowed != nil && !slices.Contains(allowed, m.tag):
			c.fault("%s: the element %s is not allowed", c.label(it), m.tag)
		case depth > 0 && m.depth > depth:
			c.fault("%s: elements are nested %d deep; at most %d levels are allowed", c.label(it), m.depth, depth)
		case m.tag == "img" && !absolute(m.attrs["src"]):
			c.fault("%s: an image has no absolute URL", c.label(it))
		}
		for name := range m.attrs {
			if strings.HasPrefix(name, "on") {
				c.fault("%s: the attribute %s is not allowed", c.label(it), name)
			}
		}
	}
}

func absolute(link string) bool { return hostOf(link) != "" }

func hostOf(link string) string {
	u, err := url.Parse(link)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	return u.Hostname()
}
