package consumer

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"github.com/feedwire/feedwire/publish/hypertext"
)

const (
	ampBody = "article section nav aside h1 h2 h3 h4 h5 h6 header footer address p hr pre blockquote ol ul li dl dt dd figure figcaption " +
		"div main a em strong small s cite q dfn abbr data time code var samp kbd sub sup i b u mark ruby rb rt rtc rp bdi bdo span br wbr " +
		"ins del table caption colgroup col tbody thead tfoot tr td th amp-img amp-video amp-audio amp-youtube amp-vimeo"
	ampHead = "head title link meta style script noscript"

	ampScripts   = "https://cdn.ampproject.org/"
	maxAMPStyles = 75_000 // bytes
)

var (
	ampStarts = `body\{-webkit-animation:-amp-start 8s steps\(1,end\) 0s 1 normal both;-moz-animation:-amp-start 8s steps\(1,end\) 0s 1 normal both;` +
		`-ms-animation:-amp-start 8s steps\(1,end\) 0s 1 normal both;animation:-amp-start 8s steps\(1,end\) 0s 1 normal both\}` +
		`(@(-webkit-|-moz-|-ms-|-o-|)keyframes -amp-start\{from\{visibility:hidden\}to\{visibility:visible\}\}){5}`
	ampStill       = `body\{-webkit-animation:none;-moz-animation:none;-ms-animation:none;animation:none\}`
	ampBoilerplate = regexp.MustCompile(`^(` + ampStarts + `|` + ampStill + `)$`)
	ampSize        = regexp.MustCompile(`^[0-9]+$`)
)

// ampArticles checks the pages of a feed against the specification of AMP HTML.
func (c *checker) ampArticles(articles []json.RawMessage) {
	seen := make(map[string]bool)
	for i, article := range articles {
		var read struct{ Identifier, CanonicalURL, HTML string }
		if err := json.Unmarshal(article, &read); err != nil {
			c.fault("article %d is not an AMP page: %v", i+1, err)
			continue
		}
		if seen[read.Identifier] || read.Identifier == "" {
			c.fault("two articles have the identifier %q", read.Identifier)
		}
		seen[read.Identifier] = true
		p := ampPage{checker: c, place: fmt.Sprintf("the AMP page of %s", read.CanonicalURL), canonical: read.CanonicalURL}
		p.check(read.HTML)
	}
}

// ampPage is a page that is checked.
type ampPage struct {
	*checker
	place, canonical string
	found            []string // what the head must have, as far as it has it
	used, loaded     []string // AMP elements, and those whose scripts are loaded
}

func (p *ampPage) fault(format string, args ...any) {
	p.checker.fault("%s: %s", p.place, fmt.Sprintf(format, args...))
}

func (p *ampPage) check(document string) {
	if !strings.HasPrefix(strings.ToLower(document), "<!doctype html>") {
		p.fault("it does not start with <!doctype html>")
	}
	root, err := html.ParseWithOptions(strings.NewReader(document), html.ParseOptionEnableScripting(false))
	if err != nil {
		p.fault("it cannot be parsed: %v", err)
		return
	}
	for n := range root.Descendants() {
		if n.Type == html.ElementNode {
			p.element(n)
		}
	}
	for _, part := range []string{"html amp", "charset", "viewport", "canonical", "title", "script v0.js", "boilerplate", "noscript boilerplate"} {
		if !slices.Contains(p.found, part) {
			p.fault("its head lacks %s", part)
		}
	}
	for _, name := range p.used {
		if name != "amp-img" && !slices.Contains(p.loaded, name) {
			p.fault("it uses %s without its script", name)
		}
	}
	for _, name := range p.loaded {
		if !slices.Contains(p.used, name) {
			p.fault("it loads the script of %s, which it does not use", name)
		}
	}
}

