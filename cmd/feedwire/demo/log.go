package demo

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/feedwire/feedwire/cmd/feedwire/terminal"
)

// demoLog is a handler that prints records as short lines.
type demoLog struct {
	say   func(what, text string)
	attrs []slog.Attr
}

func newDemoLogger(say func(what, text string)) *slog.Logger { return slog.New(&demoLog{say: say}) }

// Enabled implements slog.Handler.
func (*demoLog) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelInfo }

// Handle prints one record. It skips promotions, which standings prints.
func (h *demoLog) Handle(_ context.Context, r slog.Record) error {
	all := make(map[string]slog.Value)
	text := []string{r.Message}
	add := func(a slog.Attr) bool {
		all[a.Key] = a.Value
		text = append(text, a.Key+"="+a.Value.String())
		return true
	}
	for _, a := range h.attrs {
		add(a)
	}
	r.Attrs(add)
	switch r.Message {
	case "poll":
		h.say("poll", describePoll(all))
	case "article promoted", "article published by rule":
	default:
		h.say(strings.ToLower(r.Level.String()), strings.Join(text, "  "))
	}
	return nil
}

// describePoll formats the record of a poll.
func describePoll(a map[string]slog.Value) string {
	line := fmt.Sprintf("%s  %s", a["source"], a["status"])
	for _, count := range []string{"new", "modified"} {
		if n := a[count]; n.Kind() == slog.KindInt64 && n.Int64() > 0 {
			line += fmt.Sprintf("  %d %s", n.Int64(), count)
		}
	}
	line += fmt.Sprintf("  %s ms", a["ms"])
	if err, failed := a["err"]; failed {
		line += fmt.Sprintf("  %s: %s", a["class"], err)
		if next := a["next"]; next.Kind() == slog.KindTime && !next.Time().IsZero() {
			line += "; next try in " + terminal.Span(time.Until(next.Time()))
		}
	}
	return line
}

// WithAttrs implements slog.Handler.
func (h *demoLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &demoLog{h.say, append(h.attrs[:len(h.attrs):len(h.attrs)], attrs...)}
}

// WithGroup implements slog.Handler. The daemon uses no groups.
func (h *demoLog) WithGroup(string) slog.Handler { return h }
