package instant_test

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/feedwire/feedwire/publish/hypertext"
)

// The oracle parses HTML with the HTML5 parser and knows nothing of rules. It collects what a reader sees of the source
// and checks that the document shows it too.

// selfClosed matches self-closing tags of elements that HTML5 does not allow to be void.
var selfClosed = regexp.MustCompile(`(?i)<(iframe|script|video|audio|amp-[a-z]+)(\s[^<>]*)?/>`)

// readSource returns the tree of HTML for a reader without scripts.
func readSource(content string) *html.Node {
	content = selfClosed.ReplaceAllString(content, "<$1$2></$1>")
	root, err := html.ParseWithOptions(strings.NewReader(content), html.ParseOptionEnableScripting(false))
	if err != nil { // it only fails where it cannot read, or too deep
		return &html.Node{Type: html.DocumentNode}
	}
	return root
}

// walk calls visit for n and its visible descendants.
func walk(n *html.Node, visit func(*html.Node)) {
	visit(n)
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Template, atom.Title, atom.Iframe, atom.Textarea:
		return
	}
	for c := range n.ChildNodes() {
		walk(c, visit)
	}
}

// ink returns the visible characters of a text.
func ink(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || r == '\u200b' || r == '\u2060' || r == '\ufeff' {
			return -1
		}
		return r
	}, hypertext.Clean(s))
}

// inkOf returns the visible characters of an element.
func inkOf(n *html.Node) string {
	var sb strings.Builder
	walk(n, func(n *html.Node) {
		if n.Type == html.TextNode && !slices.Contains([]atom.Atom{atom.Script, atom.Style, atom.Template, atom.Title,
			atom.Iframe, atom.Textarea}, n.Parent.DataAtom) {
			sb.WriteString(ink(n.Data))
		}
	})
	return sb.String()
}

// shows is what a document shows: its text and its addresses, including those in frames.
type shows struct {
	ink       string
	addresses map[string]bool
	elements  map[string]int // by tag, outside of frames
	nested    bool           // a list in a list
}

func readDocument(document string) shows {
	s := shows{addresses: make(map[string]bool), elements: make(map[string]int)}
	var sb strings.Builder
	s.read(document, &sb, false)
	s.ink = sb.String()
	return s
}

func (s *shows) read(document string, sb *strings.Builder, framed bool) {
	walk(readSource(document), func(n *html.Node) {
		switch {
		case n.Type == html.TextNode:
			if n.Parent.DataAtom != atom.Iframe && n.Parent.DataAtom != atom.Script && n.Parent.DataAtom != atom.Title {
				sb.WriteString(ink(n.Data))
			}
			return
		case n.Type != html.ElementNode:
			return
		case !framed:
			s.elements[n.Data]++
		}
		for _, a := range n.Attr {
			s.addresses[canonicalAddress(a.Val)] = true
		}
		if n.DataAtom == atom.Iframe && n.FirstChild != nil {
			s.read(n.FirstChild.Data, sb, true)
		}
		if (n.DataAtom == atom.Ul || n.DataAtom == atom.Ol) && !framed {
			for p := n.Parent; p != nil; p = p.Parent {
				s.nested = s.nested || p.DataAtom == atom.Li
			}
		}
	})
}

const pageAddress = "https://example.org/news/story"

