package ingest

import "bytes"

// isClosedAhead reports whether the end tag of open[i] comes, and before that of what it stands in. Elements of either
// name that begin and end between are passed by, a few of them.
func (m *mender) isClosedAhead(e *element, i int) bool {
	if e.closes {
		return true
	}
	const most = 16 // tags that are looked at
	names := [2][]byte{e.name, m.open[i-1].name}
	var within [2]int // elements of the names that are open in it
	for _, o := range m.open[i+1:] {
		for j, name := range names {
			if bytes.Equal(o.name, name) {
				within[j]++
			}
		}
	}
	at, end := m.pos, false
	for range most {
		for j, name := range names {
			switch {
			case end && m.isTagAt(at+2, name):
				within[j]--
			case !end && m.isTagAt(at+1, name) && !m.isEmptyAt(at):
				within[j]++
			}
		}
		if within[0] < 0 || within[1] < 0 || at == len(m.in) {
			break
		}
		at, end = m.seek(at+1, names[:]...)
	}
	e.closes = within[0] < 0 && within[1] >= 0
	return e.closes
}

// isEmptyAt reports whether the tag at a place has no content.
func (m *mender) isEmptyAt(p int) bool {
	end := bytes.IndexByte(m.in[p:], '>')
	return end > 0 && m.in[p+end-1] == '/'
}

// isTagAt reports whether a name stands at a place, and no longer one.
func (m *mender) isTagAt(p int, name []byte) bool {
	rest, found := bytes.CutPrefix(m.in[min(p, len(m.in)):], name)
	return found && len(rest) > 0 && !nameByte[rest[0]]
}

// isClosedAt reports whether the end tag follows at once.
func (m *mender) isClosedAt(p int, name []byte) bool {
	for p < len(m.in) && isSpace(m.in[p]) {
		p++
	}
	rest, found := bytes.CutPrefix(m.in[p:], []byte("</"))
	return found && bytes.HasPrefix(rest, name)
}

// seek is where the first tag from a place on is that has one of the names, and whether it is an end tag; len(in): there
// is none. Comments and CDATA sections hold no tags.
func (m *mender) seek(from int, names ...[]byte) (at int, end bool) {
	for at = from; at < len(m.in); at++ {
		next := bytes.IndexByte(m.in[at:], '<')
		if next < 0 {
			break
		}
		at += next
		rest := m.in[at+1:]
		switch {
		case bytes.HasPrefix(rest, []byte("![CDATA[")):
			at += skipPast(rest, "]]>")
			continue
		case bytes.HasPrefix(rest, []byte("!--")):
			at += skipPast(rest, "-->")
			continue
		}
		rest, end = bytes.CutPrefix(rest, []byte{'/'})
		for _, name := range names {
			if len(rest) > len(name) && bytes.HasPrefix(rest, name) && !nameByte[rest[len(name)]] {
				return at, end
			}
		}
	}
	return len(m.in), false
}

// endsItemAfter reports whether an item ends behind a place.
func (m *mender) endsItemAfter(from int) bool {
	if m.itemName == nil {
		return false
	}
	if m.itemEnd < from {
		if m.itemEnd = bytes.Index(m.in[from:], append([]byte("</"), m.itemName...)) + from; m.itemEnd < from {
			m.itemEnd = len(m.in)
		}
	}
	return m.itemEnd < len(m.in)
}
