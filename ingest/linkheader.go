package ingest

import "strings"

// maxLinks bounds what is read of Link headers and of the links of a page.
const maxLinks = 200

// link is a link to another document, as a header or a page has it.
type link struct {
	href   string // as written
	params map[string]string
}

// rel reports whether the link has a relation; a link may have several, case does not count.
func (l link) rel(name string) bool {
	for _, rel := range strings.Fields(l.params["rel"]) {
		if strings.EqualFold(rel, name) {
			return true
		}
	}
	return false
}

// linkHeader reads the fields Link of a response header (RFC 8288 section 3). Of a parameter that stands twice the first
// counts, and what cannot be read ends the reading of its field.
func linkHeader(fields []string) []link {
	var links []link
	for _, rest := range fields {
		for len(links) < maxLinks {
			_, after, found := strings.Cut(rest, "<")
			href, after, closed := strings.Cut(after, ">")
			if !found || !closed {
				break
			}
			l := link{href: strings.TrimSpace(href), params: make(map[string]string)}
			rest = l.parameters(after)
			links = append(links, l)
		}
	}
	return links
}

// parameters reads the parameters of a link and returns what stands behind the comma that ends them.
func (l link) parameters(s string) (rest string) {
	for {
		s = strings.TrimLeft(s, " \t;")
		if s == "" || s[0] == ',' {
			return s
		}
		end := strings.IndexAny(s, "=;,")
		if end < 0 {
			return ""
		}
		name, value := strings.ToLower(strings.TrimSpace(s[:end])), ""
		if s[end] == '=' {
			value, s = parameterValue(strings.TrimLeft(s[end+1:], " \t"))
		} else {
			s = s[end:]
		}
		if _, twice := l.params[name]; !twice && name != "" {
			l.params[name] = value
		}
	}
}

// parameterValue takes a token or a quoted string from the beginning of s.
func parameterValue(s string) (value, rest string) {
	if !strings.HasPrefix(s, `"`) {
		end := strings.IndexAny(s, ";,")
		if end < 0 {
			end = len(s)
		}
		return strings.TrimSpace(s[:end]), s[end:]
	}
	var out strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '"':
			return out.String(), s[i+1:]
		case s[i] == '\\' && i+1 < len(s):
			i++
			out.WriteByte(s[i])
		default:
			out.WriteByte(s[i])
		}
	}
	return out.String(), ""
}
