package ingest

import (
	"bytes"
	"encoding/base64"
	"html"
	"net/url"
	"slices"
	"strings"
)

// outline holds what the parser does not tell of a document, or tells wrongly.
type outline struct {
	root  string     // rss, rdf or feed
	head  outlined   // of the feed itself; its texts only of Atom
	items []outlined // in the parser's order: those in the channel
	loose []outlined // and behind them those beside it
}

// outlined is what is kept of an item, or of the feed.
type outlined struct {
	about     string     // rdf:about
	language  string     // xml:lang in scope
	base      *url.URL   // for the item's links
	linkBases []*url.URL // of its link elements, in order

	id, title, summary, description, content construct
}

// construct is an element of text (RFC 4287 section 3.1): where its content stands in the document, and what the
// document says about that. The zero construct: there is none.
type construct struct {
	from, to   int // in the normalised document
	kind, mode string
	markup     bool // has child elements
	base       *url.URL
}

// at is the outline of item i; of items it does not know only the base is known.
func (o *outline) at(i int, base *url.URL) outlined {
	switch {
	case i < len(o.items):
		return o.items[i]
	case i < len(o.items)+len(o.loose):
		return o.loose[i-len(o.items)]
	}
	return outlined{base: base}
}

// without is the document without the texts that are read from the outline: the parser, which would read them, too,
// takes most of its time for them.
func (o *outline) without(document []byte) []byte {
	var long []construct
	for _, list := range [][]outlined{o.items, o.loose} {
		for _, item := range list {
			for _, c := range []construct{item.content, item.description, item.summary} {
				if !c.isEmpty() {
					long = append(long, c)
				}
			}
		}
	}
	if len(long) == 0 {
		return document
	}
	slices.SortFunc(long, func(a, b construct) int { return a.from - b.from })
	size := len(document)
	for _, c := range long {
		size -= c.to - c.from
	}
	out := make([]byte, 0, size)
	at := 0
	for _, c := range long {
		out = append(out, document[at:c.from]...)
		at = c.to
	}
	return append(out, document[at:]...)
}

// isEmpty reports whether there is no such element, or nothing in it.
func (c *construct) isEmpty() bool { return c.to <= c.from }

// isPlain reports whether the document says that the text is no HTML.
func (c *construct) isPlain() bool {
	return !c.markup && (c.kind == "text" || c.kind == "text/plain")
}

// text is what the construct says: HTML, or plain text where isPlain reports that. Escaped and literal markup and CDATA
// come to the same, whatever the document calls it; nobody's feed reader has ever minded.
func (c *construct) text(document []byte) string {
	if c.isEmpty() {
		return ""
	}
	raw := bytes.TrimSpace(document[c.from:c.to])
	binary := c.mode == "base64" || c.mode == "" && !c.markup && isBinary(c.kind)
	if binary {
		packed := strings.Join(strings.Fields(string(raw)), "")
		if decoded, err := base64.StdEncoding.DecodeString(packed); err == nil {
			return strings.ToValidUTF8(string(decoded), "\uFFFD")
		}
	}
	var out strings.Builder
	for len(raw) > 0 {
		before, rest, found := bytes.Cut(raw, []byte("<![CDATA["))
		if c.markup {
			out.Write(before)
		} else {
			out.WriteString(html.UnescapeString(string(before)))
		}
		if !found {
			break
		}
		literal, after, _ := bytes.Cut(rest, []byte("]]>"))
		out.Write(literal)
		raw = after
	}
	text := strings.TrimSpace(out.String())
	if c.markup && strings.Contains(c.kind, "xhtml") {
		text = withoutDiv(text)
	}
	return text
}

// isBinary reports whether a media type's content is written in base64 (RFC 4287 section 4.1.3.3).
func isBinary(kind string) bool {
	for _, prefix := range []string{"image/", "audio/", "video/", "application/octet-stream", "application/pdf"} {
		if strings.HasPrefix(kind, prefix) {
			return true
		}
	}
	return false
}

// withoutDiv takes off the div that XHTML content is wrapped in and that is no part of it (RFC 4287 section 3.1.1.3).
// One that says something by itself, as a base or a language, stays.
func withoutDiv(text string) string {
	begin := strings.IndexByte(text, '>') + 1
	end := strings.LastIndex(text, "</")
	if begin <= 0 || end < begin || text[begin-2] == '/' {
		return text
	}
	attributes := strings.Fields(text[1 : begin-1])
	name := attributes[0]
	if name != "div" && !strings.HasSuffix(name, ":div") || strings.TrimRight(text[end+2:], "> \t\r\n") != name {
		return text
	}
	for _, attribute := range attributes[1:] {
		if !strings.HasPrefix(attribute, "xmlns") {
			return text
		}
	}
	inner := text[begin:end]
	depth := 0 // of the divs inside; two beside each other are no wrapping
	for rest := inner; ; {
		open, shut := strings.Index(rest, "<"+name), strings.Index(rest, "</"+name)
		switch {
		case open < 0 && shut < 0:
			return strings.TrimSpace(inner)
		case shut < 0 || open >= 0 && open < shut:
			depth++
			rest = rest[open+1:]
		default:
			if depth--; depth < 0 {
				return text
			}
			rest = rest[shut+2:]
		}
	}
}

// rebase is the base below an xml:base. One that cannot be read, or is too long, changes nothing. Slashes too many
// before the host are as common there as in links.
func rebase(base *url.URL, value string) *url.URL {
	value = strings.TrimSpace(value)
	if scheme, rest, ok := strings.Cut(value, ":///"); ok && (scheme == "http" || scheme == "https") {
		value = scheme + "://" + strings.TrimLeft(rest, "/")
	}
	ref, err := url.Parse(value)
	if err != nil || len(value) > maxBase {
		return base
	}
	if resolved := base.ResolveReference(ref); len(resolved.Path) <= maxBase {
		return resolved
	}
	return base
}
