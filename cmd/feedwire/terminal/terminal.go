package terminal

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"
	"unicode"

	"golang.org/x/term"

	"github.com/feedwire/feedwire/store/feed"
)

// Is reports whether w is a terminal.
func Is(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// OneLine removes control and bidirectional characters, so that foreign text cannot break a table or control a terminal.
func OneLine(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool {
		return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)
	}), " ")
}

// Cut truncates a text to n characters.
func Cut(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

// Ago formats the distance of a time from now: "12s ago", "in 4m", or "-" for the zero time.
func Ago(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	d := time.Since(t)
	if d < 0 {
		return "in " + Span(-d)
	}
	return Span(d) + " ago"
}

// Span formats a duration in one unit, or in hours and minutes below ten hours.
func Span(d time.Duration) string {
	switch minutes := int(d.Round(time.Minute).Minutes()); {
	case d.Round(time.Second) < time.Minute:
		return fmt.Sprintf("%ds", int(d.Round(time.Second).Seconds()))
	case minutes < 60:
		return fmt.Sprintf("%dm", minutes)
	case minutes < 600 && minutes%60 != 0:
		return fmt.Sprintf("%dh%dm", minutes/60, minutes%60)
	case minutes < 48*60:
		return fmt.Sprintf("%dh", (minutes+30)/60)
	}
	return fmt.Sprintf("%dd", int(d.Hours()/24))
}

// Signal formats a signal in one line.
func Signal(s *feed.Signal) string {
	what := s.Subject()
	if s.GUID != "" {
		what = s.Entry + " " + s.GUID
		if s.Post != nil {
			what = s.Entry + " " + s.Post.Title
		}
	}
	line := fmt.Sprintf("%-13s  %s", s.Kind, OneLine(what))
	for _, field := range slices.Sorted(maps.Keys(s.Changed)) {
		c := s.Changed[field]
		line += fmt.Sprintf("  %s: %q → %q", field, Cut(OneLine(c.From), 40), Cut(OneLine(c.To), 40))
	}
	if !s.Unsignalled.IsZero() {
		line += fmt.Sprintf("  unsignalled: %d new, %d changed", s.Unsignalled.Created, s.Unsignalled.Modified)
	}
	return line
}
