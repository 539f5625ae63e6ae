package mend

import (
	"slices"

	"github.com/feedwire/feedwire/store/feed"
)

// The bounds of a document. They are far above what feeds have. Beyond them the parser would need seconds or gigabytes,
// or overflow its stack, which a process cannot recover from.
//
// An item bears the consequences, not its neighbours: deeper tags, further attributes and the rest of a text are removed. An
// item that exceeds another bound is left out and does not count towards it. After a bound is exceeded between items, the
// rest of the document is left out. A document without an item within the bounds is refused.
const (
	maxDepth         = 256
	maxElements      = 200_000
	maxAttributes    = 256     // of one element
	maxNamespaces    = 64      // declared by one element
	maxToken         = 2 << 20 // bytes of an attribute, and of a text that a parser reads
	maxBase          = 2048    // bytes of a resolved xml:base: nested ones add up
	maxFaults        = 200_000
	maxJSONDepth     = 64   // of an item
	maxDocumentDepth = 1000 // of a document in JSON, items included

	// The parser concatenates the text of an element piece by piece and copies the namespaces in scope for each element.
	// These bound what it copies for one document, in bytes and in namespaces.
	maxTextCopied       = 256 << 20
	maxNamespacesCopied = 4 << 20

	// An entity of the DOCTYPE may be much longer than the reference to it.
	maxDefined  = 256     // entities
	maxExpanded = 1 << 20 // bytes inserted for references to entities
)

// MaxBases is the number of xml:base attributes that are honoured in one document.
const MaxBases = 10_000

// usage is what counts towards the bounds of a document.
type usage struct {
	elements, faults int
	copied           int // bytes of text
	nsCopied         int // namespace bindings
	bases            int // xml:base attributes
	expanded         int // bytes inserted for entities of the DOCTYPE
}

// leaveOut removes the open item, which exceeds a bound, and continues behind it. It reports whether an item is open.
func (m *mender) leaveOut() bool {
	i := slices.IndexFunc(m.open, func(e element) bool { return e.role == roleItem })
	if i < 0 {
		return false
	}
	end, closes := m.seek(m.pos, m.open[i].name)
	if closes {
		end += skipPast(m.in[end:], ">")
	}
	m.discard(i, end)
	m.usage = m.beforeItem
	m.doc.LeftOut++
	return true
}

// leaveOutRest ends the document before the current tag. It reports whether the document has an item.
func (m *mender) leaveOutRest() bool {
	if !m.complete {
		return false
	}
	for at, end := m.seek(m.pos, m.itemName); at < len(m.in); at, end = m.seek(at+1, m.itemName) {
		if !end {
			m.doc.Rest++
		}
	}
	m.doc.Rest = max(m.doc.Rest, 1)
	m.cut(m.outPos(m.pos), len(m.in))
	return true
}

// item returns the item or the feed that the current element belongs to.
func (m *mender) item() *Item {
	for i := range m.open {
		if item := m.open[i].item; item != nil {
			return item
		}
	}
	return &m.doc.Head
}

// CheckJSON refuses JSON that exceeds a bound outside of its items. It does not check the syntax. If the root object has no
// end, complete is the position after the last complete list or object in one of its lists; otherwise it is 0.
func CheckJSON(text []byte) (complete int, err error) {
	return checkJSON(text, 2, maxDocumentDepth) // an item is a value of a list of the root object
}

// CheckJSONItem refuses an item that exceeds a bound.
func CheckJSONItem(text []byte) error {
	_, err := checkJSON(text, maxJSONDepth, maxJSONDepth)
	return err
}

// checkJSON counts the values down to a depth.
func checkJSON(text []byte, counted, deepest int) (complete int, err error) {
	depth, values := 0, 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 2 {
				complete = i + 1
			}
		case ',', ':':
			if depth <= counted {
				values++
			}
		case '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		}
		switch {
		case depth > deepest:
			return 0, feed.Failf(feed.FailureLimits, "values are nested more than %d deep", deepest)
		case values > maxElements:
			return 0, feed.Failf(feed.FailureLimits, "the document has more than %d values", maxElements)
		}
	}
	if depth <= 0 {
		complete = 0
	}
	return complete, nil
}

// WithoutTrailingCommas returns JSON without the commas that the end of a list or an object follows.
func WithoutTrailingCommas(text []byte) []byte {
	out := make([]byte, 0, len(text))
	comma := -1 // position in out, if only white space follows it
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == ',':
			comma = len(out)
		case (c == '}' || c == ']') && comma >= 0:
			out = append(out[:comma], out[comma+1:]...)
			comma = -1
		case c == '"':
			comma = -1
			from := i
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
			out = append(out, text[from:min(i, len(text))]...)
			if i >= len(text) {
				return out
			}
		case !isSpace(c):
			comma = -1
		}
		out = append(out, text[i])
	}
	return out
}
