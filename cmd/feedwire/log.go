package main

import (
	"context"
	"io"
	"log/slog"
	"os"
	"sync/atomic"

	"golang.org/x/term"

	"github.com/feedwire/feedwire/config"
)

// newLogger writes text to a terminal and JSON elsewhere, unless the configuration says which. Set takes over another
// configuration, also for the loggers that were made from this one.
func newLogger(w io.Writer, opts config.Log) (log *slog.Logger, set func(config.Log)) {
	var level slog.LevelVar
	var asText atomic.Bool
	options := &slog.HandlerOptions{Level: &level}
	set = func(opts config.Log) {
		level.Set(opts.Level)
		asText.Store(opts.Format == "text" || opts.Format == "auto" && isTerminal(w))
	}
	set(opts)
	return slog.New(&formats{slog.NewTextHandler(w, options), slog.NewJSONHandler(w, options), &asText}), set
}

// formats writes in the form that is wanted at the moment.
type formats struct {
	text, json slog.Handler
	asText     *atomic.Bool
}

// Enabled implements slog.Handler; the level of both is the same.
func (f *formats) Enabled(ctx context.Context, level slog.Level) bool {
	return f.text.Enabled(ctx, level)
}

// Handle implements slog.Handler.
func (f *formats) Handle(ctx context.Context, r slog.Record) error {
	if f.asText.Load() {
		return f.text.Handle(ctx, r)
	}
	return f.json.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (f *formats) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &formats{f.text.WithAttrs(attrs), f.json.WithAttrs(attrs), f.asText}
}

// WithGroup implements slog.Handler.
func (f *formats) WithGroup(name string) slog.Handler {
	return &formats{f.text.WithGroup(name), f.json.WithGroup(name), f.asText}
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
