package mend

import (
	"bytes"
	"slices"
	"strings"
)

// tag is the current start tag.
type tag struct {
	name    []byte
	end     int     // position after the tag
	empty   bool    // it ends with />
	repairs Repairs // if there are any, the tag is written anew
	rewrite bool    // also without repairs
}

// startTag reads the start tag at pos, or escapes its <.
func (m *mender) startTag() error {
	t := m.readTag()
	switch {
	case t.end == 0:
		m.escapeLess()
		return nil
	case t.end > len(m.in):
		m.truncate(m.outPos(m.pos))
		return nil
	}
	prefix, local := splitName(t.name)
	word := wordOf(local)
	m.closeUnclosed(prefix, word)
	if kinds[word] == void && len(prefix) == 0 && !t.empty && !bytes.HasPrefix(m.in[m.skipSpace(t.end):], []byte("</"+string(t.name))) {
		t.empty = true
		t.repairs |= repairedUnclosed
	}
	return m.push(t, prefix, word)
}

// readTag reads the tag at pos into t and m.attrs. Its end is 0 if the < begins no tag, and greater than len(in) if the
// document ends within the tag.
func (m *mender) readTag() (t tag) {
	in, cut := m.in, tag{end: len(m.in) + 1}
	p := m.pos + 1
	for p < len(in) && nameByte[in[p]] {
		p++
	}
	t.name = in[m.pos+1 : p]
	m.attrs = m.attrs[:0]
	root := len(m.open) == 0 // it is known to be a tag
	if !root && p < len(in) && !isSpace(in[p]) && in[p] != '>' && in[p] != '/' && in[p] != '<' {
		return tag{} // <name@host>
	}
	for {
		if p = m.skipSpace(p); p >= len(in) {
			return cut
		}
		switch c := in[p]; {
		case c == '>':
			t.end = p + 1
			return t
		case c == '/' && p+1 < len(in) && in[p+1] == '>':
			t.end, t.empty = p+2, true
			return t
		case c == '/' && p+1 == len(in):
			return cut
		case c == '<':
			if !root && (len(m.attrs) == 0 || m.attrs[len(m.attrs)-1].bare) {
				return tag{} // a <b and c <d
			}
			t.end = p
			t.repairs |= repairedMarkup // the > is missing
			return t
		case nameStart[c]:
			var a attribute
			if a, p = m.readAttribute(p, &t); p < 0 {
				return cut
			}
			if len(m.attrs) == maxAttributes || len(a.value) > maxToken {
				m.item().CutMarkup, t.rewrite = true, true
				continue
			}
			m.attrs = append(m.attrs, a)
		case !root && len(m.attrs) == 0:
			return tag{} // a <b && c
		default:
			t.repairs |= repairedAttributes // a stray quote or comma
			p++
		}
	}
}

// push writes a tag and opens its element.
func (m *mender) push(t tag, prefix []byte, word string) error {
	if err := m.countElement(); err != nil {
		return err
	}
	if len(m.open) >= maxDepth {
		m.item().CutMarkup = true
		m.remove(t.end, 0)
		return nil
	}
	e := element{name: t.name, word: word, base: m.base, outName: safeName(t.name)}
	var parent *element
	if len(m.open) > 0 {
		parent = m.top()
		e.base, e.language, e.scoped = parent.base, parent.language, parent.scoped
	}
	about, err := m.applyAttributes(&t, &e, parent)
	if err != nil {
		return err
	}
	if err := m.assignRole(&e, parent, prefix, about); err != nil {
		return err
	}
	if parent != nil && (parent.text != nil || parent.inText) {
		e.inText = true
		if len(prefix) > 0 && isName(t.name) && isMarkup(m.space(prefix)) { // HTML has no prefixes
			e.outName = t.name[len(prefix)+1:]
		}
	}
	if e.role == roleHead && e.word == "author" && m.doc.Root == "rss" && len(prefix) == 0 {
		e.outName = []byte("managingEditor") // what RSS calls the author of a channel
	}
	e.begin = m.outPos(m.pos)
	m.writeTag(&t, &e)
	if e.text != nil {
		e.text.begin, e.text.from = e.begin, m.outPos(t.end)
	}
	if parent != nil && parent.text != nil {
		if !parent.text.markup && !t.empty && m.isDiv(&e) && strings.Contains(parent.text.kind, "xhtml") {
			e.wraps, parent.text.div = parent.text, [4]int{e.begin, m.outPos(t.end)}
		}
		parent.text.markup = true
	}
	m.pos = t.end
	m.open = append(m.open, e)
	if t.empty {
		m.closeAt(m.outPos(m.pos))
	}
	return nil
}

// isDiv reports whether the current tag may be the div that wraps XHTML content and is not part of it (RFC 4287 section
// 3.1.1.3). A div with attributes other than namespaces is part of it: it may set a base or a language.
func (m *mender) isDiv(e *element) bool {
	_, name := splitName(e.outName)
	return string(name) == "div" && !slices.ContainsFunc(m.attrs, func(a attribute) bool {
		return !a.omit && !bytes.HasPrefix(a.name, []byte("xmlns"))
	})
}

// writeTag writes the tag at pos to the output.
func (m *mender) writeTag(t *tag, e *element) {
	m.repaired(t.repairs)
	switch {
	case e.dropped:
		m.replace(m.pos, t.end, "")
		return
	case !t.rewrite && t.repairs == 0 && len(e.outName) == len(e.name) && isName(e.name):
		return
	}
	out := append([]byte{'<'}, e.outName...)
	for _, a := range m.attrs {
		if a.omit {
			continue
		}
		out = append(append(append(out, ' '), a.name...), `="`...)
		out = append(append(out, bytes.ReplaceAll(a.value, []byte{'"'}, []byte("&quot;"))...), '"')
	}
	if t.empty {
		out = append(out, '/')
	}
	m.replace(m.pos, t.end, string(append(out, '>')))
}
