package consumer

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"golang.org/x/net/html"
)

const (
	contentSpace = "http://purl.org/rss/1.0/modules/content/"
	atomSpace    = "http://www.w3.org/2005/Atom"
	dcSpace      = "http://purl.org/dc/elements/1.1/"
	termsSpace   = "http://purl.org/dc/terms/"
	mediaSpace   = "http://search.yahoo.com/mrss/"
	snfSpace     = "http://www.smartnews.be/snf"
	msnSpace     = "http://schemas.ingestion.microsoft.com/common/"
)

// node is an element of XML. Its name has the namespace before it: "http://www.w3.org/2005/Atom feed".
type node struct {
	name     string
	attrs    map[string]string
	own      strings.Builder // text without that of the children
	children []*node
}

// maxDepth bounds the nesting of elements.
const maxDepth = 32

// read parses XML strictly: well-formed, in UTF-8, every prefix declared.
func read(document []byte) (*node, error) {
	d := xml.NewDecoder(bytes.NewReader(document))
	top := &node{}
	open := []*node{top}
	for {
		token, err := d.Token()
		switch {
		case errors.Is(err, io.EOF) && len(top.children) != 1:
			return nil, errors.New("the document has no single root element")
		case errors.Is(err, io.EOF):
			return top.children[0], nil
		case err != nil:
			return nil, err
		}
		last := open[len(open)-1]
		switch t := token.(type) {
		case xml.StartElement:
			if t.Name.Space != "" && !strings.Contains(t.Name.Space, ":") {
				return nil, fmt.Errorf("the prefix %s of %s is not declared", t.Name.Space, t.Name.Local)
			}
			n := &node{name: strings.TrimSpace(t.Name.Space + " " + t.Name.Local), attrs: make(map[string]string)}
			for _, a := range t.Attr {
				n.attrs[a.Name.Local] = a.Value
			}
			last.children = append(last.children, n)
			if open = append(open, n); len(open) > maxDepth {
				return nil, fmt.Errorf("elements are nested more than %d deep", maxDepth)
			}
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			last.own.Write(t)
		}
	}
}

// all returns the children with a name.
func (n *node) all(name string) (found []*node) {
	for _, child := range n.children {
		if child.name == name {
			found = append(found, child)
		}
	}
	return found
}

// child returns the first child with a name, or nil.
func (n *node) child(name string) *node {
	if all := n.all(name); len(all) > 0 {
		return all[0]
	}
	return nil
}

// text returns the trimmed text of the first child with a name.
func (n *node) text(name string) string {
	if child := n.child(name); child != nil {
		return strings.TrimSpace(child.own.String())
	}
	return ""
}

// markup is a start tag of HTML with its depth, from 1.
type markup struct {
	tag   string
	depth int
	attrs map[string]string
}

// markupOf parses HTML like a browser and returns its start tags.
func markupOf(fragment string) (all []markup) {
	root, err := html.Parse(strings.NewReader(fragment))
	if err != nil {
		return nil
	}
	var walk func(n *html.Node, depth int)
	walk = func(n *html.Node, depth int) {
		for child := n.FirstChild; child != nil; child = child.NextSibling {
			if child.Type != html.ElementNode {
				continue
			}
			m := markup{child.Data, depth, make(map[string]string)}
			for _, a := range child.Attr {
				m.attrs[a.Key] = a.Val
			}
			all = append(all, m)
			walk(child, depth+1)
		}
	}
	walk(root, -1) // html, head and body are not part of the fragment
	return all
}

func rfc822(s string) (time.Time, bool) {
	for _, layout := range []string{time.RFC1123Z, time.RFC1123} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

func rfc3339(s string) (time.Time, bool) {
	t, err := time.Parse(time.RFC3339, s)
	return t, err == nil
}
