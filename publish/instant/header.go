package instant

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/feedwire/feedwire/publish/hypertext"
	"github.com/feedwire/feedwire/publish/instant/inline"
	"github.com/feedwire/feedwire/publish/instant/selector"
)

// header contains the parts of the header that the markup of a page has.
type header struct {
	cover         *figure
	subtitle      []inline.Run
	kicker        string
	authors       []byline
	published     time.Time // UTC
	modified      time.Time
	ads           []figure
	sponsors      []string // markup of each
	style         string
	autoAds       string // value of fb:use_automatic_ad_placement
	recirculation string
}

// byline is one author.
type byline struct{ name, href, role, about string }

// headerElement lays out the header of a page. Anything that a header cannot contain is added to the beginning of the
// body.
func (b *builder) headerElement(_ *rule, n *html.Node, _ style) {
	for _, bl := range b.collect(func() { b.flow(n, style{tag: paragraph, in: inHeader}) }) {
		if bl.tag == figureTag && b.header.cover == nil && bl.figure.kind <= slideshowKind && bl.figure.kind != interactiveKind {
			b.header.cover = bl.figure
			continue
		}
		b.blocks = append(b.blocks, bl)
	}
}

// headerTitle drops a title that repeats the article's title.
func (b *builder) headerTitle(_ *rule, n *html.Node, st style) {
	title := hypertext.OneLine(b.textOf(n))
	switch {
	case b.title == "":
		b.title = title
	case !strings.EqualFold(title, b.title):
		b.container(n, "h1", st)
	}
}

// headerSubtitle keeps the first subtitle. Further ones become headings.
func (b *builder) headerSubtitle(_ *rule, n *html.Node, _ style) {
	for _, bl := range b.collect(func() { b.flow(n, style{tag: "h2", in: inText}) }) {
		if bl.tag == "h2" && b.header.subtitle == nil {
			b.header.subtitle = bl.runs
			continue
		}
		b.blocks = append(b.blocks, bl)
	}
}

func (b *builder) headerKicker(_ *rule, n *html.Node, st style) bool {
	if b.header.kicker != "" {
		return false
	}
	b.header.kicker = hypertext.OneLine(b.textOf(n))
	return true
}

// author adds an author. Without properties, the name is the text of the first link or of n, and the description is the
// text after the link.
func (b *builder) author(r *rule, n *html.Node, _ style) bool {
	line := byline{}
	at := b.find(anchors, n)
	if at == nil {
		line.name = b.textOf(n)
	} else {
		line = byline{name: b.textOf(at), href: hypertext.Attr(at, "href"), role: hypertext.Attr(at, "title")}
		for s := at.NextSibling; s != nil; s = s.NextSibling {
			line.about += " " + b.textOf(s)
		}
	}
	if !b.addAuthor(r, n, line) {
		return false
	}
	line = b.header.authors[len(b.header.authors)-1]
	b.warnRest(r, n, line.name+" "+line.about+" "+line.role, "the by-line shows a name with a description, and no media")
	return true
}

// addAuthor adds an author, unless the properties of the rule and line name none.
func (b *builder) addAuthor(r *rule, n *html.Node, line byline) bool {
	for key, to := range map[string]*string{"author.name": &line.name, "author.url": &line.href,
		"author.description": &line.about, "author.role_contribution": &line.role} {
		b.replace(to, r, key, n)
	}
	if line.name = hypertext.OneLine(line.name); line.name == "" {
		return false
	}
	line.about, line.role = hypertext.OneLine(line.about), hypertext.OneLine(line.role)
	line.href = b.resolve(line.href, "http", "https")
	b.header.authors = append(b.header.authors, line)
	return true
}

var anchors = selector.MustParse("a")

// sponsor adds the sponsors of the article: the links in n, or the value of the property if there are none.
func (b *builder) sponsor(r *rule, n *html.Node, _ style) bool {
	before := len(b.header.sponsors)
	add := func(ref string, at *html.Node) {
		if href := b.resolve(ref, "http", "https"); href != "" {
			b.header.sponsors = append(b.header.sponsors,
				"<li><a"+attr("href", href)+` rel="facebook">`+hypertext.Escape(hypertext.OneLine(b.textOf(at)))+"</a></li>")
		}
	}
	for c := range n.Descendants() {
		if c.DataAtom == atom.A {
			add(hypertext.Attr(c, "href"), c)
		}
	}
	if len(b.header.sponsors) == before {
		add(b.value(r, "sponsor.page_url", n), n)
	}
	return len(b.header.sponsors) > before
}

