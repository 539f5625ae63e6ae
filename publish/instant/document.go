package instant

import (
	"strings"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// render writes the whole document. A medium at the very beginning becomes the cover, unless nothing would remain.
func render(a feed.Article, blocks []block, o Options) string {
	var cover *block
	if blocks[0].tag == figureTag && blocks[0].figure.class == "" && len(blocks) > 1 {
		cover, blocks = &blocks[0], blocks[1:]
	}
	var sb strings.Builder
	writeHead(&sb, a, o)
	sb.WriteString("<body>\n<article>\n")
	writeHeader(&sb, a, cover)
	for i := range blocks {
		writeBlock(&sb, &blocks[i])
	}
	if text := Clean(o.Copyright); !blank(text) {
		sb.WriteString("<footer>\n<small>" + escape(text) + "</small>\n</footer>\n")
	}
	sb.WriteString("</article>\n</body>\n</html>\n")
	return sb.String()
}

func writeHead(sb *strings.Builder, a feed.Article, o Options) {
	sb.WriteString("<!doctype html>\n<html")
	if language := Clean(o.Language); language != "" {
		sb.WriteString(` lang="` + escape(language) + `"`)
		if rightToLeft(language) {
			sb.WriteString(` dir="rtl"`)
		}
	}
	articleStyle := Clean(o.Style)
	if articleStyle == "" {
		articleStyle = "default"
	}
	sb.WriteString(` prefix="op: http://media.facebook.com/op#">` + "\n<head>\n<meta charset=\"utf-8\">\n" +
		`<link rel="canonical" href="` + escape(Clean(a.Canonical)) + "\">\n" +
		`<meta property="op:markup_version" content="v1.0">` + "\n" +
		`<meta property="fb:article_style" content="` + escape(articleStyle) + "\">\n" +
		"<title>" + escape(title(a)) + "</title>\n</head>\n")
}

// writeHeader writes the header in the order that the format wants: cover, title, dates, authors.
func writeHeader(sb *strings.Builder, a feed.Article, cover *block) {
	sb.WriteString("<header>\n")
	if cover != nil {
		writeBlock(sb, cover)
	}
	sb.WriteString("<h1>" + escape(title(a)) + "</h1>\n")
	modified := a.Modified
	if modified.IsZero() {
		modified = a.Published
	}
	writeTime(sb, "op-published", a.Published)
	writeTime(sb, "op-modified", modified)
	for _, author := range a.Authors {
		if name := strings.TrimSpace(Clean(author)); name != "" {
			sb.WriteString("<address><a>" + escape(name) + "</a></address>\n")
		}
	}
	sb.WriteString("</header>\n")
}

func writeTime(sb *strings.Builder, class string, t time.Time) {
	t = t.UTC()
	sb.WriteString(`<time class="` + class + `" datetime="` + t.Format(time.RFC3339) + `">` +
		t.Format("January 2, 2006") + "</time>\n")
}

func writeBlock(sb *strings.Builder, bl *block) {
	sb.WriteString("<" + bl.tag)
	switch {
	case bl.tag == figureTag:
		if bl.figure.class != "" {
			sb.WriteString(` class="` + bl.figure.class + `"`)
		}
		sb.WriteString(">" + bl.figure.markup)
		if bl.figure.caption != nil {
			sb.WriteString("<figcaption>")
			writeRuns(sb, bl.figure.caption)
			sb.WriteString("</figcaption>")
		}
	case bl.items != nil:
		sb.WriteString(">")
		for _, item := range bl.items {
			sb.WriteString("<li>")
			writeRuns(sb, item)
			sb.WriteString("</li>")
		}
	default:
		sb.WriteString(">")
		writeRuns(sb, bl.runs)
	}
	sb.WriteString("</" + bl.tag + ">\n")
}

// title is the headline on one line.
func title(a feed.Article) string { return strings.Join(strings.Fields(Clean(a.Title)), " ") }

// rightToLeft reports the languages that are written from right to left.
func rightToLeft(language string) bool {
	primary, _, _ := strings.Cut(strings.ToLower(language), "-")
	switch primary {
	case "ar", "arc", "ckb", "dv", "fa", "he", "ps", "sd", "ug", "ur", "yi":
		return true
	}
	return false
}
