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
	words      []string
}

// diff compares two texts by words and tags. It shows unchanged text only next to changes.
func diff(from, to string) (parts []diffPart) {
	a, b := words(from), words(to)
	if slices.Equal(a, b) {
		return nil
	}
	add := func(gone, came bool, words ...string) {
		if n := len(parts); n > 0 && parts[n-1].Gone == gone && parts[n-1].Came == came {
			parts[n-1].words = append(parts[n-1].words, words...)
		} else if len(words) > 0 {
			parts = append(parts, diffPart{Gone: gone, Came: came, words: slices.Clone(words)})
		}
	}
	head, tail, least := 0, 0, min(len(a), len(b))
	for head < least && a[head] == b[head] {
		head++
	}
	for tail < least-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	add(false, false, a[:head]...)
	end := a[len(a)-tail:]
	a, b = a[head:len(a)-tail], b[head:len(b)-tail]
	if len(a) <= diffWindow && len(b) <= diffWindow {
		for length := commonLengths(a, b); len(a) > 0 && len(b) > 0; {
			switch {
			case a[0] == b[0]:
				add(false, false, a[0])
				a, b = a[1:], b[1:]
			case length[len(a)-1][len(b)] >= length[len(a)][len(b)-1]:
				add(true, false, a[0])
				a = a[1:]
			default:
				add(false, true, b[0])
				b = b[1:]
			}
		}
	}
	add(true, false, a...)
	add(false, true, b...)
	add(false, false, end...)
	for i := range parts {
		switch p := &parts[i]; {
		case p.Gone || p.Came:
			p.Text = shortened(p.words, diffShown, 0)
		case i == 0:
			p.Text = shortened(p.words, 0, diffContext)
		case i == len(parts)-1:
			p.Text = shortened(p.words, diffContext, 0)
		default:
			p.Text = shortened(p.words, diffContext, diffContext)
		}
	}
	return parts
}

// commonLengths returns the length of the longest common subsequence of the last i words of a and the last j words of b at [i][j].
func commonLengths(a, b []string) [][]int16 {
	length := [][]int16{make([]int16, len(b)+1)}
	for i := range a {
		row := make([]int16, len(b)+1)
		for j := range b {
			if a[len(a)-1-i] == b[len(b)-1-j] {
				row[j+1] = length[i][j] + 1
			} else {
				row[j+1] = max(length[i][j+1], row[j])
			}
		}
		length = append(length, row)
	}
	return length
}

// shortened returns the first and the last of many words.
func shortened(words []string, first, last int) string {
	if len(words) > first+last {
		words = slices.Concat(words[:first], []string{"…"}, words[len(words)-last:])
	}
	return strings.Join(words, " ")
}

// words splits HTML into words and tags.
func words(html string) []string {
	return strings.Fields(strings.NewReplacer("<", " <", ">", "> ").Replace(html))
}
