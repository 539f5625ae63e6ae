package instant

import (
	"strings"
	"unicode/utf8"
)

// Warning names one thing that the transformation changed or left out.
type Warning struct {
	Message string // what was done and why, for a person
	Markup  string // the place it concerns, as the source wrote it, at most 120 bytes
}

const (
	maxWarnings = 100
	maxMarkup   = 120
)

// warn notes what became of n. A page built by a machine can repeat a fault thousands of times, so the list is bounded.
func (b *builder) warn(message string, n *node) {
	if len(b.warnings) < maxWarnings {
		b.warnings = append(b.warnings, Warning{message, opening(n)})
	}
}

// opening is the start tag of n, cut to maxMarkup bytes.
func opening(n *node) string {
	var sb strings.Builder
	sb.WriteString("<" + n.tag)
	for _, a := range n.attrs {
		if sb.Len() > maxMarkup {
			break
		}
		sb.WriteString(" " + a.Key + `="` + a.Val + `"`)
	}
	sb.WriteString(">")
	return cut(sb.String(), maxMarkup)
}

// cut shortens s to at most limit bytes, at the border of a character, and marks that with "…".
func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	end := limit - len("…")
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}
