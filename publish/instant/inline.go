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

// joinBreak appends a line break, or merges it with a line break at the end of runs.
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

// collapse replaces each stretch of white space by one space, or by nothing after a space. It reports whether the text so far
// ends in a space.
func collapse(s string, space bool) (string, bool) {
	var sb strings.Builder
	start := 0 // of what is not in sb
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case ' ', '\t', '\n', '\f':
			if space || s[i] != ' ' {
				if start == 0 {
					sb.Grow(len(s))
				}
				sb.WriteString(s[start:i])
				start = i + 1
				if !space {
					sb.WriteByte(' ')
				}
			}
			space = true
		default:
			space = false
		}
	}
	if start == 0 {
		return s, space
	}
	sb.WriteString(s[start:])
	return sb.String(), space
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

// merge joins neighbours of the same format.
func merge(runs []run) []run {
	out := runs[:0]
	for start := 0; start < len(runs); {
		first, end := runs[start], start+1
		for first.breaks == 0 && end < len(runs) && runs[end].breaks == 0 && runs[end].format == first.format {
			end++
		}
		if end > start+1 {
			var sb strings.Builder
			for _, r := range runs[start:end] {
				sb.WriteString(r.text)
			}
			first.text = sb.String()
		}
		out = append(out, first)
		start = end
	}
	return out
}

// writeRuns writes tidy runs as markup. Elements are nested in the order link, bold, italic.
func writeRuns(sb *strings.Builder, runs []run) {
	var last format
	for _, r := range runs {
		last.change(sb, r.format)
		last = r.format
		sb.WriteString(hypertext.Escape(r.text))
		sb.WriteString(strings.Repeat("<br>", r.breaks))
	}
	last.change(sb, format{})
}

// change writes the end tags of f and the start tags of next that lie between runs in these formats.
func (f format) change(sb *strings.Builder, next format) {
	link := f.link != next.link
	bold := link || f.bold != next.bold
	italic := bold || f.italic != next.italic
	tag := func(write bool, markup string) {
		if write {
			sb.WriteString(markup)
		}
	}
	tag(italic && f.italic, "</i>")
	tag(bold && f.bold, "</b>")
	tag(link && f.link.href != "", "</a>")
	if link && next.link.href != "" {
		sb.WriteString("<a" + attr("href", next.link.href) + attr("rel", next.link.rel) + ">")
	}
	tag(bold && next.bold, "<b>")
	tag(italic && next.italic, "<i>")
}
