package feedxml

import (
	"encoding/xml"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// element is an XML element. Its name may have a prefix.
type element struct {
	XMLName xml.Name
	Attrs   []xml.Attr `xml:",any,attr"`
	Text    string     `xml:",chardata"`
	CDATA   string     `xml:",cdata"` // must be valid XML text; the encoder splits "]]>"
	Inner   []element  `xml:",any"`
}

// elements are the children of an element.
type elements []element

// add appends an element with text, unless its name or the text is empty.
func (all *elements) add(name, text string) {
	if name != "" && text != "" {
		*all = append(*all, textElement(name, text))
	}
}

// addPlain appends a plainElement unless the text is empty.
func (all *elements) addPlain(name, kind, text string) {
	if text != "" {
		*all = append(*all, plainElement(name, kind, text))
	}
}

func textElement(name, text string) element {
	return element{XMLName: xml.Name{Local: name}, Text: text}
}

// plainElement returns an element with a text that is no HTML: of the type "text" in Atom and "plain" in Media RSS. That is the default
// of both, but many readers take a text without a type for HTML.
func plainElement(name, kind, text string) element { return textElement(name, text).with("type", kind) }

// asHTML returns a plain text for an element of RSS. RSS does not say whether a title is text or HTML, so a text that readers of HTML
// would read differently is escaped once more, and no other.
func asHTML(text string) string {
	z := html.NewTokenizer(strings.NewReader(text))
	if z.Next() == html.TextToken && z.Token().Data == text && z.Next() == html.ErrorToken {
		return text
	}
	return html.EscapeString(text)
}

// with returns the element with attributes, given as pairs of name and value. Empty values are left out.
func (e element) with(pairs ...string) element {
	for pair := range slices.Chunk(pairs, 2) {
		if pair[1] != "" {
			e.Attrs = append(e.Attrs, xml.Attr{Name: xml.Name{Local: pair[0]}, Value: pair[1]})
		}
	}
	return e
}

// addHTML appends the element at a path, "element" or "element/element in it", with HTML, unless one of them is empty.
func (all *elements) addHTML(path, markup string) {
	if path == "" || markup == "" {
		return
	}
	outer, inner, nested := strings.Cut(path, "/")
	el := cdata(outer, markup)
	if nested {
		el = element{XMLName: el.XMLName, Inner: elements{cdata(inner, markup)}}
	}
	*all = append(*all, el)
}

// cdata returns an element with a CDATA section, in which the encoder escapes nothing.
func cdata(name, text string) element {
	legal := strings.Map(func(r rune) rune { // it also replaces invalid UTF-8
		if r < 0x20 && r != '\t' && r != '\n' && r != '\r' || r == 0xFFFE || r == 0xFFFF { // XML 1.0 section 2.2
			return utf8.RuneError
		}
		return r
	}, text)
	return element{XMLName: xml.Name{Local: name}, CDATA: legal}
}
