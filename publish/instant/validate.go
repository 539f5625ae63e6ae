package instant

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// Finding is one place where a document does not keep a requirement of the format.
type Finding struct {
	Rule     string   `json:"rule"` // id of the Requirement
	Severity Severity `json:"severity"`
	Message  string   `json:"message"` // what is wrong here
	Place    string   `json:"place"`   // CSS path in the document; "article" of what only the article tells
	Remedy   string   `json:"remedy"`  // what the author of the source can do
}

// Severity tells what follows from a Finding.
type Severity string

// A SeverityError makes the consumer refuse the article, so it is held back; a SeverityWarning costs a part of it at most.
const (
	SeverityError   Severity = "error"
	SeverityWarning Severity = "warning"
)

// maxFindings bounds the findings of one document: a fault repeated by a machine needs no more.
const maxFindings = 100

// Validate checks a finished document, as Transform gives it, against Requirements and returns what it finds in the
// order of the document, at most 100 findings; none: it is valid. It takes time linear in the document's length and
// mends nothing while it reads, so what it says of a document is what a strict consumer meets.
func Validate(document string) []Finding { return validate(document, false) }

// ValidateDevelopment is Validate for a feed that is never public, where the consumer takes no tags.
func ValidateDevelopment(document string) []Finding { return validate(document, true) }

func validate(document string, development bool) []Finding {
	v := validator{development: development}
	root := v.read(document)
	if root != nil {
		v.document(root)
	}
	return v.findings
}

// ValidateArticle gives the findings that keep Transform from making a document at all.
func ValidateArticle(a feed.Article) []Finding {
	v := validator{}
	v.canonical(a.Canonical, nil)
	if blank(Clean(a.Title)) {
		v.find("title", nil, "the article has no title")
	}
	if a.Published.IsZero() {
		v.find("published", nil, "the article has no publication date")
	}
	if blank(Clean(a.Content)) {
		v.find("content", nil, "the article has no content")
	}
	return v.findings
}

// Refused reports whether findings hold an article back.
func Refused(findings []Finding) bool {
	for _, f := range findings {
		if f.Severity == SeverityError {
			return true
		}
	}
	return false
}

// validator collects what is found in one document.
type validator struct {
	development bool
	findings    []Finding
	content     bool // something that a reader sees stands in the body
}

// find notes that the requirement rule is not kept at p; nil: the article itself. The place is only worked out for a
// finding that is kept.
func (v *validator) find(rule string, p *part, format string, args ...any) {
	if len(v.findings) == maxFindings {
		return
	}
	r := requirement(rule)
	place := "article"
	if p != nil {
		place = p.place()
	}
	message := Cut(Clean(fmt.Sprintf(format, args...)), 300)
	v.findings = append(v.findings, Finding{rule, r.Severity, message, place, r.Remedy})
}

// canonical checks the address that the consumer knows the article by.
func (v *validator) canonical(address string, p *part) {
	u, err := url.Parse(address)
	switch {
	case strings.TrimSpace(address) == "":
		v.find("canonical", p, "there is no canonical URL")
	case err != nil || !webAddress(u):
		v.find("canonical", p, "the canonical URL %.200q is not an absolute http or https URL", address)
	case strings.ContainsAny(address, "?#"):
		v.find(RuleAddressQuery, p, "the canonical URL %.200q has a query or a fragment, the format takes neither", address)
	}
}

// webAddress reports an absolute http or https URL.
func webAddress(u *url.URL) bool { return (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" }

// document checks the skeleton: one article with a header, below a head that names its address.
func (v *validator) document(root *part) {
	page := root.child("html")
	if page == nil {
		v.find("skeleton", root, "there is no html element")
		return
	}
	v.head(page)
	var articles []*part
	if body := page.child("body"); body != nil {
		articles = body.children("article")
	}
	if len(articles) != 1 {
		v.find("skeleton", page, "the body has %d article elements, not one", len(articles))
	}
	for _, article := range articles {
		v.article(article)
	}
}

func (v *validator) head(page *part) {
	var canonical, version string
	head := page.child("head")
	if head == nil {
		head = &part{tag: "head", parent: page}
	}
	at := head
	for _, p := range head.parts {
		property := p.attr("property")
		switch {
		case p.tag == "script" || p.tag == "style":
			v.strange(p, "a head")
		case p.tag == "link" && p.attr("rel") == "canonical":
			canonical, at = p.attr("href"), p
		case property == "op:markup_version":
			version = p.attr("content")
		case property == "op:tags" && v.development:
			v.find("development-tags", p, "tags are not taken in development")
		}
	}
	v.canonical(canonical, at)
	if version != "v1.0" {
		v.find("markup-version", head, "op:markup_version is %.40q, not \"v1.0\"", version)
	}
}

func (v *validator) article(article *part) {
	headers := article.children("header")
	if len(headers) != 1 {
		v.find("skeleton", article, "the article has %d header elements, not one", len(headers))
	}
	v.content = false
	for _, p := range article.parts {
		switch p.tag {
		case "header":
			v.header(p)
		case "footer":
			v.footer(p)
		case "":
			if !blank(p.text) {
				v.find("bare-text", article, "the text %.60q stands outside of any block", strings.TrimSpace(p.text))
			}
		default:
			v.block(p)
		}
	}
	if !v.content {
		v.find("content", article, "the body shows a reader nothing")
	}
}

// header checks that the article has a name and a date, and nothing that a header does not hold.
func (v *validator) header(header *part) {
	var titled, dated bool
	for _, p := range header.parts {
		switch {
		case p.tag == "h1":
			titled = titled || !blank(p.visible())
			v.inline(p)
		case p.tag == "h2" || (p.tag == "h3" && p.class("op-kicker")):
			v.text(p)
		case p.tag == "time":
			dated = v.time(p) || dated
		case p.tag == "address":
			v.text(p)
		case p.tag == figureTag:
			titled = titled || p.class("op-ad")
			v.cover(p)
		case p.tag == "section" && p.class("op-ad-template"):
			titled = true
			v.adTemplate(p)
		case p.tag == "ul" && p.class("op-sponsors"):
			v.related(p)
		default:
			v.strange(p, "a header")
		}
	}
	if !titled {
		v.find("title", header, "there is no h1 with text, nor an ad in its place")
	}
	if !dated {
		v.find("published", header, "there is no time.op-published with a date in ISO 8601")
	}
}

// time checks one date and reports whether it is that of the publication.
func (v *validator) time(p *part) bool {
	published := p.class("op-published")
	if !published && !p.class("op-modified") {
		v.strange(p, "a header")
		return false
	}
	if _, err := time.Parse(time.RFC3339, p.attr("datetime")); err != nil {
		v.find("date", p, "the date %.60q is not in ISO 8601 with a time zone", p.attr("datetime"))
		return false
	}
	return published
}

// footer checks the three things that a footer can hold.
func (v *validator) footer(footer *part) {
	for _, p := range footer.parts {
		switch {
		case p.tag == "aside" || p.tag == "small":
			v.paragraphs(p)
		case p.tag == "ul" && p.class("op-related-articles"):
			v.related(p)
		default:
			v.strange(p, "a footer")
		}
	}
	if len(footer.elements()) == 0 {
		v.find("empty-element", footer, "the footer holds nothing")
	}
}
