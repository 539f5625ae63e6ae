// Package inline normalises and writes text with formats. Blocks of an article contain runs instead of nested elements, so that an
// image inside a link can split a block, and the same format always has the same markup.
package inline

import (
	"strings"

	"github.com/feedwire/feedwire/publish/hypertext"
)

// Run is text in one format, or a line break.
type Run struct {
	Text   string
	Breaks int  // number of line breaks, 1 or 2; Text is empty then
	Soft   bool // border of a block; several borders make one
	Format
}

// Format is the format of a run.
type Format struct {
	Link         Link
	Bold, Italic bool
}

// Link is the target of a link.
type Link struct {
	Href string // absolute; empty means no link
	Rel  string // words of the rel attribute that are kept
}

// Tidy normalises runs: it collapses white space like a browser, trims both ends, joins breaks and equal neighbours, and
// removes the format of blanks. It returns nil if the runs show nothing.
func Tidy(runs []Run) []Run {
	var out []Run
	space := true // the text so far is empty or ends in white space
	seen := false
	for _, r := range runs {
		if r.Breaks > 0 {
			out = joinBreak(out, r)
			space = true
			continue
		}
		r.Text, space = collapse(r.Text, space)
		if r.Text == "" {
			continue
		}
		seen = seen || !hypertext.Blank(r.Text)
		out = append(out, r)
	}
	if !seen {
		return nil
	}
	return merge(plainBlanks(trimEnd(out)))
}

// Join appends runs, after a number of line breaks if there are others before.
func Join(before, runs []Run, breaks int) []Run {
	if before != nil {
		before = append(before, Run{Breaks: breaks})
	}
	return append(before, runs...)
}

// joinBreak appends a line break, or merges it with a line break at the end of runs.
func joinBreak(runs []Run, r Run) []Run {
	runs = trimSpace(runs)
	if len(runs) == 0 {
		return runs
	}
	last := &runs[len(runs)-1]
	switch {
	case last.Breaks == 0:
		return append(runs, r)
	case last.Soft || r.Soft:
		last.Breaks = max(last.Breaks, r.Breaks)
	default:
		last.Breaks = 2
	}
	last.Soft = last.Soft && r.Soft
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
func trimSpace(runs []Run) []Run {
	if len(runs) == 0 || runs[len(runs)-1].Breaks > 0 {
		return runs
	}
	last := &runs[len(runs)-1]
	if last.Text = strings.TrimSuffix(last.Text, " "); last.Text == "" {
		return runs[:len(runs)-1]
	}
	return runs
}

func trimEnd(runs []Run) []Run {
	runs = trimSpace(runs)
	for len(runs) > 0 && runs[len(runs)-1].Breaks > 0 {
		runs = trimSpace(runs[:len(runs)-1])
	}
	return runs
}

// plainBlanks gives spaces and breaks the format that both neighbours share, so that no element contains only a blank.
func plainBlanks(runs []Run) []Run {
	next := make([]Format, len(runs))
	var after Format
	for i := len(runs) - 1; i >= 0; i-- {
		next[i] = after
		if runs[i].Breaks == 0 && !hypertext.Blank(runs[i].Text) {
			after = runs[i].Format
		}
	}
	var before Format
	for i := range runs {
		r := &runs[i]
		if r.Breaks == 0 && !hypertext.Blank(r.Text) {
			before = r.Format
			continue
		}
		r.Bold = before.Bold && next[i].Bold
		r.Italic = before.Italic && next[i].Italic
		r.Link = Link{}
		if before.Link == next[i].Link {
			r.Link = before.Link
		}
	}
	return runs
}

// merge joins neighbours of the same format.
func merge(runs []Run) []Run {
	out := runs[:0]
	for start := 0; start < len(runs); {
		first, end := runs[start], start+1
		for first.Breaks == 0 && end < len(runs) && runs[end].Breaks == 0 && runs[end].Format == first.Format {
			end++
		}
		if end > start+1 {
			var sb strings.Builder
			for _, r := range runs[start:end] {
				sb.WriteString(r.Text)
			}
			first.Text = sb.String()
		}
		out = append(out, first)
		start = end
	}
	return out
}

// Write writes tidy runs as markup. Elements are nested in the order link, bold, italic.
func Write(sb *strings.Builder, runs []Run) {
	var last Format
	for _, r := range runs {
		last.change(sb, r.Format)
		last = r.Format
		sb.WriteString(hypertext.Escape(r.Text))
		sb.WriteString(strings.Repeat("<br>", r.Breaks))
	}
	last.change(sb, Format{})
}

// change writes the end tags of f and the start tags of next that lie between runs in these formats.
func (f Format) change(sb *strings.Builder, next Format) {
	link := f.Link != next.Link
	bold := link || f.Bold != next.Bold
	italic := bold || f.Italic != next.Italic
	tag := func(write bool, markup string) {
		if write {
			sb.WriteString(markup)
		}
	}
	tag(italic && f.Italic, "</i>")
	tag(bold && f.Bold, "</b>")
	tag(link && f.Link.Href != "", "</a>")
	if link && next.Link.Href != "" {
		sb.WriteString(`<a href="` + hypertext.Escape(next.Link.Href) + `"`)
		if next.Link.Rel != "" {
			sb.WriteString(` rel="` + hypertext.Escape(next.Link.Rel) + `"`)
		}
		sb.WriteString(">")
	}
	tag(bold && next.Bold, "<b>")
	tag(italic && next.Italic, "<i>")
}
