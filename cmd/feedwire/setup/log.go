package setup

import (
	"context"
	"io"
	"log/slog"
	"sync/atomic"

	"github.com/feedwire/feedwire/cmd/feedwire/terminal"
	"github.com/feedwire/feedwire/config"
)

// NewLogger returns a logger that writes text to a terminal and JSON elsewhere, unless opts says otherwise. set changes the
// options of the logger and of all loggers derived from it.
func NewLogger(w io.Writer, opts config.Log) (log *slog.Logger, set func(config.Log)) {
	var level slog.LevelVar
	var asText atomic.Bool
	options := &slog.HandlerOptions{Level: &level}
	set = func(opts config.Log) {
		level.Set(opts.Level)
		asText.Store(opts.Format == "text" || opts.Format == "auto" && terminal.Is(w))
	}
	set(opts)
	return slog.New(&formats{slog.NewTextHandler(w, options), slog.NewJSONHandler(w, options), &asText}), set
}

// formats is a handler that selects the format for each record. The embedded handler writes text.
type formats struct {
	slog.Handler
	json   slog.Handler
	asText *atomic.Bool
}

// Handle implements slog.Handler.
func (f *formats) Handle(ctx context.Context, r slog.Record) error {
	if f.asText.Load() {
		return f.Handler.Handle(ctx, r)
	}
	return f.json.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (f *formats) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &formats{f.Handler.WithAttrs(attrs), f.json.WithAttrs(attrs), f.asText}
}

// WithGroup implements slog.Handler.
func (f *formats) WithGroup(name string) slog.Handler {
	return &formats{f.Handler.WithGroup(name), f.json.WithGroup(name), f.asText}
}
