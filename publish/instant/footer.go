package instant

import (
	"cmp"
	"strings"

	"golang.org/x/net/html"

	"github.com/feedwire/feedwire/publish/hypertext"
	"github.com/feedwire/feedwire/publish/instant/inline"
	"github.com/feedwire/feedwire/publish/instant/validate"
)

type footer struct {
	credits   []inline.Run
	copyright []inline.Run
	related   related
}

type related struct {
	title string
	items []relatedItem
}

type relatedItem struct {
	href      string
	sponsored bool
	words     string     // link text in the source
	at        *html.Node // source element
}

// footerElement lays out the footer: credits, copyright and related articles. Anything else is added to the end of the
// body.
func (b *builder) footerElement(_ *rule, n *html.Node, _ style) {
	f := &b.footer
	for _, bl := range b.collect(func() { b.flow(n, style{tag: paragraph, in: inBody | inFooter}) }) {
		switch {
		case bl.tag == relatedTag && f.related.items == nil:
			f.related = bl.links
		case bl.tag == small:
			f.copyright = inline.Join(f.copyright, bl.runs, 2)
		case bl.tag == "aside" || bl.tag == paragraph:
			f.credits = inline.Join(f.credits, bl.runs, 2)
			if bl.cite != nil {
				f.credits = inline.Join(f.credits, bl.cite, 2)
			}
		default:
			b.blocks = append(b.blocks, bl)
		}
	}
}

// related lays out a list of other articles. Links beyond the maximum become paragraphs after it.
func (b *builder) related(r *rule, n *html.Node, st style) bool {
	list := related{title: cmp.Or(hypertext.OneLine(b.value(r, "related.title", n)), hypertext.OneLine(hypertext.Attr(n, "title")))}
	var rest []*block
	before := b.warnings
	for _, bl := range b.collect(func() { b.flow(n, style{tag: paragraph, in: inRelated}) }) {
		switch {
		case bl.tag != relatedTag:
			rest = append(rest, bl)
		case bl.links.title == "" && len(bl.links.items) == 1 && len(list.items) < validate.MaxRelated:
			item := bl.links.items[0]
			if item.words != "" {
				b.warn(codeLeftOut, "left out: the text of a link to a related article; the consumer shows the title of that article", item.at)
			}
			list.items = append(list.items, item)
		default:
			b.warn(codeFlattened, "moved: a list of related articles has at most three items; the other links follow it", n)
			rest = append(rest, bl.links.paragraph())
		}
	}
	if list.items != nil {
		b.blocks = append(b.blocks, &block{tag: relatedTag, links: list})
	}
	b.blocks = append(b.blocks, rest...)
	if list.items == nil && rest == nil {
		b.warnings = before // another rule shows what they say is left out
		return false
	}
	return true
}

// paragraph returns the list as a paragraph of links.
func (l related) paragraph() *block {
	bl := &block{tag: paragraph}
	for _, item := range l.items {
		bl.runs = inline.Join(bl.runs, []inline.Run{{Text: cmp.Or(item.words, item.href), Format: inline.Format{Link: inline.Link{Href: item.href}}}}, 1)
	}
	return bl
}

func (b *builder) relatedItem(r *rule, n *html.Node, _ style) {
	at := b.find(anchors, n)
	item := relatedItem{at: n, sponsored: hypertext.Attr(n, "data-sponsored") == "true" || b.value(r, "related.sponsored", n) != ""}
	if at != nil {
		item.href = hypertext.Attr(at, "href")
	}
	b.replace(&item.href, r, "related.url", n)
	item.href = b.resolve(item.href, "http", "https")
	item.words = line(b.textOf(n))
	switch {
	case item.href != "":
		b.flush()
		b.size += len(item.href) + len(item.words)
		b.blocks = append(b.blocks, &block{tag: relatedTag, links: related{items: []relatedItem{item}}})
	case item.words != "" || at != nil:
		b.warn(codeLeftOut, "left out: the related article has no http or https address", n)
	}
}

func (l related) write(sb *strings.Builder) {
	sb.WriteString(`<ul class="op-related-articles"` + attr("title", l.title) + ">")
	for _, item := range l.items {
		sponsored := ""
		if item.sponsored {
			sponsored = "true"
		}
		sb.WriteString("<li" + attr("data-sponsored", sponsored) + "><a" + attr("href", item.href) + "></a></li>")
	}
	sb.WriteString("</ul>\n")
}

func (f *footer) write(sb *strings.Builder) {
	if f.credits == nil && f.copyright == nil && f.related.items == nil {
		return
	}
	sb.WriteString("<footer>\n")
	writeElement(sb, "aside", "", f.credits)
	writeElement(sb, small, "", f.copyright)
	if f.related.items != nil {
		f.related.write(sb)
	}
	sb.WriteString("</footer>\n")
}
