package websub

import "strings"

// maxLinks bounds how many links are taken from the headers of one answer.
const maxLinks = 100

// Link is one link of a Link header field.
type Link struct {
	Target string   // as written, which may be relative
	Rels   []string // relation types in lower case, of the first rel parameter
	Anchor string   // what the link is from, where that is not the answer itself
}

// ParseLinks reads Link header fields (RFC 8288 section 3 and appendix B.2), each of which may hold several links. It is
// as lenient as that appendix: what cannot be read ends its field, and what stands before it counts.
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

// parameters reads what follows the target, and returns what follows that.
func (l *Link) parameters(s string) string {
	seen := map[string]bool{}
	for {
		s = strings.TrimLeft(s, " \t")
		if !strings.HasPrefix(s, ";") {
			return s
		}
		s = strings.TrimLeft(s[1:], " \t")
		end := strings.IndexAny(s, "=;, \t")
		if end < 0 {
			return ""
		}
		name, value := strings.ToLower(s[:end]), ""
		s = strings.TrimLeft(s[end:], " \t")
		if strings.HasPrefix(s, "=") {
			value, s = parameterValue(strings.TrimLeft(s[1:], " \t"))
		}
		if seen[name] { // only the first one counts
			continue
		}
		seen[name] = true
		switch name {
		case "rel":
			l.Rels = strings.Fields(strings.ToLower(value))
		case "anchor":
			l.Anchor = strings.TrimSpace(value)
		}
	}
}

// parameterValue reads a token or a quoted string, and returns what follows it.
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

// FormatLinks is the Link header field of a topic (section 4), and of a delivery of it (section 7).
func FormatLinks(hub, self string) string {
	return "<" + linkTarget.Replace(hub) + `>; rel="hub", <` + linkTarget.Replace(self) + `>; rel="self"`
}

// linkTarget keeps a URL between its brackets.
var linkTarget = strings.NewReplacer("<", "%3C", ">", "%3E", "\r", "%0D", "\n", "%0A", " ", "%20")
