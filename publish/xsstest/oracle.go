package xsstest

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// Allowed is what a test allows besides text, media and links. The zero value allows nothing else.
type Allowed struct {
	Frame  func(src string) bool // frames of this address; nil: none
	Script func(src string) bool // scripts of this address, without content; nil: none
	Images bool                  // images as data: URLs
	Style  bool                  // style attributes and elements
	Math   bool                  // formulas of text without HTML
	Head   bool                  // html, head, title, meta, link of a complete document
}

// Faults lists everything dangerous in markup, parsed as a fragment in each place where it may be used. Some places change
// how it is parsed, which reveals markup whose meaning changes when it is parsed a second time.
func Faults(markup string, allowed Allowed) []string {
	var all []string
	for _, p := range places() {
		for _, scripting := range p.scripting(markup) {
			j := judge{Allowed: allowed, place: fmt.Sprintf("in %s, scripting %v", p.name, scripting), around: p.around}
			root, err := html.ParseWithOptions(strings.NewReader(p.before+markup+p.after), html.ParseOptionEnableScripting(scripting))
			if err != nil {
				all = append(all, fmt.Sprintf("%s: cannot be parsed: %v", j.place, err))
				continue
			}
			j.walk(root)
			all = append(all, j.faults...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// place is a document around a fragment.
type place struct {
	name, before, after string
	around              []string // dangerous elements of the place itself
}

func places() []place {
	const head, tail = "<!doctype html><html><head></head><body>", "</body></html>"
	all := []place{{name: "body", before: head, after: tail}}
	for _, tag := range []string{"div", "p", "a", "td", "li", "figure", "pre", "noscript", "noembed", "noframes", "title",
		"textarea", "xmp", "select", "option", "template", "svg", "math", "iframe", "button", "style", "script"} {
		before, after := "<"+tag+">", "</"+tag+">"
		if tag == "td" {
			before, after = "<table><tr><td>", "</td></tr></table>"
		}
		all = append(all, place{tag, head + before, after + tail, []string{tag}})
	}
	return append(all,
		place{"svg desc", head + "<svg><desc>", "</desc></svg>" + tail, []string{"svg", "desc"}},
		place{"svg style", head + "<svg><style>", "</style></svg>" + tail, []string{"svg", "style"}},
		place{"math mtext", head + "<math><mtext>", "</mtext></math>" + tail, []string{"math", "mtext"}},
		place{"math style", head + "<form><math><mtext></form><form><mglyph><style>", "</style>" + tail,
			[]string{"form", "form", "math", "mtext", "mglyph", "style"}},
		place{"quirks mode", "<html><body>", "</body></html>", nil},
	)
}

// scripting returns whether scripts are enabled in a place: both, if that changes how markup is parsed, which it does for one
// element only.
func (p place) scripting(markup string) []bool {
	if strings.Contains(strings.ToLower(p.before+markup), "noscript") {
		return []bool{false, true}
	}
	return []bool{true}
}

// judge checks one tree.
type judge struct {
	Allowed
	place  string
	around []string
	faults []string
}

func (j *judge) fault(n *html.Node, format string, args ...any) {
	j.faults = append(j.faults, fmt.Sprintf("%s: %s <%s>", j.place, fmt.Sprintf(format, args...), n.Data))
}

func (j *judge) walk(n *html.Node) {
	if n.Type == html.ElementNode {
		j.element(n)
		for _, a := range n.Attr {
			j.attribute(n, a)
		}
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		j.walk(c)
	}
}

// element checks the effect of an element. The first element with a name of the place itself does not belong to the fragment.
func (j *judge) element(n *html.Node) {
	if at := slices.Index(j.around, n.Data); at >= 0 && len(n.Attr) == 0 {
		j.around = slices.Delete(slices.Clone(j.around), at, at+1)
		return
	}
	if n.Namespace == "" && n.Parent.Namespace == "math" && !strings.HasPrefix(j.place, "in math") {
		j.fault(n, "is HTML in a formula")
	}
	switch n.Data {
	case "html", "head", "body", "tbody", "colgroup":
	case "script":
		if src := value(n, "src"); j.Script == nil || n.FirstChild != nil || !j.Script(src) {
			j.fault(n, "runs %q", src)
		}
	case "iframe":
		if src := value(n, "src"); j.Frame == nil || !j.Frame(src) {
			j.fault(n, "frames %q", src)
		}
	case "style":
		if !j.Style {
			j.fault(n, "styles the page")
		}
	case "title", "meta", "link":
		if !j.Head {
			j.fault(n, "speaks for the page")
		}
		if value(n, "http-equiv") != "" {
			j.fault(n, "gives orders for the page")
		}
	case "math":
		if !j.Math {
			j.fault(n, "is a formula")
		}
	case "object", "embed", "applet", "frame", "frameset", "portal", "fencedframe", "param", "base", "form", "input",
		"button", "select", "option", "textarea", "isindex", "keygen", "svg", "template", "slot", "noscript", "mglyph", "malignmark", "maction",
		"xmp", "plaintext", "noembed", "noframes", "marquee", "bgsound", "layer", "ilayer", "dialog", "foreignobject",
		"annotation-xml", "animate", "set", "use", "image", "handler", "listener", "xml", "xss", "import", "comment":
		j.fault(n, "is dangerous or a way to something dangerous")
	}
}

func (j *judge) attribute(n *html.Node, a html.Attribute) {
	key := strings.ToLower(a.Key)
	switch {
	case a.Namespace != "" || strings.Contains(key, ":"):
		j.fault(n, "has the attribute %s:%s of another language", a.Namespace, key)
	case strings.HasPrefix(key, "on"):
		j.fault(n, "handles the event %s", key)
	case key == "style":
		if !j.Style {
			j.fault(n, "has a style")
		}
	case slices.Contains([]string{"srcdoc", "formaction", "action", "ping", "background", "dynsrc", "lowsrc", "code", "codebase",
		"archive", "classid", "data", "manifest", "profile", "usemap", "longdesc", "is", "slot", "http-equiv", "autofocus",
		"contenteditable", "popovertarget", "allow", "sandbox", "csp", "referrerpolicy"}, key):
		j.fault(n, "has the attribute %s", key)
	case slices.Contains([]string{"href", "src", "poster", "cite"}, key):
		j.address(n, key, a.Val)
	case key == "srcset" || key == "imagesrcset":
		for candidate := range strings.SplitSeq(a.Val, ", ") {
			address, _, _ := strings.Cut(candidate, " ")
			j.address(n, key, address)
		}
	}
}

// address checks a URL as a browser reads it: lower-case, without the characters that a browser ignores.
func (j *judge) address(n *html.Node, key, raw string) {
	read := strings.Map(func(r rune) rune {
		if r <= ' ' || r == 0x7F || r == 0xA0 || r == 0xFEFF || (r >= 0x200B && r <= 0x200F) {
			return -1
		}
		return r
	}, strings.ToLower(raw))
	if j.Images && n.Data == "img" && strings.HasPrefix(read, "data:image/") && !strings.HasPrefix(read, "data:image/svg") {
		return
	}
	u, err := url.Parse(read)
	if err != nil {
		j.fault(n, "has an unreadable address in %s, %.100q", key, raw)
		return
	}
	if !slices.Contains([]string{"http", "https", "mailto", "tel"}, u.Scheme) {
		j.fault(n, "has an address of scheme %q in %s, %.100q", u.Scheme, key, raw)
	}
}

func value(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key && a.Namespace == "" {
			return a.Val
		}
	}
	return ""
}
