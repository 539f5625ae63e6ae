package body

import (
	"regexp"
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
	if text := key == "alttext" || key == "title"; (tag == "math" || mathPart[tag]) && key != "lang" && key != "dir" && !text {
		value = mathValue.FindString(value)
		return value, value != ""
	}
	switch key {
	case "allowfullscreen", "open", "reversed":
		return "", true
	case "alt":
		return hypertext.Cut(value, maxText), true // an empty one has a meaning
	case "href":
		value = w.resolve(value, "http", "https", "mailto", "tel")
	case "poster", "cite":
		value = w.resolve(value, "http", "https")
	case "width", "height":
		value = number(strings.TrimSuffix(value, "px"), 0, 10_000)
	case "colspan", "rowspan":
		value = number(value, 1, 1000)
	case "start", "value":
		value = number(value, -1e9, 1e9)
	case "dir", "scope", "kind":
		value = patterns[key].FindString(strings.ToLower(value))
	case "lang", "srclang", "type":
		if tag == "ol" && key == "type" {
			key = "numbering"
		}
		value = patterns[key].FindString(value)
	default:
		value = hypertext.Cut(value, maxText)
	}
	return value, value != ""
}

// patterns are the allowed values of attributes, and of type in a numbered list.
var patterns = map[string]*regexp.Regexp{
	"dir":       regexp.MustCompile(`^(ltr|rtl|auto)$`),
	"scope":     regexp.MustCompile(`^(row|col|rowgroup|colgroup)$`),
	"kind":      regexp.MustCompile(`^(subtitles|captions|descriptions|chapters|metadata)$`),
	"lang":      regexp.MustCompile(`^[a-zA-Z0-9-]{1,35}$`),
	"srclang":   regexp.MustCompile(`^[a-zA-Z0-9-]{1,35}$`),
	"type":      regexp.MustCompile(`^[a-zA-Z0-9/;,.+=_ "-]{1,127}$`),
	"numbering": regexp.MustCompile(`^[1aAiI]$`),
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
