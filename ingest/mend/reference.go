package mend

import (
	"bytes"
	"html"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/text/encoding/charmap"
)

// mendReference reads the reference or the bare & at the beginning of text, size bytes long. If repair is 0, it is
// well-formed. Otherwise replacement goes in its place.
func (m *mender) mendReference(text []byte) (replacement string, size int, repair Repairs) {
	if len(text) > 1 && text[1] == '#' {
		return numericReference(text)
	}
	const longest = 33 // name of an HTML entity
	end := 1
	for end < min(len(text), longest) && nameByte[text[end]] && text[end] != ':' {
		end++
	}
	if end == 1 || end == len(text) || text[end] != ';' {
		return "&amp;", 1, repairedReferences
	}
	size = end + 1
	switch string(text[1:end]) {
	case "amp", "lt", "gt", "quot", "apos":
		return "", size, 0
	}
	if defined, ok := m.entities[string(text[1:end])]; ok && m.expanded+len(defined) <= maxExpanded {
		m.expanded += len(defined)
		return html.EscapeString(defined), size, repairedEntities
	}
	whole := string(text[:size])
	character := html.UnescapeString(whole)
	if character == html.UnescapeString(whole[:end])+";" { // only a prefix is a name, one that HTML reads without semicolon
		return "&amp;", 1, repairedReferences
	}
	return html.EscapeString(character), size, repairedEntities
}

// numericReference is mendReference for a reference by number. References to U+0080 to U+009F are windows-1252, as in
// the HTML standard, section 13.2.5.80.
func numericReference(text []byte) (replacement string, size int, repair Repairs) {
	begin, base, digits := 2, 10, "0123456789"
	if len(text) > 2 && (text[2] == 'x' || text[2] == 'X') {
		begin, base, digits = 3, 16, "0123456789abcdefABCDEF"
	}
	const longest = 12 // digits; no character has more
	number := text[begin:min(len(text), begin+longest)]
	end := begin + len(number) - len(bytes.TrimLeft(number, digits))
	if end == begin {
		return "&amp;", 1, repairedReferences
	}
	terminated := end < len(text) && text[end] == ';'
	size = end
	if terminated {
		size++
	}
	n, err := strconv.ParseInt(string(text[begin:end]), base, 32)
	switch {
	case err != nil || !isLegal(rune(n)):
		return "", size, repairedCharacters
	case n >= 0x80 && n < 0xa0:
		return string(charmap.Windows1252.DecodeByte(byte(n))), size, repairedReferences
	case terminated && text[2] != 'X':
		return "", size, 0
	}
	return "&#" + strconv.FormatInt(n, 10) + ";", size, repairedReferences
}

// entityForm matches an entity of up to 256 bytes that a DOCTYPE defines.
var entityForm = regexp.MustCompile(`<!ENTITY\s+(\S+)\s+(?:"([^"]{0,256})"|'([^']{0,256})')`)

// definedEntities returns the entities that a DOCTYPE defines as plain text, by name. It ignores entities that refer to
// other entities, files or markup: they would let a small document expand without bound or read foreign files.
func definedEntities(prolog []byte) map[string]string {
	at := bytes.Index(prolog, []byte("<!DOCTYPE"))
	if at < 0 {
		return nil
	}
	defined := make(map[string]string)
	for _, found := range entityForm.FindAllSubmatch(directive(prolog[at:]), maxDefined) {
		name, literal := string(found[1]), string(found[2])+string(found[3])
		value := html.UnescapeString(literal)
		_, exists := defined[name] // the first definition applies (XML 1.0 section 4.2)
		if !exists && !strings.ContainsAny(literal, "<%") && !strings.ContainsAny(value, "&<") {
			defined[name] = strings.ToValidUTF8(string(Characters([]byte(value))), "")
		}
	}
	return defined
}
