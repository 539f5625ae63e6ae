package ingest

import (
	"bytes"
	"net/url"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// normalised is a document in the form that the parsers read: UTF-8, without byte order mark, beginning with the root
// element or the brace of a JSON object; XML is well-formed, and within all bounds.
type normalised struct {
	text     []byte
	encoding string  // what the bytes were in, by the name of the WHATWG encoding standard
	shape    outline // of XML
	mended   repairs
}

// isJSON reports whether the document is a JSON object; else it is XML.
func (n *normalised) isJSON() bool { return n.text[0] == '{' }

// normalise mends a document. It fails with not_a_feed where there is no beginning of a feed, with parse where nothing
// of it is whole, and with limits where it passes a bound.
func normalise(raw Raw, base *url.URL, limits Limits) (normalised, error) {
	var n normalised
	if len(bytes.TrimSpace(raw.Body)) == 0 {
		return n, failf(ClassNotAFeed, "the document is empty")
	}
	text, encoding, whole := toUTF8(raw.Body, raw.ContentType)
	n.encoding = encoding
	if !whole {
		n.mended |= mendedCharset
	}
	if trimmed := bytes.TrimLeft(text, " \t\r\n\uFEFF"); len(trimmed) > 0 && trimmed[0] == '{' {
		n.text = trimmed
		return n, checkJSON(trimmed)
	}
	if clean := legal(text); !bytes.Equal(clean, text) { // first, because the name of the root may hold some, too
		n.mended |= mendedCharacters
		text = clean
	}
	head, text, err := fromRoot(text)
	if err != nil {
		return n, err
	}
	if !isProlog(head) {
		n.mended |= mendedHead
	}
	m := newMender(text, base, limits)
	m.defined = definitions(head)
	if n.text, err = m.run(); err != nil {
		return n, err
	}
	n.shape = m.shape
	n.mended |= m.mended
	return n, nil
}

// fromRoot cuts what stands before the root element of a feed: declaration, comments, DOCTYPE, warnings that a program
// printed.
func fromRoot(text []byte) (head, root []byte, err error) {
	other := ""
	for at := 0; at < len(text); {
		next := bytes.IndexByte(text[at:], '<')
		if next < 0 {
			break
		}
		at += next
		rest := text[at:]
		name := rootName(rest)
		switch {
		case bytes.HasPrefix(rest, []byte("<!--")):
			at += skipPast(rest, "-->")
		case bytes.HasPrefix(rest, []byte("<?")):
			at += skipPast(rest, "?>")
		case name == "rss" || name == "feed" || name == "rdf" || name == "channel" && other == "" && !isCDF(rest):
			return text[:at], rest, nil
		case name == "html" || len(rest) > 14 && bytes.EqualFold(rest[:14], []byte("<!doctype html")):
			return nil, nil, failf(ClassNotAFeed, "the document is a web page, not a feed")
		case bytes.HasPrefix(rest, []byte("<!")):
			at += len(directive(rest))
		case other == "" && name != "":
			other = name
			at++
		default:
			at++
		}
	}
	if other != "" {
		return nil, nil, failf(ClassNotAFeed, "the document is not a feed: it begins with the element %q", other)
	}
	return nil, nil, failf(ClassNotAFeed, "the document is neither XML nor a JSON object")
}

// rootName is the lower-case name, without prefix, of the start tag that text begins with; empty: it begins with none. A
// name that cannot stand as it is keeps its prefix, and so is none of a feed.
func rootName(text []byte) string {
	const longest = 40
	end := 1
	for end < min(len(text), longest) && nameByte[text[end]] {
		end++
	}
	name := text[1:end]
	if isName(name) && nameStart[name[0]] {
		_, name = splitName(name)
	}
	return strings.ToLower(string(name))
}

// isCDF tells the channel of the Channel Definition Format, which looks alike but is no feed, from that of RSS without
// its root: its elements carry what they say in attributes.
func isCDF(text []byte) bool {
	tag := text[:min(len(text), 1024)]
	if end := bytes.IndexByte(tag, '>'); end >= 0 {
		tag = tag[:end]
	}
	return bytes.HasPrefix(tag, []byte("<CHANNEL")) || bytes.Contains(bytes.ToLower(tag), []byte("href"))
}

// directive is the <!…> that text begins with, with the definitions in a DOCTYPE's brackets; all of text where it does
// not end.
func directive(text []byte) []byte {
	end := bytes.IndexByte(text, '>')
	if open := bytes.IndexByte(text[:max(end, 0)], '['); open >= 0 {
		if end = bytes.Index(text[open:], []byte("]>")); end >= 0 {
			return text[:open+end+2]
		}
		if end = bytes.IndexByte(text[open:], ']'); end < 0 {
			return text
		}
		end += open
		return text[:end+skipPast(text[end:], ">")]
	}
	if end < 0 {
		return text
	}
	return text[:end+1]
}

// isProlog reports whether what stands before the root may stand there in XML, as far as it matters.
func isProlog(head []byte) bool {
	if bytes.Contains(head, []byte("<?xml")) && !bytes.HasPrefix(head, []byte("<?xml")) && len(bytes.TrimSpace(head)) > 0 &&
		!bytes.HasPrefix(head, []byte("<!--")) {
		return false
	}
	for len(head) > 0 {
		switch head = bytes.TrimLeft(head, " \t\r\n"); {
		case len(head) == 0:
			return true
		case bytes.HasPrefix(head, []byte("<!--")):
			head = head[skipPast(head, "-->"):]
		case bytes.HasPrefix(head, []byte("<?")):
			head = head[skipPast(head, "?>"):]
		case bytes.HasPrefix(head, []byte("<!")):
			head = head[len(directive(head)):]
		default:
			return false
		}
	}
	return true
}

// skipPast is where text goes on after the first end mark; after all of it where there is none.
func skipPast(text []byte, end string) int {
	if i := bytes.Index(text, []byte(end)); i >= 0 {
		return i + len(end)
	}
	return len(text)
}

// suspect marks the bytes of characters that XML does not know, and the byte that control characters above 127 begin
// with.
var suspect = func() (table [256]bool) {
	for c := range ' ' {
		table[c] = c != '\t' && c != '\n' && c != '\r'
	}
	table[0xC2] = true
	return table
}()

// legal leaves out the characters that XML 1.0 section 2.2 does not allow: one of them would make the whole document
// unreadable. The control characters above 127 are legal, and always windows-1252 that somebody took for Latin-1.
func legal(text []byte) []byte {
	clean := true
	for i, c := range text {
		if suspect[c] && (c < ' ' || i+1 < len(text) && text[i+1] < 0xA0) {
			clean = false
			break
		}
	}
	if clean && !bytes.Contains(text, []byte("\uFFFE")) && !bytes.Contains(text, []byte("\uFFFF")) {
		return text
	}
	return bytes.Map(func(r rune) rune {
		switch {
		case r >= 0x80 && r < 0xA0:
			return charmap.Windows1252.DecodeByte(byte(r))
		case isLegal(r):
			return r
		}
		return -1
	}, text)
}

// isLegal reports whether XML 1.0 knows the character.
func isLegal(r rune) bool {
	return r == '\t' || r == '\n' || r == '\r' || r >= ' ' && r <= 0xD7FF || r >= 0xE000 && r <= 0xFFFD ||
		r >= 0x10000 && r <= utf8.MaxRune
}
