package instant

import (
	"cmp"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"github.com/feedwire/feedwire/publish/hypertext"
	"github.com/feedwire/feedwire/publish/instant/rules"
	"github.com/feedwire/feedwire/publish/instant/validate"
)

// footer is the footer of an article.
type footer struct {
	credits   []run
	copyright []run
	related   related
}

// related is a list of other articles.
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
func (b *builder) footerElement(n *html.Node) {
	found := b.collect(func() { b.flow(n, style{tag: paragraph, in: rules.InBody | rules.InFooter}) })
	for _, bl := range found {
		switch {
		case bl.tag == relatedTag && b.footer.related.items == nil:
			b.footer.related = bl.links
		case bl.tag == small:
			b.footer.copyright = joinLines(b.footer.copyright, bl.runs)
		case bl.tag == "aside" || bl.tag == paragraph:
			b.footer.credits = joinLines(b.footer.credits, bl.runs)
			if bl.cite != nil {
				b.footer.credits = joinLines(b.footer.credits, bl.cite)
			}
		default:
			b.blocks = append(b.blocks, bl)
		}
	}
}

func joinLines(before, runs []run) []run {
	if before != nil {
		before = append(before, run{breaks: 2})
	}
	return append(before, runs...)
}

// related lays out a list of other articles. Links beyond the maximum become paragraphs after it.
func (b *builder) related(r *rules.Rule, n *html.Node, st style) bool {
	title, _ := b.property(r, "related.title", n)
	list := related{title: cmp.Or(hypertext.OneLine(title), hypertext.OneLine(hypertext.Attr(n, "title")))}
	b.flush()
	start := len(b.blocks)
	b.flow(n, style{tag: paragraph, in: rules.InRelated})
	b.flush()
	rest := slices.Clone(b.blocks[start:])
	b.blocks = b.blocks[:start]
	kept := rest[:0]
	for _, bl := range rest {
		if bl.tag == relatedTag && bl.links.title == "" && len(bl.links.items) == 1 && len(list.items) < validate.MaxRelated {
			item := bl.links.items[0]
			if item.words != "" {
				b.warn(codeLeftOut, "left out: the text of a link to a related article; the consumer shows the title of that article", item.at)
			}
			list.items = append(list.items, item)
			continue
		}
		if bl.tag == relatedTag {
			b.warn(codeFlattened, "moved: a list of related articles has at most three items; the other links follow it", n)
			bl = bl.links.paragraph()
		}
		kept = append(kept, bl)
	}
	if list.items != nil {
		b.blocks = append(b.blocks, &block{tag: relatedTag, links: list})
	}
	b.blocks = append(b.blocks, kept...)
	return list.items != nil || len(kept) > 0
}

// paragraph returns the list as a paragraph of links.
func (l related) paragraph() *block {
	bl := &block{tag: paragraph}
	for i, item := range l.items {
		if i > 0 {
			bl.runs = append(bl.runs, run{breaks: 1})
		}
		bl.runs = append(bl.runs, run{text: cmp.Or(item.words, item.href), format: format{link: link{href: item.href}}})
	}
	return bl
}

// relatedItem lays out one item of a list of related articles.
func (b *builder) relatedItem(r *rules.Rule, n *html.Node) {
	href := ""
	if r.Properties["related.url"] != nil {
		href, _ = b.property(r, "related.url", n)
	} else if at := b.find(anchors, n); at != nil {
		href = hypertext.Attr(at, "href")
	}
	href = b.resolve(href, "http", "https")
	if words := b.textOf(n); href == "" && hypertext.Blank(words) && b.find(anchors, n) == nil {
		return
	}
	if href == "" {
		b.warn(codeLeftOut, "left out: the related article has no http or https address", n)
		return
	}
	item := relatedItem{href: href, at: n}
	if words := b.textOf(n); !hypertext.Blank(words) {
		item.words = hypertext.OneLine(words)
	}
	item.sponsored = hypertext.Attr(n, "data-sponsored") == "true" || b.hasProperty(r, "related.sponsored", n)
	b.flush()
	b.size += len(href) + len(item.words)
	b.blocks = append(b.blocks, &block{tag: relatedTag, links: related{items: []relatedItem{item}}})
}

func (l related) write(sb *strings.Builder) {
	sb.WriteString(`<ul class="op-related-articles"`)
	if l.title != "" {
		sb.WriteString(` title="` + hypertext.Escape(l.title) + `"`)
	}
	sb.WriteString(">")
	for _, item := range l.items {
		sb.WriteString("<li")
		if item.sponsored {
			sb.WriteString(` data-sponsored="true"`)
		}
		sb.WriteString(`><a href="` + hypertext.Escape(item.href) + `"></a></li>`)
	}
	sb.WriteString("</ul>\n")
}

func (f *footer) write(sb *strings.Builder) {
	if f.credits == nil && f.copyright == nil && f.related.items == nil {
		return
	}
	sb.WriteString("<footer>\n")
	writeElement(sb, "aside", f.credits)
	writeElement(sb, small, f.copyright)
	if f.related.items != nil {
		f.related.write(sb)
	}
	sb.WriteString("</footer>\n")
}
