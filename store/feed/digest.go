package feed

import (
	"crypto/sha256"
	"encoding/base64"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Digest identifies the content of the entry: 22 characters that change with title, link, content, summary, authors
// and the extra fields, and with nothing else. Dates are left out: many sources restamp them on each build. So is what
// changes while an entry stays the same: how much white space stands between two words, whether a link says http or
// https, and the tracking parameters of links.
func (e *Entry) Digest() string {
	b := make([]byte, 0, len(e.Title)+len(e.Link)+len(e.Content)+len(e.Summary)+256)
	write := func(s string) {
		from := len(b)
		b = appendSettled(b, s)
		b = append(strconv.AppendInt(append(b, ':'), int64(len(b)-from), 10), ':')
	}
	for _, s := range []string{e.Title, e.Link, e.Content, e.Summary} {
		write(s)
	}
	b = append(strconv.AppendInt(append(b, 'a'), int64(len(e.Authors)), 10), ':')
	for _, a := range e.Authors {
		write(a)
	}
	for _, k := range slices.Sorted(maps.Keys(e.Extra)) {
		write(k)
		write(e.Extra[k])
	}
	sum := sha256.Sum256(b)
	return base64.RawURLEncoding.EncodeToString(sum[:16])
}

// unsettled marks the bytes at which appendSettled has to look twice.
var unsettled = [256]bool{' ': true, '\t': true, '\n': true, '\r': true, '\f': true, ':': true, '?': true, '&': true}

// appendSettled appends s without what changes while the text stays the same.
func appendSettled(b []byte, s string) []byte {
	for i := 0; i < len(s); {
		from := i
		for i < len(s) && !unsettled[s[i]] {
			i++
		}
		b = append(b, s[from:i]...)
		if i == len(s) {
			break
		}
		switch c := s[i]; c {
		case ':':
			if strings.HasPrefix(s[i:], "://") && i > 0 && (s[i-1] == 's' || s[i-1] == 'S') {
				b = b[:len(b)-1]
			}
			b = append(b, c)
			i++
		case '?', '&':
			b, i = appendParameters(b, s, i)
		default:
			for i < len(s) && isSpace(s[i]) {
				i++
			}
			b = append(b, ' ')
		}
	}
	return b
}

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

// appendParameters appends the ? or & at s[i] and says where to go on: behind the tracking parameters that follow it.
func appendParameters(b []byte, s string, i int) ([]byte, int) {
	separator, next := s[i], i+1
	for {
		name := next
		if s[next-1] == '&' && strings.HasPrefix(s[next:], "amp;") {
			name += len("amp;")
		}
		if !IsTracking(s[name:]) {
			break
		}
		for next = name; next < len(s) && !strings.ContainsRune("&#\"'<> \t\r\n", rune(s[next])); {
			next++
		}
		if next == len(s) || s[next] != '&' {
			return b, next // the last one
		}
		next++
	}
	if next == i+1 {
		return append(b, separator), next
	}
	if separator == '?' && strings.HasPrefix(s[next:], "amp;") {
		next += len("amp;")
	}
	return append(b, separator), next
}

// IsTracking reports whether s begins with a parameter of a query, "name=", that tells where a reader comes from, and nothing
// about the page.
func IsTracking(s string) bool {
	if len(s) < 5 || strings.IndexByte("ufgmidy", s[0]) < 0 {
		return false
	}
	for _, name := range []string{
		"utm_", "fbclid=", "gclid=", "mc_cid=", "mc_eid=", "igshid=", "msclkid=", "dclid=", "yclid=",
	} {
		if strings.HasPrefix(s, name) {
			return true
		}
	}
	return false
}
