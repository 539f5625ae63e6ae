package ingest

import (
	"bytes"
	"html"
	"strings"
)

// attribute is one attribute of the tag that is read.
type attribute struct {
	name, value []byte
	bare        bool   // it has no value; its name stands for it
	with        []byte // what it becomes instead of value, references in it mended
	left        bool   // it is left out
}

// readAttribute reads the attribute at p, and returns where it ends; -1: the document ends in it.
func (m *mender) readAttribute(p int, t *tag) int {
	in := m.in
	begin := p
	for p < len(in) && nameByte[in[p]] {
		p++
	}
	a := attribute{name: in[begin:p]}
	q := p
	for q < len(in) && isSpace(in[q]) {
		q++
	}
	if q == len(in) {
		return -1
	}
	if in[q] != '=' {
		a.bare = true
		t.broken = true
		m.attrs = append(m.attrs, a)
		return p
	}
	for q++; q < len(in) && isSpace(in[q]); q++ {
	}
	if q == len(in) {
		return -1
	}
	quote := in[q]
	if quote != '"' && quote != '\'' {
		begin = q
		for q < len(in) && !isSpace(in[q]) && in[q] != '>' && in[q] != '<' && (in[q] != '/' || q+1 >= len(in) || in[q+1] != '>') {
			q++
		}
		a.value, t.broken = in[begin:q], true
		m.mended |= mendedAttributes
		m.attrs = append(m.attrs, a)
		return q
	}
	size := bytes.IndexByte(in[q+1:], quote)
	if size < 0 {
		if size = bytes.IndexByte(in[q+1:], '>'); size < 0 || !bytes.Contains(in[q+1+size:min(len(in), q+1+size+maxToken)], []byte("</")) {
			return -1
		}
		t.broken = true // the closing quote is missing
		m.mended |= mendedAttributes
		a.value = in[q+1 : q+1+size]
		m.attrs = append(m.attrs, a)
		return q + 1 + size
	}
	a.value = in[q+1 : q+1+size]
	next := q + size + 2
	if bytes.IndexByte(a.value, '<') >= 0 {
		t.broken = true
		m.mended |= mendedAttributes
		if end := bytes.IndexByte(a.value, '>'); end >= 0 && bytes.Contains(a.value[end:], []byte("<")) {
			a.value = a.value[:end] // the closing quote is missing: this one opens another value
			next = q + 1 + end
		}
	}
	m.attrs = append(m.attrs, a)
	return next
}

// readAttributes checks the attributes of a tag and takes from them what holds for the element.
func (m *mender) readAttributes(t *tag, e, parent *element) (about string, err error) {
	declared := 0
	inText := parent != nil && (parent.role == roleField || parent.role == roleHead || parent.role == roleOther)
	for i := range m.attrs {
		a := &m.attrs[i]
		if err := checkToken(len(a.value)); err != nil {
			return "", err
		}
		a.with = nil
		a.left = m.isRepeated(i) || !isName(a.name)
		if a.left {
			t.broken = true
			m.mended |= mendedAttributes
			continue
		}
		if a.bare {
			a.value = a.name
			m.mended |= mendedAttributes
		}
		m.mendValue(a, t)
		switch name := string(a.name); {
		case name == "xmlns" || strings.HasPrefix(name, "xmlns:"):
			declared++
			m.declare(a, t, strings.TrimPrefix(strings.TrimPrefix(name, "xmlns"), ":"), parent == nil)
		case name == "xml:base":
			e.base = rebase(e.base, a.text())
			if m.bases++; m.bases > maxBases {
				return "", failf(ClassLimits, "the document has xml:base more than %d times", maxBases)
			}
			if !inText { // the parser resolves it wrongly (RFC 3986 section 5.2.3); within content, it is part of that
				a.left, t.broken = true, true
			}
		case name == "xml:lang":
			e.language = a.text()
		case name == "about" || strings.HasSuffix(name, ":about"):
			about = strings.TrimSpace(a.text())
		}
	}
	e.scoped += declared
	m.nsCopied += e.scoped
	switch {
	case declared > maxNamespaces:
		return "", failf(ClassLimits, "an element declares more than %d namespaces", maxNamespaces)
	case m.nsCopied > maxNamespacesCopied:
		return "", failf(ClassLimits, "too many elements stand below too many namespaces")
	}
	return about, nil
}

// text is the attribute's value with its references replaced.
func (a *attribute) text() string {
	if a.with != nil {
		return html.UnescapeString(string(a.with))
	}
	return html.UnescapeString(string(a.value))
}

// isRepeated reports whether attribute i stands in its tag before.
func (m *mender) isRepeated(i int) bool {
	for j := range i {
		if bytes.Equal(m.attrs[j].name, m.attrs[i].name) {
			return true
		}
	}
	return false
}

// mendValue mends what may not stand in a value.
func (m *mender) mendValue(a *attribute, t *tag) {
	if !t.broken && bytes.IndexByte(a.value, '&') < 0 { // no < either, or the tag were broken
		return
	}
	var out []byte
	rest := a.value
	for i := 0; i < len(rest); {
		switch rest[i] {
		case '<':
			out = append(append(out, rest[:i]...), "&lt;"...)
			rest, i = rest[i+1:], 0
		case '&':
			with, size, keep, mended := m.reference(rest[i:])
			if keep {
				i += size
				continue
			}
			out = append(append(out, rest[:i]...), with...)
			rest, i = rest[i+size:], 0
			t.broken = true
			m.mended |= mended
		default:
			i++
		}
	}
	if len(rest) < len(a.value) { // something was replaced, if only by nothing
		a.with = append(append([]byte{}, out...), rest...)
	}
}

// declare notes a namespace declaration and corrects its spelling.
func (m *mender) declare(a *attribute, t *tag, prefix string, root bool) {
	space := strings.TrimSpace(a.text())
	canonical, known := canonicalSpace(space)
	if root {
		_, word := splitName(t.name)
		own := prefix == string(prefixOf(t.name))
		switch {
		case own && !known && space != "" && strings.EqualFold(string(word), "feed"):
			canonical = spaceAtom10 // drafts of Atom, and inventions
		case own && known && strings.EqualFold(string(word), "rss") && !isNative("rss", canonical, ""):
			canonical = "" // RSS has no namespace; with this one the parser would take it for an extension
		}
	}
	if canonical != space {
		a.with = []byte(html.EscapeString(canonical))
		a.left = canonical == ""
		t.broken = true
		m.mended |= mendedNamespaces
	}
	m.spaces = append(m.spaces, binding{prefix: prefix, space: canonical, depth: len(m.open)})
}
