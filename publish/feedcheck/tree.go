package feedcheck

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// The namespaces that feeds use.
const (
	atomSpace    = "http://www.w3.org/2005/Atom"
	contentSpace = "http://purl.org/rss/1.0/modules/content/"
	dcSpace      = "http://purl.org/dc/elements/1.1/"
	xhtmlSpace   = "http://www.w3.org/1999/xhtml"
	xmlSpace     = "http://www.w3.org/XML/1998/namespace"
)

// element is an element of an XML document.
type element struct {
	space, name string
	attrs       []xml.Attr
	text        string // without the text of its children
	children    []*element
}

func (e *element) attr(name string) (string, bool) {
	for _, a := range e.attrs {
		if a.Name.Space == "" && a.Name.Local == name {
			return a.Value, true
		}
	}
	return "", false
}

// all returns the children with a name.
func (e *element) all(space, name string) (found []*element) {
	for _, c := range e.children {
		if c.space == space && c.name == name {
			found = append(found, c)
		}
	}
	return found
}

// one returns the text of the first child with a name, or false if there is none.
func (e *element) one(space, name string) (string, bool) {
	if found := e.all(space, name); len(found) > 0 {
		return found[0].text, true
	}
	return "", false
}

// checker collects faults.
type checker struct {
	faults []string
}

func (c *checker) fault(place, format string, args ...any) {
	c.faults = append(c.faults, place+": "+fmt.Sprintf(format, args...))
}

// parse parses a document strictly, and checks what a strict parser accepts.
func (c *checker) parse(document []byte) *element {
	if !utf8.Valid(document) {
		c.fault("document", "is not valid UTF-8")
	}
	d := xml.NewDecoder(bytes.NewReader(document))
	root := &element{}
	open := []*element{root}
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			c.fault("document", "is not well-formed: %v", err)
			return nil
		}
		top := open[len(open)-1]
		switch t := token.(type) {
		case xml.StartElement:
			e := &element{space: t.Name.Space, name: t.Name.Local, attrs: t.Attr}
			c.names(e)
			top.children = append(top.children, e)
			open = append(open, e)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			top.text += string(t)
		case xml.Directive:
			c.fault("document", "has a document type, which feeds have no use for")
		}
	}
	if len(root.children) != 1 || strings.TrimSpace(root.text) != "" {
		c.fault("document", "has not one root")
		return nil
	}
	return root.children[0]
}

// names reports what a namespace-aware parser refuses: undeclared prefixes and duplicate attributes.
func (c *checker) names(e *element) {
	if e.space != "" && !strings.ContainsAny(e.space, ":/") {
		c.fault(e.name, "has the prefix %s, which is not declared", e.space)
	}
	seen := make(map[xml.Name]bool)
	for _, a := range e.attrs {
		if seen[a.Name] {
			c.fault(e.name, "has the attribute %s twice", a.Name.Local)
		}
		seen[a.Name] = true
		if s := a.Name.Space; s != "" && s != "xmlns" && s != xmlSpace && s != "xml" && !strings.ContainsAny(s, ":/") {
			c.fault(e.name, "has an attribute of the prefix %s, which is not declared", s)
		}
	}
}

// once reports children that are allowed once and occur more often.
func (c *checker) once(place string, e *element, space string, names ...string) {
	for _, name := range names {
		if n := len(e.all(space, name)); n > 1 {
			c.fault(place, "has %d elements %s, one is allowed", n, name)
		}
	}
}

// required returns the text of a required child, which must not be blank.
func (c *checker) required(place string, e *element, space, name string) string {
	text, ok := e.one(space, name)
	switch {
	case !ok:
		c.fault(place, "has no %s", name)
	case strings.TrimSpace(text) == "" && len(e.all(space, name)[0].children) == 0:
		c.fault(place, "has an empty %s", name)
	}
	return text
}
