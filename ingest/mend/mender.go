package mend

import (
	"bytes"
	"cmp"
	"net/url"
	"slices"

	"github.com/feedwire/feedwire/store/feed"
)

// mender makes one pass over a document. It copies sound input and replaces the rest.
type mender struct {
	in   []byte
	pos  int    // of the next byte to read
	out  []byte // the mended form of in[:kept]
	kept int    // in[kept:pos] goes to the output unchanged
	base *url.URL
	doc  *Document

	entities   map[string]string // defined by the DOCTYPE
	open       []element         // from the root to the current element
	attrs      []attribute       // of the current tag
	namespaces []binding         // in scope
	ended      bool              // the root element is closed
	complete   bool              // an item is complete
	hasChannel bool
	hasImage   bool   // of the channel
	ofRSS      bool   // the root has a namespace of RSS 0.9 or 1.0 as default
	inChannel  int    // number of its items
	itemName   []byte // of the first item, as written
	rootSpace  string // namespace of the root

	// Positions in the input that next found, so that no search runs twice over the same input.
	ampersand, bracket, commentEnd, instructionEnd, itemEnd int

	nextItem     int  // the next tag of an item that seekItem found
	nextItemEnds bool // it is an end tag

	maxItems   int
	usage            // so far
	beforeItem usage // of the items before the open one
}

// element is an open element.
type element struct {
	name     []byte // in the input
	outName  []byte // in the output
	role     role
	word     string // the local name in lower case, if it means something in a feed; see wordOf
	base     *url.URL
	language string
	begin    int   // position of its start tag in the output
	size     int   // bytes of text so far
	scoped   int   // number of namespaces in scope
	item     *Item // that it is; may be nil
	text     *Text // records its content; may be nil
	wraps    *Text // that it is the div of
	inText   bool  // it is markup within a recorded text
	dropped  bool  // its tags are removed
	closes   bool  // its end tag was found ahead
}

// binding is a namespace declaration.
type binding struct {
	prefix, space string
	depth         int // of the element that declares it
}

// next returns the position of the first occurrence of text at or after from, or len(in). found is its last result for this
// text. from is positive and never decreases.
func (m *mender) next(found *int, from int, text string) int {
	if *found < from {
		if *found = from + bytes.Index(m.in[from:], []byte(text)); *found < from {
			*found = len(m.in)
		}
	}
	return *found
}

// run returns the mended document.
func (m *mender) run() ([]byte, error) {
	var exceeded error // the first bound
	for m.pos < len(m.in) && !m.ended {
		if err := m.step(); err != nil {
			exceeded = cmp.Or(exceeded, err)
			if !m.leaveOut() && !m.leaveOutRest() {
				return nil, err
			}
		}
	}
	if m.doc.LeftOut > 0 && !m.complete {
		return nil, exceeded
	}
	return m.finish()
}

// step mends a text and the markup behind it. Its error says which bound they exceed.
func (m *mender) step() error {
	if m.faults > maxFaults {
		return feed.Failf(feed.FailureLimits, "the document has more than %d faults", maxFaults)
	}
	next := bytes.IndexByte(m.in[m.pos:], '<')
	if next < 0 {
		next = len(m.in) - m.pos
	}
	if err := m.mendText(m.pos + next); err != nil {
		return err
	}
	if m.pos == len(m.in) {
		return nil
	}
	return m.markup()
}

func (m *mender) repaired(r Repairs) { m.doc.Repairs |= r }

// replace puts text in place of in[from:to]. from must not be less than in the call before.
func (m *mender) replace(from, to int, text string) {
	if m.out == nil {
		m.out = make([]byte, 0, len(m.in)+len(m.in)/32+256)
	}
	m.out = append(m.out, m.in[m.kept:from]...)
	m.out = append(m.out, text...)
	m.kept = to
	m.faults++
}

// escapeLess escapes the < at pos.
func (m *mender) escapeLess() {
	m.replace(m.pos, m.pos+1, "&lt;")
	m.repaired(repairedMarkup)
	m.pos++
}

// remove removes in[pos:end].
func (m *mender) remove(end int, why Repairs) {
	m.replace(m.pos, end, "")
	m.repaired(why)
	m.pos = end
}

// outPos returns the position of in[pos] in the output.
func (m *mender) outPos(pos int) int { return len(m.out) + pos - m.kept }

// truncate ends the document at a position in the output.
func (m *mender) truncate(outPos int) {
	m.cut(outPos, len(m.in))
	m.repaired(Truncated)
}

// cut removes the output from a position on and continues reading at pos.
func (m *mender) cut(outPos, pos int) {
	if more := outPos - len(m.out); more > 0 {
		m.replace(m.kept+more, m.kept+more, "")
	}
	m.out = m.out[:outPos]
	m.kept, m.pos = pos, pos
}

// discard removes open[i] with its content from the output and the outline, and continues reading at pos.
func (m *mender) discard(i, pos int) {
	e := m.open[i]
	m.cut(e.begin, pos)
	m.doc.texts = slices.DeleteFunc(m.doc.texts, func(t *Text) bool { return t.from >= e.begin })
	if e.role == roleItem {
		m.doc.items = slices.DeleteFunc(m.doc.items, func(item *Item) bool { return item == e.item })
		if m.open[i-1].role == roleChannel {
			m.inChannel--
		}
	}
	m.open = m.open[:i]
	m.endScopes()
}

func (m *mender) top() *element { return &m.open[len(m.open)-1] }

// finish closes the elements that are open at the end of the input. It drops an incomplete item or head element: half
// an entry would look modified when the complete one arrives.
func (m *mender) finish() ([]byte, error) {
	if m.ended {
		if len(bytes.TrimSpace(m.in[m.pos:])) > 0 && !isProlog(m.in[m.pos:]) {
			m.repaired(repairedTail)
		}
		return m.result(m.pos), nil
	}
	if !m.complete {
		return nil, feed.Failf(feed.FailureParse, "the document ends before its first entry is complete")
	}
	m.pos = len(m.in)
	if m.doc.Rest == 0 {
		m.repaired(Truncated)
	}
	if i := slices.IndexFunc(m.open, func(e element) bool { return e.role != roleRoot && e.role != roleChannel }); i >= 0 {
		m.discard(i, len(m.in))
	}
	repairs := m.doc.Repairs // without repairedUnclosed: Truncated covers it
	for len(m.open) > 0 {
		m.closeImplied(len(m.in))
	}
	m.doc.Repairs = repairs
	return m.result(len(m.in)), nil
}

// result returns the output for in[:end].
func (m *mender) result(end int) []byte {
	if m.out == nil {
		return m.in[:end]
	}
	return append(m.out, m.in[m.kept:max(m.kept, end)]...)
}
