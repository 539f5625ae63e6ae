package instant

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/feedwire/feedwire/publish/hypertext"
	"github.com/feedwire/feedwire/publish/instant/inline"
	"github.com/feedwire/feedwire/publish/instant/rulesfile"
)

func (b *builder) document() string {
	var sb strings.Builder
	sb.Grow(b.size + b.size/4 + 2048)
	b.writeHead(&sb)
	sb.WriteString("<body>\n<article>\n")
	b.writeHeader(&sb)
	for _, bl := range b.blocks {
		bl.write(&sb)
	}
	if tracker := ruleFrame(b.rules.Tracker); tracker != (frame{}) {
		(&figure{kind: trackerKind, markup: tracker.markup()}).write(&sb)
		sb.WriteString("\n")
	}
	if text := hypertext.Clean(b.opts.Copyright); b.footer.copyright == nil && !hypertext.Blank(text) {
		b.footer.copyright = []inline.Run{{Text: text}}
	}
	b.footer.write(&sb)
	sb.WriteString("</article>\n</body>\n</html>\n")
	return sb.String()
}

func (b *builder) writeHead(sb *strings.Builder) {
	language := hypertext.Clean(b.opts.Language)
	sb.WriteString("<!doctype html>\n<html" + attr("lang", language) + attr("dir", direction(language)) + ` prefix="op: http://media.facebook.com/op#">` +
		"\n<head>\n<meta charset=\"utf-8\">\n" + `<link rel="canonical"` + attr("href", hypertext.Clean(b.article.Canonical)) + ">\n")
	meta := func(property, content string) {
		if content != "" {
			sb.WriteString(`<meta property="` + property + `"` + attr("content", hypertext.Clean(content)) + ">\n")
		}
	}
	meta("op:markup_version", "v1.0")
	meta("fb:article_style", cmp.Or(b.rules.Style, b.header.style, "default"))
	ads := b.header.autoAds
	if ads == "" && (b.rules.Ad != (rulesfile.Frame{}) || len(b.header.ads) > 0) {
		ads = "enable=true ad_density=default"
	}
	meta("fb:use_automatic_ad_placement", ads)
	meta("fb:op-recirculation-ads", b.header.recirculation)
	if !b.opts.Development {
		meta("op:tags", strings.Join(labels(b.article.Categories), "; "))
	}
	sb.WriteString("<title>" + hypertext.Escape(b.title) + "</title>\n</head>\n")
}

// labels returns tags without blank and duplicate ones and without the separator ";".
func labels(tags []string) []string {
	var list []string
	for _, tag := range tags {
		tag = line(strings.ReplaceAll(tag, ";", ","))
		if tag != "" && !slices.Contains(list, tag) {
			list = append(list, tag)
		}
	}
	return list
}

// writeHeader writes the parts of the header in the order that the format prescribes.
func (b *builder) writeHeader(sb *strings.Builder) {
	h := &b.header
	sb.WriteString("<header>\n")
	if h.cover != nil {
		h.cover.write(sb)
		sb.WriteString("\n")
	}
	sb.WriteString("<h1>" + hypertext.Escape(b.title) + "</h1>\n")
	if h.subtitle != nil {
		writeElement(sb, "h2", "", h.subtitle)
		sb.WriteString("\n")
	}
	writeTime(sb, "op-published", b.published())
	writeTime(sb, "op-modified", cmp.Or(b.article.Modified.UTC(), h.modified, b.published()))
	for _, l := range b.bylines() {
		rel := ""
		if strings.Contains(l.href, "facebook.com/") {
			rel = "facebook"
		}
		sb.WriteString("<address><a" + attr("href", l.href) + attr("rel", rel) + attr("title", l.role) + ">" + hypertext.Escape(l.name) + "</a>")
		if l.about != "" {
			sb.WriteString(" " + hypertext.Escape(l.about))
		}
		sb.WriteString("</address>\n")
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

// published returns when the article was published; zero if neither the article nor its content says so.
func (b *builder) published() time.Time { return cmp.Or(b.article.Published.UTC(), b.header.published) }

// bylines returns the authors of the page and those of the article that the page does not name.
func (b *builder) bylines() []byline {
	list := slices.Clone(b.header.authors)
	for _, author := range b.article.Authors {
		name := line(author)
		known := slices.ContainsFunc(list, func(l byline) bool { return strings.EqualFold(l.name, name) })
		if name != "" && !known {
			list = append(list, byline{name: name})
		}
	}
	return list
}

// writeAds writes a single ad as a figure and several as a template, from which the consumer chooses.
func (b *builder) writeAds(sb *strings.Builder) {
	ads := b.header.ads
	if ad := ruleFrame(b.rules.Ad); ad != (frame{}) {
		ads = append([]figure{{kind: adKind, markup: ad.markup()}}, ads...)
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
	sb.WriteString(`<time class="` + class + `" datetime="` + t.Format(time.RFC3339) + `">` +
		t.Format("January 2, 2006") + "</time>\n")
}

func (bl *block) write(sb *strings.Builder) {
	tag := bl.tag
	switch tag {
	case figureTag:
		bl.figure.write(sb)
		sb.WriteString("\n")
		return
	case relatedTag:
		bl.links.write(sb)
		return
	case caption, captionTitle, captionSubtitle, credit, small:
		tag = paragraph // caption without a figure
	}
	sb.WriteString("<" + tag + attr("class", bl.class) + ">")
	for _, item := range bl.items {
		writeElement(sb, "li", "", item)
	}
	inline.Write(sb, bl.runs)
	writeElement(sb, "cite", "", bl.cite)
	sb.WriteString("</" + tag + ">\n")
}

// writeElement writes runs in an element, or nothing if there are none. An empty tag means no element around the runs.
func writeElement(sb *strings.Builder, tag, class string, runs []inline.Run) {
	if runs == nil || tag == "" {
		inline.Write(sb, runs)
		return
	}
	sb.WriteString("<" + tag + attr("class", class) + ">")
	inline.Write(sb, runs)
	sb.WriteString("</" + tag + ">")
}

// attr returns an attribute with a space before it, or an empty string if the value is empty.
func attr(name, value string) string {
	if value == "" {
		return ""
	}
	return " " + name + `="` + hypertext.Escape(value) + `"`
}

// image returns the markup of an image.
func image(src string) string { return "<img" + attr("src", src) + ">" }

// line returns text on one line and safe for XML, or an empty string if it is blank.
func line(s string) string {
	s = hypertext.OneLine(hypertext.Clean(s))
	if hypertext.Blank(s) {
		return ""
	}
	return s
}

// direction returns rtl for a language that is written from right to left, otherwise an empty string.
func direction(language string) string {
	primary, _, _ := strings.Cut(strings.ToLower(language), "-")
	if hypertext.HasWord("ar arc ckb dv fa he ps sd ug ur yi", primary) {
		return "rtl"
	}
	return ""
}
