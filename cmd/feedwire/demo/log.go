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
	demo  *demo
	attrs []slog.Attr
}

// Enabled implements slog.Handler.
func (*demoLog) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelInfo }

// Handle prints one record. It skips stories and imports, which the demo prints, and polls unless a source fails or recovers.
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
		h.demo.polls.Add(1)
		h.demo.created.Add(number(all["new"]))
		h.demo.modified.Add(number(all["modified"]))
		if _, fails := all["err"]; h.demo.turned(all["source"].String(), fails) {
			h.demo.say("poll", describePoll(all))
		}
	case "article promoted", "article published by rule":
	default:
		h.demo.say(strings.ToLower(r.Level.String()), strings.Join(text, "  "))
	}
	return nil
}

// describePoll formats the record of a poll.
func describePoll(a map[string]slog.Value) string {
	line := fmt.Sprintf("%s  %s", a["source"], a["status"])
	for _, count := range []string{"new", "modified"} {
		if n := number(a[count]); n > 0 {
			line += fmt.Sprintf("  %d %s", n, count)
		}
	}
	line += fmt.Sprintf("  %s ms", a["ms"])
	if err, failed := a["err"]; failed {
		line += fmt.Sprintf("  %s: %s", a["class"], err)
		if next := a["next"]; next.Kind() == slog.KindTime && !next.Time().IsZero() {
			line += "; next poll in " + terminal.Span(time.Until(next.Time()))
		}
	}
	return line
}

// number returns an integer, or 0 if the record lacks it.
func number(v slog.Value) int64 {
	if v.Kind() != slog.KindInt64 {
		return 0
	}
	return v.Int64()
}

// WithAttrs implements slog.Handler.
func (h *demoLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &demoLog{h.demo, append(h.attrs[:len(h.attrs):len(h.attrs)], attrs...)}
}

// WithGroup implements slog.Handler. The daemon uses no groups.
func (h *demoLog) WithGroup(string) slog.Handler { return h }
