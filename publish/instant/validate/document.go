package validate

import (
	"strings"
	"time"

	"golang.org/x/net/html"

	"github.com/feedwire/feedwire/publish/hypertext"
)

// document checks the skeleton: a head with the canonical URL and a body with one article.
func (v *validator) document(root *html.Node) {
	page := child(root, "html")
	if page == nil {
		v.find("skeleton", root, "the html element is missing")
		return
	}
	v.head(page)
	articles := 0
	if body := child(page, "body"); body != nil {
		v.checkChildren(body, "a body", map[string]check{"article": func(article *html.Node) bool {
			articles++
			return v.article(article)
		}})
	}
	if articles != 1 {
		v.find("skeleton", page, "the body contains %d article elements instead of one", articles)
	}
}

func (v *validator) head(page *html.Node) {
	var canonical, version string
	head := child(page, "head")
	if head == nil {
		head = &html.Node{Type: html.ElementNode, Data: "head", Parent: page}
	}
	links := 0
	at := head
	for n := range head.ChildNodes() {
		property := hypertext.Attr(n, "property")
		switch {
		case tag(n) == "script" || tag(n) == "style":
			v.misplaced(n, "a head")
		case tag(n) == "link" && hypertext.Attr(n, "rel") == "canonical":
			canonical, at = hypertext.Attr(n, "href"), n
			if links++; links == 2 {
				v.find("duplicate", n, "the head has more than one link rel=canonical")
			}
		case property == "op:markup_version":
			version = hypertext.Attr(n, "content")
		case property == "op:tags" && v.Development:
			v.find("development-tags", n, "op:tags is not allowed in a development feed")
		}
	}
	v.canonical(canonical, at)
	if version != "v1.0" {
		v.find("markup-version", head, "op:markup_version is %.40q instead of \"v1.0\"", version)
	}
}

func (v *validator) article(article *html.Node) bool {
	headers := all(article, "header")
	if len(headers) != 1 {
		v.find("skeleton", article, "the article contains %d header elements instead of one", len(headers))
	}
	v.unique(article, "footer")
	var before *html.Node
	for n := range article.ChildNodes() {
		switch {
		case tag(n) == "":
			continue
		case before == nil || tag(n) == tag(before):
		case tag(n) == "header" || tag(before) == "footer":
			v.find("order", n, "the %s follows the %s", tag(n), tag(before))
		}
		before = n
	}
	visible := v.checkChildren(article, "an article", map[string]check{
		"header": v.header, "footer": v.footer,
		"figure": v.visual, "figure.op-slideshow": v.slideshow, "figure.op-map": v.mapFigure, "figure.op-interactive": v.frame,
		"figure.op-social": v.social, "figure.op-ad": unseen(v.frame), "figure.op-tracker": unseen(v.frame),
		"p": v.text, "h1": v.text, "h2": v.text, "blockquote": v.text, "aside": v.text,
		"ul": v.list, "ol": v.list, "ul.op-related-articles": v.relatedArticles, "ol.op-related-articles": v.relatedArticles,
	})
	if !visible {
		v.find("content", article, "the body shows nothing")
	}
	return visible
}

// header checks for a title, a publication date and elements that a header may not contain. Nothing of it is part of the body.
func (v *validator) header(header *html.Node) bool {
	var titled, dated bool
	covers := 0
	cover := func(check check) check {
		return func(n *html.Node) bool {
			if covers++; covers == 2 {
				v.find("duplicate", n, "the header has more than one cover")
			}
			return check(n)
		}
	}
	v.unique(header, "h1", "h2", "h3.op-kicker", "time.op-published", "time.op-modified", "section.op-ad-template", "ul.op-sponsors")
	v.checkChildren(header, "a header", map[string]check{
		"h1":                     func(n *html.Node) bool { titled = titled || !hypertext.Blank(content(n)); return v.inline(n) },
		"h2":                     v.text,
		"h3.op-kicker":           v.text,
		"address":                v.text,
		"time":                   func(n *html.Node) bool { dated = v.time(n) || dated; return false },
		"figure":                 cover(v.cover),
		"figure.op-slideshow":    cover(v.slideshow),
		"figure.op-ad":           func(n *html.Node) bool { titled = true; return v.frame(n) },
		"section.op-ad-template": func(n *html.Node) bool { titled = true; return v.adTemplate(n) },
		"ul.op-sponsors":         v.links,
	})
	if !titled {
		v.find("title", header, "the header has neither an h1 with text nor an ad")
	}
	if !dated {
		v.find("published", header, "the header has no time.op-published with an ISO 8601 date")
	}
	return false
}

// time checks one date and reports whether it is the publication date.
func (v *validator) time(n *html.Node) bool {
	published := hypertext.HasClass(n, "op-published")
	if !published && !hypertext.HasClass(n, "op-modified") {
		v.misplaced(n, "a header")
		return false
	}
	if _, err := Time(hypertext.Attr(n, "datetime")); err != nil {
		v.find("date", n, "%.60q is not an ISO 8601 date with a time zone", hypertext.Attr(n, "datetime"))
		return false
	}
	return published
}

// timeLayouts are the forms of a date in an article, with and without seconds, and the minutes or the colon of the time zone.
var timeLayouts = []string{
	time.RFC3339, "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05Z0700", "2006-01-02T15:04Z0700", "2006-01-02T15:04:05Z07", "2006-01-02T15:04Z07",
}

// Time parses the datetime attribute of a date: ISO 8601 with a time zone.
func Time(value string) (t time.Time, err error) {
	for _, layout := range timeLayouts {
		if t, err = time.Parse(layout, value); err == nil {
			return t, nil
		}
	}
	return t, err
}

// footer checks the footer, which is not part of the body.
func (v *validator) footer(footer *html.Node) bool {
	if empty(footer) {
		v.find("empty-element", footer, "the footer is empty")
	}
	v.unique(footer, "aside", "small", "ul.op-related-articles")
	v.checkChildren(footer, "a footer", map[string]check{"aside": v.paragraphs, "small": v.paragraphs, "ul.op-related-articles": v.links})
	return false
}

// misplaced reports an element or a text that may not be inside parent.
func (v *validator) misplaced(n *html.Node, parent string) {
	switch {
	case tag(n) == "" && hypertext.Blank(n.Data):
	case tag(n) == "":
		v.find("bare-text", n.Parent, "the text %.60q is directly inside %s", strings.TrimSpace(n.Data), parent)
	case tag(n) == "table":
		v.find("table", n, "the table is outside of an embed")
	case tag(n) == "script" || tag(n) == "style":
		v.find("executable", n, "a %s element is not allowed in %s", tag(n), parent)
	default:
		v.find("unknown-element", n, "%s is not allowed in %s", tag(n), parent)
	}
}
