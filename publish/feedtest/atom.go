package feedtest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/feedwire/feedwire/publish/xmltree"
)

// Atom checks an Atom feed document against RFC 4287.
func Atom(document []byte) []string {
	var c checker
	root := c.parse(document, "atom:feed")
	if root == nil {
		return c.faults
	}
	c.atomMeta("feed", root)
	c.children("feed", root, "atom:", "atom:generator atom:icon atom:id atom:logo atom:rights atom:subtitle atom:title atom:updated",
		"atom:author atom:category atom:contributor atom:link atom:entry")
	c.self("feed", root)
	ids := make(map[string]bool)
	for i, e := range root.All("atom:entry") {
		place := fmt.Sprintf("entry %d", i+1)
		if root.Child("atom:author") == nil && e.Child("atom:author") == nil {
			c.fault(place, "has no author, and neither has the feed")
		}
		c.entry(place, e, ids)
	}
	return c.faults
}

// atomMeta checks what both feeds and entries have (sections 4.1.1 and 4.1.2).
func (c *checker) atomMeta(place string, e *xmltree.Element) {
	c.iri(place+" id", c.required(place, e, "atom:id"))
	c.required(place, e, "atom:title")
	c.date3339(place+" updated", c.required(place, e, "atom:updated"))
	for _, name := range []string{"title", "subtitle", "summary", "rights"} {
		for _, t := range e.All("atom:" + name) {
			c.textConstruct(place+" "+name, t)
		}
	}
	for _, name := range []string{"author", "contributor"} {
		for _, p := range e.All("atom:" + name) {
			c.person(place+" "+name, p)
		}
	}
	for _, category := range e.All("atom:category") {
		if strings.TrimSpace(category.Attr("term")) == "" {
			c.fault(place, "has a category without a term")
		}
	}
	c.each(place, e, "atom:icon atom:logo", c.address)
	c.links(place, e)
}

// person checks section 3.2.
func (c *checker) person(place string, e *xmltree.Element) {
	c.required(place, e, "atom:name")
	c.children(place, e, "atom:", "atom:name atom:uri atom:email", "")
	c.each(place, e, "atom:uri", c.iri)
	c.each(place, e, "atom:email", c.mail)
}

// textConstruct checks section 3.1.
func (c *checker) textConstruct(place string, e *xmltree.Element) {
	switch kind := e.Attr("type"); kind {
	case "", "text", "html":
		if len(e.Children) > 0 {
			c.fault(place, "is text with elements")
		}
		if kind == "html" {
			c.markup(place, e.Text)
		}
	case "xhtml":
		if len(e.Children) != 1 || e.Children[0].Name != "xhtml:div" || strings.TrimSpace(e.Text) != "" {
			c.fault(place, "is XHTML without exactly one div of XHTML")
		}
	default:
		c.fault(place, "has the type %q, which is none of text, html, xhtml", kind)
	}
}

// links checks section 4.2.7. Links must be absolute here, and alternates must differ in type or language.
func (c *checker) links(place string, e *xmltree.Element) {
	alternates := make(map[string]bool)
	for _, l := range e.All("atom:link") {
		if !l.HasAttr("href") {
			c.fault(place, "has a link without href")
			continue
		}
		c.iri(place+" link", l.Attr("href"))
		if l.HasAttr("rel") && l.Attr("rel") == "" {
			c.fault(place, "has a link with an empty rel")
		}
		if l.HasAttr("type") {
			c.media(place+" link", l.Attr("type"))
		}
		if l.HasAttr("length") {
			c.digits(place+" link length", l.Attr("length"))
		}
		if !alternate(l) {
			continue
		}
		key := l.Attr("type") + " " + l.Attr("hreflang")
		if alternates[key] {
			c.fault(place, "has two alternates with the same type and language")
		}
		alternates[key] = true
	}
}

func alternate(link *xmltree.Element) bool {
	return link.Attr("rel") == "" || link.Attr("rel") == "alternate"
}

func (c *checker) entry(place string, e *xmltree.Element, ids map[string]bool) {
	c.atomMeta(place, e)
	c.children(place, e, "atom:", "atom:content atom:id atom:published atom:rights atom:source atom:summary atom:title atom:updated",
		"atom:author atom:category atom:contributor atom:link")
	c.each(place, e, "atom:published", c.date3339)
	c.unique(place, e.Value("atom:id"), ids)
	content := e.Child("atom:content")
	switch {
	case content == nil:
		if !slices.ContainsFunc(e.All("atom:link"), alternate) {
			c.fault(place, "has neither content nor an alternate")
		}
	case content.HasAttr("src"): // section 4.1.3
		c.iri(place+" content", content.Attr("src"))
		if len(content.Children) > 0 || content.Text != "" {
			c.fault(place, "has both content and the address of other content")
		}
		if e.Child("atom:summary") == nil {
			c.fault(place, "has the address of content and no summary")
		}
	case strings.Contains(content.Attr("type"), " "), strings.Contains(content.Attr("type"), "/"):
		c.media(place+" content", content.Attr("type"))
	default:
		c.textConstruct(place+" content", content)
	}
}
