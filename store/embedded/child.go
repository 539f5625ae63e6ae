package embedded

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// child is a server that runs as a child process and is started again when it ends.
type child struct {
	dir, socket string // absolute
	program     program
	log         *slog.Logger
	grace       time.Duration
	lock        *os.File
	up          atomic.Bool // the process is ready, and may be written to

	closing sync.Once
	stop    context.CancelFunc // ends the supervisor
	ended   chan struct{}      // closed when it has ended, the process too
	err     error              // how the last process ended; read after ended
}

const (
	firstPause = 50 * time.Millisecond // before a process that ended is started again; doubled up to
	longPause  = 2 * time.Second       // this,
	steady     = 10 * time.Second      // and short again after a process that lived this long
)

// startChild takes the directory, ends what an earlier daemon left there and returns when the server is ready.
func startChild(ctx context.Context, dir string, p program, log *slog.Logger, grace time.Duration) (*child, error) {
	lock, err := Lock(dir)
	if err != nil {
		return nil, err
	}
	c := &child{dir: dir, program: p, log: log, grace: grace, lock: lock, ended: make(chan struct{})}
	if err := c.prepare(ctx); err != nil {
		_ = lock.Close()
		return nil, err
	}
	life, stop := context.WithCancel(context.WithoutCancel(ctx)) // the child outlives the start
	c.stop = stop
	ready := make(chan error, 1)
	go c.supervise(life, ready)
	select {
	case err = <-ready:
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil {
		_ = c.close() // err says more
		return nil, err
	}
	return c, nil
}

func (c *child) prepare(ctx context.Context) error {
	var err error
	if c.socket, err = socketPath(c.dir); err != nil {
		return err
	}
	if err := endLeftover(ctx, c.dir, c.socket, c.grace, c.log); err != nil {
		return err
	}
	return writeVersion(c.dir, c.program)
}

// supervise runs one process after the other until ctx ends; ready gets the outcome of the first start.
func (c *child) supervise(ctx context.Context, ready chan<- error) {
	defer close(c.ended)
	// Linux ends the child together with the thread that started it: this one must live as long as the child.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	p, err := c.launch(ctx)
	if err != nil && ctx.Err() == nil {
		// After a crash a server may repair its files and end: "the truncated file is not the last file".
		p, err = c.launch(ctx)
	}
	ready <- err
	for pause := firstPause; err == nil; {
		<-p.ended
		c.up.Store(false)
		if ctx.Err() != nil {
			if p.failed() {
				c.err = fmt.Errorf("%s did not end well: %s", c.program, p.ending())
			}
			return
		}
		if time.Since(p.started) > steady {
			pause = firstPause
		}
		c.log.WarnContext(ctx, "the embedded store ended and is started again", "err", p.ending())
		p, err = c.relaunch(ctx, &pause)
	}
}

// relaunch tries until the server is ready again. The error is that of the context.
func (c *child) relaunch(ctx context.Context, pause *time.Duration) (*process, error) {
	down := time.Now()
	for try := 1; ; try++ {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(*pause):
		}
		*pause = min(2**pause, longPause)
		p, err := c.launch(ctx)
		switch {
		case err == nil:
			c.log.InfoContext(ctx, "the embedded store is back", "down", time.Since(down))
			return p, nil
		case try == 2 && ctx.Err() == nil: // one failed start is usual after a crash
			c.log.ErrorContext(ctx, "the embedded store does not start; it is tried again", "err", err)
		}
	}
}

// dial opens a connection, unless the process is being started: what is written then may be in vain.
func (c *child) dial(ctx context.Context) (net.Conn, error) {
	if !c.up.Load() {
		return nil, fmt.Errorf("%w: it is being started", feed.ErrUnavailable)
	}
	return dialSocket(ctx, c.socket)
}

func (c *child) kind() string { return c.program.String() }

func (c *child) close() error {
	c.closing.Do(func() {
		c.stop()
		<-c.ended
		if private := filepath.Dir(c.socket); private != c.dir {
			_ = os.Remove(private) // empty, unless the server was killed
		}
		_ = c.lock.Close() // releases it; nothing was written that could be lost
	})
	return c.err
}
