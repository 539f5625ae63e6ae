package websub

import "strings"

// maxLinks bounds the links of one response.
const maxLinks = 100

// Link is one link of a Link header field or of a page.
type Link struct {
	Target string   // may be relative
	Rels   []string // relation types in lower case, of the first rel parameter
	Anchor string   // context of the link; empty: the response itself
	Type   string   // media type of the target
	Title  string   // for people
}

// ParseLinks parses Link header fields (RFC 8288 section 3 and appendix B.2) and returns up to 100 links. It is as lenient
// as that appendix, and accepts missing separators. A syntax error ends its field; the links before it count.
func ParseLinks(fields []string) []Link {
	var all []Link
	for _, rest := range fields {
		for len(all) < maxLinks {
			var ok bool
			if rest, ok = strings.CutPrefix(strings.TrimLeft(rest, " \t,"), "<"); !ok {
				break
			}
			target, after, closed := strings.Cut(rest, ">")
			if !closed {
				break
			}
			var parameters map[string]string
			parameters, rest = parseParameters(after)
			all = append(all, Link{
				Target: strings.TrimSpace(target), Rels: strings.Fields(strings.ToLower(parameters["rel"])),
				Anchor: strings.TrimSpace(parameters["anchor"]), Type: strings.TrimSpace(parameters["type"]),
				Title: strings.TrimSpace(parameters["title"]),
			})
		}
	}
	return all
}

// parseParameters parses the parameters after the target and returns the rest of the field. The first of a name counts.
func parseParameters(s string) (all map[string]string, rest string) {
	all = make(map[string]string)
	for {
		s = strings.TrimLeft(s, " \t;")
		if s == "" || s[0] == ',' || s[0] == '<' {
			return all, s
		}
		end := strings.IndexAny(s, "=;, \t")
		if end < 0 {
			return all, ""
		}
		name, value := strings.ToLower(s[:end]), ""
		s = strings.TrimLeft(s[end:], " \t")
		if strings.HasPrefix(s, "=") {
			value, s = parameterValue(strings.TrimLeft(s[1:], " \t"))
		}
		if _, repeated := all[name]; !repeated {
			all[name] = value
		}
	}
}

// parameterValue parses a token or a quoted string and returns the rest of the field.
func parameterValue(s string) (value, rest string) {
	if !strings.HasPrefix(s, `"`) {
		end := strings.IndexAny(s, ";,")
		if end < 0 {
			end = len(s)
		}
		return strings.TrimSpace(s[:end]), s[end:]
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '"':
			return b.String(), s[i+1:]
		case s[i] == '\\' && i+1 < len(s):
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String(), ""
}

// FormatLinks returns the Link header field of a topic (section 4) and of its deliveries (section 7).
func FormatLinks(hub, self string) string {
	return "<" + linkTarget.Replace(hub) + `>; rel="hub", <` + linkTarget.Replace(self) + `>; rel="self"`
}

// linkTarget escapes a URL for the brackets of a link.
var linkTarget = strings.NewReplacer("<", "%3C", ">", "%3E", "\r", "%0D", "\n", "%0A", " ", "%20")
