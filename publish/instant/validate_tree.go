package instant

import (
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
)

// The bounds of a document to check. No document of Transform comes near them.
const (
	maxDocument = 16 << 20 // bytes
	maxParts    = 1_000_000
	maxNesting  = 64
)

// part is an element of a document as it is written, or a text where tag is empty. Unlike the tree of a source nothing
// in it was mended.
type part struct {
	tag    string
	text   string
	attrs  []html.Attribute
	parent *part
	parts  []*part
}

// read makes the tree of a document. It finds what no strict reader would take; nil: there is no point in going on.
func (v *validator) read(document string) *part {
	root := &part{}
	if len(document) > maxDocument {
		v.find("size", root, "the document has %d bytes, more than %d", len(document), maxDocument)
		return nil
	}
	if document != Clean(document) {
		v.find("characters", root, "the document holds characters that XML does not allow")
	}
	z := html.NewTokenizer(strings.NewReader(document))
	open, depth := root, 0
	for n := 0; ; n++ {
		kind := z.Next()
		if kind == html.ErrorToken {
			if open != root || !errors.Is(z.Err(), io.EOF) {
				v.find("markup", open, "%s is never closed", open.tag)
			}
			return root
		}
		if n == maxParts || depth > maxNesting {
			v.find("size", root, "the document has more than %d parts, or %d in one another", maxParts, maxNesting)
			return nil
		}
		token := z.Token()
		switch kind {
		case html.TextToken:
			open.parts = append(open.parts, &part{text: token.Data, parent: open})
		case html.StartTagToken, html.SelfClosingTagToken:
			p := &part{tag: token.Data, attrs: token.Attr, parent: open}
			open.parts = append(open.parts, p)
			v.attributes(p)
			if !void(token.DataAtom) {
				open = p
				depth++
			}
		case html.EndTagToken:
			if open.tag != token.Data || open == root {
				v.find("markup", open, "</%s> closes nothing that is open here", token.Data)
				continue
			}
			open = open.parent
			depth--
		}
	}
}

// attributes finds what could run.
func (v *validator) attributes(p *part) {
	for _, a := range p.attrs {
		value := strings.ToLower(strings.Join(strings.Fields(a.Val), ""))
		if strings.HasPrefix(a.Key, "on") || a.Key == "style" || a.Key == "srcdoc" ||
			strings.HasPrefix(value, "javascript:") || strings.HasPrefix(value, "vbscript:") {
			v.find("executable", p, "the attribute %.40q has no place in an article", a.Key)
		}
	}
}

// attr is the value of an attribute; empty where there is none.
func (p *part) attr(key string) string {
	for _, a := range p.attrs {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func (p *part) class(name string) bool { return slices.Contains(strings.Fields(p.attr("class")), name) }

// child is the first child with that tag; nil: there is none.
func (p *part) child(tag string) *part {
	for _, child := range p.parts {
		if child.tag == tag {
			return child
		}
	}
	return nil
}

func (p *part) children(tag string) []*part {
	var found []*part
	for _, child := range p.parts {
		if child.tag == tag {
			found = append(found, child)
		}
	}
	return found
}

// elements are the children that are no texts.
func (p *part) elements() []*part {
	return slices.DeleteFunc(slices.Clone(p.parts), func(child *part) bool { return child.tag == "" })
}

// holds reports whether match is true of anything within p.
func (p *part) holds(match func(*part) bool) bool {
	return slices.ContainsFunc(p.parts, func(child *part) bool { return match(child) || child.holds(match) })
}

// within reports whether p, or what it stands in, is an element called tag.
func (p *part) within(tag string) bool {
	for ; p != nil; p = p.parent {
		if p.tag == tag {
			return true
		}
	}
	return false
}

// visible is all text within p.
func (p *part) visible() string {
	var sb strings.Builder
	p.writeVisible(&sb)
	return sb.String()
}

func (p *part) writeVisible(sb *strings.Builder) {
	sb.WriteString(p.text)
	for _, child := range p.parts {
		child.writeVisible(sb)
	}
}

// place is the CSS path of p, from the root of the document: "html > body > article > p:nth-of-type(2)".
func (p *part) place() string {
	var path []string
	for ; p != nil && p.tag != ""; p = p.parent {
		path = append(path, p.step())
	}
	if path == nil {
		return ":root"
	}
	slices.Reverse(path)
	return strings.Join(path, " > ")
}

// step names p among its siblings, by a number only where there are more of its kind.
func (p *part) step() string {
	index, others := 0, 0
	for _, sibling := range p.parent.parts {
		if sibling.tag != p.tag {
			continue
		}
		others++
		if sibling == p {
			index = others
		}
	}
	if others < 2 {
		return p.tag
	}
	return p.tag + ":nth-of-type(" + strconv.Itoa(index) + ")"
}
