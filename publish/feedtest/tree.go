package feedtest

import (
	"fmt"
	"strings"

	"github.com/feedwire/feedwire/publish/hypertext"
	"github.com/feedwire/feedwire/publish/xmltree"
)

// checker collects faults.
type checker struct {
	faults []string
}

func (c *checker) fault(place, format string, args ...any) {
	c.faults = append(c.faults, place+": "+fmt.Sprintf(format, args...))
}

// parse returns the root of a document, or nil if it is not well-formed or has another name.
func (c *checker) parse(document []byte, name string) *xmltree.Element {
	root, err := xmltree.Parse(document)
	switch {
	case err != nil:
		c.fault("document", "is not well-formed: %v", err)
		return nil
	case root.Name != name:
		c.fault("document", "has the root %s instead of %s", root.Name, name)
		return nil
	}
	return root
}

// children checks the names of the children of e. Children named in single, separated by spaces, may occur once, and those in
// several more often. Other elements need a namespace, and not that of the format, which has this prefix.
func (c *checker) children(place string, e *xmltree.Element, prefix, single, several string) {
	for name := range strings.FieldsSeq(single) {
		if n := len(e.All(name)); n > 1 {
			c.fault(place, "has %d elements %s instead of one", n, name)
		}
	}
	for _, child := range e.Children {
		known := hypertext.HasWord(single, child.Name) || hypertext.HasWord(several, child.Name)
		foreign := strings.Contains(child.Name, ":") && (prefix == "" || !strings.HasPrefix(child.Name, prefix))
		if !known && !foreign {
			c.fault(place, "has an element %s, which the format does not define", child.Name)
		}
	}
}

// required returns the text of a required child, which must not be blank.
func (c *checker) required(place string, e *xmltree.Element, name string) string {
	child := e.Child(name)
	if child == nil {
		c.fault(place, "has no %s", name)
		return ""
	}
	c.filled(place, child)
	return child.Text
}

// filled reports an element without text and children.
func (c *checker) filled(place string, e *xmltree.Element) {
	if strings.TrimSpace(e.Text) == "" && len(e.Children) == 0 {
		c.fault(place, "has an empty %s", e.Name)
	}
}

// each checks the text of all children with the given names, separated by spaces.
func (c *checker) each(place string, e *xmltree.Element, names string, check func(place, text string)) {
	for name := range strings.FieldsSeq(names) {
		for _, child := range e.All(name) {
			check(place+" "+name, child.Text)
		}
	}
}

// self reports a feed that does not link to itself exactly once, and returns that link.
func (c *checker) self(place string, e *xmltree.Element) *xmltree.Element {
	var found []*xmltree.Element
	for _, l := range e.All("atom:link") {
		if l.Attr("rel") == "self" {
			found = append(found, l)
		}
	}
	if len(found) != 1 {
		c.fault(place, "has %d links to itself instead of one", len(found))
		return nil
	}
	return found[0]
}

// unique reports an id that another item has.
func (c *checker) unique(place, id string, ids map[string]bool) {
	if ids[id] {
		c.fault(place, "has the id %.80q of another item", id)
	}
	ids[id] = true
}
