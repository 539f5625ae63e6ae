package ingest

import (
	"bytes"
	"net/url"
)

// mender makes well-formed XML, within the bounds, of a document that is or was meant to be that, in one pass. What is
// well-formed goes through as it is. What it hands on is what the parser reads: the parser sees no element that is not
// on its stack here.
type mender struct {
	in      []byte
	pos     int               // of the next byte to look at
	out     []byte            // what in[:kept] became; what follows goes through unchanged
	kept    int               //
	defined map[string]string // entities of the DOCTYPE
	limits  Limits
	base    *url.URL // of the document
	mended  repairs
	shape   outline

	open       []element // from the root to where the pass is
	attrs      []attribute
	spaces     []binding // namespaces in scope
	ended      bool      // the root element is closed
	whole      bool      // an item is complete, or all of the document
	itemName   []byte    // of the first item, as written
	rootURI    string    // namespace of the root
	verdicts   verdicts
	soughtItem sought
	channelled bool // a channel was opened

	amp, bracket int // where the next & and the next ]]> are, at or behind pos; len(in): nowhere
	itemEnd      int // likewise the next end tag of an item
	elements     int
	faults       int
	copied       int // bytes of text
	nsCopied     int // namespace bindings
	bases        int // xml:base attributes
	expanded     int // bytes put in for entities of the DOCTYPE
}

// role is what an element is to a feed.
type role uint8

const (
	roleOther   role = iota
	roleRoot         // rss, rdf or feed
	roleChannel      //
	roleItem         // item or entry
	roleField        // right below an item
	roleHead         // right below a channel or an Atom feed
)

// element is an open element.
type element struct {
	name     []byte     // as written
	written  []byte     // as it is written
	role     role       //
	word     string     // what its name means, lower case, without prefix; empty: nothing to us
	base     *url.URL   // in scope
	language string     // in scope
	begin    int        // where its start tag stands in the output
	text     int        // bytes of text in it so far
	scoped   int        // namespaces in scope
	field    *construct // what it says is kept here; nil: nowhere
	content  bool       // it stands in a field
	ghost    bool       // its tags were left out
	closes   bool       // its end tag has been seen ahead
}

// binding is a namespace declaration.
type binding struct {
	prefix, space string
	depth         int // of the element that makes it
}

// sought is what a search for a tag found.
type sought struct {
	from, at int  // where it began, and where the tag is
	end      bool // it is an end tag
}

// verdicts remembers what was looked for until the end of the document and is not there.
type verdicts struct {
	noComment, noSection, noInstruction bool
}

func newMender(in []byte, base *url.URL, limits Limits) *mender {
	return &mender{in: in, base: base, limits: limits, amp: -1, bracket: -1, itemEnd: -1, soughtItem: sought{at: -1}, open: make([]element, 0, 16)}
}

// run returns the document. Its errors are of the classes limits and parse.
func (m *mender) run() ([]byte, error) {
	if rootName(m.in) == "channel" {
		m.wrap()
	}
	for m.pos < len(m.in) && !m.ended {
		if m.faults > maxFaults {
			return nil, failf(ClassLimits, "the document has more than %d faults", maxFaults)
		}
		next := bytes.IndexByte(m.in[m.pos:], '<')
		if next < 0 {
			next = len(m.in) - m.pos
		}
		if err := m.text(m.pos + next); err != nil {
			return nil, err
		}
		if m.pos < len(m.in) {
			if err := m.markup(); err != nil {
				return nil, err
			}
		}
	}
	return m.finish()
}

// wrap gives a channel without root one.
func (m *mender) wrap() {
	m.out = append(make([]byte, 0, len(m.in)+64), "<rss>"...)
	m.mended |= mendedRoot
	m.shape.root = "rss"
	m.shape.head.base = m.base
	m.open = append(m.open, element{name: []byte("rss"), written: []byte("rss"), word: "rss", role: roleRoot, base: m.base})
}

// replace puts text in place of in[from:to]. Calls come in the order of from.
func (m *mender) replace(from, to int, text string) {
	if m.out == nil {
		m.out = make([]byte, 0, len(m.in)+len(m.in)/32+256)
	}
	m.out = append(m.out, m.in[m.kept:from]...)
	m.out = append(m.out, text...)
	m.kept = to
	m.faults++
}

// at is where in[pos] stands in the output.
func (m *mender) at(pos int) int { return len(m.out) + pos - m.kept }

// cut drops the output from a place on, and the rest of the input.
func (m *mender) cut(place int) {
	if more := place - len(m.out); more > 0 {
		m.replace(m.kept+more, m.kept+more, "")
	}
	m.out = m.out[:place]
	m.kept, m.pos = len(m.in), len(m.in)
	m.mended |= mendedCut
}

func (m *mender) top() *element { return &m.open[len(m.open)-1] }

// finish closes what is open at the end of the input. An item, or an element of the feed's own, that is not complete
// there is left out: half an entry would be told as a change when the whole one comes.
func (m *mender) finish() ([]byte, error) {
	if m.ended {
		if len(bytes.TrimSpace(m.in[m.pos:])) > 0 && !isProlog(m.in[m.pos:]) {
			m.mended |= mendedTail
		}
		return m.result(m.pos), nil
	}
	if !m.whole {
		return nil, failf(ClassParse, "the document ends before its first entry is complete")
	}
	m.pos = len(m.in)
	m.mended |= mendedCut
	for i, e := range m.open {
		if e.role == roleRoot || e.role == roleChannel {
			continue
		}
		m.cut(e.begin)
		if e.role == roleItem {
			list := m.list(m.open[i-1].role)
			*list = (*list)[:len(*list)-1]
		}
		m.open = m.open[:i]
		break
	}
	mended := m.mended // that the end is missing was said
	for len(m.open) > 0 {
		m.imply(len(m.in))
	}
	m.mended = mended
	return m.result(len(m.in)), nil
}

