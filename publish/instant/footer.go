package instant

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// footer is what stands below an article.
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
	words     string     // of the source
	at        *html.Node // that they stand in
}

// maxRelated is how many related articles a list within an article may have.
const maxRelated = 3

// footerBox lays out the footer of an article: credits, copyright and related articles. What else it holds stays in the
// body, as its end.
func (b *builder) footerBox(_ *rule, n *html.Node, _ style) bool {
	found := b.gather(func() { b.flow(n, style{tag: paragraph, in: inBody | inFooter}) })
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
	return true
}

func joinLines(before, runs []run) []run {
	if before != nil {
		before = append(before, run{breaks: 2})
	}
	return append(before, runs...)
}

func (b *builder) footerSmall(_ *rule, n *html.Node, st style) bool {
	b.container(n, small, st)
	return true
}

func (b *builder) footerCredit(_ *rule, n *html.Node, st style) bool {
	b.container(n, "aside", st)
	return true
}

// related lists other articles. A list takes three; the links of further ones become a paragraph.
func (b *builder) related(r *rule, n *html.Node, st style) bool {
	title, _ := b.value(r, "related.title", n)
	list := related{title: or(oneLine(title), oneLine(attr(n, "title")))}
	b.flush()
	start := len(b.blocks)
	b.flow(n, style{tag: paragraph, in: inRelated})
	b.flush()
	rest := slices.Clone(b.blocks[start:])
	b.blocks = b.blocks[:start]
	kept := rest[:0]
	for _, bl := range rest {
		if bl.tag == relatedTag && bl.links.title == "" && len(bl.links.items) == 1 && len(list.items) < maxRelated {
			item := bl.links.items[0]
			if item.words != "" {
				b.warn(codeLeftOut, "left out: the words of a related article, the consumer shows its title", item.at)
			}
			list.items = append(list.items, item)
			continue
		}
		if bl.tag == relatedTag {
			b.warn(codeFlattened, "moved: a list of related articles takes three, this link stands after it", n)
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

// paragraph is a list as plain links.
func (l related) paragraph() *block {
	bl := &block{tag: paragraph}
	for i, item := range l.items {
		if i > 0 {
			bl.runs = append(bl.runs, run{breaks: 1})
		}
		bl.runs = append(bl.runs, run{text: or(item.words, item.href), format: format{link: link{href: item.href}}})
	}
	return bl
}

// relatedItem is one article of a list of related ones. The format shows the article's own title, so its words go
// where it stands in a list.
func (b *builder) relatedItem(r *rule, n *html.Node, _ style) bool {
	href := ""
	if r.props["related.url"] != nil {
		href, _ = b.value(r, "related.url", n)
	} else if at := b.find(anchors, n); at != nil {
		href = attr(at, "href")
	}
	href = b.resolve(href, "http", "https")
	if words := b.textOf(n); href == "" && blank(words) && b.find(anchors, n) == nil {
		return true // an empty item
	}
	if href == "" {
		b.warn(codeLeftOut, "left out: a related article without a usable address", n)
		return true
	}
	item := relatedItem{href: href, at: n}
	if words := b.textOf(n); !blank(words) {
		item.words = oneLine(words)
	}
	item.sponsored = attr(n, "data-sponsored") == "true" || b.exists(r, "related.sponsored", n)
	b.flush()
	b.size += len(href) + len(item.words)
	b.blocks = append(b.blocks, &block{tag: relatedTag, links: related{items: []relatedItem{item}}})
	return true
}

func (l related) write(sb *strings.Builder) {
	sb.WriteString(`<ul class="op-related-articles"`)
	if l.title != "" {
		sb.WriteString(` title="` + escape(l.title) + `"`)
	}
	sb.WriteString(">")
	for _, item := range l.items {
		sb.WriteString("<li")
		if item.sponsored {
			sb.WriteString(` data-sponsored="true"`)
		}
		sb.WriteString(`><a href="` + escape(item.href) + `"></a></li>`)
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
