package mend

import (
	"bytes"
	"unicode/utf8"

	"github.com/feedwire/feedwire/store/feed"
)

// mendText mends the character data in[pos:end].
func (m *mender) mendText(end int) error {
	from := m.pos
	m.pos = end
	if from == end || len(m.open) == 0 {
		return nil
	}
	fits := m.fit(from, end)
	if err := m.countText(fits - from); err != nil {
		return err
	}
	for at := from; ; {
		ampersand, bracket := m.next(&m.ampersand, at, "&"), m.next(&m.bracket, at, "]]>")
		if min(ampersand, bracket) >= fits {
			m.removeRest(fits, end)
			return nil
		}
		if bracket < ampersand {
			m.replace(bracket+2, bracket+3, "&gt;")
			m.repaired(repairedBrackets)
			at = bracket + 3
			continue
		}
		at = ampersand
		replacement, size, repair := m.mendReference(m.in[at:fits])
		if repair != 0 {
			m.replace(at, at+size, replacement)
			m.repaired(repair)
		}
		at += size
	}
}

// fit returns the end of the part of in[from:end] that the parser may read as one text. It splits neither characters nor
// references. The long texts of items come from the outline and have a bound of their own.
func (m *mender) fit(from, end int) int {
	e := m.top()
	if end-from <= maxToken || e.inText || e.text != nil && e.text.long {
		return end
	}
	at := from + maxToken
	const longest = 33 // reference
	if i := bytes.LastIndexByte(m.in[at-longest:at], '&'); i >= 0 && bytes.IndexByte(m.in[at-longest+i:at], ';') < 0 {
		at += i - longest
	}
	for at > from && !utf8.RuneStart(m.in[at]) {
		at--
	}
	return at
}

// removeRest removes the rest of a text that does not fit.
func (m *mender) removeRest(fits, end int) {
	if fits < end {
		m.item().CutText = true
		m.replace(fits, end, "")
	}
}

// countText counts a piece of text of the current element against the bounds.
func (m *mender) countText(size int) error {
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
		m.instruction()
		return nil
	case nameStart[rest[1]]:
		return m.startTag()
	case bytes.HasPrefix(rest, []byte("<!--")):
		m.comment()
		return nil
	case bytes.HasPrefix(rest, []byte("<![CDATA[")):
		return m.section()
	}
	m.escapeLess()
	return nil
}

// comment keeps a comment, or removes it if XML forbids its content (XML 1.0 section 2.5).
func (m *mender) comment() {
	begin := m.pos + len("<!--")
	end := m.next(&m.commentEnd, begin, "-->")
	switch {
	case end < len(m.in):
	case m.itemName != nil && m.next(&m.itemEnd, m.pos, "</"+string(m.itemName)) < len(m.in):
		m.escapeLess()
		return
	default:
		m.truncate(m.outPos(m.pos))
		return
	}
	body := m.in[begin:end]
	end += len("-->")
	if bytes.Contains(body, []byte("--")) || bytes.HasSuffix(body, []byte("-")) {
		m.remove(end, repairedComments)
	}
	m.pos = end
}

// section keeps a CDATA section. It ends an unterminated one before the next end tag of the current element.
func (m *mender) section() error {
	begin := m.pos + len("<![CDATA[")
	end := m.next(&m.bracket, begin, "]]>")
	if end < len(m.in) {
		fits := m.fit(begin, end)
		m.removeRest(fits, end)
		m.pos = end + len("]]>")
		return m.countText(fits - begin)
	}
	size := bytes.Index(m.in[begin:], append([]byte("</"), m.top().name...))
	if size < 0 {
		m.truncate(m.outPos(m.pos))
		return nil
	}
	m.pos = begin + size
	fits := m.fit(begin, m.pos)
	m.removeRest(fits, m.pos)
	m.replace(m.pos, m.pos, "]]>")
	m.repaired(repairedUnclosed)
	return m.countText(fits - begin)
}

// instruction removes a processing instruction. Feed readers ignore them.
func (m *mender) instruction() {
	end := m.next(&m.instructionEnd, m.pos, "?>")
	if end == len(m.in) {
		m.escapeLess()
		return
	}
	m.remove(end+len("?>"), 0)
}
