package embedded

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// process is one run of the server.
type process struct {
	cmd     *exec.Cmd
	output  *output
	started time.Time
	ended   chan struct{} // closed when it has ended
	err     error         // of exec.Cmd.Wait; read after ended
}

// launch starts a process and returns when it has loaded its data, from a complete log, and replies. When ctx ends, the process is
// terminated, and killed after the grace.
func (c *child) launch(ctx context.Context) (*process, error) {
	size := logSize(c.dir)
	p, err := c.launchOnce(ctx)
	for err == nil && logSize(c.dir) < size {
		// After a power cut the server has truncated its log. If the log ended within a transaction, the server has kept the start
		// of the transaction, which the next transaction would complete (Redis 7.0). At its next start it truncates that, too, if
		// nothing was written since.
		c.log.WarnContext(ctx, "the log of the embedded store was truncated; restarting its server")
		size = logSize(c.dir)
		_ = p.cmd.Process.Kill() // it has no clients yet
		<-p.ended
		p, err = c.launchOnce(ctx)
	}
	c.up.Store(err == nil)
	return p, err
}

// logSize returns the total size of the logs of the server, in bytes.
func logSize(dir string) (size int64) {
	for _, pattern := range []string{"appendonly.aof", "appendonlydir/*.aof"} { // before version 7, and since
		logs, _ := filepath.Glob(filepath.Join(dir, pattern)) // the pattern is valid
		for _, path := range logs {
			if info, err := os.Stat(path); err == nil {
				size += info.Size()
			}
		}
	}
	return size
}

func (c *child) launchOnce(ctx context.Context) (*process, error) {
	was, err := readRecord(c.dir)
	if err == nil {
		err = checkLog(c.dir, was)
	}
	if err != nil {
		return nil, err
	}
	p := &process{output: &output{log: c.log}, started: time.Now(), ended: make(chan struct{})}
	p.cmd = exec.CommandContext(ctx, c.program.path, "-") //nolint:gosec // see probe
	p.cmd.Dir = c.dir
	p.cmd.Stdin = strings.NewReader(c.config())
	p.cmd.SysProcAttr = childAttributes()
	p.cmd.Cancel = func() error { return p.cmd.Process.Signal(syscall.SIGTERM) }
	p.cmd.WaitDelay = c.grace
	if err := p.start(); err != nil {
		return nil, err
	}
	err = recordChild(c.dir, p.cmd.Process.Pid)
	if err == nil {
		err = c.awaitReady(ctx, p)
	}
	if err == nil {
		err = c.checkLoaded(ctx)
	}
	if err != nil {
		_ = p.cmd.Process.Kill() // it may have ended already
		<-p.ended
		return nil, err
	}
	return p, nil
}

// start starts the process, and goroutines that read its output and wait for its end.
func (p *process) start() error {
	out, in, err := os.Pipe()
	if err != nil {
		return err
	}
	p.cmd.Stdout, p.cmd.Stderr = in, in
	err = p.cmd.Start()
	_ = in.Close() // the process has a copy
	if err != nil {
		_ = out.Close() // nothing was written to it
		return err
	}
	printed := make(chan struct{})
	go func() {
		defer close(printed)
		p.output.read(out) // until all copies of the other end are closed, or the deadline
	}()
	go func() {
		defer close(p.ended)
		p.err = p.cmd.Wait()
		// A server that was killed leaves its process that rewrites the log, in the same group, which keeps the pipe open.
		_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL) // usually the group is empty
		_ = out.SetReadDeadline(time.Now().Add(time.Second))  // for a process that left the group
		<-printed
		_ = out.Close() // read to its end
	}()
	return nil
}

// config is the configuration that the server reads from its standard input, instead of a file that could differ.
func (c *child) config() string {
	quote := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`)
	lines := []string{
		"port 0",
		`unixsocket "` + quote.Replace(c.socket) + `"`,
		"unixsocketperm 700",
		`dir "` + quote.Replace(c.dir) + `"`,
		"databases 1",
		"appendonly yes",
		// With everysec, acknowledged writes are lost when the process is killed, and a full disk can leave a log that no
		// server can read.
		"appendfsync always",
		"aof-load-truncated yes",
		`save ""`,
		"maxmemory " + strconv.FormatInt(c.maxMemory, 10),
		"maxmemory-policy noeviction", // data is never dropped: writes are refused
		"daemonize no",
		`logfile ""`,
	}
	return strings.Join(lines, "\n") + "\n"
}

// awaitReady waits until the server has loaded its data. It fails if the server does not reply for the grace.
func (c *child) awaitReady(ctx context.Context, p *process) error {
	seen := p.started
	for {
		reply, err := roundTrip(ctx, c.socket, "PING")
		switch {
		case reply == "+PONG":
			return nil
		case strings.HasPrefix(reply, "-LOADING"):
			seen = time.Now()
		case time.Since(seen) > c.grace:
			return fmt.Errorf("%s does not answer: %w; its output: %s", c.program,
				cmp.Or(err, errors.New(reply)), p.output.tail())
		}
		select {
		case <-p.ended:
			return fmt.Errorf("%s ended at its start: %s", c.program, p.ending())
		case <-ctx.Done():
			<-p.ended // the context terminates it
			return ctx.Err()
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// ending describes the end of a process.
func (p *process) ending() string {
	how := "exit status 0"
	if p.err != nil {
		how = p.err.Error()
	}
	return fmt.Sprintf("%s; its last output: %s", how, p.output.tail())
}

// failed reports whether a process failed. A process that was terminated, and ended by itself, has the error of the context.
func (p *process) failed() bool { return p.err != nil && !errors.Is(p.err, context.Canceled) }
