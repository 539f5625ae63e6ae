package ingest

import (
	"bytes"
	"html"
	"strconv"
	"strings"

	"golang.org/x/text/encoding/charmap"
)

// reference judges the & that text begins with. keep: it is well-formed, and size bytes long. Else with has to stand
// in place of the size bytes, and mended says what was wrong.
func (m *mender) reference(text []byte) (with string, size int, keep bool, mended repairs) {
	if len(text) > 1 && text[1] == '#' {
		return numericReference(text)
	}
	const longest = 33 // of the names of HTML
	end := 1
	for end < min(len(text), longest) && nameByte[text[end]] && text[end] != ':' {
		end++
	}
	if end == 1 || end == len(text) || text[end] != ';' {
		return "&amp;", 1, false, mendedReferences
	}
	size = end + 1
	switch string(text[1:end]) {
	case "amp", "lt", "gt", "quot", "apos":
		return "", size, true, 0
	}
	if defined, ok := m.defined[string(text[1:end])]; ok && m.expanded+len(defined) <= maxExpanded {
		m.expanded += len(defined)
		return html.EscapeString(defined), size, false, mendedEntities
	}
	whole := string(text[:size])
	character := html.UnescapeString(whole)
	if character == html.UnescapeString(whole[:end])+";" { // not the name, but one of the old names it begins with
		return "&amp;", 1, false, mendedReferences
	}
	return html.EscapeString(character), size, false, mendedEntities
}

// numericReference judges a reference by number. HTML reads those to the control characters above 127 as windows-1252
// (HTML standard section 13.2.5.80), and so do all who write them.
func numericReference(text []byte) (with string, size int, keep bool, mended repairs) {
	begin, base := 2, 10
	if len(text) > 2 && (text[2] == 'x' || text[2] == 'X') {
		begin, base = 3, 16
	}
	const longest = 12 // digits; more of them stand for no character
	end := begin
	for end < min(len(text), begin+longest) && isDigit(text[end], base) {
		end++
	}
	if end == begin {
		return "&amp;", 1, false, mendedReferences
	}
	terminated := end < len(text) && text[end] == ';'
	size = end
	if terminated {
		size++
	}
	n, err := strconv.ParseInt(string(text[begin:end]), base, 32)
	switch {
	case err != nil || !isLegal(rune(n)):
		return "", size, false, mendedCharacters
	case n >= 0x80 && n < 0xa0:
		return string(charmap.Windows1252.DecodeByte(byte(n))), size, false, mendedReferences
	case terminated && text[2] != 'X':
		return "", size, true, 0
	}
	return "&#" + strconv.FormatInt(n, 10) + ";", size, false, mendedReferences
}

func isDigit(c byte, base int) bool {
	return c >= '0' && c <= '9' || base == 16 && (c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F')
}

// definitions are the entities that a DOCTYPE defines as plain text, by name. Those that name other entities, files or
// markup are not followed: they are how a small document becomes a large one, or reads what is not its own.
func definitions(head []byte) map[string]string {
	at := bytes.Index(head, []byte("<!DOCTYPE"))
	if at < 0 {
		return nil
	}
	head = directive(head[at:])
	var defined map[string]string
	for len(defined) < maxDefined {
		_, rest, found := bytes.Cut(head, []byte("<!ENTITY"))
		if !found {
			break
		}
		head = rest
		name, value, ok := definition(rest)
		if !ok {
			continue
		}
		if defined == nil {
			defined = make(map[string]string)
		}
		if _, again := defined[name]; !again { // the first one holds (XML 1.0 section 4.2)
			defined[name] = value
		}
	}
	return defined
}

// definition reads what follows <!ENTITY: a name and a quoted value of plain text.
func definition(text []byte) (name, value string, ok bool) {
	text = text[:min(len(text), 2*maxDefinition)]
	fields := bytes.Fields(text)
	if len(fields) < 2 || len(fields[1]) == 0 || fields[1][0] != '"' && fields[1][0] != '\'' {
		return "", "", false
	}
	quote := fields[1][0]
	_, rest, _ := bytes.Cut(text, []byte{quote})
	literal, _, closed := bytes.Cut(rest, []byte{quote})
	value = string(literal)
	if !closed || len(value) > maxDefinition || strings.ContainsAny(value, "<%") {
		return "", "", false
	}
	if strings.Contains(value, "&") {
		value = html.UnescapeString(value)
		if strings.ContainsAny(value, "&<") {
			return "", "", false
		}
	}
	return string(fields[0]), strings.ToValidUTF8(string(legal([]byte(value))), ""), true
}
