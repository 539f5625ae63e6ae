package instant

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/feedwire/feedwire/publish/hypertext"
	"github.com/feedwire/feedwire/publish/instant/rules"
	"github.com/feedwire/feedwire/store/feed"
)

// document returns the complete document.
func (b *builder) document(a feed.Article, o Options) string {
	var sb strings.Builder
	sb.Grow(b.size + b.size/4 + 2048)
	b.writeHead(&sb, a, o)
	sb.WriteString("<body>\n<article>\n")
	b.writeHeader(&sb, a)
	for i := range b.blocks {
		writeBlock(&sb, b.blocks[i])
	}
	if e := b.rules.Tracker; e != (rules.Embed{}) {
		writeBlock(&sb, &block{tag: figureTag, figure: &figure{kind: trackerKind, markup: frame{src: e.URL, inner: e.Markup}.markup()}})
	}
	if text := hypertext.Clean(o.Copyright); b.footer.copyright == nil && !hypertext.Blank(text) {
		b.footer.copyright = []run{{text: text}}
	}
	b.footer.write(&sb)
	sb.WriteString("</article>\n</body>\n</html>\n")
	return sb.String()
}

func (b *builder) writeHead(sb *strings.Builder, a feed.Article, o Options) {
	sb.WriteString("<!doctype html>\n<html")
	if language := hypertext.Clean(o.Language); language != "" {
		sb.WriteString(` lang="` + hypertext.Escape(language) + `"`)
		if rightToLeft(language) {
			sb.WriteString(` dir="rtl"`)
		}
	}
	sb.WriteString(` prefix="op: http://media.facebook.com/op#">` + "\n<head>\n<meta charset=\"utf-8\">\n" +
		`<link rel="canonical" href="` + hypertext.Escape(hypertext.Clean(a.Canonical)) + "\">\n")
	meta := func(property, content string) {
		if content != "" {
			sb.WriteString(`<meta property="` + property + `" content="` + hypertext.Escape(hypertext.Clean(content)) + "\">\n")
		}
	}
	meta("op:markup_version", "v1.0")
	meta("fb:article_style", cmp.Or(cmp.Or(o.Style, b.rules.Style), cmp.Or(b.header.style, "default")))
	ads := b.header.autoAds
	if ads == "" && (b.rules.Ad != (rules.Embed{}) || len(b.header.ads) > 0) {
		ads = "enable=true ad_density=default"
	}
	meta("fb:use_automatic_ad_placement", ads)
	meta("fb:op-recirculation-ads", b.header.recirculation)
	if !o.Development {
		meta("op:tags", strings.Join(labels(o.Tags), "; "))
	}
	sb.WriteString("<title>" + hypertext.Escape(b.title) + "</title>\n</head>\n")
}

// labels returns tags without blank and duplicate ones and without the separator ";".
func labels(tags []string) []string {
	var list []string
	for _, tag := range tags {
		tag = hypertext.OneLine(strings.ReplaceAll(hypertext.Clean(tag), ";", ","))
		if !hypertext.Blank(tag) && !slices.Contains(list, tag) {
			list = append(list, tag)
		}
	}
	return list
}

// writeHeader writes the parts of the header in the order that the format prescribes.
func (b *builder) writeHeader(sb *strings.Builder, a feed.Article) {
	h := &b.header
	sb.WriteString("<header>\n")
	if h.cover != nil {
		h.cover.write(sb)
		sb.WriteString("\n")
	}
	sb.WriteString("<h1>" + hypertext.Escape(b.title) + "</h1>\n")
	if h.subtitle != nil {
		writeElement(sb, "h2", h.subtitle)
		sb.WriteString("\n")
	}
	published := dateOr(a.Published, h.published)
	modified := dateOr(a.Modified, h.modified)
	if modified.IsZero() {
		modified = published
	}
	writeTime(sb, "op-published", published)
	writeTime(sb, "op-modified", modified)
	for _, author := range h.bylines(a) {
		author.write(sb)
	}
	if h.kicker != "" {
		sb.WriteString(`<h3 class="op-kicker">` + hypertext.Escape(h.kicker) + "</h3>\n")
	}
	b.writeAds(sb)
	if h.sponsors != nil {
		sb.WriteString(`<ul class="op-sponsors">` + strings.Join(h.sponsors, "") + "</ul>\n")
	}
	sb.WriteString("</header>\n")
}

