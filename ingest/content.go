package ingest

import (
	"net/url"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// clean leaves out control characters other than line ends and tabs, and what is no valid UTF-8.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if !isLegal(r) || unicode.Is(unicode.Cc, r) && r != '\t' && r != '\n' && r != '\r' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))
}

// cleanLine also trims, and makes one space of each run of white space.
func cleanLine(s string) string { return strings.Join(strings.Fields(clean(s)), " ") }

// plainText is a title or a name, which sources write with or without markup, as text: entities decoded, the tags of
// HTML left out. "List<T>" is no HTML and stays.
func plainText(s string) string {
	if !strings.ContainsAny(s, "<&") {
		return cleanLine(s)
	}
	var out strings.Builder
	hidden := false // inside script or style
	z := html.NewTokenizer(strings.NewReader(s))
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			return cleanLine(out.String())
		}
		raw := string(z.Raw()) // reading the token changes it
		token := z.Token()
		switch kind {
		case html.TextToken:
			if !hidden {
				out.WriteString(token.Data)
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

// resolve makes a reference absolute (RFC 3986 section 5). What is then no link to the web is dropped.
func resolve(base *url.URL, ref string) string {
	ref = cleanLine(ref)
	u, err := base.Parse(ref)
	if err != nil || ref == "" || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return ""
	}
	return u.String()
}

// isAbsolute reports whether s is a link to the web by itself.
func isAbsolute(s string) bool {
	u, err := url.Parse(strings.TrimSpace(s))
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

// resolveContent makes the relative links of HTML absolute. Only tags that hold one are written anew; all other bytes
// stay as they are, so that the content's digest does not change with this code. Content that would more than double by
// that stays as it is: a long base and many short links would turn a small document into a huge one.
func resolveContent(base *url.URL, content string) string {
	if !strings.ContainsRune(content, '<') {
		return content
	}
	var out strings.Builder
	out.Grow(len(content))
	limit := 2*len(content) + 64<<10
	z := html.NewTokenizer(strings.NewReader(content))
	for {
		kind := z.Next()
		raw := string(z.Raw()) // reading the token changes it
		if kind == html.StartTagToken || kind == html.SelfClosingTagToken {
			if token := z.Token(); resolveAttributes(base, token.Attr) {
				raw = token.String()
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

// isLinkAttribute reports whether the value of an attribute is one URL, which a reader's browser follows or loads.
func isLinkAttribute(name string) bool {
	return slices.Contains([]string{"href", "src", "poster", "cite"}, name)
}

// resolveAttributes resolves in place and reports whether anything changed.
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

// absolute resolves a reference that is relative. Fragments point into the content itself and stay.
func absolute(base *url.URL, ref string) string {
	trimmed := strings.TrimSpace(ref)
	u, err := url.Parse(trimmed)
	if err != nil || trimmed == "" || trimmed[0] == '#' || u.IsAbs() {
		return ref
	}
	return base.ResolveReference(u).String()
}

// absoluteSet resolves the candidates of a srcset: URLs, each with an optional width or density, between commas that
// are followed by white space (a comma alone may be part of a URL).
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
