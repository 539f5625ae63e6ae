package instant

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// Warning names one thing that was changed or left out. Those of package body have a message and markup only.
type Warning struct {
	Code    string `json:"code"`    // what kind of change it is: one of the codes below
	Message string `json:"message"` // what was done and why, for a person
	Markup  string `json:"markup"`  // the element it concerns, as the source wrote it, at most 120 bytes
	Place   string `json:"place"`   // where that is, as a CSS selector: div.entry > p:nth-of-type(3) > img
}

// The codes of warnings.
const (
	codeLeftOut   = "left-out"  // text or a medium is not in the article
	codeIgnored   = "ignored"   // the same, as a rule of the publisher's says
	codeUnwrapped = "unwrapped" // an element or a link is gone, its content is there
	codeFlattened = "flattened" // the content is there in a simpler order
	codeRepaired  = "repaired"  // something that the format asks for was added
	codeRule      = "rule"      // a rule of the publisher's did not work here; the next one did
)

const (
	maxWarnings = 100
	maxMarkup   = 120
	maxPlace    = 6 // elements
)

// warn notes what became of n. A page built by a machine can repeat a fault thousands of times, so the list is bounded.
func (b *builder) warn(code, message string, n *html.Node) {
	if len(b.warnings) < maxWarnings {
		b.warnings = append(b.warnings, Warning{code, message, Opening(n.Data, n.Attr), place(n)})
	}
}

// Opening is a start tag cut to 120 bytes, as a warning shows it.
func Opening(name string, attributes []html.Attribute) string {
	var sb strings.Builder
	sb.WriteString("<" + name)
	for _, a := range attributes {
		if sb.Len() > maxMarkup {
			break
		}
		sb.WriteString(" " + a.Key + `="` + a.Val + `"`)
	}
	sb.WriteString(">")
	return Cut(sb.String(), maxMarkup)
}

// place is a selector for n, from the nearest element around it that has an id, or from a few elements up.
func place(n *html.Node) string {
	var parts []string
	for ; n != nil && n.Parent != nil && len(parts) < maxPlace; n = n.Parent {
		if id, rest := identifier(attr(n, "id")); id != "" && rest == "" {
			parts = append(parts, n.Data+"#"+id)
			break
		}
		part := n.Data
		if fields := strings.Fields(attr(n, "class")); len(fields) > 0 {
			if class, rest := identifier(fields[0]); rest == "" {
				part += "." + class
			}
		}
		before, same := 0, false
		for s := n.PrevSibling; s != nil; s = s.PrevSibling {
			if s.Type == html.ElementNode && s.Data == n.Data {
				before++
			}
		}
		for s := n.NextSibling; s != nil && !same && before == 0; s = s.NextSibling {
			same = s.Type == html.ElementNode && s.Data == n.Data
		}
		if before > 0 || same {
			part += ":nth-of-type(" + strconv.Itoa(before+1) + ")"
		}
		parts = append(parts, part)
	}
	var sb strings.Builder
	for i := len(parts) - 1; i >= 0; i-- {
		sb.WriteString(parts[i])
		if i > 0 {
			sb.WriteString(" > ")
		}
	}
	return Cut(sb.String(), 2*maxMarkup)
}

// Cut shortens s to at most limit bytes, at the border of a character, and marks that with "…".
func Cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	end := limit - len("…")
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}
