package mend

import (
	"bytes"
	"encoding/base64"
	"html"
	"net/url"
	"slices"
	"strings"
)

// Text is a text construct (RFC 4287 section 3.1): the content of an element and what the document declares about it.
// The zero value is an absent element.
type Text struct {
	Base *url.URL // in scope

	raw        []byte
	from, to   int    // position in the mended document
	begin, end int    // likewise of its element
	div        [4]int // likewise of the div that wraps XHTML: its start tag, content, end tag and end
	kind       string // the attribute type, lower case
	mode       string // the attribute mode of Atom 0.3, lower case
	markup     bool   // it has child elements
	long       bool   // the parser need not read it
	sole       bool   // nor its element
}

func (t *Text) isEmpty() bool { return t.to <= t.from }

// IsPlain reports whether the document declares the text to be plain text. Otherwise it is HTML.
func (t *Text) IsPlain() bool {
	return !t.markup && (t.kind == "text" || t.kind == "text/plain")
}

// String returns the text; none of an image or another file that the document holds (RFC 4287 section 4.1.3.3). Escaped markup,
// literal markup and CDATA sections give the same result, whatever type the document declares, as in all common feed readers.
func (t *Text) String() string {
	raw := bytes.TrimSpace(t.raw)
	if !t.markup && isMedium(t.kind) {
		return ""
	}
	if t.mode == "base64" || t.mode == "" && !t.markup && t.kind == "application/octet-stream" {
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
	return strings.TrimSpace(out.String())
}

// isMedium reports whether content of a media type is not text.
func isMedium(mediaType string) bool {
	binary := []string{"image/", "audio/", "video/", "font/", "application/pdf", "application/zip"}
	return slices.ContainsFunc(binary, func(prefix string) bool { return strings.HasPrefix(mediaType, prefix) })
}
