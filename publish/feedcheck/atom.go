package feedcheck

import (
	"fmt"
	"slices"
	"strings"
)

// Atom checks an Atom feed document against RFC 4287.
func Atom(document []byte) []string {
	var c checker
	root := c.parse(document)
	if root == nil {
		return c.faults
	}
	if root.space != atomSpace || root.name != "feed" {
		c.fault("document", "its root is %s of %q, not a feed of Atom", root.name, root.space)
		return c.faults
	}
	const place = "feed"
	c.atomMeta(place, root)
	single := []string{"generator", "icon", "id", "logo", "rights", "subtitle", "title", "updated"}
	c.once(place, root, atomSpace, single...)
	c.atomKnown(place, root, append(single, "author", "category", "contributor", "link", "entry"))
	self := 0
	for _, l := range root.all(atomSpace, "link") {
		if rel, _ := l.attr("rel"); rel == "self" {
			self++
		}
	}
	if self != 1 {
		c.fault(place, "has %d links of rel self, not one", self)
	}
	authored := len(root.all(atomSpace, "author")) > 0
	ids := make(map[string]bool)
	for i, e := range root.all(atomSpace, "entry") {
		c.entry(fmt.Sprintf("entry %d", i+1), e, authored, ids)
	}
	return c.faults
}

// atomMeta checks what both feeds and entries have (sections 4.1.1 and 4.1.2).
func (c *checker) atomMeta(place string, e *element) {
	c.iri(place+" id", c.required(place, e, atomSpace, "id"))
	c.required(place, e, atomSpace, "title")
	c.date3339(place+" updated", c.required(place, e, atomSpace, "updated"))
	for _, name := range []string{"title", "subtitle", "summary", "rights"} {
		for _, t := range e.all(atomSpace, name) {
			c.textConstruct(place+" "+name, t)
		}
	}
	for _, name := range []string{"author", "contributor"} {
		for _, p := range e.all(atomSpace, name) {
			c.person(place+" "+name, p)
		}
	}
	for _, category := range e.all(atomSpace, "category") {
		if term, _ := category.attr("term"); strings.TrimSpace(term) == "" {
			c.fault(place, "has a category without a term")
		}
	}
	for _, name := range []string{"icon", "logo"} {
		if s, ok := e.one(atomSpace, name); ok {
			c.address(place+" "+name, s)
		}
	}
	c.links(place, e)
}

func (c *checker) atomKnown(place string, e *element, names []string) {
	for _, child := range e.children {
		switch {
		case child.space == atomSpace && !slices.Contains(names, child.name):
			c.fault(place, "has an element %s, which Atom does not know here", child.name)
		case child.space == "":
			c.fault(place, "has an element %s without a namespace", child.name)
		}
	}
}

// person checks section 3.2.
func (c *checker) person(place string, e *element) {
	c.required(place, e, atomSpace, "name")
	c.once(place, e, atomSpace, "name", "uri", "email")
	if s, ok := e.one(atomSpace, "uri"); ok {
		c.iri(place+" uri", s)
	}
	if s, ok := e.one(atomSpace, "email"); ok {
		c.mail(place+" email", s)
	}
}

// textConstruct checks section 3.1.
func (c *checker) textConstruct(place string, e *element) {
	kind, _ := e.attr("type")
	switch kind {
	case "", "text":
		if len(e.children) > 0 {
			c.fault(place, "is text and has elements")
		}
	case "html":
		if len(e.children) > 0 {
			c.fault(place, "is HTML and has elements of XML")
		}
		c.markup(place, e.text)
	case "xhtml":
		if len(e.children) != 1 || e.children[0].name != "div" || e.children[0].space != xhtmlSpace || strings.TrimSpace(e.text) != "" {
			c.fault(place, "is XHTML and not one div of XHTML")
		}
	default:
		c.fault(place, "its type %q is none of text, html, xhtml", kind)
	}
}

// links checks section 4.2.7. Links must be absolute here, and alternates must differ in type or language.
func (c *checker) links(place string, e *element) {
	alternates := make(map[string]bool)
	for _, l := range e.all(atomSpace, "link") {
		href, ok := l.attr("href")
		if !ok {
			c.fault(place, "has a link without href")
			continue
		}
		c.iri(place+" link", href)
		rel, written := l.attr("rel")
		if written && rel == "" {
			c.fault(place, "has a link of an empty rel")
		}
		kind, typed := l.attr("type")
		if typed {
			c.media(place+" link", kind)
		}
		if length, ok := l.attr("length"); ok && !digits.MatchString(length) {
			c.fault(place, "link: length %.40q is no number of bytes", length)
		}
		if rel != "" && rel != "alternate" {
			continue
		}
		lang, _ := l.attr("hreflang")
		if key := kind + " " + lang; alternates[key] {
			c.fault(place, "has two alternates of one type and language")
		} else {
			alternates[key] = true
		}
	}
}

func (c *checker) entry(place string, e *element, authored bool, ids map[string]bool) {
	c.atomMeta(place, e)
	single := []string{"content", "id", "published", "rights", "source", "summary", "title", "updated"}
	c.once(place, e, atomSpace, single...)
	c.atomKnown(place, e, append(single, "author", "category", "contributor", "link"))
	if s, ok := e.one(atomSpace, "published"); ok {
		c.date3339(place+" published", s)
	}
	if !authored && len(e.all(atomSpace, "author")) == 0 {
		c.fault(place, "has no author, and neither has the feed")
	}
	if id, _ := e.one(atomSpace, "id"); ids[id] {
		c.fault(place, "has the id of another entry, %.80q", id)
	} else {
		ids[id] = true
	}
	content := e.all(atomSpace, "content")
	if len(content) == 0 && !alternate(e) {
		c.fault(place, "has neither content nor an alternate")
	}
	for _, t := range content {
		c.content(place, e, t)
	}
}

func alternate(e *element) bool {
	return slices.ContainsFunc(e.all(atomSpace, "link"), func(l *element) bool {
		rel, _ := l.attr("rel")
		return rel == "" || rel == "alternate"
	})
}

// content checks section 4.1.3.
func (c *checker) content(place string, e, content *element) {
	kind, _ := content.attr("type")
	src, out := content.attr("src")
	switch {
	case out:
		c.iri(place+" content", src)
		if len(content.children) > 0 || content.text != "" {
			c.fault(place, "has content that is elsewhere and here")
		}
		if len(e.all(atomSpace, "summary")) == 0 {
			c.fault(place, "has content elsewhere and no summary")
		}
	case kind == "" || kind == "text" || kind == "html" || kind == "xhtml":
		c.textConstruct(place+" content", content)
	default:
		c.media(place+" content", kind)
	}
}
