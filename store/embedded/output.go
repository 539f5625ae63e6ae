package embedded

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"sync"
)

// output takes what the child prints: each line to the log, where only debugging shows it, and the last few kept for
// the error when it ends.
type output struct {
	log *slog.Logger

	mu   sync.Mutex // written by the goroutine of exec.Cmd, read by the supervisor
	part []byte     // of a line that has not ended
	last []string   // newest last
}

const (
	keptLines = 3
	maxLine   = 1024 // bytes; longer lines are cut into several
)

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.part = append(o.part, p...)
	for {
		line, rest, ended := bytes.Cut(o.part, []byte("\n"))
		if !ended && len(line) < maxLine {
			return len(p), nil
		}
		if len(line) > maxLine {
			line, rest = o.part[:maxLine], o.part[maxLine:]
		}
		o.keep(strings.TrimSpace(string(line)))
		o.part = rest
	}
}

func (o *output) keep(line string) {
	if line == "" {
		return
	}
	o.log.DebugContext(context.Background(), "embedded server says", "line", line)
	if len(o.last) == keptLines {
		o.last = o.last[1:]
	}
	o.last = append(o.last, line)
}

// tail is the last lines in one.
func (o *output) tail() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return strings.Join(o.last, " | ")
}
