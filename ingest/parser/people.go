package parser

import (
	"regexp"
	"strings"

	"github.com/mmcdole/gofeed/atom"
)

// personForm matches "before (inner)" and "before <inner> after".
var personForm = regexp.MustCompile(`(?s)^([^(]*)\((.*)\)$|^([^<]*)<([^>]*)>(.*)$`)

// personName returns the name of a person from the forms in feeds: "Ann", "ann@x.example (Ann)", "Ann (ann@x.example)",
// "Ann <ann@x.example>", elements name and email, "mailto:ann@x.example". Without a name it returns the address.
func personName(text string) string {
	text = strings.TrimSpace(text)
	if name := between(text, "<name>", "</name>"); name != "" {
		return name
	}
	if mail := between(text, "<email>", "</email>"); mail != "" {
		return mail
	}
	parts := personForm.FindStringSubmatch(text)
	if parts == nil {
		return strings.TrimPrefix(text, "mailto:")
	}
	before, inner := strings.Trim(parts[1]+parts[3]+parts[5], " \t\r\n\"',"), strings.TrimSpace(parts[2]+parts[4])
	switch {
	case isAddress(before) && inner != "":
		return inner
	case before == "":
		return strings.TrimPrefix(inner, "mailto:")
	case isAddress(inner):
		return before
	}
	return text
}

// isAddress reports whether a text is an email address or a URL.
func isAddress(text string) bool {
	return text != "" && !strings.ContainsAny(text, " \t\r\n") && (strings.Contains(text, "@") || strings.Contains(text, "://"))
}

// between returns the text between two marks.
func between(text, begin, end string) string {
	_, rest, _ := strings.Cut(text, begin)
	inner, _, found := strings.Cut(rest, end)
	if !found {
		return ""
	}
	return strings.TrimSpace(inner)
}

// atomNames returns the names of Atom persons, or their email or URI.
func atomNames(people []*atom.Person) []string {
	var out []string
	for _, p := range people {
		switch {
		case strings.TrimSpace(p.Name) != "":
			out = append(out, personName(p.Name))
		case strings.TrimSpace(p.Email) != "":
			out = append(out, p.Email)
		default:
			out = append(out, p.URI)
		}
	}
	return out
}
