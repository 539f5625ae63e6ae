package embedded

import (
	"context"
	"errors"
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

// child is a server that runs as a child process and is restarted when it ends.
type child struct {
	dir, socket string // absolute
	program     program
	log         *slog.Logger
	maxMemory   int64 // bytes; 0: no limit
	grace       time.Duration
	lock        *DirLock
	up          atomic.Bool // the process is ready for clients

	recording sync.Mutex // guards recorded
	recorded  record     // that this child wrote last
	records   sync.WaitGroup

	closing sync.Once
	stop    context.CancelFunc // ends the supervisor
	ended   chan struct{}      // closed when the supervisor and the process have ended
	err     error              // of the last process; read after ended
}

const (
	minPause = 50 * time.Millisecond // before the first restart; it doubles with each restart
	maxPause = 2 * time.Second
	steady   = 10 * time.Second // a process that lived this long resets the pause
)

// startChild locks the directory, ends the leftover of an earlier daemon, and returns when the server is ready.
func startChild(ctx context.Context, dir string, p program, opts Options, grace time.Duration) (*child, error) {
	lock, err := Lock(dir)
	if err != nil {
		return nil, err
	}
	c := &child{dir: dir, program: p, log: opts.Logger, maxMemory: opts.MaxMemory, grace: grace, lock: lock, ended: make(chan struct{})}
	if err := c.prepare(ctx); err != nil {
		_ = lock.Close()
		return nil, err
	}
	life, stop := context.WithCancel(context.WithoutCancel(ctx)) // the child outlives the start
	c.stop = stop
	ready := make(chan error, 1)
	c.records.Go(func() { c.keepRecord(life) })
	go c.supervise(life, ready)
	select {
	case err = <-ready:
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil {
		_ = c.close() // err is more specific
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

// supervise runs the process, and restarts it, until ctx ends. It sends the result of the first start to ready.
func (c *child) supervise(ctx context.Context, ready chan<- error) {
	defer close(c.ended)
	// Linux ends the child when the thread that started it ends.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	p, err := c.launch(ctx)
	if err != nil && ctx.Err() == nil && !errors.Is(err, ErrLost) {
		// After a crash a server may repair its files and exit: "the truncated file is not the last file".
		p, err = c.launch(ctx)
	}
	ready <- err
	for pause := minPause; err == nil; {
		<-p.ended
		c.up.Store(false)
		if ctx.Err() != nil {
			if p.failed() {
				c.err = fmt.Errorf("%s failed as it ended: %s", c.program, p.ending())
			}
			return
		}
		if time.Since(p.started) > steady {
			pause = minPause
		}
		c.log.WarnContext(ctx, "the embedded store ended; restarting it", "err", p.ending())
		p, err = c.relaunch(ctx, &pause)
	}
}

// relaunch restarts the server until it is ready. The error is that of the context.
func (c *child) relaunch(ctx context.Context, pause *time.Duration) (*process, error) {
	down := time.Now()
	for try := 1; ; try++ {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(*pause):
		}
		*pause = min(2**pause, maxPause)
		p, err := c.launch(ctx)
		switch {
		case err == nil:
			c.log.InfoContext(ctx, "the embedded store is restarted", "down", time.Since(down))
			return p, nil
		case try == 2 && ctx.Err() == nil: // one failed start is common after a crash
			c.log.ErrorContext(ctx, "the embedded store does not start; retrying", "err", err)
		}
	}
}

// dial opens a connection, unless the process is being restarted: it may be killed before it serves clients.
func (c *child) dial(ctx context.Context) (net.Conn, error) {
	if !c.up.Load() {
		return nil, fmt.Errorf("%w: it is being restarted", feed.ErrUnavailable)
	}
	return dialSocket(ctx, c.socket)
}

func (c *child) kind() string { return c.program.String() }

func (c *child) close() error {
	c.closing.Do(func() {
		if c.up.Load() {
			_ = c.remember(context.Background()) // the record before is good enough
		}
		c.stop()
		c.records.Wait()
		<-c.ended
		if private := filepath.Dir(c.socket); private != c.dir {
			_ = os.Remove(private) // empty, unless the server was killed
		}
		_ = c.lock.Close() // unlocks the directory
	})
	return c.err
}
