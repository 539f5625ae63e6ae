package embedded

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"path/filepath"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// Mode is the kind of server to run.
type Mode string

// The modes. An empty mode is ModeAuto.
const (
	ModeAuto   Mode = "auto"   // a child if a server is installed, otherwise in memory
	ModeChild  Mode = "child"  // a child, or an error
	ModeMemory Mode = "memory" // in memory; the directory is not used
)

// Options configure a Server. The zero value works.
type Options struct {
	Mode   Mode         // default ModeAuto
	Binary string       // path of the server to run; default: the first suitable server, PATH first
	Logger *slog.Logger // default: discard

	MaxMemory int64 // of the data of a child, in bytes; a child at its limit refuses writes. Default: no limit

	Now func() time.Time // clock by which keys expire in memory; default time.Now
}

// Server is a private Redis. Start it once; afterwards Dial is safe for concurrent use.
type Server struct {
	dir    string
	opts   Options
	search []string      // directories of servers
	grace  time.Duration // how long a child may take to end, or to reply while it starts
	engine engine        // nil until started
}

// engine is the kind of server that runs.
type engine interface {
	dial(ctx context.Context) (net.Conn, error)
	kind() string
	close() error // may be called twice
}

// New returns a server whose data is in dir. It does no I/O.
func New(dir string, opts Options) *Server {
	opts.Mode = cmp.Or(opts.Mode, ModeAuto)
	opts.Logger = cmp.Or(opts.Logger, slog.New(slog.DiscardHandler))
	if opts.Now == nil {
		opts.Now = time.Now
	}
	return &Server{dir: dir, opts: opts, search: searchPath(), grace: 10 * time.Second}
}

// Start returns when the server has loaded all its data and accepts commands. It fails if another daemon uses the directory, or if
// the server is missing, is too old for the data, or cannot run. ErrLost: files of the data are missing or empty. After a
// successful start, end the server with Run or Close.
func (s *Server) Start(ctx context.Context) error {
	engine, err := s.start(ctx)
	if err != nil {
		return fmt.Errorf("start embedded store in %s: %w", s.dir, err)
	}
	s.engine = engine
	return nil
}

func (s *Server) start(ctx context.Context) (engine, error) {
	switch s.opts.Mode {
	case ModeMemory:
		s.opts.Logger.WarnContext(ctx, "the store is in memory: nothing is kept after exit")
		return startMemory(s.opts.Now)
	case ModeAuto, ModeChild:
	default:
		return nil, fmt.Errorf("%w mode %q: use auto, child or memory", feed.ErrInvalid, s.opts.Mode)
	}
	dir, err := filepath.Abs(s.dir)
	if err != nil {
		return nil, err
	}
	last, err := readVersion(dir)
	if err != nil {
		return nil, err
	}
	was, err := readRecord(dir)
	if err != nil {
		return nil, err
	}
	server, err := findProgram(ctx, s.opts.Binary, s.search, last)
	// An empty store in memory must not replace the data of an earlier run.
	if errors.Is(err, errNoProgram) && s.opts.Mode == ModeAuto && last == (program{}) && was == nil {
		s.opts.Logger.WarnContext(ctx, "the store is in memory: nothing is kept after exit", "err", err)
		return startMemory(s.opts.Now)
	}
	if err != nil {
		return nil, err
	}
	return startChild(ctx, dir, server, s.opts, s.grace)
}

// Run waits until ctx ends, and then calls Close. End the clients first.
func (s *Server) Run(ctx context.Context) error {
	<-ctx.Done()
	return s.Close()
}

// Close ends the server. A child is terminated, and killed after ten seconds. It fails if the child failed or was killed. A second call
// is a no-op.
func (s *Server) Close() error {
	if s.engine == nil {
		return nil
	}
	return s.engine.close()
}

// Remember records that the store holds data, if it does, so that the loss of the data is noticed. The server records that by itself
// every few seconds; call Remember after the first write.
func (s *Server) Remember(ctx context.Context) error {
	if c, ok := s.engine.(*child); ok {
		return c.remember(ctx)
	}
	return nil
}

// Dial opens a connection. feed.ErrUnavailable: the server is being restarted, or not started.
func (s *Server) Dial(ctx context.Context) (net.Conn, error) {
	if s.engine == nil {
		return nil, fmt.Errorf("%w: the embedded store is not started", feed.ErrUnavailable)
	}
	conn, err := s.engine.dial(ctx)
	if err != nil {
		return nil, fmt.Errorf("%w: embedded %s: %w", feed.ErrUnavailable, s.engine.kind(), err)
	}
	return conn, nil
}

// Kind is "redis-server 7.0.15" or "memory"; empty before Start.
func (s *Server) Kind() string {
	if s.engine == nil {
		return ""
	}
	return s.engine.kind()
}
