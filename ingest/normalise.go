package ingest

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
)

// normalise brings a document to the form that the parsers read: UTF-8, without byte order mark, beginning with the
// root element or the brace of a JSON object, without characters that XML does not know. It fails with not_a_feed
// where there is no such beginning.
func normalise(raw Raw) ([]byte, error) {
	if len(bytes.TrimSpace(raw.Body)) == 0 {
		return nil, failf(ClassNotAFeed, "the document is empty")
	}
	text := toUTF8(raw.Body, raw.ContentType)
	if trimmed := bytes.TrimLeft(text, " \t\r\n"); len(trimmed) > 0 && trimmed[0] == '{' {
		return trimmed, nil
	}
	text, err := fromRoot(text)
	if err != nil {
		return nil, err
	}
	return legal(text), nil
}

// fromRoot cuts what stands before the root element of a feed: declaration, comments, DOCTYPE, warnings that a program
// printed. The parsers look for the root in the first few kilobytes only.
func fromRoot(text []byte) ([]byte, error) {
	other := ""
	for at := 0; ; {
		next := bytes.IndexByte(text[at:], '<')
		if next < 0 {
			break
		}
		at += next
		rest := text[at:]
		name := localName(rest)
		switch {
		case bytes.HasPrefix(rest, []byte("<!--")):
			at += skipPast(rest, "-->")
		case bytes.HasPrefix(rest, []byte("<?")):
			at += skipPast(rest, "?>")
		case name == "rss" || name == "feed" || name == "rdf":
			return rest, nil
		case name == "html" || len(rest) > 14 && bytes.EqualFold(rest[:14], []byte("<!doctype html")):
			return nil, failf(ClassNotAFeed, "the document is a web page, not a feed")
		case other == "" && name != "":
			other = name
			at++
		default:
			at++
		}
	}
	if other != "" {
		return nil, failf(ClassNotAFeed, "the document is not a feed: it begins with the element %q", other)
	}
	return nil, failf(ClassNotAFeed, "the document is neither XML nor a JSON object")
}

// localName is the lower-case name, without prefix, of the start tag that text begins with; empty: it begins with none.
func localName(text []byte) string {
	const longest = 40
	end := slices.IndexFunc(text[:min(len(text), longest)], func(c byte) bool {
		return c <= ' ' || c == '>' || c == '/'
	})
	if end < 2 {
		return ""
	}
	name := text[1:end]
	name = name[bytes.IndexByte(name, ':')+1:]
	return strings.ToLower(string(name))
}

// skipPast is where text goes on after the first end mark; after all of it where there is none.
func skipPast(text []byte, end string) int {
	if i := bytes.Index(text, []byte(end)); i >= 0 {
		return i + len(end)
	}
	return len(text)
}

// legal leaves out what XML 1.0 section 2.2 does not allow, as a character or as a numeric reference: one of them
// would make the whole document unreadable.
func legal(text []byte) []byte {
	clean := true
	for _, c := range text {
		clean = clean && (c >= ' ' || c == '\t' || c == '\n' || c == '\r')
	}
	if !clean || bytes.Contains(text, []byte("\uFFFE")) || bytes.Contains(text, []byte("\uFFFF")) {
		text = bytes.Map(func(r rune) rune {
			if isLegal(r) {
				return r
			}
			return -1
		}, text)
	}
	if !bytes.Contains(text, []byte("&#")) {
		return text
	}
	out := make([]byte, 0, len(text))
	for {
		before, after, found := bytes.Cut(text, []byte("&#"))
		out = append(out, before...)
		if !found {
			return out
		}
		end := bytes.IndexByte(after[:min(len(after), 12)], ';')
		if end >= 0 && !legalReference(string(after[:end])) {
			text = after[end+1:]
			continue
		}
		out = append(out, "&#"...)
		text = after
	}
}

// legalReference reports whether a numeric reference, without &# and ;, stands for a character of XML. What is no
// number is none of its business.
func legalReference(digits string) bool {
	base := 10
	if hex, ok := strings.CutPrefix(strings.ToLower(digits), "x"); ok {
		digits, base = hex, 16
	}
	n, err := strconv.ParseInt(digits, base, 32)
	return err != nil || isLegal(rune(n))
}

// isLegal reports whether XML 1.0 knows the character.
func isLegal(r rune) bool {
	return r == '\t' || r == '\n' || r == '\r' || r >= ' ' && r <= 0xD7FF || r >= 0xE000 && r <= 0xFFFD ||
		r >= 0x10000 && r <= 0x10FFFF
}
