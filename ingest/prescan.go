package ingest

import (
	"bytes"
	"encoding/xml"
	"net/url"
	"slices"
	"strings"
)

// The bounds of a document. They are far above what feeds have, and below what makes the parser need seconds or
// gigabytes, or overflow its stack, which nothing can recover from.
const (
	maxDepth      = 256
	maxElements   = 200_000
	maxAttributes = 256 // of one element
	maxNamespaces = 64  // declared by one element
	maxToken      = 2 << 20
	maxBase       = 2048 // of a resolved xml:base, in bytes: nested ones add up
	maxBases      = 10_000
	// The parser adds up the text of an element piece by piece, copying what it has each time, and copies the
	// namespaces in scope for each element. These bound what is copied in a document, in bytes and in namespaces.
	maxTextCopied       = 256 << 20
	maxNamespacesCopied = 4 << 20
)

// outline holds what the parser does not tell of a document, by item in the parser's order.
type outline []outlined

type outlined struct {
	id          string   // atom:id or rdf:about as written: the parser rewrites ids
	base        *url.URL // for the item's links
	contentBase *url.URL // for the links in its content
}

// at is the outline of item i; of items it does not know only the base is known.
func (o outline) at(i int, base *url.URL) outlined {
	if i < len(o) {
		return o[i]
	}
	return outlined{base: base, contentBase: base}
}

// prescanner reads a document token by token, just as the parser will, but keeps next to nothing.
type prescanner struct {
	limits   Limits
	elements int
	copied   int       // bytes of text
	nsCopied int       // namespace bindings
	open     []element // from the root to where the scan is
	loose    outline   // items beside the channel, which the parser puts behind those in it
	items    outline
	based    [][2]int64 // where start tags that carry xml:base begin and end
}

// element is an open element.
type element struct {
	name   string   // local, lower case
	space  string   // namespace
	base   *url.URL // in scope
	text   int      // bytes of text in it so far
	scoped int      // namespaces in scope
}

// prescanXML refuses documents that pass a bound, with class limits, before the parser sees them. The document it
// returns has no working xml:base: the parser resolves it wrongly (RFC 3986 section 5.2.3), so the outline carries it.
//
// Malformed XML is not refused here. The parser reads with the same tokenizer and gets no further than this scan did.
func prescanXML(text []byte, base *url.URL, limits Limits) ([]byte, outline, error) {
	s := prescanner{limits: limits}
	d := xml.NewDecoder(bytes.NewReader(text))
	d.Strict = false
	for {
		begin := d.InputOffset()
		token, err := d.Token()
		if err != nil {
			break
		}
		switch t := token.(type) {
		case xml.StartElement:
			err = s.start(t, [2]int64{begin, d.InputOffset()}, base)
		case xml.EndElement:
			s.open = s.open[:max(0, len(s.open)-1)]
		case xml.CharData:
			err = s.text(t)
		case xml.Comment:
			err = checkToken(len(t))
		case xml.Directive:
			err = checkToken(len(t))
		case xml.ProcInst:
			err = checkToken(len(t.Inst))
		}
		if err != nil {
			return nil, nil, err
		}
		if len(s.open) == 0 && s.elements > 0 {
			break // the parser, too, reads nothing after the root
		}
	}
	return s.withoutBase(text), append(s.items, s.loose...), nil
}

func (s *prescanner) start(t xml.StartElement, where [2]int64, base *url.URL) error {
	s.elements++
	switch {
	case s.elements > maxElements:
		return failf(ClassLimits, "the document has more than %d elements", maxElements)
	case len(s.open) >= maxDepth:
		return failf(ClassLimits, "elements are nested more than %d deep", maxDepth)
	case len(t.Attr) > maxAttributes:
		return failf(ClassLimits, "an element has more than %d attributes", maxAttributes)
	}
	e := element{name: strings.ToLower(t.Name.Local), space: t.Name.Space, base: base}
	var parent element
	if len(s.open) > 0 {
		parent = s.open[len(s.open)-1]
		e.base, e.scoped = parent.base, parent.scoped
	}
	declared, about := 0, ""
	for _, a := range t.Attr {
		if err := checkToken(len(a.Value)); err != nil {
			return err
		}
		switch {
		case a.Name.Space == "xmlns" || a.Name.Local == "xmlns":
			declared++
		case a.Name.Local == "base" && isXML(a.Name.Space):
			s.based = append(s.based, where)
			e.base = rebase(e.base, a.Value)
		case a.Name.Local == "about":
			about = strings.TrimSpace(a.Value)
		}
	}
	e.scoped += declared
	s.nsCopied += e.scoped
	switch {
	case declared > maxNamespaces:
		return failf(ClassLimits, "an element declares more than %d namespaces", maxNamespaces)
	case s.nsCopied > maxNamespacesCopied:
		return failf(ClassLimits, "too many elements stand below too many namespaces")
	case len(s.based) > maxBases:
		return failf(ClassLimits, "the document has xml:base more than %d times", maxBases)
	}
	switch {
	case len(s.open) == 1 && e.name == "entry", len(s.open) == 2 && e.name == "item" && parent.name == "channel":
		s.items = append(s.items, outlined{id: about, base: e.base, contentBase: e.base})
	case len(s.open) == 1 && e.name == "item":
		s.loose = append(s.loose, outlined{id: about, base: e.base, contentBase: e.base})
	case parent.name == "entry" && len(s.open) == 2 && e.name == "content":
		s.items[len(s.items)-1].contentBase = e.base
	}
	if len(s.items)+len(s.loose) > s.limits.Entries {
		return failf(ClassLimits, "the document has more than %d entries (fetch.max_entries)", s.limits.Entries)
	}
	s.open = append(s.open, e)
	return nil
}

// rebase is the base below an xml:base. One that cannot be read, or is too long, changes nothing.
func rebase(base *url.URL, value string) *url.URL {
	ref, err := url.Parse(strings.TrimSpace(value))
	if err != nil || len(value) > maxBase {
		return base
	}
	if resolved := base.ResolveReference(ref); len(resolved.Path) <= maxBase {
		return resolved
	}
	return base
}

// isXML reports whether a namespace, or a prefix nobody declared, is that of XML itself.
func isXML(space string) bool {
	return space == "xml" || space == "http://www.w3.org/XML/1998/namespace"
}

func (s *prescanner) text(t xml.CharData) error {
	if err := checkToken(len(t)); err != nil {
		return err
	}
	depth := len(s.open)
	if depth == 0 || depth == 1 || depth == 2 && s.open[1].name == "channel" {
		return nil // between the items; the parser drops it
	}
	e := &s.open[depth-1]
	if s.copied += e.text; s.copied > maxTextCopied {
		return failf(ClassLimits, "the text of an element is cut into too many pieces")
	}
	e.text += len(t)
	if entry := s.open[1]; depth == 3 && entry.name == "entry" && e.name == "id" && e.space == entry.space {
		s.items[len(s.items)-1].id += string(t)
	}
	return nil
}

func checkToken(size int) error {
	if size > maxToken {
		return failf(ClassLimits, "one text or attribute has more than %d bytes", maxToken)
	}
	return nil
}

// withoutBase is the document with each xml:base renamed, in a copy.
func (s *prescanner) withoutBase(text []byte) []byte {
	if len(s.based) == 0 {
		return text
	}
	text = slices.Clone(text)
	for _, where := range s.based {
		tag := text[where[0]:where[1]]
		if i := bytes.Index(tag, []byte("xml:base")); i >= 0 {
			tag[i+len("xml")] = '_'
		}
	}
	return text
}
