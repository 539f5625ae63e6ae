package embedded

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"strings"
	"sync"
)

// output logs the lines that a child prints, at debug level, and remembers the last ones for the error when it ends.
type output struct {
	log *slog.Logger

	mu   sync.Mutex
	last []string // newest last
}

const (
	tailLines = 3
	maxLine   = 1024 // bytes; a longer line is split
)

// read logs lines until reading fails.
func (o *output) read(r io.Reader) {
	for lines := bufio.NewReaderSize(r, maxLine); ; {
		text, _, err := lines.ReadLine()
		if err != nil {
			return
		}
		line := strings.TrimSpace(string(text))
		if line == "" {
			continue
		}
		o.log.DebugContext(context.Background(), "output of the embedded server", "line", line)
		o.mu.Lock()
		o.last = append(o.last, line)
		o.last = o.last[max(0, len(o.last)-tailLines):]
		o.mu.Unlock()
	}
}

// tail joins the last lines.
func (o *output) tail() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return strings.Join(o.last, " | ")
}
