package feed

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// digestVersion begins every digest since version 2. Digests of version 1 have no prefix.
const digestVersion = "2."

// Digest identifies what a person reads of the entry: title, link, content, summary, authors and the URLs of enclosures.
// It does not change with any other field, so that a new field never makes an entry look edited, and neither with dates,
// which many sources renew on each build. It ignores differences in white space, between http and https, and in the
// tracking parameters of links.
func (e *Entry) Digest() string {
	h := e.hashRead()
	urls := enclosureURLs(e)
	h.count('e', len(urls))
	for _, u := range urls {
		h.text(u)
	}
	return digestVersion + h.sum()
}

// DigestV1 returns the digest of version 1. It also covers every field of Extra that version 1 knew. Stored digests of entries
// and articles and guids made from digests still have this form.
func (e *Entry) DigestV1() string {
	h := e.hashRead()
	for _, k := range slices.Sorted(maps.Keys(e.Extra)) {
		if FieldNamed(k) != nil && k != "categories" && k != "enclosures" && k != "language" {
			continue // learned since version 1
		}
		h.text(k)
		if k == FieldEnclosures {
			h.text(enclosuresV1(e.Extra[k]))
			continue
		}
		h.text(e.Extra[k])
	}
	return h.sum()
}

// enclosuresV1 returns the text that version 1 stored for enclosures.
func enclosuresV1(text string) string {
	var list []struct {
		URL    string          `json:"url"`
		Type   string          `json:"type,omitempty"`
		Length json.RawMessage `json:"length,omitempty"`
	}
	if json.Unmarshal([]byte(text), &list) != nil {
		return text
	}
	return EncodeList(list)
}

// IsDigestV1 reports whether a digest was made by version 1.
func IsDigestV1(digest string) bool { return digest != "" && !strings.HasPrefix(digest, digestVersion) }

// hashRead starts a digest with the texts that all versions cover.
func (e *Entry) hashRead() digester {
	h := make(digester, 0, len(e.Title)+len(e.Link)+len(e.Content)+len(e.Summary)+256)
	for _, s := range []string{e.Title, e.Link, e.Content, e.Summary} {
		h.text(s)
	}
	h.count('a', len(e.Authors))
	for _, name := range e.Authors {
		h.text(name)
	}
	return h
}

// enclosureURLs returns the URLs of the enclosures. It does not decode lists in the form that ingest writes, which would
// take as long as the rest of a digest.
func enclosureURLs(e *Entry) (urls []string) {
	const key = `{"url":"` // begins an enclosure, but not the persons in its details
	list := e.Extra[FieldEnclosures]
	if !strings.HasPrefix(list, "["+key) || strings.Contains(list, `\`) {
		for _, file := range e.Enclosures() {
			urls = append(urls, file.URL)
		}
		return urls
	}
	for {
		_, rest, found := strings.Cut(list, key)
		if !found {
			return urls
		}
		value, after, _ := strings.Cut(rest, `"`)
		urls, list = append(urls, value), after
	}
}

// digester collects texts, each with its length so that neighbours cannot be confused.
type digester []byte

func (d *digester) text(s string) {
	from := len(*d)
	b := appendSettled(*d, s)
	*d = append(strconv.AppendInt(append(b, ':'), int64(len(b)-from), 10), ':')
}

func (d *digester) count(kind byte, n int) {
	*d = append(strconv.AppendInt(append(*d, kind), int64(n), 10), ':')
}

func (d digester) sum() string {
	sum := sha256.Sum256(d)
	return base64.RawURLEncoding.EncodeToString(sum[:16])
}

// unsettled marks the bytes that appendSettled does not simply copy.
var unsettled = [256]bool{' ': true, '\t': true, '\n': true, '\r': true, '\f': true, ':': true, '?': true, '&': true}

// appendSettled appends s without the differences that Digest ignores.
func appendSettled(b []byte, s string) []byte {
	for i := 0; i < len(s); {
		from := i
		for i < len(s) && (!unsettled[s[i]] || s[i] == ' ' && (i+1 == len(s) || !isSpace(s[i+1]))) {
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

// appendParameters appends the ? or & at s[i] without the tracking parameters after it, and returns the position after
// those.
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
			return b, next // the last parameter
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

// IsTracking reports whether s begins with a query parameter, "name=", that identifies where a reader comes from and does
// not affect the page.
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