// dateOr returns t, or the date of the page if t is zero.
func dateOr(t time.Time, page string) time.Time {
	if t.IsZero() {
		t, _ = time.Parse(time.RFC3339, page) // always valid or empty
	}
	return t
}

// bylines returns the authors of the page and those of the article that the page does not name.
func (h *header) bylines(a feed.Article) []byline {
	list := slices.Clone(h.authors)
	for _, author := range a.Authors {
		name := hypertext.OneLine(hypertext.Clean(author))
		known := slices.ContainsFunc(list, func(l byline) bool { return strings.EqualFold(l.name, name) })
		if !hypertext.Blank(name) && !known {
			list = append(list, byline{name: name})
		}
	}
	return list
}

func (l byline) write(sb *strings.Builder) {
	sb.WriteString("<address><a")
	if l.href != "" {
		sb.WriteString(` href="` + hypertext.Escape(l.href) + `"`)
		if strings.Contains(l.href, "facebook.com/") {
			sb.WriteString(` rel="facebook"`)
		}
	}
	if l.role != "" {
		sb.WriteString(` title="` + hypertext.Escape(l.role) + `"`)
	}
	sb.WriteString(">" + hypertext.Escape(l.name) + "</a>")
	if l.about != "" {
		sb.WriteString(" " + hypertext.Escape(l.about))
	}
	sb.WriteString("</address>\n")
}

// writeAds writes a single ad as a figure and several as a template, from which the consumer chooses.
func (b *builder) writeAds(sb *strings.Builder) {
	ads := b.header.ads
	if e := b.rules.Ad; e != (rules.Embed{}) {
		own := frame{src: e.URL, inner: e.Markup}
		if own.src != "" {
			own.width, own.height = 300, 250
		}
		ads = append([]figure{{kind: adKind, markup: own.markup()}}, ads...)
	}
	if len(ads) > 1 {
		sb.WriteString("<section class=\"op-ad-template\">\n")
	}
	chosen := false
	for i := range ads {
		if chosen {
			ads[i].extra = ""
		}
		chosen = chosen || ads[i].extra != ""
		ads[i].write(sb)
		sb.WriteString("\n")
	}
	if len(ads) > 1 {
		sb.WriteString("</section>\n")
	}
}

func writeTime(sb *strings.Builder, class string, t time.Time) {
	t = t.UTC()
	sb.WriteString(`<time class="` + class + `" datetime="` + t.Format(time.RFC3339) + `">` +
		t.Format("January 2, 2006") + "</time>\n")
}

func writeBlock(sb *strings.Builder, bl *block) {
	switch bl.tag {
	case figureTag:
		bl.figure.write(sb)
		sb.WriteString("\n")
		return
	case relatedTag:
		bl.links.write(sb)
		return
	}
	tag := bl.tag
	switch tag {
	case caption, captionTitle, captionSubtitle, credit, small:
		tag = paragraph // caption without a figure
	}
	sb.WriteString("<" + tag)
	writeClass(sb, bl.class)
	sb.WriteString(">")
	for _, item := range bl.items {
		writeElement(sb, "li", item)
	}
	writeRuns(sb, bl.runs)
	writeElement(sb, "cite", bl.cite)
	sb.WriteString("</" + tag + ">\n")
}

// writeElement writes runs in an element, or nothing if there are none.
func writeElement(sb *strings.Builder, tag string, runs []run) { writePlaced(sb, tag, "", runs) }

func writePlaced(sb *strings.Builder, tag, class string, runs []run) {
	if runs == nil {
		return
	}
	sb.WriteString("<" + tag)
	writeClass(sb, class)
	sb.WriteString(">")
	writeRuns(sb, runs)
	sb.WriteString("</" + tag + ">")
}

func writeClass(sb *strings.Builder, class string) {
	if class != "" {
		sb.WriteString(` class="` + class + `"`)
	}
}

// title returns the headline on one line, or an empty string if it is blank.
func title(a feed.Article) string {
	s := hypertext.OneLine(hypertext.Clean(a.Title))
	if hypertext.Blank(s) {
		return ""
	}
	return s
}

// rightToLeft reports whether a language is written from right to left.
func rightToLeft(language string) bool {
	primary, _, _ := strings.Cut(strings.ToLower(language), "-")
	switch primary {
	case "ar", "arc", "ckb", "dv", "fa", "he", "ps", "sd", "ug", "ur", "yi":
		return true
	}
	return false
}
