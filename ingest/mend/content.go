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
		ampersand, bracket := m.next(&m.ampersand, at, "&"), m.next(&m.bracket, at, "]]>")
		if min(ampersand, bracket) >= end {
			return nil
		}
		if bracket < ampersand {
			m.replace(bracket+2, bracket+3, "&gt;")
			m.repaired(repairedBrackets)
			at = bracket + 3
			continue
		}
		at = ampersand
		replacement, size, repair := m.mendReference(m.in[at:end])
		if repair != 0 {
			m.replace(at, at+size, replacement)
			m.repaired(repair)
		}
		at += size
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
	begin := m.pos + len("<!--")
	end := m.next(&m.commentEnd, begin, "-->")
	switch {
	case end < len(m.in):
	case m.itemName != nil && m.next(&m.itemEnd, m.pos, "</"+string(m.itemName)) < len(m.in):
		m.escapeLess()
		return nil
	default:
		m.truncate(m.outPos(m.pos))
		return nil
	}
	body := m.in[begin:end]
	if err := checkToken(len(body)); err != nil {
		return err
	}
	end += len("-->")
	if bytes.Contains(body, []byte("--")) || bytes.HasSuffix(body, []byte("-")) {
		m.remove(end, repairedComments)
	}
	m.pos = end
	return nil
}

// section keeps a CDATA section. It ends an unterminated one before the next end tag of the current element.
func (m *mender) section() error {
	const opening = len("<![CDATA[")
	begin := m.pos
	if end := m.next(&m.bracket, begin, "]]>"); end < len(m.in) {
		m.pos = end + len("]]>")
		return m.countText(end - begin - opening)
	}
	size := bytes.Index(m.in[begin:], append([]byte("</"), m.top().name...))
	if size < 0 {
		m.truncate(m.outPos(begin))
		return nil
	}
	m.pos += size
	m.replace(m.pos, m.pos, "]]>")
	m.repaired(repairedUnclosed)
	return m.countText(size)
}

// instruction removes a processing instruction. Feed readers ignore them.
func (m *mender) instruction() error {
	begin, end := m.pos, m.next(&m.instructionEnd, m.pos, "?>")
	if end == len(m.in) {
		m.escapeLess()
		return nil
	}
	m.remove(end+len("?>"), 0)
	return checkToken(end - begin)
}
