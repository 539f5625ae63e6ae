package terminal

import (
	"fmt"
	"io"
	"strings"
)

// Progress prints the progress of a long command: a bar on a terminal, otherwise a line for each tenth. schollz/progressbar has
// no output for logs, which is half of this file.
type Progress struct {
	out   io.Writer
	bar   bool
	shown int // thousandths in the bar, tenths on lines; -1: nothing yet
}

const barWidth = 40

// NewProgress returns a Progress.
func NewProgress(out io.Writer) *Progress {
	return &Progress{out: out, bar: Is(out), shown: -1}
}

// Show updates the progress. It prints nothing if the output would be the same.
func (p *Progress) Show(done, total int) {
	steps := 10
	if p.bar {
		steps = 1000
	}
	at := steps
	if total > 0 {
		at = steps * done / total
	}
	if at == p.shown {
		return
	}
	p.shown = at
	if !p.bar {
		fmt.Fprintf(p.out, "%d of %d\n", done, total)
		return
	}
	full := barWidth * at / steps
	fmt.Fprintf(p.out, "\r%s%s %3d %%  %d of %d\x1b[K", strings.Repeat("█", full), strings.Repeat("░", barWidth-full),
		100*at/steps, done, total)
}

// End moves to the line below the bar.
func (p *Progress) End() {
	if p.bar && p.shown >= 0 {
		fmt.Fprintln(p.out)
	}
}
