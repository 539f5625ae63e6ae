package mend

import (
	"bytes"

	"github.com/feedwire/feedwire/store/feed"
)

// mendText mends the character data in[pos:end].
func (m *mender) mendText(end int) error {
	from := m.pos
	m.pos = end
	if from == end || len(m.open) == 0 {
		return nil
	}
	if err := m.countText(end - from); err != nil {
		return err
	}
	for at := from; ; {
		if err := m.checkFaults(); err != nil {
			return err
		}
		m.findSpecial(at)
		if m.amp >= end && m.bracket >= end {
			return nil
		}
		if m.bracket < m.amp {
			m.replace(m.bracket+2, m.bracket+3, "&gt;")
			m.repaired(repairedBrackets)
			at = m.bracket + 3
			continue
		}
		at = m.amp
		replacement, size, ok, repair := m.mendReference(m.in[at:end])
		if !ok {
			m.replace(at, at+size, replacement)
			m.repaired(repair)
		}
		at += size
	}
}

// findSpecial finds the next & and ]]> from a position on.
func (m *mender) findSpecial(from int) {
	if m.amp < from {
		if m.amp = bytes.IndexByte(m.in[from:], '&') + from; m.amp < from {
			m.amp = len(m.in)
		}
	}
	if m.bracket < from {
		if m.bracket = bytes.Index(m.in[from:], []byte("]]>")) + from; m.bracket < from {
			m.bracket = len(m.in)
		}
	}
}

// countText counts a piece of text of the current element against the bounds.
func (m *mender) countText(size int) error {
	if err := checkToken(size); err != nil {
		return err
	}
	e := m.top()
	if e.role == roleRoot || e.role == roleChannel {
		return nil // between the items; the parser drops it
	}
	if m.copied += e.size; m.copied > maxTextCopied {
		return feed.Failf(feed.FailureLimits, "the text of an element is cut into too many pieces")
	}
	e.size += size
	return nil
}

// countElement counts a tag against the bounds.
func (m *mender) countElement() error {
	if m.elements++; m.elements > maxElements {
		return feed.Failf(feed.FailureLimits, "the document has more than %d elements", maxElements)
	}
	return nil
}

// markup reads the markup that the < at pos begins, or escapes the <.
func (m *mender) markup() error {
	rest := m.in[m.pos:]
	switch {
	case bytes.HasPrefix([]byte("<!--"), rest), bytes.HasPrefix([]byte("<![CDATA["), rest): // the document ends here
		m.truncate(m.outPos(m.pos))
		return nil
	case rest[1] == '/':
		return m.endTag()
	case rest[1] == '?':
		return m.instruction()
	case nameStart[rest[1]]:
		return m.startTag()
	case bytes.HasPrefix(rest, []byte("<!--")):
		return m.comment()
	case bytes.HasPrefix(rest, []byte("<![CDATA[")):
		return m.section()
	}
	m.escapeLess()
	return nil
}

// comment keeps a comment, or removes it if XML forbids its content (XML 1.0 section 2.5).
func (m *mender) comment() error {
	rest := m.in[m.pos:]
	end := search(&m.noComment, rest[4:], "-->")
	if end < 0 {
		if m.hasItemEnd(m.pos) {
			m.escapeLess()
		} else {
			m.truncate(m.outPos(m.pos))
		}
		return nil
	}
	body := rest[4 : 4+end]
	if err := checkToken(len(body)); err != nil {
		return err
	}
	if len(m.open) == 0 || bytes.Contains(body, []byte("--")) || bytes.HasSuffix(body, []byte("-")) {
		m.remove(m.pos+end+7, repairedComments)
		return nil
	}
	m.pos += end + 7
	return nil
}

// section keeps a CDATA section. It ends an unterminated one before the next end tag of the current element.
func (m *mender) section() error {
	const opening = len("<![CDATA[")
	rest := m.in[m.pos:]
	end := search(&m.noSection, rest, "]]>")
	if end < 0 {
		end = bytes.Index(rest, append([]byte("</"), m.top().name...))
		if end < 0 {
			m.truncate(m.outPos(m.pos))
			return nil
		}
		m.replace(m.pos+end, m.pos+end, "]]>")
		m.repaired(repairedUnclosed)
		m.pos += end
		return m.countText(end)
	}
	m.pos += end + 3
	return m.countText(end - opening)
}

// instruction removes a processing instruction. Feed readers ignore them.
func (m *mender) instruction() error {
	end := search(&m.noInstruction, m.in[m.pos:], "?>")
	if end < 0 {
		m.escapeLess()
		return nil
	}
	m.remove(m.pos+end+2, 0)
	return checkToken(end)
}

// search returns the index of a terminator, or -1. It sets none if there is none, and does not search again then.
func search(none *bool, text []byte, terminator string) int {
	if *none {
		return -1
	}
	i := bytes.Index(text, []byte(terminator))
	*none = i < 0
	return i
}
