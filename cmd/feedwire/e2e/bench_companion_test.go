package e2e

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// companion is this test program in a process of its own, whose work must not be counted as that of those who are measured.
type companion struct {
	pid int
	in  io.WriteCloser
	out *bufio.Reader
}

// startCompanion starts the program with an environment variable, "NAME=value", that says what it is to be. It ends with its
// standard input, and that ends with the benchmark. The command by, if any, runs it.
func startCompanion(b *testing.B, variable string, by ...string) *companion {
	b.Helper()
	command := append(by, os.Args[0])
	cmd := exec.CommandContext(b.Context(), command[0], command[1:]...)
	cmd.Env = append(os.Environ(), variable)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait()
	})
	return &companion{cmd.Process.Pid, in, bufio.NewReader(out)}
}

// line is the next line that it prints.
func (c *companion) line(b *testing.B) string {
	b.Helper()
	text, err := c.out.ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	return strings.TrimSpace(text)
}
