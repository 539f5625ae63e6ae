package mend

import "bytes"

// nameStart and nameByte mark the bytes of a name as it is read. Non-ASCII letters are legal in XML, but no feed format
// uses them; safeName replaces them.
var (
	nameStart = nameTable("")
	nameByte  = nameTable("0123456789-.")
)

func nameTable(more string) (table [256]bool) {
	for _, c := range []byte("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_:" + more) {
		table[c] = true
	}
	for c := 0x80; c < 0x100; c++ {
		table[c] = true
	}
	return table
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// isName reports whether a name is ASCII and valid in XML with namespaces.
func isName(name []byte) bool {
	colon := bytes.IndexByte(name, ':')
	if colon == 0 || colon == len(name)-1 || colon > 0 && (bytes.IndexByte(name[colon+1:], ':') >= 0 || !nameStart[name[colon+1]]) {
		return false
	}
	for _, c := range name {
		if c >= 0x80 {
			return false
		}
	}
	return true
}

// safeName returns name, or a valid replacement for it.
func safeName(name []byte) []byte {
	if isName(name) {
		return name
	}
	return bytes.Map(func(r rune) rune {
		if r >= 0x80 || r == ':' {
			return '_'
		}
		return r
	}, name)
}

// splitName splits a name at its colon.
func splitName(name []byte) (prefix, local []byte) {
	if i := bytes.IndexByte(name, ':'); i > 0 {
		return name[:i], name[i+1:]
	}
	return nil, name
}

func prefixOf(name []byte) []byte {
	prefix, _ := splitName(name)
	return prefix
}
