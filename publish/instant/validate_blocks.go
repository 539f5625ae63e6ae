package instant

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// block checks one child of the article.
func (v *validator) block(p *part) {
	switch p.tag {
	case paragraph, "h1", "h2", "blockquote", "aside":
		if v.text(p) {
			v.content = true
		}
	case "ul", "ol":
		if p.class("op-related-articles") {
			v.related(p)
			if n := len(p.children("li")); n > maxRelated {
				v.find("related-count", p, "%d related articles stand in the body, at most %d are shown", n, maxRelated)
			}
			return
		}
		v.list(p)
	case figureTag:
		v.figure(p)
	default:
		v.strange(p, "an article")
	}
}

// strange reports a part that has no place in where. Text is one too.
func (v *validator) strange(p *part, where string) {
	switch {
	case p.tag == "" && blank(p.text):
	case p.tag == "":
		v.find("bare-text", p.parent, "the text %.60q stands where %s holds elements only", strings.TrimSpace(p.text), where)
	case p.tag == "table":
		v.find("table", p, "a table stands outside of an embed")
	case p.tag == "script" || p.tag == "style":
		v.find("executable", p, "a %s stands in %s", p.tag, where)
	default:
		v.find("unknown-element", p, "%s is not an element of %s", p.tag, where)
	}
}

// text checks a block of text and reports whether a reader sees any.
func (v *validator) text(p *part) bool {
	seen := !blank(p.visible())
	if !seen && !p.holds(medium) {
		v.find("empty-element", p, "the %s holds no text", p.tag)
	}
	v.inline(p)
	return seen
}

// paragraphs checks what may hold text or paragraphs of it.
func (v *validator) paragraphs(p *part) {
	if p.child(paragraph) == nil {
		v.text(p)
		return
	}
	for _, child := range p.parts {
		if child.tag == paragraph {
			v.text(child)
			continue
		}
		v.strange(child, "an "+p.tag+" of paragraphs")
	}
}

// inline checks the elements within a text.
func (v *validator) inline(p *part) {
	for _, child := range p.parts {
		v.run(child)
	}
}

// run checks one part of a text.
func (v *validator) run(p *part) {
	switch p.tag {
	case "", "br":
	case "b", "strong", "i", "em", "cite":
		v.inline(p)
	case "a":
		v.link(p)
		v.inline(p)
	case "ul", "ol":
		if p.within("li") {
			v.find("nested-list", p, "a list stands in an item of a list")
			return
		}
		v.strange(p, "a text")
	case figureTag, "img", "iframe", "video", "audio":
		if p.within("li") {
			v.find("media-in-list", p, "%s stands in an item of a list, which holds text only", p.tag)
			return
		}
		v.find("media-in-text", p, "%s stands in a text, not alone in the body", p.tag)
	default:
		v.strange(p, "a text")
	}
}

func (v *validator) list(p *part) {
	seen := false
	for _, item := range p.parts {
		if item.tag != "li" {
			v.strange(item, "a list")
			continue
		}
		if v.text(item) {
			seen, v.content = true, true
		}
	}
	if !seen && len(p.elements()) == 0 {
		v.find("empty-element", p, "the list has no item with text")
	}
}

// related checks a list of links to pages: related articles, or sponsors.
func (v *validator) related(p *part) {
	for _, item := range p.parts {
		if item.tag != "li" {
			v.strange(item, "a list of links")
			continue
		}
		links := item.children("a")
		if len(links) != 1 {
			v.find("link", item, "the item has %d links, not one", len(links))
		}
		for _, link := range links {
			v.address(link, "href")
		}
	}
}

// link checks where a link in a text leads.
func (v *validator) link(p *part) {
	href := p.attr("href")
	u, err := url.Parse(href)
	switch {
	case err != nil:
		v.find("link", p, "the link %.200q cannot be read", href)
	case href == "" && p.parent.tag == "address": // an author without a page
	case strings.HasPrefix(href, "#"):
		v.find("link", p, "the link %.200q leads into the page, which the consumer does not show", href)
	case u.Scheme == "" || u.Host == "" && u.Opaque == "":
		v.find("relative-url", p, "the link %.200q is relative", href)
	case !slices.Contains([]string{"http", "https", "mailto"}, u.Scheme):
		v.find("link", p, "the link %.200q is not http, https or mailto", href)
	}
}

// address checks that a part names a page or a medium by an absolute address, and reports whether it does.
func (v *validator) address(p *part, key string) bool {
	value := p.attr(key)
	u, err := url.Parse(value)
	switch {
	case value == "":
		v.find("media-address", p, "the %s has no %s", p.tag, key)
	case err == nil && webAddress(u):
		return true
	case err == nil && (u.Scheme == "" || u.Host == "" && (u.Scheme == "http" || u.Scheme == "https")):
		v.find("relative-url", p, "the %s %.200q is relative", key, value)
	default:
		v.find("media-address", p, "the %s %.200q is not an http or https URL", key, value)
	}
	return false
}

// inlineFrame reports a frame that holds its document itself.
func (p *part) inlineFrame() bool { return !blank(p.visible()) }

// length reads a size in pixels; 0: there is none.
func length(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return n
}

// medium reports the elements that are shown, not read.
func medium(p *part) bool {
	switch p.tag {
	case "img", "iframe", "video", "audio":
		return true
	}
	return false
}
