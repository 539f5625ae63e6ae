package mend

import (
	"bytes"
	"encoding/base64"
	"html"
	"net/url"
	"strings"
)

// Text is a text construct (RFC 4287 section 3.1): the content of an element and what the document declares about it.
// The zero value is an absent element.
type Text struct {
	Base *url.URL // in scope

	raw      []byte
	from, to int    // position of raw in the mended document
	kind     string // the attribute type, lower case
	mode     string // the attribute mode of Atom 0.3, lower case
	markup   bool   // it has child elements
	long     bool   // the parser need not read it
}

func (t *Text) isEmpty() bool { return t.to <= t.from }

// IsPlain reports whether the document declares the text to be plain text. Otherwise it is HTML.
func (t *Text) IsPlain() bool {
	return !t.markup && (t.kind == "text" || t.kind == "text/plain")
}

// String returns the text. Escaped markup, literal markup and CDATA sections give the same result, whatever type the
// document declares, as in all common feed readers.
func (t *Text) String() string {
	raw := bytes.TrimSpace(t.raw)
	if t.mode == "base64" || t.mode == "" && !t.markup && isBinary(t.kind) {
		packed := strings.Join(strings.Fields(string(raw)), "")
		if decoded, err := base64.StdEncoding.DecodeString(packed); err == nil {
			return strings.ToValidUTF8(string(decoded), "\uFFFD")
		}
	}
	var out strings.Builder
	for len(raw) > 0 {
		before, rest, found := bytes.Cut(raw, []byte("<![CDATA["))
		if t.markup {
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
	if t.markup && strings.Contains(t.kind, "xhtml") {
		text = withoutDiv(text)
	}
	return text
}

// isBinary reports whether content of a media type is encoded in base64 (RFC 4287 section 4.1.3.3).
func isBinary(mediaType string) bool {
	for _, prefix := range []string{"image/", "audio/", "video/", "application/octet-stream", "application/pdf"} {
		if strings.HasPrefix(mediaType, prefix) {
			return true
		}
	}
	return false
}

// withoutDiv removes the div that wraps XHTML content and is not part of it (RFC 4287 section 3.1.1.3). A div with
// attributes other than namespaces stays: it may set a base or a language.
func withoutDiv(text string) string {
	tag, rest, _ := strings.Cut(text, ">")
	attributes := strings.Fields(tag)
	end := strings.LastIndex(rest, "</")
	if len(attributes) == 0 || end < 0 || strings.HasSuffix(tag, "/") {
		return text
	}
	name, isTag := strings.CutPrefix(attributes[0], "<")
	if !isTag || name != "div" && !strings.HasSuffix(name, ":div") || strings.TrimRight(rest[end+2:], "> \t\r\n") != name {
		return text
	}
	for _, attribute := range attributes[1:] {
		if !strings.HasPrefix(attribute, "xmlns") {
			return text
		}
	}
	inner := rest[:end]
	depth := 0 // of nested divs; below 0, the first div ends before the last begins
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
