package instant

import (
	"strings"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// header is what a source's own markup says of the article's header, where it comes as a whole page.
type header struct {
	cover         *figure
	subtitle      []run
	kicker        string
	authors       []byline
	published     string // RFC 3339
	modified      string
	ads           []figure
	sponsors      []string // markup of each
	style         string
	autoAds       string // value of fb:use_automatic_ad_placement
	recirculation string
}

// byline is one author.
type byline struct{ name, href, role, about string }

// headerBox lays out the header of a page. What has no place in it stands at the beginning of the body.
func (b *builder) headerBox(_ *rule, n *html.Node, _ style) bool {
	found := b.gather(func() { b.flow(n, style{tag: paragraph, in: inHeader}) })
	for _, bl := range found {
		if bl.tag == figureTag && b.header.cover == nil && bl.figure.kind <= slideshowKind && bl.figure.kind != interactiveKind {
			b.header.cover = bl.figure
			continue
		}
		b.blocks = append(b.blocks, bl)
	}
	return true
}

// headerTitle is left out where it says what the article's title says.
func (b *builder) headerTitle(_ *rule, n *html.Node, st style) bool {
	said := oneLine(b.textOf(n))
	switch {
	case b.title == "":
		b.title = said
	case !strings.EqualFold(said, b.title):
		b.container(n, "h1", st)
	}
	return true
}

// headerSubtitle keeps the first subtitle; a further one becomes a heading.
func (b *builder) headerSubtitle(_ *rule, n *html.Node, st style) bool {
	found := b.gather(func() { b.flow(n, style{tag: "h2", in: inText}) })
	for _, bl := range found {
		if bl.tag == "h2" && b.header.subtitle == nil {
			b.header.subtitle = bl.runs
			continue
		}
		b.blocks = append(b.blocks, bl)
	}
	return true
}

func (b *builder) headerKicker(_ *rule, n *html.Node, st style) bool {
	if b.header.kicker != "" {
		return false
	}
	b.header.kicker = oneLine(b.textOf(n))
	return true
}

// author notes one author. Without properties the name is that of the link, or all the text; what follows the link tells
// of the author.
func (b *builder) author(r *rule, n *html.Node, _ style) bool {
	line := byline{}
	at := b.find(anchors, n)
	if at == nil {
		line.name = b.textOf(n)
	} else {
		line = byline{name: b.textOf(at), href: attr(at, "href"), role: attr(at, "title")}
		for s := at.NextSibling; s != nil; s = s.NextSibling {
			line.about += " " + b.textOf(s)
		}
	}
	for key, to := range map[string]*string{"author.name": &line.name, "author.url": &line.href,
		"author.description": &line.about, "author.role_contribution": &line.role} {
		if r.props[key] != nil {
			*to, _ = b.value(r, key, n)
		}
	}
	if line.name = oneLine(line.name); line.name == "" {
		return false
	}
	line.about, line.role = oneLine(line.about), oneLine(line.role)
	line.href = b.resolve(line.href, "http", "https")
	b.header.authors = append(b.header.authors, line)
	return true
}

var anchors = &selector{ways: []way{{{tag: "a"}}}}

// sponsor notes who paid for the article, by their pages at the consumer: the links in n or, where there is none, what the
// property finds.
func (b *builder) sponsor(r *rule, n *html.Node, _ style) bool {
	before := len(b.header.sponsors)
	add := func(ref string, at *html.Node) {
		if href := b.resolve(ref, "http", "https"); href != "" {
			b.header.sponsors = append(b.header.sponsors,
				`<li><a href="`+escape(href)+`" rel="facebook">`+escape(oneLine(b.textOf(at)))+"</a></li>")
		}
	}
	for c := n.FirstChild; c != nil; c = following(c, n) {
		if c.DataAtom == atom.A {
			add(attr(c, "href"), c)
		}
	}
	if len(b.header.sponsors) == before {
		ref, _ := b.value(r, "sponsor.page_url", n)
		add(ref, n)
	}
	return len(b.header.sponsors) > before
}

// time notes when the page says that it was published or modified, for articles that do not say it.
func (b *builder) time(r *rule, n *html.Node, _ style) bool {
	value, which := attr(n, "datetime"), attr(n, "class")
	if r.props["article.time"] != nil {
		value, _ = b.value(r, "article.time", n)
	}
	for _, key := range []string{"article.time_type", "article.datetype"} {
		if r.props[key] != nil {
			which, _ = b.value(r, key, n)
		}
	}
	when, err := time.Parse(time.RFC3339, value)
	if err != nil {
		return false
	}
	if strings.Contains(which, "op-modified") {
		b.header.modified = when.Format(time.RFC3339)
	} else {
		b.header.published = when.Format(time.RFC3339)
	}
	return true
}

// articleMeta reads what the head of a page says of the article as a whole.
func (b *builder) articleMeta(r *rule, n *html.Node, st style) bool {
	for key, to := range map[string]*string{"article.style": &b.header.style, "article.auto.ad": &b.header.autoAds,
		"article.recirculation.ad": &b.header.recirculation} {
		if value, _ := b.value(r, key, n); value != "" {
			*to = value
		}
	}
	if n.DataAtom != atom.Meta && n.DataAtom != atom.Link {
		b.passThrough(r, n, st)
	}
	return true
}

// global maps a whole page: where its text is, and what its header has. It applies once.
func (b *builder) global(r *rule, n *html.Node, _ style) bool {
	g := r.props["article.body"]
	if b.whole || g == nil {
		return false
	}
	nodes := b.nodes(g, n)
	if len(nodes) == 0 {
		return false
	}
	b.whole = true
	if said, _ := b.value(r, "article.title", n); b.title == "" && said != "" {
		b.title = oneLine(said)
	}
	if r.props["author.name"] != nil {
		b.author(r, n, style{})
	}
	if when, _ := b.value(r, "article.publish", n); when != "" {
		if at, err := time.Parse(time.RFC3339, when); err == nil {
			b.header.published = at.Format(time.RFC3339)
		}
	}
	if src, _ := b.value(r, "image.url", n); b.resolve(src, "http", "https") != "" {
		src = b.resolve(src, "http", "https")
		b.header.cover = &figure{src: src, markup: `<img src="` + escape(src) + `">`}
	}
	b.outside(append(b.told(r, n), nodes...), n)
	if g.kind == "element" {
		for _, at := range nodes {
			b.flow(at, body())
		}
	} else {
		b.flowAll(nodes, body())
	}
	b.flush()
	return true
}

// told are the elements that the header is made of. A title that differs from the article's is none.
func (b *builder) told(r *rule, n *html.Node) []*html.Node {
	var list []*html.Node
	for _, key := range []string{"article.title", "author.name", "article.publish", "image.url"} {
		if said, at := b.value(r, key, n); at != nil && (key != "article.title" || strings.EqualFold(oneLine(said), b.title)) {
			list = append(list, at)
		}
	}
	return list
}

// outside names what of a page is not part of the article: each element that stands beside those in nodes.
func (b *builder) outside(nodes []*html.Node, n *html.Node) {
	kept := make(map[*html.Node]bool) // nodes, and what they stand in
	for _, at := range nodes {
		for p := at; p != nil && !kept[p]; p = p.Parent {
			kept[p] = true
		}
	}
	inner := make(map[*html.Node]bool)
	for _, at := range nodes {
		inner[at] = true
	}
	for c := n.FirstChild; c != nil; {
		if b.steps++; kept[c] && !inner[c] {
			c = following(c, n)
			continue
		}
		if !inner[c] && c.Type == html.ElementNode && !hidden(c.DataAtom) && (b.textOf(c) != "" || b.find(visuals, c) != nil) {
			b.warn(codeIgnored, "left out: it stands outside of the element that the rule names as the article's body", c)
		}
		c = after(c, n)
	}
}

// visuals are the elements that show something without a text.
var visuals = &selector{ways: []way{{{tag: "img"}}, {{tag: "video"}}, {{tag: "audio"}}, {{tag: "iframe"}}}}

// oneLine is s without line breaks and doubled spaces.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
