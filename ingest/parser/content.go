package parser

import (
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/feedwire/feedwire/ingest/mend"
)

// plainText returns a title or a name as text on one line: it decodes entities and removes HTML tags. "List<T>" is not
// HTML and stays.
func plainText(s string) string {
	if !strings.ContainsAny(s, "<&") {
		return mend.Line(s)
	}
	var out strings.Builder
	hidden := false // inside script or style
	z := html.NewTokenizer(strings.NewReader(s))
	for {
		kind := z.Next()
		raw := string(z.Raw()) // reading the token changes it
		if kind == html.ErrorToken {
			out.WriteString(raw) // a < that begins no tag
			return mend.Line(out.String())
		}
		token := z.Token()
		switch kind {
		case html.TextToken:
			if !hidden {
				out.WriteString(token.Data)
			}
		case html.CommentToken: // in HTML also CDATA sections and processing instructions
			if section, ok := strings.CutPrefix(raw, "<![CDATA["); ok {
				out.WriteString(strings.TrimSuffix(section, "]]>"))
			} else if strings.HasPrefix(raw, "<?") {
				out.WriteString(raw)
			}
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
			switch token.DataAtom {
			case 0:
				out.WriteString(raw)
			case atom.Script, atom.Style:
				hidden = kind == html.StartTagToken
			case atom.Br, atom.P, atom.Div:
				out.WriteByte(' ')
			}
		}
	}
}

// isAbsolute reports whether s is an absolute http or https URL.
func isAbsolute(s string) bool { return mend.Resolve(new(url.URL), s) != "" }

// resolveContent makes the relative links of HTML absolute. It honours xml:base (RFC 4287 section 2). It rewrites only tags
// with a relative link, so that digests do not change with this code. It leaves content unchanged that would more than
// double: a long base and many short links would turn a small document into a huge one.
func resolveContent(base *url.URL, content string) string {
	if !hasRelativeLinks(content) {
		return content
	}
	var out strings.Builder
	out.Grow(len(content))
	limit := 2*len(content) + 64<<10
	scopes := []scope{{base: base}} // innermost last
	bases := 0
	z := html.NewTokenizer(strings.NewReader(content))
	for {
		kind := z.Next()
		raw := string(z.Raw()) // z.Token changes it
		switch kind {
		case html.StartTagToken, html.SelfClosingTagToken:
			token, top := z.Token(), scopes[len(scopes)-1]
			inner, attributes := top.base, token.Attr
			if bases < mend.MaxBases {
				inner, attributes = withoutBase(inner, token.Attr)
			}
			changed := len(attributes) < len(token.Attr)
			if changed {
				bases++
			}
			token.Attr = attributes
			if resolveAttributes(inner, token.Attr) || changed {
				raw = token.String()
			}
			if kind == html.StartTagToken && (changed || token.Data == top.name) {
				scopes = append(scopes, scope{inner, token.Data})
			}
		case html.EndTagToken:
			if last := len(scopes) - 1; last > 0 && z.Token().Data == scopes[last].name {
				scopes = scopes[:last]
			}
		}
		out.WriteString(raw)
		if out.Len() > limit {
			return content
		}
		if kind == html.ErrorToken {
			return out.String()
		}
	}
}

// scope is an open element with a base, or one of the same name in it.
type scope struct {
	base *url.URL
	name string
}

// withoutBase removes xml:base, which HTML does not have, from attributes and applies it.
func withoutBase(base *url.URL, attributes []html.Attribute) (*url.URL, []html.Attribute) {
	for i, a := range attributes {
		if a.Key == "xml:base" {
			return mend.Rebase(base, a.Val), slices.Delete(slices.Clone(attributes), i, i+1)
		}
	}
	return base, attributes
}

// hasRelativeLinks quickly reports whether the content may have relative links.
func hasRelativeLinks(content string) bool {
	for at := 0; ; at++ {
		next := strings.IndexByte(content[at:], '=')
		if next < 0 {
			return false
		}
		at += next
		name := strings.TrimRight(content[max(0, at-16):at], " \t\r\n")
		name = strings.ToLower(name[strings.LastIndexAny(name, " \t\r\n\"'/<>")+1:])
		if name == "srcset" || name == "xml:base" {
			return true
		}
		if !isLinkAttribute(name) {
			continue
		}
		value := strings.TrimLeft(content[at+1:min(len(content), at+40)], " \t\r\n\"'")
		if !strings.HasPrefix(value, "https://") && !strings.HasPrefix(value, "http://") {
			return true
		}
	}
}

// isLinkAttribute reports whether the value of an attribute is a URL that a browser follows or loads.
func isLinkAttribute(name string) bool {
	switch name {
	case "href", "src", "poster", "cite", "action", "background", "longdesc", "data":
		return true
	}
	return false
}

// resolveAttributes resolves links in place and reports whether one changed.
func resolveAttributes(base *url.URL, attributes []html.Attribute) bool {
	changed := false
	for i, a := range attributes {
		value := a.Val
		switch {
		case isLinkAttribute(a.Key):
			value = absolute(base, value)
		case a.Key == "srcset":
			value = absoluteSet(base, value)
		}
		if value != a.Val {
			attributes[i].Val = value
			changed = true
		}
	}
	return changed
}

// absolute resolves a relative reference. Fragments stay: they point into the content.
func absolute(base *url.URL, ref string) string {
	trimmed := strings.TrimSpace(ref)
	u, err := url.Parse(trimmed)
	if err != nil || trimmed == "" || trimmed[0] == '#' || u.IsAbs() {
		return ref
	}
	return base.ResolveReference(u).String()
}

// absoluteSet resolves the URLs of a srcset. Candidates end with a comma and white space; a comma alone may be part of a
// URL.
func absoluteSet(base *url.URL, set string) string {
	fields := strings.Fields(set)
	start := true // of a candidate
	for i, field := range fields {
		ends := strings.HasSuffix(field, ",")
		if start {
			fields[i] = absolute(base, strings.TrimSuffix(field, ","))
			if ends {
				fields[i] += ","
			}
		}
		start = ends
	}
	if resolved := strings.Join(fields, " "); resolved != strings.Join(strings.Fields(set), " ") {
		return resolved
	}
	return set
}
