package embedded

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"path/filepath"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// Mode says which kind of server to run.
type Mode string

// The modes. Auto is what an empty mode means.
const (
	ModeAuto   Mode = "auto"   // a child where a server is installed, otherwise in memory
	ModeChild  Mode = "child"  // a child, or an error
	ModeMemory Mode = "memory" // in memory, the directory is not touched
)

// Options of a Server. The zero value is usable.
type Options struct {
	Mode   Mode             // empty: ModeAuto
	Binary string           // path of the server to run; empty: looked for, in PATH first
	Logger *slog.Logger     // nil: discard
	Now    func() time.Time // clock by which keys expire in memory; nil: time.Now
}

// Server is a private Redis. Start it once; afterwards any goroutine may Dial.
type Server struct {
	dir    string
	opts   Options
	log    *slog.Logger
	search []string      // directories in which a server is looked for
	grace  time.Duration // how long a child may take to end, and to answer while it starts
	engine engine        // nil until started
}

// engine is what runs behind a Server.
type engine interface {
	dial(ctx context.Context) (net.Conn, error)
	kind() string
	close() error // may be called twice
}

// New is a server whose data is in dir. It does nothing yet.
func New(dir string, opts Options) *Server {
	if opts.Mode == "" {
		opts.Mode = ModeAuto
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	log := opts.Logger
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Server{dir: dir, opts: opts, log: log, search: searchPath(), grace: 10 * time.Second}
}

// Start returns when the server answers commands, all its data loaded. An error says what to do about it: the
// directory is in use by another daemon, the server is missing or too old for the data, or it cannot run.
//
// After a start without error, end the server with Run or Close.
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
		s.log.WarnContext(ctx, "the store is in memory: nothing is kept after exit")
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
	server, err := findProgram(ctx, s.opts.Binary, s.search, last)
	// Data of an earlier run is never silently replaced by an empty memory.
	if errors.Is(err, errNoProgram) && s.opts.Mode == ModeAuto && last == (program{}) {
		s.log.WarnContext(ctx, "the store is in memory: nothing is kept after exit", "err", err)
		return startMemory(s.opts.Now)
	}
	if err != nil {
		return nil, err
	}
	return startChild(ctx, dir, server, s.log, s.grace)
}

// Run keeps the server up until ctx ends, then ends it and returns. Let it be the last thing to stop: the others still
// write. The error says that the child had to be killed or failed as it ended.
func (s *Server) Run(ctx context.Context) error {
	<-ctx.Done()
	return s.Close()
}

// Close ends the server: a child is asked to, gets ten seconds and is killed then. Closing twice does nothing.
func (s *Server) Close() error {
	if s.engine == nil {
		return nil
	}
	return s.engine.close()
}

// Dial opens a connection. While the server is being restarted, and before Start, it fails with feed.ErrUnavailable.
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

// Kind is what runs: "redis-server 7.0.15" or "memory"; empty before Start.
func (s *Server) Kind() string {
	if s.engine == nil {
		return ""
	}
	return s.engine.kind()
}
