package ingest

import "bytes"

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
