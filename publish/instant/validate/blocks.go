package validate

import (
	"net/url"
	"slices"
	"strconv"

	"github.com/feedwire/feedwire/publish/hypertext"
)

// MaxRelated is how many items a list of related articles in the body may have.
const MaxRelated = 3

// block checks one child of the article.
func (v *validator) block(n *node) {
	switch n.tag {
	case "p", "h1", "h2", "blockquote", "aside":
		if v.text(n) {
			v.visible = true
		}
	case "ul", "ol":
		if n.class("op-related-articles") {
			v.links(n)
			if items := len(n.all("li")); items > MaxRelated {
				v.find("related-count", n, "the body lists %d related articles; the consumer shows at most %d", items, MaxRelated)
			}
			return
		}
		v.list(n)
	case "figure":
		v.figure(n)
	default:
		v.misplaced(n, "an article")
	}
}

// text checks a text element and reports whether it shows text.
func (v *validator) text(n *node) bool {
	visible := !hypertext.Blank(n.content())
	if !visible && !n.contains(medium) {
		v.find("empty-element", n, "the %s contains no text", n.tag)
	}
	v.inline(n)
	return visible
}

// paragraphs checks an element that may contain either text or paragraphs.
func (v *validator) paragraphs(n *node) {
	if n.child("p") == nil {
		v.text(n)
		return
	}
	for _, child := range n.children {
		if child.tag == "p" {
			v.text(child)
			continue
		}
		v.misplaced(child, "an "+n.tag+" of paragraphs")
	}
}

// inline checks the content of a text element.
func (v *validator) inline(n *node) {
	for _, child := range n.children {
		v.inText(child)
	}
}

// inText checks one node inside text.
func (v *validator) inText(n *node) {
	switch n.tag {
	case "", "br":
	case "b", "strong", "i", "em", "cite":
		v.inline(n)
	case "a":
		v.link(n)
		v.inline(n)
	case "ul", "ol":
		if n.within("li") {
			v.find("nested-list", n, "the list is inside a list item")
			return
		}
		v.misplaced(n, "text")
	case "figure", "img", "iframe", "video", "audio":
		if n.within("li") {
			v.find("media-in-list", n, "the %s is inside a list item", n.tag)
			return
		}
		v.find("media-in-text", n, "the %s is inside text", n.tag)
	default:
		v.misplaced(n, "text")
	}
}

func (v *validator) list(n *node) {
	empty := true
	for _, item := range n.children {
		empty = empty && item.tag == ""
		if item.tag != "li" {
			v.misplaced(item, "a list")
			continue
		}
		if v.text(item) {
			v.visible = true
		}
	}
	if empty {
		v.find("empty-element", n, "the list has no items")
	}
}

// links checks a list of links to pages: related articles or sponsors.
func (v *validator) links(n *node) {
	for _, item := range n.children {
		if item.tag != "li" {
			v.misplaced(item, "a list of links")
			continue
		}
		links := item.all("a")
		if len(links) != 1 {
			v.find("link", item, "the item contains %d links instead of one", len(links))
		}
		for _, link := range links {
			v.address(link, "href")
		}
	}
}

// link checks the address of a link inside text.
func (v *validator) link(n *node) {
	href := n.attr("href")
	u, err := url.Parse(href)
	switch {
	case err != nil:
		v.find("link", n, "the link %.200q is malformed", href)
	case href == "" && n.parent.tag == "address": // an author without a page
	case href != "" && href[0] == '#':
		v.find("link", n, "the link %.200q points into the page, which the consumer does not show", href)
	case u.Scheme == "" || u.Host == "" && u.Opaque == "":
		v.find("relative-url", n, "the link %.200q is relative", href)
	case !slices.Contains([]string{"http", "https", "mailto"}, u.Scheme):
		v.find("link", n, "the link %.200q is not http, https or mailto", href)
	}
}

// address checks for an absolute http or https URL in an attribute and reports whether it is there.
func (v *validator) address(n *node, key string) bool {
	value := n.attr(key)
	u, err := url.Parse(value)
	switch {
	case value == "":
		v.find("media-address", n, "the %s has no %s attribute", n.tag, key)
	case err == nil && webAddress(u):
		return true
	case err == nil && (u.Scheme == "" || u.Host == "" && (u.Scheme == "http" || u.Scheme == "https")):
		v.find("relative-url", n, "the %s %.200q is relative", key, value)
	default:
		v.find("media-address", n, "the %s %.200q is not an http or https URL", key, value)
	}
	return false
}

// pixels parses a length in pixels. It returns 0 for anything else.
func pixels(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return n
}

func medium(n *node) bool {
	switch n.tag {
	case "img", "iframe", "video", "audio":
		return true
	}
	return false
}
