package ingest

import (
	"bytes"
	"strings"
)

// wordOf is what a local name means to a feed, lower case as the parser reads names; empty: nothing.
func wordOf(local []byte) string {
	const longest = 11
	if len(local) > longest {
		return ""
	}
	var lower [longest]byte
	for i, c := range local {
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		lower[i] = c
	}
	switch word := string(lower[:len(local)]); word {
	case "rss", "rdf", "feed", "channel", "item", "entry",
		"title", "link", "id", "guid", "description", "summary", "content", "encoded", "subtitle", "tagline", "body",
		"pubdate", "published", "updated", "author", "category", "comments", "enclosure", "source", "image",
		"br", "hr", "img", "wbr":
		return word
	}
	return ""
}

// isVoid reports whether HTML has no end tag for the element.
func isVoid(word string) bool { return word == "br" || word == "hr" || word == "img" || word == "wbr" }

// isItem reports whether a word is that of an item in the document's format.
func (m *mender) isItem(word string) bool {
	return word == "item" && m.shape.root != "feed" || word == "entry" && m.shape.root == "feed"
}

// place says what an element is to the feed, and where what it says is kept.
func (m *mender) place(e, parent *element, prefix []byte, about string) error {
	switch {
	case parent == nil:
		e.role = roleRoot
		m.shape.root = e.word
		m.shape.head = outlined{base: e.base, language: e.language}
		m.rootURI = m.space(prefix)
		return nil
	case parent.role == roleItem:
		e.role = roleField
		list := *m.list(m.open[len(m.open)-2].role)
		m.keep(e, prefix, &list[len(list)-1])
		return nil
	case parent.role != roleRoot && parent.role != roleChannel:
		return nil
	}
	e.role = roleHead
	native := (e.word == "channel" || m.isItem(e.word)) && isNative(m.shape.root, m.space(prefix), m.rootURI)
	switch {
	case native && m.isItem(e.word):
		e.role = roleItem
		if m.itemName == nil {
			m.itemName = e.name
		}
		list := m.list(parent.role)
		*list = append(*list, outlined{about: about, base: e.base, language: e.language})
		if len(m.shape.items)+len(m.shape.loose) > m.limits.Entries {
			return failf(ClassLimits, "the document has more than %d entries (fetch.max_entries)", m.limits.Entries)
		}
	case native && parent.role == roleRoot && m.shape.root != "feed":
		if e.role = roleChannel; m.channelled { // of several, the parser would see the last one only
			e.role, e.ghost = roleRoot, true
			m.mended |= mendedRoot
		}
		m.channelled = true
	case m.shape.root == "feed":
		m.keep(e, prefix, &m.shape.head)
	}
	return nil
}

// keep notes where what a field says is kept, unless it is there already.
func (m *mender) keep(e *element, prefix []byte, in *outlined) {
	var field *construct
	switch atom := m.shape.root == "feed"; e.word {
	case "title":
		field = &in.title
	case "id":
		if atom {
			field = &in.id
		}
	case "summary", "subtitle", "tagline":
		field = &in.summary
	case "description":
		field = &in.description
	case "content", "encoded", "body":
		field = &in.content
	case "link":
		if atom && e.role == roleField {
			in.linkBases = append(in.linkBases, e.base)
		}
	}
	if field == nil || !field.isEmpty() {
		return
	}
	space := m.space(prefix)
	if !isNative(m.shape.root, space, m.rootURI) && (e.word != "encoded" || strings.HasPrefix(space, "http://www.w3.org/")) &&
		(e.word != "body" || space != spaceXHTML) {
		return
	}
	*field = construct{base: e.base}
	for _, a := range m.attrs {
		switch string(a.name) {
		case "type":
			field.kind = strings.ToLower(strings.TrimSpace(a.text()))
		case "mode":
			field.mode = strings.ToLower(strings.TrimSpace(a.text()))
		}
	}
	e.field = field
}

// space is the namespace that a prefix is bound to; the prefix itself where it is not, as the parser has it.
func (m *mender) space(prefix []byte) string {
	for i := len(m.spaces) - 1; i >= 0; i-- {
		if m.spaces[i].prefix == string(prefix) {
			return m.spaces[i].space
		}
	}
	return string(prefix)
}

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

// closeUnclosed closes what cannot go on at a start tag: an item, and the fields of a feed and of an item, which hold
// no others.
func (m *mender) closeUnclosed(prefix []byte, word string) {
	if len(m.open) < 2 || word == "" || isVoid(word) {
		return
	}
	last := -1 // the innermost of those
	for i, e := range m.open {
		if e.role == roleItem || e.role == roleField || e.role == roleHead {
			last = i
		}
	}
	if last < 0 {
		return
	}
	e := &m.open[last]
	starts := m.isItem(word) && bytes.Equal(prefixOf(m.open[0].name), prefix) || m.isItem(word) && m.itemName != nil &&
		bytes.Equal(prefixOf(m.itemName), prefix)
	switch {
	case e.role == roleItem && !starts:
		return
	case e.role != roleItem && !starts && (e.role == roleHead || !isLeaf(e.word) || !isField(word) ||
		!bytes.Equal(prefix, prefixOf(m.open[last-1].name))):
		return
	}
	if e.role != roleItem {
		if m.isClosedAhead(e, last) {
			return
		}
	}
	if starts {
		for last > 0 && m.open[last].role != roleRoot && m.open[last].role != roleChannel {
			last--
		}
		last++
	}
	for len(m.open) > last {
		m.imply(m.pos)
	}
}

// isLeaf reports whether a field of an item holds text only, or markup that has none of isField.
func isLeaf(word string) bool {
	switch word {
	case "title", "link", "guid", "description", "summary", "encoded", "pubdate", "published", "updated", "category", "comments", "id",
		"enclosure":
		return true
	}
	return false
}

// isField reports whether the word is that of a field of an item.
func isField(word string) bool {
	return isLeaf(word) || word == "author" || word == "content" || word == "source"
}

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
