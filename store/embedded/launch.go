package embedded

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
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

// launch starts a process and returns when it answers, its data loaded, and its log is whole. When ctx ends, so does the
// process: it is asked to, and killed after the grace.
func (c *child) launch(ctx context.Context) (*process, error) {
	size := logSize(c.dir)
	p, err := c.launchOnce(ctx)
	for err == nil && logSize(c.dir) < size {
		// The server has cut off what a power cut had left in the middle. Where that was within a transaction, it has kept the
		// beginning, which would come to life with the next one that is written: seen with Redis 7.0. At its next start it
		// cuts that off, too, if nothing was written since.
		c.log.WarnContext(ctx, "the log of the embedded store had a torn end; it is started once more")
		size = logSize(c.dir)
		_ = p.cmd.Process.Kill() // nobody has used it
		<-p.ended
		p, err = c.launchOnce(ctx)
	}
	c.up.Store(err == nil)
	return p, err
}

// logSize is how long the logs of the server are together, in bytes. What cannot be read has no length.
func logSize(dir string) (size int64) {
	for _, pattern := range []string{"appendonly.aof", "appendonlydir/*.aof"} { // before version 7, and since
		logs, _ := filepath.Glob(filepath.Join(dir, pattern)) // the pattern is good
		for _, path := range logs {
			if info, err := os.Stat(path); err == nil {
				size += info.Size()
			}
		}
	}
	return size
}

func (c *child) launchOnce(ctx context.Context) (*process, error) {
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
	err := recordChild(c.dir, p.cmd.Process.Pid)
	if err == nil {
		err = c.awaitReady(ctx, p)
	}
	if err != nil {
		_ = p.cmd.Process.Kill() // ended already, or of no use
		<-p.ended
		return nil, err
	}
	return p, nil
}

// start starts the process and what waits for it.
func (p *process) start() error {
	out, in, err := os.Pipe()
	if err != nil {
		return err
	}
	p.cmd.Stdout, p.cmd.Stderr = in, in
	err = p.cmd.Start()
	_ = in.Close() // the process has its own
	if err != nil {
		_ = out.Close() // nothing was written to it
		return err
	}
	printed := make(chan struct{})
	go func() {
		defer close(printed)
		_, _ = io.Copy(p.output, out) // until all who hold the other end are gone, or the deadline
	}()
	go func() {
		defer close(p.ended)
		p.err = p.cmd.Wait()
		// A server that was killed leaves the process that rewrites its files behind, in the same group. It would go on
		// writing what nobody reads, and keep the pipe open.
		_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL) // mostly there is none
		_ = out.SetReadDeadline(time.Now().Add(time.Second))  // for one that left the group
		<-printed
		_ = out.Close() // read to its end
	}()
	return nil
}

// config is read by the server from its standard input, so that no file can disagree with it.
func (c *child) config() string {
	quote := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`)
	lines := []string{
		"port 0",
		`unixsocket "` + quote.Replace(c.socket) + `"`,
		"unixsocketperm 700",
		`dir "` + quote.Replace(c.dir) + `"`,
		"databases 1",
		"appendonly yes",
		// With everysec, acknowledged writes are lost when the process is killed, and a full disk can leave a file
		// that no server reads again.
		"appendfsync always",
		"aof-load-truncated yes",
		`save ""`,
		"maxmemory-policy noeviction",
		"daemonize no",
		`logfile ""`,
	}
	return strings.Join(lines, "\n") + "\n"
}

// awaitReady asks until the server has loaded its data, however long that takes while it shows that it lives.
func (c *child) awaitReady(ctx context.Context, p *process) error {
	seen := p.started
	for {
		reply, err := ask(ctx, c.socket, "PING")
		switch {
		case reply == "+PONG":
			return nil
		case strings.HasPrefix(reply, "-LOADING"):
			seen = time.Now()
		case time.Since(seen) > c.grace:
			return fmt.Errorf("%s does not answer: %w; it says: %s", c.program,
				cmp.Or(err, errors.New(reply)), p.output.tail())
		}
		select {
		case <-p.ended:
			return fmt.Errorf("%s ended as it started: %s", c.program, p.ending())
		case <-ctx.Done():
			<-p.ended // it was asked to end
			return ctx.Err()
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// ending tells how an ended process did so.
func (p *process) ending() string {
	how := "exit status 0"
	if p.err != nil {
		how = p.err.Error()
	}
	return fmt.Sprintf("%s; it said last: %s", how, p.output.tail())
}

// failed reports whether an ended process did not end well. One that was asked to end, and did, has the error of the
// context.
func (p *process) failed() bool { return p.err != nil && !errors.Is(p.err, context.Canceled) }