// result is what the input up to end became.
func (m *mender) result(end int) []byte {
	if m.out == nil {
		return m.in[:end]
	}
	return append(m.out, m.in[m.kept:max(m.kept, end)]...)
}

// list is where items below a parent of this role are noted.
func (m *mender) list(parent role) *[]outlined {
	if parent == roleChannel || m.shape.root == "feed" {
		return &m.shape.items
	}
	return &m.shape.loose
}

// text mends the character data up to end.
func (m *mender) text(end int) error {
	from := m.pos
	m.pos = end
	if from == end || len(m.open) == 0 {
		return nil
	}
	if err := m.account(end - from); err != nil {
		return err
	}
	for at := from; ; {
		if m.faults > maxFaults {
			return failf(ClassLimits, "the document has more than %d faults", maxFaults)
		}
		m.look(at)
		if m.amp >= end && m.bracket >= end {
			return nil
		}
		if m.bracket < m.amp {
			m.replace(m.bracket+2, m.bracket+3, "&gt;")
			m.mended |= mendedBrackets
			at = m.bracket + 3
			continue
		}
		at = m.amp
		with, size, keep, mended := m.reference(m.in[at:end])
		if !keep {
			m.replace(at, at+size, with)
			m.mended |= mended
		}
		at += size
	}
}

// look finds the next & and ]]> from a place on. What was found further on is not looked for again.
func (m *mender) look(from int) {
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

// account counts a piece of text in the open element against the bounds.
func (m *mender) account(size int) error {
	if err := checkToken(size); err != nil {
		return err
	}
	e := m.top()
	if e.role == roleRoot || e.role == roleChannel {
		return nil // between the items; the parser drops it
	}
	if m.copied += e.text; m.copied > maxTextCopied {
		return failf(ClassLimits, "the text of an element is cut into too many pieces")
	}
	e.text += size
	return nil
}

// countElement counts a tag against the bounds.
func (m *mender) countElement() error {
	if m.elements++; m.elements > maxElements {
		return failf(ClassLimits, "the document has more than %d elements", maxElements)
	}
	return nil
}

// literal takes the < at pos for text.
func (m *mender) literal() {
	m.replace(m.pos, m.pos+1, "&lt;")
	m.mended |= mendedMarkup
	m.pos++
}

// drop leaves out the input from pos to end.
func (m *mender) drop(end int, why repairs) {
	m.replace(m.pos, end, "")
	m.mended |= why
	m.pos = end
}

// markup handles what begins with the < at pos.
func (m *mender) markup() error {
	rest := m.in[m.pos:]
	if len(rest) == 1 {
		return m.stop(m.pos)
	}
	switch c := rest[1]; {
	case c == '/':
		return m.endTag()
	case c == '!':
		return m.declaration()
	case c == '?':
		return m.instruction()
	case nameStart[c]:
		return m.startTag()
	}
	m.literal()
	return nil
}

// stop ends the document before in[at], in the middle of a tag or section.
func (m *mender) stop(at int) error {
	m.cut(m.at(at))
	return nil
}

// declaration handles comments, CDATA sections, and what else begins with <!.
func (m *mender) declaration() error {
	rest := m.in[m.pos:]
	switch {
	case bytes.HasPrefix(rest, []byte("<!--")):
		return m.comment()
	case bytes.HasPrefix(rest, []byte("<![CDATA[")):
		return m.section()
	case bytes.HasPrefix([]byte("<!--"), rest), bytes.HasPrefix([]byte("<![CDATA["), rest):
		return m.stop(m.pos)
	}
	m.literal() // a directive of HTML, or of nothing
	return nil
}

// comment lets a comment through, or leaves it out where it holds what a comment may not (XML 1.0 section 2.5).
func (m *mender) comment() error {
	rest := m.in[m.pos:]
	end := -1
	if !m.verdicts.noComment {
		end = bytes.Index(rest[4:], []byte("-->"))
	}
	if end < 0 {
		m.verdicts.noComment = true
		if m.endsItemAfter(m.pos) {
			m.literal()
			return nil
		}
		return m.stop(m.pos)
	}
	body := rest[4 : 4+end]
	if err := checkToken(len(body)); err != nil {
		return err
	}
	if len(m.open) == 0 || bytes.Contains(body, []byte("--")) || bytes.HasSuffix(body, []byte("-")) {
		m.drop(m.pos+end+7, mendedComments)
		return nil
	}
	m.pos += end + 7
	return nil
}

// section lets a CDATA section through. One that never ends is ended where the element ends that it stands in.
func (m *mender) section() error {
	const opening = len("<![CDATA[")
	rest := m.in[m.pos:]
	end := -1
	if !m.verdicts.noSection {
		end = bytes.Index(rest, []byte("]]>"))
	}
	if end < 0 {
		m.verdicts.noSection = true
		end = bytes.Index(rest, append([]byte("</"), m.top().name...))
		if end < 0 {
			return m.stop(m.pos)
		}
		m.replace(m.pos+end, m.pos+end, "]]>")
		m.mended |= mendedUnclosed
		m.pos += end
		return m.account(end)
	}
	m.pos += end + 3
	return m.account(end - opening)
}

// instruction leaves out a processing instruction, which tells a feed reader nothing.
func (m *mender) instruction() error {
	end := -1
	if !m.verdicts.noInstruction {
		end = bytes.Index(m.in[m.pos:], []byte("?>"))
	}
	if end < 0 {
		m.verdicts.noInstruction = true
		m.literal()
		return nil
	}
	m.drop(m.pos+end+2, 0)
	return checkToken(end)
}
