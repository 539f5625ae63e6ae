package embedded

import (
	"bytes"
	"io"
	"iter"
	"log/slog"
	"time"
)

// SearchIn makes the server look for programs in these directories only.
func (s *Server) SearchIn(dirs ...string) { s.search = dirs }

// Patience sets how long the server waits for a process to reply or to end.
func (s *Server) Patience(d time.Duration) { s.grace = d }

// RecordChild writes the pid file of a directory.
func RecordChild(dir string, pid int) error { return recordChild(dir, pid) }

// ChildPID is the process that the pid file of a directory names, if it is alive.
func ChildPID(dir string) (pid int, alive bool) {
	return recordedChild(dir)
}

// ParseProgram reads a version line and writes it again.
func ParseProgram(line string) (string, bool) {
	p, ok := parseProgram(line)
	return p.String(), ok
}

// Tail is the tail of an output in chunks.
func Tail(chunks iter.Seq[[]byte]) string {
	var readers []io.Reader
	for chunk := range chunks {
		readers = append(readers, bytes.NewReader(chunk))
	}
	o := &output{log: slog.New(slog.DiscardHandler)}
	o.read(io.MultiReader(readers...))
	return o.tail()
}
