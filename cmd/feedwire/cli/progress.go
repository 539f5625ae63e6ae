package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/feedwire/feedwire/cmd/feedwire/terminal"
)

// progress prints the progress of a long command: a bar on a terminal, otherwise a line for each tenth. schollz/progressbar has
// no output for logs, which is half of this file.
type progress struct {
	out      io.Writer
	total    int
	terminal bool
	shown    int // tenths on lines, thousandths in the bar; -1: nothing yet
}

const barWidth = 40

func newProgress(out io.Writer, total int) *progress {
	return &progress{out: out, total: total, terminal: terminal.Is(out), shown: -1}
}

// show updates the progress. It prints nothing if the output would be the same.
func (p *progress) show(done int) {
	steps := 10
	if p.terminal {
		steps = 1000
	}
	at := steps
	if p.total > 0 {
		at = steps * done / p.total
	}
	if at == p.shown {
		return
	}
	p.shown = at
	if !p.terminal {
		fmt.Fprintf(p.out, "%d of %d\n", done, p.total)
		return
	}
	full := barWidth * at / steps
	fmt.Fprintf(p.out, "\r%s%s %3d %%  %d of %d\x1b[K", strings.Repeat("█", full), strings.Repeat("░", barWidth-full),
		100*at/steps, done, p.total)
}

// end moves to the line below the bar.
func (p *progress) end() {
	if p.terminal && p.shown >= 0 {
		fmt.Fprintln(p.out)
	}
}
