package hypertext

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
)

// Warning describes one change to a source's HTML.
type Warning struct {
	Code    string `json:"code"`    // kind of change, see docs/reference/transformer.md; empty from package body
	Message string `json:"message"` // what was changed and why
	Markup  string `json:"markup"`  // start tag of the element as the source wrote it, at most 120 bytes; empty for a number of changes
	Place   string `json:"place"`   // CSS selector of the element, like div.entry > p:nth-of-type(3) > img; empty from package body and for a number of changes
}

// Warnings collects warnings. It lists the first 100, because generated pages can repeat an error thousands of times, and counts
// the others by code.
type Warnings struct {
	list []Warning
	more map[string]int
}

const maxWarnings = 100

// Add adds the warning that describe returns, or counts it.
func (w *Warnings) Add(code string, describe func() Warning) {
	if len(w.list) < maxWarnings {
		w.list = append(w.list, describe())
		return
	}
	if w.more == nil {
		w.more = make(map[string]int)
	}
	w.more[code]++
}

// All returns the list, and a warning for each code of which there are more.
func (w *Warnings) All() []Warning {
	all := w.list
	for _, code := range slices.Sorted(maps.Keys(w.more)) {
		message := fmt.Sprintf("%d more changes are not listed", w.more[code])
		if code != "" {
			message = fmt.Sprintf("%d more changes of the kind %s are not listed", w.more[code], code)
		}
		all = append(all, Warning{Code: code, Message: message})
	}
	return all
}

const (
	maxStartTag = 120 // bytes
	maxPlace    = 6   // elements
)

// StartTag returns a start tag, cut to 120 bytes.
func StartTag(name string, attributes []html.Attribute) string {
	var sb strings.Builder
	sb.WriteString("<" + name)
	for _, a := range attributes {
		if sb.Len() > maxStartTag {
			break
		}
		sb.WriteString(" " + a.Key + `="` + a.Val + `"`)
	}
	sb.WriteString(">")
	return Cut(sb.String(), maxStartTag)
}

// Place returns a CSS selector for n. The selector starts at the nearest ancestor with an id, at most six elements up.
func Place(n *html.Node) string {
	var parts []string
	for ; n != nil && n.Parent != nil && len(parts) < maxPlace; n = n.Parent {
		if id, rest := Identifier(Attr(n, "id")); id != "" && rest == "" {
			parts = append(parts, n.Data+"#"+id)
			break
		}
		part := n.Data
		if fields := strings.Fields(Attr(n, "class")); len(fields) > 0 {
			if class, rest := Identifier(fields[0]); rest == "" {
				part += "." + class
			}
		}
		parts = append(parts, part+NthOfType(n))
	}
	slices.Reverse(parts)
	return Cut(strings.Join(parts, " > "), 2*maxStartTag)
}

// NthOfType returns the pseudo-class that selects n among its siblings with the same tag; empty if there are none.
func NthOfType(n *html.Node) string {
	before, same := 0, false
	for s := n.PrevSibling; s != nil; s = s.PrevSibling {
		if s.Type == html.ElementNode && s.Data == n.Data {
			before++
		}
	}
	for s := n.NextSibling; s != nil && !same && before == 0; s = s.NextSibling {
		same = s.Type == html.ElementNode && s.Data == n.Data
	}
	if before == 0 && !same {
		return ""
	}
	return ":nth-of-type(" + strconv.Itoa(before+1) + ")"
}

// Identifier splits a CSS identifier off the beginning of s.
func Identifier(s string) (name, rest string) {
	end := 0
	for end < len(s) && (s[end] == '-' || s[end] == '_' || s[end] >= 0x80 || 'a' <= s[end]|0x20 && s[end]|0x20 <= 'z' ||
		end > 0 && '0' <= s[end] && s[end] <= '9') {
		end++
	}
	return s[:end], s[end:]
}
