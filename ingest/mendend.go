package ingest

import "bytes"

// endTag handles the end tag at pos, or what looks like one.
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
		m.mended |= mendedCut
		m.imply(m.pos)
		m.pos, m.kept = p, p
		return nil
	case p == len(in) && len(m.open) == 1: // the root's, whatever is left of it
		m.whole = true
		return m.stop(m.pos)
	case p == len(in):
		return m.stop(m.pos)
	case len(name) == 0 || !nameStart[name[0]]:
		m.literal()
		return nil
	}
	i := m.find(name)
	gap := in[m.pos+2+len(name) : p]
	sound := in[p] == '>' && len(gap) == 0
	if in[p] == '<' || len(bytes.TrimSpace(gap)) > 0 || i >= 0 && !bytes.Equal(m.open[i].name, name) {
		m.mended |= mendedMarkup
	}
	if in[p] == '>' {
		p++
	}
	if i < 0 || m.isStray(i, p) {
		m.drop(p, mendedStray)
		return m.countElement()
	}
	for len(m.open)-1 > i {
		m.imply(m.pos)
	}
	e := m.top()
	switch {
	case e.ghost:
		m.replace(m.pos, p, "")
	case !sound || !bytes.Equal(name, e.written):
		end := m.at(m.pos)
		m.replace(m.pos, p, "</"+string(e.written)+">")
		m.pos = p
		m.closeAt(end)
		return nil
	}
	end := m.pos
	m.pos = p
	m.closeAt(m.at(end))
	return nil
}

// find is the innermost open element of a name, if need be in other letters; -1: there is none.
func (m *mender) find(name []byte) int {
	for i := len(m.open) - 1; i >= 0; i-- {
		if bytes.Equal(m.open[i].name, name) {
			return i
		}
	}
	for i := len(m.open) - 1; i >= 0; i-- {
		if bytes.EqualFold(m.open[i].name, name) {
			return i
		}
	}
	return -1
}

// isStray reports whether the end tag of open[i], which ends before from, is not meant: what it would close goes on
// behind it.
func (m *mender) isStray(i, from int) bool {
	for _, e := range m.open[i:] {
		if e.role == roleItem {
			if found, end := m.seekItem(from); found && end {
				return true
			}
		}
	}
	if i > 0 {
		return false
	}
	found, end := m.seekItem(from)
	return found && !end
}

// seekItem looks for the next start or end tag of an item. What was found further on is not looked for again.
func (m *mender) seekItem(from int) (found, end bool) {
	if s := &m.soughtItem; from < s.from || from > s.at {
		s.from = from
		name := m.itemName
		if name == nil && m.shape.root == "feed" {
			name = []byte("entry")
		} else if name == nil {
			name = []byte("item")
		}
		s.at, s.end = m.seek(from, name)
	}
	return m.soughtItem.at < len(m.in), m.soughtItem.end
}

// imply closes the innermost element, whose end tag is missing, before in[at].
func (m *mender) imply(at int) {
	end := m.at(at)
	if e := m.top(); !e.ghost {
		m.replace(at, at, "</"+string(e.written)+">")
	}
	m.mended |= mendedUnclosed
	m.closeAt(end)
}

// close ends the innermost element, which ends before in[at].
func (m *mender) close(at int) { m.closeAt(m.at(at)) }

// closeAt ends the innermost element, whose content ends at a place in the output.
func (m *mender) closeAt(place int) {
	e := m.top()
	if e.field != nil {
		e.field.to = place
	}
	if e.role == roleItem {
		m.whole = true
	}
	m.open = m.open[:len(m.open)-1]
	for len(m.spaces) > 0 && m.spaces[len(m.spaces)-1].depth >= len(m.open) {
		m.spaces = m.spaces[:len(m.spaces)-1]
	}
	m.ended = len(m.open) == 0
}
