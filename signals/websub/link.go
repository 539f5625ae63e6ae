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
			l := Link{Target: strings.TrimSpace(target)}
			rest = l.parameters(after)
			all = append(all, l)
		}
	}
	return all
}

// parameters parses the parameters after the target and returns the rest of the field.
func (l *Link) parameters(s string) string {
	seen := map[string]bool{}
	for {
		s = strings.TrimLeft(s, " \t;")
		if s == "" || s[0] == ',' || s[0] == '<' {
			return s
		}
		end := strings.IndexAny(s, "=;, \t")
		if end < 0 {
			return ""
		}
		name, value := strings.ToLower(s[:end]), ""
		s = strings.TrimLeft(s[end:], " \t")
		if strings.HasPrefix(s, "=") {
			value, s = parameterValue(strings.TrimLeft(s[1:], " \t"))
		}
		if seen[name] { // the first one counts
			continue
		}
		seen[name] = true
		switch name {
		case "rel":
			l.Rels = strings.Fields(strings.ToLower(value))
		case "anchor":
			l.Anchor = strings.TrimSpace(value)
		case "type":
			l.Type = strings.TrimSpace(value)
		case "title":
			l.Title = strings.TrimSpace(value)
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
