package instant

import "strings"

// run is a stretch of text in one format, or a line break. Blocks hold runs instead of nested elements: a block can then
// be split at any place (an image in the middle of a link) and every nesting is written in one way.
type run struct {
	text   string
	breaks int  // 1 or 2: a line break of that height; text is empty then
	soft   bool // the break stands for the border of a block: several make one
	format
}

// format is what a run looks like.
type format struct {
	link         link
	bold, italic bool
}

// link is where a text leads.
type link struct {
	href string // absolute; empty: nowhere
	rel  string // words that the format or its consumers know
}

// tidy brings runs to their one form: white space collapsed as a browser would, none at either end, breaks joined, equal
// neighbours joined, and blanks without a format of their own. It returns nil where nothing can be seen.
func tidy(runs []run) []run {
	var out []run
	space := true // the text so far ends in white space, or there is none
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
		seen = seen || !blank(r.text)
		out = append(out, r)
	}
	if !seen {
		return nil
	}
	return merge(plainBlanks(trimEnd(out)))
}

// joinBreak appends a break to runs, or makes the last one high enough for both.
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

// collapse makes each stretch of white space one space, none after a space.
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

// collapsed reports that s, as most text, is that already.
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

// trimSpace removes the one space that may stand at the end.
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

// plainBlanks gives spaces and breaks the format that both neighbours share, so that no empty element is written.
func plainBlanks(runs []run) []run {
	next := make([]format, len(runs))
	var after format
	for i := len(runs) - 1; i >= 0; i-- {
		next[i] = after
		if runs[i].breaks == 0 && !blank(runs[i].text) {
			after = runs[i].format
		}
	}
	var before format
	for i := range runs {
		r := &runs[i]
		if r.breaks == 0 && !blank(r.text) {
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

// writeRuns writes tidy runs as markup, nested in one order: link, bold, italic.
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

// open is the inside of the link's start tag.
func (l link) open() string {
	if l.href == "" {
		return ""
	}
	s := `a href="` + escape(l.href) + `"`
	if l.rel != "" {
		s += ` rel="` + l.rel + `"`
	}
	return s
}

// writeGroup calls write for each stretch of runs that are alike in one part of their format.
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
		sb.WriteString(escape(r.text))
		sb.WriteString(strings.Repeat("<br>", r.breaks))
	}
}