func (p *ampPage) element(n *html.Node) {
	attr := func(key string) string { return hypertext.Attr(n, key) }
	inHead := n.Parent.Data == "head" || n.Parent.Data == "noscript"
	switch {
	case n.Data == "html" && (hypertext.HasAttr(n, "amp") || hypertext.HasAttr(n, "⚡")):
		p.found = append(p.found, "html amp")
	case n.Data == "html", n.Data == "body":
	case hypertext.HasWord(ampHead, n.Data) && (inHead || n.Data == "head"):
		p.head(n)
	case !hypertext.HasWord(ampBody, n.Data):
		p.fault("the element %s is not allowed", n.Data)
	case strings.HasPrefix(n.Data, "amp-"):
		p.ampElement(n)
	case n.Data == "a" && strings.HasPrefix(strings.ToLower(attr("href")), "javascript:"):
		p.fault("a link runs a script")
	case n.Data == "a" && attr("target") != "" && attr("target") != "_blank":
		p.fault("a link has the target %s", attr("target"))
	}
	for _, a := range n.Attr {
		if a.Key != "on" && strings.HasPrefix(a.Key, "on") || a.Key == "style" || strings.HasPrefix(a.Key, "xml") || strings.HasPrefix(a.Key, "i-amp-") {
			p.fault("the attribute %s is not allowed", a.Key)
		}
		if (a.Key == "id" || a.Key == "class") && (strings.HasPrefix(a.Val, "-amp-") || strings.HasPrefix(a.Val, "i-amp-")) {
			p.fault("the %s %s is reserved", a.Key, a.Val)
		}
	}
}

// head checks an element of the head.
func (p *ampPage) head(n *html.Node) {
	text := ""
	if n.FirstChild != nil {
		text = n.FirstChild.Data
	}
	attr := func(key string) string { return hypertext.Attr(n, key) }
	switch {
	case n.Data == "title" && strings.TrimSpace(text) != "":
		p.found = append(p.found, "title")
	case n.Data == "meta" && attr("charset") == "utf-8" && n.PrevSibling == nil:
		p.found = append(p.found, "charset")
	case n.Data == "meta" && attr("name") == "viewport" && strings.Contains(attr("content"), "width=device-width"):
		p.found = append(p.found, "viewport")
	case n.Data == "link" && attr("rel") == "canonical" && attr("href") == p.canonical && hostOf(p.canonical) != "":
		p.found = append(p.found, "canonical")
	case n.Data == "style" && hypertext.HasAttr(n, "amp-boilerplate"):
		switch {
		case !ampBoilerplate.MatchString(strings.TrimSpace(text)):
			p.fault("its boilerplate differs from that of AMP")
		case n.Parent.Data == "noscript":
			p.found = append(p.found, "noscript boilerplate")
		default:
			p.found = append(p.found, "boilerplate")
		}
	case n.Data == "style" && hypertext.HasAttr(n, "amp-custom"):
		if len(text) > maxAMPStyles || strings.Contains(text, "!important") || strings.Contains(text, "@import") {
			p.fault("its styles have more than 75,000 bytes, !important or @import")
		}
	case n.Data == "style":
		p.fault("it has a style without amp-custom")
	case n.Data == "script":
		p.script(n, text)
	}
}

func (p *ampPage) script(n *html.Node, text string) {
	src, name := hypertext.Attr(n, "src"), hypertext.Attr(n, "custom-element")
	switch {
	case hypertext.Attr(n, "type") == "application/ld+json":
		if !json.Valid([]byte(text)) {
			p.fault("its structured data are no JSON")
		}
	case src == ampScripts+"v0.js" && hypertext.HasAttr(n, "async"):
		p.found = append(p.found, "script v0.js")
	case name != "" && strings.HasPrefix(src, ampScripts+"v0/"+name+"-") && hypertext.HasAttr(n, "async"):
		p.loaded = append(p.loaded, name)
	default:
		p.fault("the script %q is not allowed", src)
	}
}

// ampElement checks an element of AMP.
func (p *ampPage) ampElement(n *html.Node) {
	attr := func(key string) string { return hypertext.Attr(n, key) }
	if !slices.Contains(p.used, n.Data) {
		p.used = append(p.used, n.Data)
	}
	sized := ampSize.MatchString(attr("width")) && ampSize.MatchString(attr("height")) || attr("layout") == "fill" ||
		n.Data == "amp-audio" && attr("width") == "auto"
	switch {
	case !sized:
		p.fault("%s has no size", n.Data)
	case n.Data == "amp-img" && hostOf(attr("src")) == "":
		p.fault("an image has no absolute URL")
	case (n.Data == "amp-video" || n.Data == "amp-audio") && !strings.HasPrefix(attr("src"), "https://"):
		p.fault("%s requires a URL with https", n.Data)
	case (n.Data == "amp-youtube" || n.Data == "amp-vimeo") && attr("data-videoid") == "":
		p.fault("%s has no data-videoid", n.Data)
	}
}
