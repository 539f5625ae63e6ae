// Package xmltree reads XML documents like the strictest consumer: the first violation of XML 1.0 or of its namespaces is an
// error. encoding/xml alone accepts undeclared prefixes, duplicate attributes and several roots.
package xmltree

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// Element is an element of a document.
type Element struct {
	// Name has the usual prefix of the namespace, like "atom:link", whatever the document declares. It has no prefix if the
	// element has no namespace, and the URI in braces if the namespace is none of those that feeds use.
	Name     string
	Text     string // without the text of the children
	Children []*Element

	attrs []xml.Attr
}

var prefixes = map[string]string{
	"":                            "",
	"http://www.w3.org/2005/Atom": "atom:",
	"http://purl.org/rss/1.0/modules/content/":       "content:",
	"http://purl.org/dc/elements/1.1/":               "dc:",
	"http://purl.org/dc/terms/":                      "dcterms:",
	"http://search.yahoo.com/mrss/":                  "media:",
	"http://schemas.ingestion.microsoft.com/common/": "mi:",
	"http://www.itunes.com/dtds/podcast-1.0.dtd":     "itunes:",
	"https://podcastindex.org/namespace/1.0":         "podcast:",
	"http://www.smartnews.be/snf":                    "snf:",
	"http://www.sitemaps.org/schemas/sitemap/0.9":    "sitemap:",
	"http://www.google.com/schemas/sitemap-news/0.9": "news:",
	"http://www.w3.org/1999/xhtml":                   "xhtml:",
}

// maxDepth is the maximum nesting of elements.
const maxDepth = 32

// Parse returns the root of a document. The document must be UTF-8 without a document type.
func Parse(document []byte) (*Element, error) {
	if !utf8.Valid(document) {
		return nil, errors.New("it is not valid UTF-8")
	}
	d := xml.NewDecoder(bytes.NewReader(document))
	open := []*Element{{}}
	for {
		token, err := d.Token()
		top := open[len(open)-1]
		switch {
		case errors.Is(err, io.EOF) && (len(top.Children) != 1 || strings.TrimSpace(top.Text) != ""):
			return nil, errors.New("it has no single root element")
		case errors.Is(err, io.EOF):
			return top.Children[0], nil
		case err != nil:
			return nil, err
		}
		switch t := token.(type) {
		case xml.StartElement:
			if err := checkNames(t); err != nil {
				return nil, err
			}
			prefix, known := prefixes[t.Name.Space]
			if !known {
				prefix = "{" + t.Name.Space + "}"
			}
			e := &Element{Name: prefix + t.Name.Local, attrs: t.Attr}
			top.Children = append(top.Children, e)
			if open = append(open, e); len(open) > maxDepth {
				return nil, fmt.Errorf("elements are nested more than %d deep", maxDepth)
			}
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			top.Text += string(t)
		case xml.Directive:
			return nil, errors.New("it has a document type")
		}
	}
}

// checkNames refuses undeclared prefixes, which the decoder leaves in place of the namespace, and duplicate attributes.
func checkNames(t xml.StartElement) error {
	names := []xml.Name{t.Name}
	for _, a := range t.Attr {
		if slices.Contains(names[1:], a.Name) {
			return fmt.Errorf("%s has the attribute %s twice", t.Name.Local, a.Name.Local)
		}
		names = append(names, a.Name)
	}
	for _, n := range names {
		if n.Space != "" && n.Space != "xmlns" && n.Space != "xml" && !strings.ContainsAny(n.Space, ":/") {
			return fmt.Errorf("the prefix %s of %s is not declared", n.Space, n.Local)
		}
	}
	return nil
}

// Attr returns the value of an attribute without a namespace, or an empty string if e lacks it.
func (e *Element) Attr(name string) string {
	for _, a := range e.attrs {
		if a.Name == (xml.Name{Local: name}) {
			return a.Value
		}
	}
	return ""
}

// HasAttr reports whether e has an attribute without a namespace, even an empty one.
func (e *Element) HasAttr(name string) bool {
	return slices.ContainsFunc(e.attrs, func(a xml.Attr) bool { return a.Name == xml.Name{Local: name} })
}

// All returns the children with a name.
func (e *Element) All(name string) (found []*Element) {
	for _, c := range e.Children {
		if c.Name == name {
			found = append(found, c)
		}
	}
	return found
}

// Child returns the first child with a name, or nil.
func (e *Element) Child(name string) *Element {
	if all := e.All(name); len(all) > 0 {
		return all[0]
	}
	return nil
}

// Value returns the trimmed text of the first child with a name; empty if there is none.
func (e *Element) Value(name string) string {
	if c := e.Child(name); c != nil {
		return strings.TrimSpace(c.Text)
	}
	return ""
}
