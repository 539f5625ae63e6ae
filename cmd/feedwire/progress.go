package main

import (
	"fmt"
	"io"
	"strings"
)

// progress shows how far long work is: a bar on a terminal, elsewhere a line for each tenth.
type progress struct {
	out      io.Writer
	total    int
	terminal bool
	shown    int // tenths on lines, thousandths in the bar; -1: nothing yet
}

const barWidth = 40

func newProgress(out io.Writer, total int) *progress {
	return &progress{out: out, total: total, terminal: isTerminal(out), shown: -1}
}

// show tells that done of the total are done. What looks as before is not written again.
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

// end leaves the bar on a line of its own.
func (p *progress) end() {
	if p.terminal && p.shown >= 0 {
		fmt.Fprintln(p.out)
	}
}
