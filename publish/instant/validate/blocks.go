package validate

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"github.com/feedwire/feedwire/publish/hypertext"
)

// MaxRelated is how many items a list of related articles in the body may have.
const MaxRelated = 3

// check validates an element and reports whether the element is visible.
type check func(*html.Node) bool

// unseen returns a check of elements that the reader does not see as part of the article.
func unseen(check check) check {
	return func(n *html.Node) bool {
		check(n)
		return false
	}
}

// checkChildren runs the check of each child of n, found in checks under "tag.class" or else "tag". A child without a check is not
// allowed in parent. checkChildren reports whether a child is visible.
func (v *validator) checkChildren(n *html.Node, parent string, checks map[string]check) bool {
	visible := false
	for child := range n.ChildNodes() {
		checkChild, ok := checks[tag(child)]
		for class := range strings.FieldsSeq(hypertext.Attr(child, "class")) {
			if special, known := checks[tag(child)+"."+class]; known {
				checkChild, ok = special, true
				break
			}
		}
		if ok {
			visible = checkChild(child) || visible
		} else {
			v.misplaced(child, parent)
		}
	}
	return visible
}

// unique reports the second child of n of each kind, which is "tag" or "tag.class".
func (v *validator) unique(n *html.Node, kinds ...string) {
	for _, kind := range kinds {
		name, class, _ := strings.Cut(kind, ".")
		found := 0
		for _, child := range all(n, name) {
			if class == "" || hypertext.HasClass(child, class) {
				if found++; found == 2 {
					v.find("duplicate", child, "the %s has more than one %s", tag(n), kind)
				}
			}
		}
	}
}

// relatedArticles checks a list of related articles in the body.
func (v *validator) relatedArticles(n *html.Node) bool {
	if items := len(all(n, "li")); items > MaxRelated {
		v.find("related-count", n, "the body lists %d related articles; the consumer shows at most %d", items, MaxRelated)
	}
	return v.links(n)
}

// text checks a text element and reports whether it shows text.
func (v *validator) text(n *html.Node) bool {
	visible := !hypertext.Blank(content(n))
	if !visible && !slices.ContainsFunc(slices.Collect(n.Descendants()), medium) {
		v.find("empty-element", n, "the %s contains no text", tag(n))
	}
	v.inline(n)
	return visible
}

// paragraphs checks an element that may contain either text or paragraphs.
func (v *validator) paragraphs(n *html.Node) bool {
	if child(n, "p") == nil {
		return v.text(n)
	}
	return v.checkChildren(n, "an "+tag(n)+" of paragraphs", map[string]check{"p": v.text})
}

// inline checks the content of a text element.
func (v *validator) inline(n *html.Node) bool {
	for child := range n.ChildNodes() {
		v.inText(child)
	}
	return false
}

// inText checks one node inside text.
func (v *validator) inText(n *html.Node) {
	switch tag(n) {
	case "", "br":
	case "b", "strong", "i", "em", "cite":
		v.inline(n)
	case "a":
		v.link(n)
		v.inline(n)
	case "ul", "ol":
		if within(n, "li") {
			v.find("nested-list", n, "the list is inside a list item")
			return
		}
		v.misplaced(n, "text")
	case "figure", "img", "iframe", "video", "audio":
		if within(n, "li") {
			v.find("media-in-list", n, "the %s is inside a list item", tag(n))
			return
		}
		v.find("media-in-text", n, "the %s is inside text", tag(n))
	default:
		v.misplaced(n, "text")
	}
}

func (v *validator) list(n *html.Node) bool {
	if empty(n) {
		v.find("empty-element", n, "the list has no items")
	}
	return v.checkChildren(n, "a list", map[string]check{"li": v.text})
}

// links checks a list of links to pages: related articles or sponsors.
func (v *validator) links(n *html.Node) bool {
	return v.checkChildren(n, "a list of links", map[string]check{"li": func(item *html.Node) bool {
		links := all(item, "a")
		if len(links) != 1 {
			v.find("link", item, "the item contains %d links instead of one", len(links))
		}
		for _, link := range links {
			v.address(link, "href")
		}
		return false
	}})
}

// link checks the address of a link inside text.
func (v *validator) link(n *html.Node) {
	href := hypertext.Attr(n, "href")
	u, err := url.Parse(href)
	switch {
	case err != nil:
		v.find("link", n, "the link %.200q is malformed", href)
	case href == "" && n.Parent.Data == "address": // an author without a page
	case href != "" && href[0] == '#':
		v.find("link", n, "the link %.200q points into the page, which the consumer does not show", href)
	case u.Scheme == "" || u.Host == "" && u.Opaque == "":
		v.find("relative-url", n, "the link %.200q is relative", href)
	case !slices.Contains([]string{"http", "https", "mailto"}, u.Scheme):
		v.find("link", n, "the link %.200q is not http, https or mailto", href)
	}
}

// address checks for an absolute http or https URL in an attribute and reports whether it is there.
func (v *validator) address(n *html.Node, key string) bool {
	value := hypertext.Attr(n, key)
	u, err := url.Parse(value)
	switch {
	case value == "":
		v.find("media-address", n, "the %s has no %s attribute", tag(n), key)
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
	n, _ := strconv.Atoi(s)
	return n
}

func medium(n *html.Node) bool { return hypertext.HasWord("img iframe video audio", tag(n)) }
