package articles

import (
	"slices"
	"strings"
)

const (
	diffWindow  = 600 // words that are compared; longer changes are shown as removed and added
	diffContext = 8   // unchanged words around a change
	diffShown   = 400 // words of a change
)

// diffPart is a piece of text that is unchanged, removed or added.
type diffPart struct {
	Text       string
	Gone, Came bool
}

// diff compares two texts by words and tags. It shows unchanged text only next to changes.
func diff(from, to string) []diffPart {
	a, b := words(from), words(to)
	head := 0
	for head < min(len(a), len(b)) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < min(len(a), len(b))-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	if head == len(a) && head == len(b) {
		return nil
	}
	parts := []diffPart{{Text: join(a[:head])}}
	before, after := a[head:len(a)-tail], b[head:len(b)-tail]
	if len(before) > diffWindow || len(after) > diffWindow {
		parts = append(parts, diffPart{Text: join(before), Gone: true}, diffPart{Text: join(after), Came: true})
	} else {
		parts = append(parts, compare(before, after)...)
	}
	parts = append(parts, diffPart{Text: join(a[len(a)-tail:])})
	return trim(parts)
}

// compare returns the longest common subsequence of two lists of words, and the rest.
func compare(a, b []string) (parts []diffPart) {
	// length[i][j] is that of a[i:] and b[j:].
	length := make([][]int16, len(a)+1)
	for i := range length {
		length[i] = make([]int16, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				length[i][j] = length[i+1][j+1] + 1
			} else {
				length[i][j] = max(length[i+1][j], length[i][j+1])
			}
		}
	}
	i, j := 0, 0
	add := func(word string, gone, came bool) {
		if n := len(parts); n > 0 && parts[n-1].Gone == gone && parts[n-1].Came == came {
			parts[n-1].Text += " " + word
			return
		}
		parts = append(parts, diffPart{word, gone, came})
	}
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			add(a[i], false, false)
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && length[i+1][j] >= length[i][j+1]:
			add(a[i], true, false)
			i++
		default:
			add(b[j], false, true)
			j++
		}
	}
	return parts
}

// trim leaves out unchanged text that is far from changes.
func trim(parts []diffPart) []diffPart {
	for i := range parts {
		p := &parts[i]
		w := strings.Fields(p.Text)
		switch {
		case p.Gone || p.Came:
			if len(w) > diffShown {
				p.Text = join(w[:diffShown]) + " …"
			}
		case i == 0 && len(w) > diffContext:
			p.Text = "… " + join(w[len(w)-diffContext:])
		case i == len(parts)-1 && len(w) > diffContext:
			p.Text = join(w[:diffContext]) + " …"
		case len(w) > 2*diffContext:
			p.Text = join(w[:diffContext]) + " … " + join(w[len(w)-diffContext:])
		}
	}
	return slices.DeleteFunc(parts, func(p diffPart) bool { return p.Text == "" })
}

func join(words []string) string { return strings.Join(words, " ") }

// words splits HTML into words and tags.
func words(html string) []string {
	var spread strings.Builder
	for _, r := range html {
		switch r {
		case '<':
			spread.WriteString(" <")
		case '>':
			spread.WriteString("> ")
		default:
			spread.WriteRune(r)
		}
	}
	return strings.Fields(spread.String())
}
