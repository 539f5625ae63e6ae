package embedded

import (
	"iter"
	"log/slog"
	"time"
)

// SearchIn makes the server look for programs in these directories only.
func (s *Server) SearchIn(dirs ...string) { s.search = dirs }

// Patience shortens how long the server waits for a process to answer or to end.
func (s *Server) Patience(d time.Duration) { s.grace = d }

// RecordChild writes the pid file of a directory.
func RecordChild(dir string, pid int) error { return recordChild(dir, pid) }

// ChildPID is the process that the pid file of a directory names, if it is alive.
func ChildPID(dir string) (int, bool) {
	id := recordedChild(dir)
	return id.pid, id.alive()
}

// ParseProgram reads a version line and writes it again.
func ParseProgram(line string) (string, bool) {
	p, ok := parseProgram(line)
	return p.String(), ok
}

// Tail is what is kept of the output of a child that writes these chunks.
func Tail(chunks iter.Seq[[]byte]) string {
	o := &output{log: slog.New(slog.DiscardHandler)}
	for chunk := range chunks {
		_, _ = o.Write(chunk)
	}
	return o.tail()
}
