package mend

import (
	"bytes"
	"slices"
)

// isClosedAhead reports whether the end tag of open[i] follows before that of its parent. It skips a few balanced elements
// of either name.
func (m *mender) isClosedAhead(i int) bool {
	e := &m.open[i]
	if e.closes {
		return true
	}
	const maxTags = 16
	names := [2][]byte{e.name, m.open[i-1].name}
	var depth [2]int // open elements of each name within open[i]
	for _, o := range m.open[i+1:] {
		for j, name := range names {
			if bytes.Equal(o.name, name) {
				depth[j]++
			}
		}
	}
	at, end := m.pos, false
	for range maxTags {
		for j, name := range names {
			switch {
			case end && beginsWith(m.in[at+2:], name):
				depth[j]--
			case !end && at < len(m.in) && beginsWith(m.in[at+1:], name) && !m.isEmptyAt(at):
				depth[j]++
			}
		}
		if depth[0] < 0 || depth[1] < 0 || at == len(m.in) {
			break
		}
		at, end = m.seek(at+1, names[:]...)
	}
	e.closes = depth[0] < 0 && depth[1] >= 0
	return e.closes
}

// isEmptyAt reports whether the tag at a position is an empty-element tag.
func (m *mender) isEmptyAt(p int) bool {
	end := bytes.IndexByte(m.in[p:], '>')
	return end > 0 && m.in[p+end-1] == '/'
}

// beginsWith reports whether text begins with exactly this name.
func beginsWith(text, name []byte) bool {
	return len(text) > len(name) && bytes.HasPrefix(text, name) && !nameByte[text[len(name)]]
}

// seek returns the position of the first tag with one of the names, and whether it is an end tag. It returns len(in) if
// there is none. It skips comments and CDATA sections.
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
		if slices.ContainsFunc(names, func(name []byte) bool { return beginsWith(rest, name) }) {
			return at, end
		}
	}
	return len(m.in), false
}
