package ingest

import (
	"bytes"
	"mime"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

var (
	bomUTF8    = []byte("\xef\xbb\xbf")
	declared   = regexp.MustCompile(`^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([A-Za-z0-9._:-]{1,40})["']`)
	signatures = []struct { // how "<" or "<?" begins in UTF-16, with and without byte order mark
		prefix string
		order  unicode.Endianness
	}{
		{"\xff\xfe", unicode.LittleEndian}, {"\xfe\xff", unicode.BigEndian},
		{"<\x00", unicode.LittleEndian}, {"\x00<", unicode.BigEndian},
	}
)

// toUTF8 decodes a document. What is valid UTF-8 is UTF-8, whatever it is called: wrong labels are common, and other
// text hardly ever looks like it. Else the XML declaration is believed, then the Content-Type, then the bytes are
// taken for windows-1252, of which every sequence is valid.
func toUTF8(body []byte, contentType string) []byte {
	for _, s := range signatures {
		if bytes.HasPrefix(body, []byte(s.prefix)) {
			return decode(body, unicode.UTF16(s.order, unicode.UseBOM))
		}
	}
	body = bytes.TrimPrefix(body, bomUTF8)
	labelled := encodingOf(body, contentType)
	stateful := labelled != nil && bytes.Contains(body, []byte("\x1b$")) // ISO-2022-JP is 7-bit, so valid UTF-8
	switch {
	case utf8.Valid(body) && !stateful:
		return body
	case labelled != nil:
		return decode(body, labelled)
	case mostlyUTF8(body):
		return bytes.ToValidUTF8(body, []byte("\uFFFD"))
	}
	return decode(body, charmap.Windows1252)
}

// encodingOf is the encoding that the document or its header names; nil: none that is known, or UTF-8.
func encodingOf(body []byte, contentType string) encoding.Encoding {
	var labels []string
	if m := declared.FindSubmatch(body); m != nil {
		labels = append(labels, string(m[1]))
	}
	if _, params, err := mime.ParseMediaType(contentType); err == nil {
		labels = append(labels, params["charset"])
	}
	for _, label := range labels {
		if e, name := charset.Lookup(label); e != nil && name != "utf-8" && !strings.HasPrefix(name, "utf-16") {
			return e
		}
	}
	return nil
}

// mostlyUTF8 reports whether more bytes above 127 are in valid sequences than are not: a cut or damaged UTF-8 text.
func mostlyUTF8(body []byte) bool {
	valid, broken := 0, 0
	for len(body) > 0 {
		r, size := utf8.DecodeRune(body)
		switch {
		case r == utf8.RuneError && size == 1:
			broken++
		case size > 1:
			valid += size
		}
		body = body[size:]
	}
	return valid > broken
}

// decode never fails: what cannot be decoded becomes U+FFFD.
func decode(body []byte, from encoding.Encoding) []byte {
	text, err := from.NewDecoder().Bytes(body)
	if err != nil {
		return bytes.ToValidUTF8(body, []byte("\uFFFD"))
	}
	return text
}
