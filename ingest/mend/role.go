package mend

import (
	"bytes"
	"slices"
	"strings"

	"github.com/feedwire/feedwire/store/feed"
)

// role is the function of an element in a feed.
type role uint8

const (
	roleOther   role = iota
	roleRoot         // rss, rdf or feed
	roleChannel      //
	roleItem         // item or entry
	roleField        // child of an item
	roleHead         // child of a channel or of an Atom feed
)

// kind is what closing depends on in the words of feeds and of HTML.
type kind uint8

const (
	other kind = iota + 1
	void       // it has no end tag in HTML
	leaf       // a field of an item that contains no other field
	field      // a field of an item that may contain others
)

// kinds lists the local names that mean something here, in lower case.
var kinds = func() map[string]kind {
	all := make(map[string]kind)
	for k, words := range map[kind]string{
		other: "rss rdf feed channel item entry subtitle tagline body image",
		void:  "br hr img wbr",
		leaf:  "title link guid description summary encoded pubdate published updated category comments id enclosure",
		field: "author content source",
	} {
		for word := range strings.FieldsSeq(words) {
			all[word] = k
		}
	}
	return all
}()

// wordOf returns a local name in lower case, as the parser reads it, if it is one of kinds. Otherwise it returns "".
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
	if word := lower[:len(local)]; kinds[string(word)] > 0 {
		return string(word)
	}
	return ""
}

// isItem reports whether a format calls an item by this word. Some Atom documents say item.
func (m *mender) isItem(word string) bool {
	return word == "item" || word == "entry" && m.doc.Root == "feed"
}

// assignRole sets the role of an element and adds it to the outline.
func (m *mender) assignRole(e, parent *element, prefix []byte, about string) error {
	switch {
	case parent == nil:
		e.role = roleRoot
		m.doc.Root = e.word
		m.doc.Head = Item{Base: e.base, Language: e.language}
		m.rootSpace = m.space(prefix)
		m.ofRSS = slices.Contains([]string{spaceRSS10, spaceRSS09, spaceRSS09My}, m.space(nil))
		return nil
	case parent.role == roleItem:
		e.role = roleField
		m.record(e, prefix, parent.item)
		return nil
	case parent.role != roleRoot && parent.role != roleChannel:
		if e.word == "image" && parent.word == "author" && m.doc.Root == "feed" {
			m.recordAvatar()
		}
		return nil
	}
	e.role = roleHead
	native := (e.word == "channel" || m.isItem(e.word)) && isNative(m.doc.Root, m.space(prefix), m.rootSpace)
	switch {
	case native && m.isItem(e.word):
		e.role = roleItem
		if m.itemName == nil {
			m.itemName = e.name
		}
		if len(m.doc.items) == m.maxItems {
			return feed.Failf(feed.FailureLimits, "the document has more than %d entries", m.maxItems)
		}
		m.beforeItem = m.usage
		at := len(m.doc.items)
		if parent.role == roleChannel {
			at = m.inChannel
			m.inChannel++
		}
		if m.doc.Root == "feed" && e.word == "item" {
			e.outName = []byte("entry")
		}
		e.item = &Item{About: about, Base: e.base, Language: e.language}
		m.doc.items = slices.Insert(m.doc.items, at, e.item)
	case native && parent.role == roleRoot && m.doc.Root != "feed":
		if e.role = roleChannel; m.hasChannel { // the parser would read the last channel only
			e.role, e.dropped = roleRoot, true
			m.repaired(repairedRoot)
		}
		m.hasChannel = true
	case m.doc.Root == "feed":
		m.record(e, prefix, &m.doc.Head)
	case e.word == "image" && parent.role == roleChannel && m.doc.Root == "rss" && isNative(m.doc.Root, m.space(prefix), m.rootSpace):
		if m.hasImage { // the parser would read the last image only
			e.outName = []byte("otherImage")
		}
		m.hasImage = true
	}
	return nil
}

// record makes the outline record the content of a field, if it is the first of its name.
func (m *mender) record(e *element, prefix []byte, in *Item) {
	var field *Text
	switch atom := m.doc.Root == "feed"; e.word {
	case "title":
		field = &in.Title
	case "id":
		if atom {
			field = &in.ID
		}
	case "summary", "subtitle", "tagline":
		field = &in.Summary
	case "description":
		field = &in.Description
	case "content", "encoded", "body":
		field = &in.Content
	case "author":
		if atom {
			in.Avatars = append(in.Avatars, "")
		} else if isNative(m.doc.Root, m.space(prefix), m.rootSpace) {
			field = new(Text)
			in.Authors = append(in.Authors, field)
		}
	case "link":
		if atom && e.role == roleField {
			in.LinkBases = append(in.LinkBases, e.base)
			for _, a := range m.attrs {
				if bytes.HasSuffix(a.name, []byte(":count")) {
					in.Replies = a.text()
				}
			}
		}
		if atom && !slices.ContainsFunc(m.attrs, func(a attribute) bool { return string(a.name) == "href" }) {
			field = &in.Link
		}
	}
	if field == nil || !field.isEmpty() {
		return
	}
	space := m.space(prefix)
	if !isNative(m.doc.Root, space, m.rootSpace) && (e.word != "encoded" || strings.HasPrefix(space, "http://www.w3.org/")) &&
		(e.word != "body" || space != spaceXHTML) {
		return
	}
	*field = Text{Base: e.base, long: e.role == roleField && e.word != "title" && e.word != "id" && e.word != "author"}
	field.sole = field.long && e.word != "link"
	for _, a := range m.attrs {
		switch string(a.name) {
		case "src":
			field.sole = false
		case "type":
			field.kind = strings.ToLower(strings.TrimSpace(a.text()))
		case "mode":
			field.mode = strings.ToLower(strings.TrimSpace(a.text()))
		}
	}
	e.text = field
}

// recordAvatar records the image of the open author.
func (m *mender) recordAvatar() {
	in := &m.doc.Head
	if len(m.open) > 2 && m.open[len(m.open)-2].item != nil {
		in = m.open[len(m.open)-2].item
	}
	for _, a := range m.attrs {
		if string(a.name) == "src" && len(in.Avatars) > 0 {
			in.Avatars[len(in.Avatars)-1] = a.text()
		}
	}
}

// space returns the namespace of a prefix. Like the parser, it returns an undeclared prefix itself.
func (m *mender) space(prefix []byte) string {
	for i := len(m.namespaces) - 1; i >= 0; i-- {
		if m.namespaces[i].prefix == string(prefix) {
			return m.namespaces[i].space
		}
	}
	return string(prefix)
}

// closeUnclosed closes the elements that cannot contain the next start tag: items do not nest, and neither do the fields
// of an item or a feed.
func (m *mender) closeUnclosed(prefix []byte, word string) {
	if len(m.open) < 2 || word == "" || kinds[word] == void {
		return
	}
	last := -1 // the innermost item or field
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
	case e.role != roleItem && !starts && (e.role == roleHead || kinds[e.word] != leaf || kinds[word] != leaf && kinds[word] != field ||
		!bytes.Equal(prefix, prefixOf(m.open[last-1].name))):
		return
	}
	if e.role != roleItem && m.isClosedAhead(last) {
		return
	}
	if starts {
		for last > 0 && m.open[last].role != roleRoot && m.open[last].role != roleChannel {
			last--
		}
		last++
	}
	for len(m.open) > last {
		m.closeImplied(m.pos)
	}
}
