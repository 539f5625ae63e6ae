package ingest

import (
	"bytes"
	"html"
	"strings"
)

// nameStart and nameByte mark the bytes of which names are made here: those of ASCII. Others are legal in XML, but no
// format has them; they are replaced.
var (
	nameStart = nameTable("")
	nameByte  = nameTable("0123456789-.")
)

func nameTable(more string) (table [256]bool) {
	for _, c := range []byte("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_:" + more) {
		table[c] = true
	}
	for c := 0x80; c < 0x100; c++ {
		table[c] = true
	}
	return table
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// attribute is one attribute of the tag that is read.
type attribute struct {
	name, value []byte
	bare        bool   // it has no value; its name stands for it
	with        []byte // what it becomes instead of value, references in it mended
	left        bool   // it is left out
}

// tag is the start tag that is read.
type tag struct {
	name   []byte
	end    int  // behind it
	empty  bool // />
	broken bool // it cannot stay as it is
}

// startTag handles the start tag at pos, or what looks like one.
func (m *mender) startTag() error {
	t, verdict, err := m.readTag()
	if err != nil {
		return err
	}
	switch verdict {
	case notATag:
		m.literal()
		return nil
	case cutTag:
		return m.stop(m.pos)
	}
	prefix, local := splitName(t.name)
	word := wordOf(local)
	m.closeUnclosed(prefix, word)
	if isVoid(word) && len(prefix) == 0 && !t.empty && !m.isClosedAt(t.end, t.name) {
		t.empty, t.broken = true, true
		m.mended |= mendedUnclosed
	}
	return m.push(t, prefix, word)
}

// verdict is what a < turns out to begin.
type verdict uint8

const (
	aTag verdict = iota
	notATag
	cutTag // a tag that the document ends in
)

// readTag reads the tag at pos into t and m.attrs, and changes nothing yet.
func (m *mender) readTag() (t tag, v verdict, err error) {
	in := m.in
	p := m.pos + 1
	for p < len(in) && nameByte[in[p]] {
		p++
	}
	t.name = in[m.pos+1 : p]
	m.attrs = m.attrs[:0]
	root := len(m.open) == 0 // it was looked for, and nothing else can come first
	if !root && p < len(in) && !isSpace(in[p]) && in[p] != '>' && in[p] != '/' && in[p] != '<' {
		return t, notATag, nil // <name@host>
	}
	for {
		for p < len(in) && isSpace(in[p]) {
			p++
		}
		if p >= len(in) {
			return t, cutTag, nil
		}
		switch c := in[p]; {
		case c == '>':
			t.end = p + 1
			return t, aTag, nil
		case c == '/' && p+1 < len(in) && in[p+1] == '>':
			t.end, t.empty = p+2, true
			return t, aTag, nil
		case c == '/' && p+1 == len(in):
			return t, cutTag, nil
		case c == '<':
			if !root && (len(m.attrs) == 0 || m.attrs[len(m.attrs)-1].bare) {
				return t, notATag, nil // a <b and c <d
			}
			m.mended |= mendedMarkup
			t.end, t.broken = p, true // the > is missing
			return t, aTag, nil
		case nameStart[c]:
			if len(m.attrs) == maxAttributes {
				return t, aTag, failf(ClassLimits, "an element has more than %d attributes", maxAttributes)
			}
			p = m.readAttribute(p, &t)
			if p < 0 {
				return t, cutTag, nil
			}
		case !root && len(m.attrs) == 0:
			return t, notATag, nil // a <b && c
		default:
			t.broken = true // a stray quote or comma
			m.mended |= mendedAttributes
			p++
		}
	}
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

// push opens the element of a tag, or all but opens it where the tag is empty.
func (m *mender) push(t tag, prefix []byte, word string) error {
	if err := m.countElement(); err != nil {
		return err
	}
	if len(m.open) >= maxDepth {
		return failf(ClassLimits, "elements are nested more than %d deep", maxDepth)
	}
	e := element{name: t.name, word: word, base: m.base, written: safeName(t.name)}
	var parent *element
	if len(m.open) > 0 {
		parent = m.top()
		e.base, e.language, e.scoped = parent.base, parent.language, parent.scoped
		if parent.field != nil {
			parent.field.markup = true
		}
	}
	about, err := m.readAttributes(&t, &e, parent)
	if err != nil {
		return err
	}
	if err := m.place(&e, parent, prefix, about); err != nil {
		return err
	}
	if parent != nil && (parent.field != nil || parent.content) {
		e.content = true
		if len(prefix) > 0 && isName(t.name) && isMarkup(m.space(prefix)) { // in HTML, names have no prefixes
			e.written = t.name[len(prefix)+1:]
		}
	}
	e.begin = m.at(m.pos)
	m.writeTag(&t, &e)
	if e.field != nil {
		e.field.from = m.at(t.end)
	}
	m.pos = t.end
	m.open = append(m.open, e)
	if t.empty {
		m.close(m.pos)
	}
	return nil
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

// writeTag puts the tag at pos into the output.
func (m *mender) writeTag(t *tag, e *element) {
	switch {
	case e.ghost:
		m.replace(m.pos, t.end, "")
		return
	case !t.broken && len(e.written) == len(e.name) && isName(e.name):
		return
	}
	out := append([]byte{'<'}, e.written...)
	for _, a := range m.attrs {
		if a.left {
			continue
		}
		value := a.value
		if a.with != nil {
			value = a.with
		}
		out = append(append(append(out, ' '), a.name...), `="`...)
		out = append(append(out, bytes.ReplaceAll(value, []byte{'"'}, []byte("&quot;"))...), '"')
	}
	if t.empty {
		out = append(out, '/')
	}
	m.replace(m.pos, t.end, string(append(out, '>')))
}

// isName reports whether an attribute's name is one in XML with namespaces, and of ASCII.
func isName(name []byte) bool {
	colon := bytes.IndexByte(name, ':')
	if colon == 0 || colon == len(name)-1 || colon > 0 && (bytes.IndexByte(name[colon+1:], ':') >= 0 || !nameStart[name[colon+1]]) {
		return false
	}
	for _, c := range name {
		if c >= 0x80 {
			return false
		}
	}
	return true
}

// safeName is an element's name as it can stand in XML with namespaces.
func safeName(name []byte) []byte {
	if isName(name) {
		return name
	}
	out := bytes.Map(func(r rune) rune {
		if r >= 0x80 || r == ':' {
			return '_'
		}
		return r
	}, name)
	return out
}

// splitName cuts a name at its colon.
func splitName(name []byte) (prefix, local []byte) {
	if i := bytes.IndexByte(name, ':'); i > 0 {
		return name[:i], name[i+1:]
	}
	return nil, name
}

func prefixOf(name []byte) []byte {
	prefix, _ := splitName(name)
	return prefix
}
