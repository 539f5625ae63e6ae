package mend

import (
	"bytes"
	"html"
	"slices"
	"strings"

	"github.com/feedwire/feedwire/store/feed"
)

// attribute is an attribute of the current tag.
type attribute struct {
	name, value []byte
	bare        bool // it has no value in the input
	omit        bool
}

// readAttribute returns the attribute at p and its end, or -1 if the document ends within it.
func (m *mender) readAttribute(p int, t *tag) (a attribute, next int) {
	in := m.in
	begin := p
	for p < len(in) && nameByte[in[p]] {
		p++
	}
	a.name = in[begin:p]
	q := m.skipSpace(p)
	if q == len(in) {
		return a, -1
	}
	if in[q] != '=' {
		a.value, a.bare = a.name, true
		t.repairs |= repairedAttributes
		return a, p
	}
	if q = m.skipSpace(q + 1); q == len(in) {
		return a, -1
	}
	quote := in[q]
	if quote != '"' && quote != '\'' {
		begin = q
		for q < len(in) && !isSpace(in[q]) && in[q] != '>' && in[q] != '<' && (in[q] != '/' || q+1 >= len(in) || in[q+1] != '>') {
			q++
		}
		a.value = in[begin:q]
		t.repairs |= repairedAttributes
		return a, q
	}
	rest := in[q+1:]
	size := bytes.IndexByte(rest, quote)
	if size < 0 {
		if size = bytes.IndexByte(rest, '>'); size < 0 || !bytes.Contains(rest[size:min(len(rest), size+maxToken)], []byte("</")) {
			return a, -1
		}
		t.repairs |= repairedAttributes // the closing quote is missing
		a.value = rest[:size]
		return a, q + 1 + size
	}
	a.value, next = rest[:size], q+size+2
	if bytes.IndexByte(a.value, '<') >= 0 {
		t.repairs |= repairedAttributes
		if end := bytes.IndexByte(a.value, '>'); end >= 0 && bytes.Contains(a.value[end:], []byte("<")) {
			a.value, next = a.value[:end], q+1+end // the closing quote is missing; the quote found opens another value
		}
	}
	return a, next
}

// skipSpace returns the position of the first byte from p on that is no white space.
func (m *mender) skipSpace(p int) int {
	for p < len(m.in) && isSpace(m.in[p]) {
		p++
	}
	return p
}

// applyAttributes mends the attributes of a tag and applies namespaces, base and language to its element. It returns the
// value of rdf:about.
func (m *mender) applyAttributes(t *tag, e, parent *element) (about string, err error) {
	declared := 0
	inContent := parent != nil && (parent.role == roleField || parent.role == roleHead || parent.role == roleOther)
	for i := range m.attrs {
		a := &m.attrs[i]
		if lower := bytes.ToLower(a.name); !inContent && e.word == "link" && !bytes.Equal(lower, a.name) {
			a.name = lower // HREF
			t.repairs |= repairedAttributes
		}
		isRepeated := slices.ContainsFunc(m.attrs[:i], func(earlier attribute) bool { return bytes.Equal(earlier.name, a.name) })
		if a.omit = isRepeated || !isName(a.name); a.omit {
			t.repairs |= repairedAttributes
			continue
		}
		m.mendValue(a, t)
		switch name := string(a.name); {
		case name == "xmlns" || strings.HasPrefix(name, "xmlns:"):
			if declared == maxNamespaces {
				a.omit, t.rewrite = true, true
				m.item().CutMarkup = true
				continue
			}
			declared++
			m.declare(a, t, strings.TrimPrefix(strings.TrimPrefix(name, "xmlns"), ":"), parent == nil)
		case name == "xml:base":
			if m.bases++; m.bases > MaxBases {
				return "", feed.Failf(feed.FailureLimits, "the document has xml:base more than %d times", MaxBases)
			}
			e.base = Rebase(e.base, a.text())
			if !inContent { // the parser resolves it wrongly (RFC 3986 section 5.2.3); within content it is part of the text
				a.omit, t.rewrite = true, true
			}
		case name == "xml:lang":
			e.language = a.text()
		case name == "about" || strings.HasSuffix(name, ":about"):
			about = strings.TrimSpace(a.text())
		}
	}
	e.scoped += declared
	m.nsCopied += e.scoped
	if m.nsCopied > maxNamespacesCopied {
		return "", feed.Failf(feed.FailureLimits, "too many elements stand below too many namespaces")
	}
	return about, nil
}

// text returns the attribute's value with its references resolved.
func (a *attribute) text() string { return html.UnescapeString(string(a.value)) }

// mendValue escapes < and mends the references in a value.
func (m *mender) mendValue(a *attribute, t *tag) {
	if t.repairs == 0 && bytes.IndexByte(a.value, '&') < 0 { // a < would have been a repair
		return
	}
	var out []byte
	rest := a.value
	for i := bytes.IndexAny(rest, "<&"); i >= 0; i = bytes.IndexAny(rest, "<&") {
		replacement, size, repair := "&lt;", 1, repairedAttributes
		if rest[i] == '&' {
			replacement, size, repair = m.mendReference(rest[i:])
		}
		if repair == 0 {
			replacement = string(rest[i : i+size])
		}
		t.repairs |= repair
		out = append(append(out, rest[:i]...), replacement...)
		rest = rest[i+size:]
	}
	a.value = append(out, rest...)
}

// declare adds a namespace declaration to the scope and corrects its spelling.
func (m *mender) declare(a *attribute, t *tag, prefix string, root bool) {
	space := strings.TrimSpace(a.text())
	canonical, known := canonicalSpace(space)
	if root {
		_, word := splitName(t.name)
		own := prefix == string(prefixOf(t.name))
		switch {
		case own && !known && space != "" && strings.EqualFold(string(word), "feed"):
			canonical = spaceAtom10 // drafts of Atom and unknown namespaces
		case own && known && strings.EqualFold(string(word), "rss") && !isNative("rss", canonical, ""):
			canonical = "" // RSS has no namespace; in this one the parser would take the root for an extension
		}
	}
	if canonical != space {
		a.value = []byte(html.EscapeString(canonical))
		a.omit, t.rewrite = canonical == "", true
		if !officialSpaces[space] {
			t.repairs |= repairedNamespaces
		}
	}
	m.namespaces = append(m.namespaces, binding{prefix: prefix, space: canonical, depth: len(m.open)})
}
