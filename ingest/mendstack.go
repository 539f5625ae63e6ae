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
