package community

import (
	"html/template"
	"regexp"
	"strings"

	"github.com/feedwire/feedwire/publish/hypertext"
)

// shownAddress is how much of a URL in a text is shown, in bytes.
const shownAddress = 70

// address matches what may be a URL in a text.
var address = regexp.MustCompile(`https?://[^\s<>"` + "`" + `\x00-\x1f\x7f]+`)

// anyAddress is address with a scheme in any case. Pages do not link it, but readers can copy it.
var anyAddress = regexp.MustCompile(`(?i)` + address.String())

// markup returns what a member wrote as HTML. A blank line ends a paragraph. A line that begins with > is a quote, lines that begin with four
// spaces or a tab are code, as is text between two backquotes in a line, and URLs are links. Everything else is text.
func markup(text string) template.HTML {
	var b strings.Builder
	lines := strings.Split(strings.ReplaceAll(hypertext.Clean(text), "\r\n", "\n"), "\n")
	for len(lines) > 0 {
		kind := kindOf(lines[0])
		n := 1
		for n < len(lines) && kindOf(lines[n]) == kind {
			n++
		}
		writeBlock(&b, kind, lines[:n])
		lines = lines[n:]
	}
	return template.HTML(b.String()) //nolint:gosec // the writers of blocks escape all text
}

// block is a kind of lines.
type block int

const (
	blank block = iota
	paragraph
	quote
	code
)

func kindOf(line string) block {
	switch {
	case strings.TrimSpace(line) == "":
		return blank
	case strings.HasPrefix(line, ">"):
		return quote
	case strings.HasPrefix(line, "    "), strings.HasPrefix(line, "\t"):
		return code
	}
	return paragraph
}

// writeBlock writes lines of one kind.
func writeBlock(b *strings.Builder, kind block, lines []string) {
	switch kind {
	case blank:
	case code:
		b.WriteString("<pre><code>")
		for i, line := range lines {
			if i > 0 {
				b.WriteByte('\n')
			}
			inner, indented := strings.CutPrefix(line, "    ")
			if !indented {
				inner = strings.TrimPrefix(line, "\t")
			}
			b.WriteString(hypertext.Escape(inner))
		}
		b.WriteString("</code></pre>")
	case quote:
		b.WriteString("<blockquote><p>")
		writeLines(b, lines, func(line string) string { return strings.TrimPrefix(strings.TrimPrefix(line, ">"), " ") })
		b.WriteString("</p></blockquote>")
	case paragraph:
		b.WriteString("<p>")
		writeLines(b, lines, func(line string) string { return line })
		b.WriteString("</p>")
	}
}

func writeLines(b *strings.Builder, lines []string, of func(string) string) {
	for i, line := range lines {
		if i > 0 {
			b.WriteString("<br>")
		}
		writeLine(b, of(line))
	}
}

// writeLine writes a line whose parts between backquotes are code.
func writeLine(b *strings.Builder, line string) {
	for {
		before, rest, found := strings.Cut(line, "`")
		inside, after, closed := strings.Cut(rest, "`")
		if !found || !closed || inside == "" {
			writeText(b, line)
			return
		}
		writeText(b, before)
		b.WriteString("<code>" + hypertext.Escape(inside) + "</code>")
		line = after
	}
}

// writeText writes text with links.
func writeText(b *strings.Builder, text string) {
	end := 0
	for _, at := range address.FindAllStringIndex(text, -1) {
		written := trimAddress(text[at[0]:at[1]])
		target := hypertext.Resolve(nil, written, "http", "https")
		if target == "" {
			continue
		}
		b.WriteString(hypertext.Escape(text[end:at[0]]))
		b.WriteString(`<a href="` + hypertext.Escape(target) + `" rel="nofollow ugc noopener">` + hypertext.Escape(hypertext.Cut(written, shownAddress)) + `</a>`)
		end = at[0] + len(written)
	}
	b.WriteString(hypertext.Escape(text[end:]))
}

// trimAddress removes what ends a sentence, and a closing bracket that was opened before the URL.
func trimAddress(s string) string {
	for {
		trimmed := strings.TrimRight(s, `.,;:!?'*_`)
		if strings.HasSuffix(trimmed, ")") && strings.Count(trimmed, ")") > strings.Count(trimmed, "(") {
			trimmed = strings.TrimSuffix(trimmed, ")")
		}
		if strings.HasSuffix(trimmed, "]") && !strings.Contains(trimmed, "[") {
			trimmed = strings.TrimSuffix(trimmed, "]")
		}
		if trimmed == s {
			return s
		}
		s = trimmed
	}
}
