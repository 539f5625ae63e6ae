package feedxml

import (
	"encoding/xml"
	"slices"
	"strings"
	"unicode/utf8"
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

func textElement(name, text string) element {
	return element{XMLName: xml.Name{Local: name}, Text: text}
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