// canonicalAddress returns the absolute form of an address.
func canonicalAddress(ref string) string {
	base, _ := url.Parse(pageAddress)
	u, err := base.Parse(strings.TrimSpace(ref))
	if err != nil {
		return ref
	}
	return u.String()
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// media returns the addresses of an element's media. The document must contain one address of each list.
func media(n *html.Node) [][]string {
	var one []string
	add := func(keys ...string) {
		for _, key := range keys {
			if value := strings.TrimSpace(attribute(n, key)); usable(value) {
				address := canonicalAddress(value)
				if n.DataAtom == atom.Img { // the file
					address, _, _ = strings.Cut(address, "#")
				}
				one = append(one, address)
			}
		}
	}
	switch n.Data {
	case "img", "amp-img":
		add("data-src", "data-original", "data-lazy-src", "data-lazy", "data-image")
		if one != nil { // then src only holds its place
			return [][]string{one}
		}
		add("src")
		for _, candidate := range strings.Split(attribute(n, "srcset")+","+attribute(n, "data-lazy-srcset"), ",") {
			if fields := strings.Fields(candidate); len(fields) > 0 && usable(fields[0]) {
				one = append(one, canonicalAddress(fields[0]))
			}
		}
	case "iframe", "embed", "amp-iframe":
		add("src", "data-src")
		for _, address := range one { // the player of the time before frames is shown as a frame
			one = append(one, strings.Replace(address, "youtube.com/v/", "youtube.com/embed/", 1))
		}
	case "video", "audio", "amp-video", "amp-audio":
		add("src")
		if poster := attribute(n, "poster"); usable(poster) {
			return [][]string{one, {canonicalAddress(poster)}}
		}
	case "source":
		if n.Parent.DataAtom != atom.Picture {
			add("src")
		}
	case "a":
		add("href")
	case "object":
		add("data")
	}
	return [][]string{one}
}

// usable reports whether an article can contain an address.
func usable(ref string) bool {
	u, err := url.Parse(canonicalAddress(ref))
	if err != nil || ref == "" || strings.HasPrefix(ref, "#") {
		return false
	}
	return (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" || u.Scheme == "mailto"
}

// tags maps start tags with sorted attributes to their form in the source, because the parser sorts some attributes.
type tags map[string]string

func writtenTags(content string) tags {
	written := make(tags)
	z := html.NewTokenizer(strings.NewReader(content))
	for z.Next() != html.ErrorToken {
		if token := z.Token(); token.Type == html.StartTagToken || token.Type == html.SelfClosingTagToken {
			z.NextIsNotRawText() // lest something self-closed swallow the rest
			written[sayingOf(token.Data, token.Attr)] = startTagOf(token.Data, token.Attr)
		}
	}
	return written
}

func (t tags) of(n *html.Node) string { return t[sayingOf(n.Data, n.Attr)] }

// startTagOf returns a start tag as warnings write it.
func startTagOf(tag string, attrs []html.Attribute) string {
	var sb strings.Builder
	sb.WriteString("<" + tag)
	for _, a := range attrs {
		sb.WriteString(" " + a.Key + `="` + a.Val + `"`)
	}
	return shorten(sb.String()+">", 120)
}

// sayingOf returns a start tag with sorted attributes.
func sayingOf(tag string, attrs []html.Attribute) string {
	parts := []string{tag}
	for _, a := range attrs {
		parts = append(parts, strings.ToLower(a.Key)+"="+a.Val)
	}
	slices.Sort(parts[1:])
	return strings.Join(parts, "\x00")
}

func shorten(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	end := limit - len("…")
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}

// excused reports whether a warning says that n or an ancestor is missing from the document, or that the link n was
// removed.
func excused(n *html.Node, written tags, warnings []hypertext.Warning) bool {
	for of := n; n != nil; n = n.Parent {
		if n.Type != html.ElementNode {
			continue
		}
		tag := written.of(n)
		for _, w := range warnings {
			gone := w.Code == "left-out" || w.Code == "ignored" || w.Code == "unwrapped" && n.DataAtom == atom.A && of == n
			if gone && w.Markup == tag {
				return true
			}
		}
	}
	return false
}

// lost returns what a reader sees of the source but not of the document, unless a warning names it.
func lost(content, document string, warnings []hypertext.Warning) (faults []string) {
	got, written := readDocument(document), writtenTags(content)
	seen := make(map[string]int)
	walk(readSource(content), func(n *html.Node) {
		switch {
		case n.Type == html.TextNode && ink(n.Data) != "" && !hiddenText(n):
			if text := ink(n.Data); !excused(n, written, warnings) {
				if seen[text]++; strings.Count(got.ink, text) < seen[text] {
					faults = append(faults, fmt.Sprintf("text: %.80q in %s", strings.TrimSpace(n.Data), written.of(n.Parent)))
				}
			}
		case n.Type == html.ElementNode:
			for _, one := range media(n) {
				smiley := n.DataAtom == atom.Img && ink(attribute(n, "alt")) != "" && strings.Contains(attribute(n, "class"), "emoji")
				shown := len(one) == 0 || smiley && strings.Contains(got.ink, ink(attribute(n, "alt"))) || slices.ContainsFunc(one, func(address string) bool { return got.addresses[address] })
				if !shown && !excused(n, written, warnings) && (n.DataAtom != atom.A || inkOf(n) != "" && !got.addresses[one[0]]) {
					faults = append(faults, "medium or link: "+written.of(n))
				}
			}
		}
	})
	return faults
}

func hiddenText(n *html.Node) bool {
	switch n.Parent.DataAtom {
	case atom.Script, atom.Style, atom.Template, atom.Title, atom.Iframe, atom.Textarea:
		return true
	}
	return false
}

// untrue returns warnings that name no element of the source, or that the document contradicts.
func untrue(content, document string, warnings []hypertext.Warning) (faults []string) {
	got, written := readDocument(document), writtenTags(content)
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	named := make(map[string][]*html.Node)
	occurs := make(map[string]int) // of texts and addresses in the source
	walk(readSource(content), func(n *html.Node) {
		if n.Type == html.ElementNode {
			named[written.of(n)] = append(named[written.of(n)], n)
			for _, one := range media(n) {
				for _, address := range one {
					occurs[address]++
				}
			}
		}
	})
	all := inkOf(readSource(content))
	for _, w := range warnings {
		nodes := named[w.Markup]
		if len(nodes) == 0 {
			fault("no such element in the source: %+v", w)
			continue
		}
		n := nodes[0]
		last := w.Place[strings.LastIndex(w.Place, " ")+1:]
		if !strings.HasPrefix(last, n.Data) && !strings.HasSuffix(w.Place, "…") {
			fault("wrong place: %+v", w)
		}
		switch w.Code {
		case "left-out", "ignored":
			if text := inkOf(n); text != "" && len(nodes) == 1 && strings.Count(got.ink, text) >= strings.Count(all, text) {
				fault("the text %.60q is in the document despite the warning: %+v", text, w)
			}
			for _, one := range media(n) {
				for _, address := range one {
					if got.addresses[address] && occurs[address] == len(nodes) {
						fault("%s is in the document despite the warning: %+v", address, w)
					}
				}
			}
		case "unwrapped":
			walk(n, func(text *html.Node) {
				if text.Type == html.TextNode && !hiddenText(text) && !excused(text, written, warnings) && !strings.Contains(got.ink, ink(text.Data)) {
					fault("the content of the unwrapped element is lost: %+v", w)
				}
			})
			if href := attribute(n, "href"); n.DataAtom == atom.A && usable(href) && got.addresses[canonicalAddress(href)] {
				fault("the link is in the document despite the warning: %+v", w)
			}
			if n.DataAtom != atom.A && got.elements[n.Data] > 0 {
				fault("the document has a %s despite the warning: %+v", n.Data, w)
			}
		case "flattened":
			if got.nested {
				fault("a list is nested despite the warning: %+v", w)
			}
		case "repaired":
			if attribute(n, "width") != "" && attribute(n, "height") != "" && !strings.ContainsAny(attribute(n, "width")+attribute(n, "height"), "%empx") {
				fault("nothing needed a repair: %+v", w)
			}
		default:
			fault("unknown code: %+v", w)
		}
	}
	return faults
}