// time sets the publication or modification date, for articles without one.
func (b *builder) time(r *rule, n *html.Node, _ style) bool {
	value, which := hypertext.Attr(n, "datetime"), hypertext.Attr(n, "class")
	b.replace(&value, r, "article.time", n)
	b.replace(&which, r, "article.time_type", n)
	b.replace(&which, r, "article.datetype", n)
	to := &b.header.published
	if strings.Contains(which, "op-modified") {
		to = &b.header.modified
	}
	return b.setTime(to, value)
}

// articleMeta reads the style and the ad settings of the article.
func (b *builder) articleMeta(r *rule, n *html.Node, st style) {
	for key, to := range map[string]*string{"article.style": &b.header.style, "article.auto.ad": &b.header.autoAds,
		"article.recirculation.ad": &b.header.recirculation} {
		*to = cmp.Or(b.value(r, key, n), *to)
	}
	if n.DataAtom != atom.Meta && n.DataAtom != atom.Link {
		b.passThrough(r, n, st)
	}
}

// global maps a whole page to header and body. It applies once. The values that it finds replace those of the article.
func (b *builder) global(r *rule, n *html.Node, _ style) bool {
	g := r.Properties["article.body"]
	if b.mapped || g == nil {
		return false
	}
	nodes := b.getNodes(g, n)
	if len(nodes) == 0 {
		return false
	}
	b.mapped = true
	var read []*getter // of what the header shows
	find := func(property string) (string, *html.Node) {
		value, at := b.getText(r.Properties[property], n)
		if at != nil && slices.ContainsFunc(nodes, func(body *html.Node) bool { return isWithin(body, at) }) {
			return "", nil
		}
		if value != "" {
			read = append(read, r.Properties[property])
		}
		return value, at
	}
	title, _ := find("article.title")
	b.title = cmp.Or(hypertext.OneLine(title), b.title)
	if name, _ := find("author.name"); name != "" && b.addAuthor(r, n, byline{}) {
		b.article.Authors = nil
		find("author.description")
		find("author.role_contribution")
	}
	date, at := b.getText(r.Properties["article.publish"], n)
	if b.setTime(&b.article.Published, date) && !slices.ContainsFunc(nodes, func(body *html.Node) bool { return isWithin(at, body) }) {
		read = append(read, r.Properties["article.publish"]) // in the body it stays, as it is written there
	}
	cover, at := find("image.url")
	if src := b.resolve(cover, "http", "https"); src != "" {
		b.header.cover = &figure{src: src, markup: image(src)}
		b.markShown(at, n)
	}
	for _, g := range read {
		b.markTextRead(g, n)
	}
	whole := (g.Type == "element" || g.Type == "children") && b.elementOf(g, n) == n
	if !whole && !slices.Contains(nodes, n) {
		b.warnOutside(nodes, n)
	}
	if g.Type == "element" {
		for _, at := range nodes {
			b.flow(at, body())
		}
	} else {
		b.flowAll(nodes, body())
	}
	b.flush()
	return true
}

// isWithin reports whether n is outer or in outer.
func isWithin(n, outer *html.Node) bool {
	for n != nil && n != outer {
		n = n.Parent
	}
	return n != nil
}

// warnOutside warns about each element of n with content outside of nodes.
func (b *builder) warnOutside(nodes []*html.Node, n *html.Node) {
	kept := make(map[*html.Node]bool) // nodes and their ancestors
	for _, at := range nodes {
		for p := at; p != nil && !kept[p]; p = p.Parent {
			kept[p] = true
		}
	}
	for c := n.FirstChild; c != nil; {
		if b.steps++; kept[c] && !slices.Contains(nodes, c) {
			c = hypertext.Following(c, n)
			continue
		}
		at, visible := c, false
		if c.Type == html.TextNode {
			at, visible = c.Parent, !hypertext.Blank(c.Data)
		} else {
			visible = b.textOf(c) != "" || b.find(visuals, c) != nil
		}
		if visible && !kept[c] && !b.shown[c] && !hypertext.Hidden[at.DataAtom] {
			b.warn(codeIgnored, "left out: it is outside of article.body of the GlobalRule", at)
		}
		c = hypertext.After(c, n)
	}
}

// visuals selects the elements that show something without text.
var visuals = selector.MustParse("img, video, audio, iframe")
