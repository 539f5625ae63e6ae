package body

import (
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"github.com/feedwire/feedwire/publish/hypertext"
)

const maxText = 1024 // bytes of an attribute for people

// tag returns the start tag of an element with its allowed attributes.
func (w *writer) tag(tag string, t html.Token) string {
	var sb strings.Builder
	sb.WriteString("<" + tag)
	for _, key := range w.attributes[tag] {
		if value, ok := w.value(tag, key, t); ok {
			sb.WriteString(" " + key + `="` + html.EscapeString(value) + `"`)
		}
	}
	sb.WriteString(">")
	return sb.String()
}

// value returns the allowed value of an attribute, or false if the attribute is removed.
func (w *writer) value(tag, key string, t html.Token) (string, bool) {
	switch key {
	case "controls": // without them a reader cannot start it
		return "", true
	case "src":
		src := w.address(t)
		return src, src != ""
	case "srcset":
		set := w.set(t)
		return set, set != ""
	}
	value, there := attr(t, key)
	if !there {
		return "", false
	}
	switch key {
	case "href":
		value = w.resolve(value, "http", "https", "mailto", "tel")
	case "poster", "cite":
		value = w.resolve(value, "http", "https")
	case "allowfullscreen", "open", "reversed":
		return "", true
	case "width", "height":
		value = number(strings.TrimSuffix(value, "px"), 0, 10_000)
	case "colspan", "rowspan":
		value = number(value, 1, 1000)
	case "start", "value":
		value = number(value, -1e9, 1e9)
	case "dir":
		value = oneOf(strings.ToLower(value), "ltr", "rtl", "auto")
	case "scope":
		value = oneOf(strings.ToLower(value), "row", "col", "rowgroup", "colgroup")
	case "kind":
		value = oneOf(strings.ToLower(value), "subtitles", "captions", "descriptions", "chapters", "metadata")
	case "lang", "srclang":
		value = only(value, 35, "-")
	case "type":
		value = kindOf(tag, value)
	case "alt":
		return hypertext.Cut(value, maxText), true // an empty one has a meaning
	default:
		value = hypertext.Cut(value, maxText)
	}
	return value, value != ""
}

// kindOf returns the type of a list or a medium.
func kindOf(tag, value string) string {
	if tag == "ol" {
		return oneOf(value, "1", "a", "A", "i", "I")
	}
	return only(value, 127, `/;,.+-=_ "`)
}

// attr returns an attribute, trimmed and without characters that XML does not allow, or false if there is none.
func attr(t html.Token, key string) (string, bool) {
	for _, a := range t.Attr {
		if a.Key == key && a.Namespace == "" {
			return strings.TrimSpace(hypertext.Clean(a.Val)), true
		}
	}
	return "", false
}

func number(s string, least, most int) string {
	n, err := strconv.Atoi(s)
	if err != nil || n < least || n > most {
		return ""
	}
	return strconv.Itoa(n)
}

func oneOf(s string, known ...string) string {
	if slices.Contains(known, s) {
		return s
	}
	return ""
}

// only returns s if it has at most limit bytes and only ASCII letters, digits and the characters in others.
func only(s string, limit int, others string) string {
	if len(s) > limit {
		return ""
	}
	for _, r := range s {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune(others, r) {
			return ""
		}
	}
	return s
}
