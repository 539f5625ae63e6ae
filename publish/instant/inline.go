package instant

import (
	"strings"

	"github.com/feedwire/feedwire/publish/hypertext"
)

// run is text in one format, or a line break. Blocks contain runs instead of nested elements, so that an image inside a
// link can split a block, and the same format always has the same markup.
type run struct {
	text   string
	breaks int  // number of line breaks, 1 or 2; text is empty then
	soft   bool // border of a block; several borders make one
	format
}

// format is the format of a run.
type format struct {
	link         link
	bold, italic bool
}

// link is the target of a link.
type link struct {
	href string // absolute; empty means no link
	rel  string // words of the rel attribute that are kept
}

// tidy normalises runs: it collapses white space like a browser, trims both ends, joins breaks and equal neighbours, and
// removes the format of blanks. It returns nil if the runs show nothing.
func tidy(runs []run) []run {
	var out []run
	space := true // the text so far is empty or ends in white space
	seen := false
	for _, r := range runs {
		if r.breaks > 0 {
			out = joinBreak(out, r)
			space = true
			continue
		}
		r.text, space = collapse(r.text, space)
		if r.text == "" {
			continue
		}
		seen = seen || !hypertext.Blank(r.text)
		out = append(out, r)
	}
	if !seen {
		return nil
	}
	return merge(plainBlanks(trimEnd(out)))
}

// joinBreak appends a break, or increases the last one.
func joinBreak(runs []run, r run) []run {
	runs = trimSpace(runs)
	if len(runs) == 0 {
		return runs
	}
	last := &runs[len(runs)-1]
	switch {
	case last.breaks == 0:
		return append(runs, r)
	case last.soft || r.soft:
		last.breaks = max(last.breaks, r.breaks)
	default:
		last.breaks = 2
	}
	last.soft = last.soft && r.soft
	return runs
}

// collapse replaces each stretch of white space by one space, or by nothing after a space.
func collapse(s string, space bool) (string, bool) {
	if s != "" && collapsed(s, space) {
		return s, s[len(s)-1] == ' '
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case ' ', '\t', '\n', '\f':
			if !space {
				out = append(out, ' ')
			}
			space = true
		default:
			out = append(out, s[i])
			space = false
		}
	}
	return string(out), space
}

// collapsed reports whether collapse would not change s.
func collapsed(s string, space bool) bool {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\t', '\n', '\f':
			return false
		case ' ':
			if space {
				return false
			}
			space = true
		default:
			space = false
		}
	}
	return true
}

// trimSpace removes one trailing space.
func trimSpace(runs []run) []run {
	if len(runs) == 0 || runs[len(runs)-1].breaks > 0 {
		return runs
	}
	last := &runs[len(runs)-1]
	if last.text = strings.TrimSuffix(last.text, " "); last.text == "" {
		return runs[:len(runs)-1]
	}
	return runs
}

func trimEnd(runs []run) []run {
	runs = trimSpace(runs)
	for len(runs) > 0 && runs[len(runs)-1].breaks > 0 {
		runs = trimSpace(runs[:len(runs)-1])
	}
	return runs
}

// plainBlanks gives spaces and breaks the format that both neighbours share, so that no element contains only a blank.
func plainBlanks(runs []run) []run {
	next := make([]format, len(runs))
	var after format
	for i := len(runs) - 1; i >= 0; i-- {
		next[i] = after
		if runs[i].breaks == 0 && !hypertext.Blank(runs[i].text) {
			after = runs[i].format
		}
	}
	var before format
	for i := range runs {
		r := &runs[i]
		if r.breaks == 0 && !hypertext.Blank(r.text) {
			before = r.format
			continue
		}
		r.bold = before.bold && next[i].bold
		r.italic = before.italic && next[i].italic
		r.link = link{}
		if before.link == next[i].link {
			r.link = before.link
		}
	}
	return runs
}

func merge(runs []run) []run {
	out := runs[:0]
	var texts strings.Builder
	for i := 0; i < len(runs); {
		first := runs[i]
		texts.Reset()
		for i++; first.breaks == 0 && i < len(runs) && runs[i].breaks == 0 && runs[i].format == first.format; i++ {
			if texts.Len() == 0 {
				texts.WriteString(first.text)
			}
			texts.WriteString(runs[i].text)
		}
		if texts.Len() > 0 {
			first.text = texts.String()
		}
		out = append(out, first)
	}
	return out
}

// writeRuns writes tidy runs as markup. Elements are nested in the order link, bold, italic.
func writeRuns(sb *strings.Builder, runs []run) {
	writeGroup(runs, func(f format) link { return f.link }, func(l link, runs []run) {
		tagged(sb, l.href != "", l.open(), "a", func() {
			writeGroup(runs, func(f format) bool { return f.bold }, func(bold bool, runs []run) {
				tagged(sb, bold, "b", "b", func() {
					writeGroup(runs, func(f format) bool { return f.italic }, func(italic bool, runs []run) {
						tagged(sb, italic, "i", "i", func() { writeTexts(sb, runs) })
					})
				})
			})
		})
	})
}

// open returns the content of the start tag.
func (l link) open() string {
	if l.href == "" {
		return ""
	}
	s := `a href="` + hypertext.Escape(l.href) + `"`
	if l.rel != "" {
		s += ` rel="` + l.rel + `"`
	}
	return s
}

// writeGroup calls write for each stretch of runs with the same value of part.
func writeGroup[T comparable](runs []run, part func(format) T, write func(T, []run)) {
	for start := 0; start < len(runs); {
		end := start + 1
		for end < len(runs) && part(runs[end].format) == part(runs[start].format) {
			end++
		}
		write(part(runs[start].format), runs[start:end])
		start = end
	}
}

func tagged(sb *strings.Builder, tag bool, open, name string, inner func()) {
	if !tag {
		inner()
		return
	}
	sb.WriteString("<" + open + ">")
	inner()
	sb.WriteString("</" + name + ">")
}

func writeTexts(sb *strings.Builder, runs []run) {
	for _, r := range runs {
		sb.WriteString(hypertext.Escape(r.text))
		sb.WriteString(strings.Repeat("<br>", r.breaks))
	}
}
