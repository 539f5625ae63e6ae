package mend

import "bytes"

// endTag reads the end tag at pos.
func (m *mender) endTag() error {
	in := m.in
	p := m.pos + 2
	for p < len(in) && nameByte[in[p]] {
		p++
	}
	name := in[m.pos+2 : p]
	for p < len(in) && in[p] != '>' && in[p] != '<' {
		p++
	}
	switch {
	case p == len(in) && len(m.open) > 0 && bytes.Equal(name, m.top().name): // only the > is missing
		m.repaired(Truncated)
		m.closeImplied(m.pos)
		m.pos, m.kept = p, p
		return nil
	case p == len(in):
		m.complete = m.complete || len(m.open) == 1 // the root's end tag
		m.truncate(m.outPos(m.pos))
		return nil
	case len(name) == 0 || !nameStart[name[0]]:
		m.escapeLess()
		return nil
	}
	i := m.find(name)
	gap := in[m.pos+2+len(name) : p]
	sound := in[p] == '>' && len(gap) == 0
	if in[p] == '<' || len(bytes.TrimSpace(gap)) > 0 || i >= 0 && !bytes.Equal(m.open[i].name, name) {
		m.repaired(repairedMarkup)
	}
	if in[p] == '>' {
		p++
	}
	if i < 0 || m.isStray(i, p) {
		m.remove(p, repairedStray)
		return m.countElement()
	}
	for len(m.open)-1 > i {
		m.closeImplied(m.pos)
	}
	e, end := m.top(), m.outPos(m.pos)
	switch {
	case e.dropped:
		m.replace(m.pos, p, "")
	case !sound || !bytes.Equal(name, e.outName):
		m.replace(m.pos, p, "</"+string(e.outName)+">")
	}
	m.pos = p
	m.closeAt(end)
	return nil
}

// find returns the index of the innermost open element of a name, or -1. It prefers the same letter case.
func (m *mender) find(name []byte) int {
	for _, equal := range []func(a, b []byte) bool{bytes.Equal, bytes.EqualFold} {
		for i := len(m.open) - 1; i >= 0; i-- {
			if equal(m.open[i].name, name) {
				return i
			}
		}
	}
	return -1
}

// isStray reports whether an end tag would close open[i] too early: more of its content follows from.
func (m *mender) isStray(i, from int) bool {
	for _, e := range m.open[i:] {
		if e.role == roleItem {
			if ok, end := m.seekItem(from); ok && end {
				return true
			}
		}
	}
	if i > 0 {
		return false
	}
	ok, end := m.seekItem(from)
	return ok && !end
}

// seekItem finds the next start or end tag of an item.
func (m *mender) seekItem(from int) (ok, end bool) {
	if m.nextItem < from {
		name := m.itemName
		if name == nil && m.doc.Root == "feed" {
			name = []byte("entry")
		} else if name == nil {
			name = []byte("item")
		}
		m.nextItem, m.nextItemEnds = m.seek(from, name)
	}
	return m.nextItem < len(m.in), m.nextItemEnds
}

// closeImplied closes the innermost element, whose end tag is missing, before in[at].
func (m *mender) closeImplied(at int) {
	end := m.outPos(at)
	if e := m.top(); !e.dropped {
		m.replace(at, at, "</"+string(e.outName)+">")
	}
	m.repaired(repairedUnclosed)
	m.closeAt(end)
}

// closeAt closes the innermost element, whose content ends at a position in the output.
func (m *mender) closeAt(outPos int) {
	e := m.top()
	if e.text != nil && outPos > e.text.from {
		e.text.to, e.text.end = outPos, m.outPos(m.pos)
		m.doc.texts = append(m.doc.texts, e.text)
	}
	if e.wraps != nil {
		e.wraps.div[2], e.wraps.div[3] = outPos, m.outPos(m.pos)
	}
	if e.role == roleItem {
		m.complete = true
	}
	m.open = m.open[:len(m.open)-1]
	m.endScopes()
	m.ended = len(m.open) == 0
}

// endScopes ends the scopes of the namespaces that closed elements declare.
func (m *mender) endScopes() {
	for len(m.namespaces) > 0 && m.namespaces[len(m.namespaces)-1].depth >= len(m.open) {
		m.namespaces = m.namespaces[:len(m.namespaces)-1]
	}
}
