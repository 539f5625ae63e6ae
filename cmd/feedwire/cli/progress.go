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
	terminal bool
	shown    int // tenths on lines, thousandths in the bar; -1: nothing yet
}

const barWidth = 40

func newProgress(out io.Writer) *progress {
	return &progress{out: out, terminal: terminal.Is(out), shown: -1}
}

// show updates the progress. It prints nothing if the output would be the same.
func (p *progress) show(done, total int) {
	steps := 10
	if p.terminal {
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
	if !p.terminal {
		fmt.Fprintf(p.out, "%d of %d\n", done, total)
		return
	}
	full := barWidth * at / steps
	fmt.Fprintf(p.out, "\r%s%s %3d %%  %d of %d\x1b[K", strings.Repeat("█", full), strings.Repeat("░", barWidth-full),
		100*at/steps, done, total)
}

// end moves to the line below the bar.
func (p *progress) end() {
	if p.terminal && p.shown >= 0 {
		fmt.Fprintln(p.out)
	}
}
