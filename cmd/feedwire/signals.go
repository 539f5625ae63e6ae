package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/feedwire/feedwire/store/feed"
)

func newSignals() *cobra.Command {
	cmd := group("signals", "Follow and find what is new", newSignalsTail(), newSignalsFind())
	clientFlags(cmd)
	return cmd
}

func newSignalsTail() *cobra.Command {
	var after string
	cmd := &cobra.Command{
		Use:   "tail",
		Short: "Print each signal as it comes",
		Long: `Print each signal as it comes, until interrupted. With --after the ones since that id come first; 0 starts with the
oldest kept. A connection that breaks is made again and goes on where it was.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := newClient(cmd)
			if err != nil {
				return err
			}
			if after == "" {
				if after, err = lastSignal(cmd.Context(), c); err != nil {
					return err
				}
			}
			t := tail{client: c, after: after, print: func(s *feed.Signal, raw []byte) error { return printSignal(cmd, s, raw) }}
			for wait := time.Duration(0); ; wait = min(wait+time.Second, 5*time.Second) {
				n, err := t.follow(cmd)
				if cmd.Context().Err() != nil {
					return nil
				}
				var broken *streamError
				if !errors.As(err, &broken) {
					return err
				}
				if n > 0 {
					wait = 0
				}
				if !sleep(cmd.Context(), wait) {
					return nil
				}
			}
		},
	}
	cmd.Flags().StringVar(&after, "after", "", "id of a signal to start after (default: only new ones)")
	return cmd
}

// lastSignal is the id of the newest signal, from which a tail goes on: with it nothing is missed when the stream breaks
// before the first one.
func lastSignal(ctx context.Context, c *client) (string, error) {
	var status struct {
		LastSignal string `json:"last_signal"`
	}
	err := c.call(ctx, http.MethodGet, "/api/v1/status", nil, &status)
	return status.LastSignal, err
}

// tail follows the event stream of a daemon.
type tail struct {
	client    *client
	after     string // id of the last signal printed, or of the last one before the start
	connected bool   // the daemon was there before
	print     func(s *feed.Signal, raw []byte) error
}

// streamError is a stream that ended, as when the daemon restarts.
type streamError struct{ err error }

func (e *streamError) Error() string { return "event stream ended: " + e.err.Error() }
func (e *streamError) Unwrap() error { return e.err }

// follow prints signals until the stream ends, and tells how many.
func (t *tail) follow(cmd *cobra.Command) (n int, err error) {
	path := "/api/v1/events"
	if t.after != "" {
		path += "?after=" + url.QueryEscape(t.after)
	}
	resp, err := t.client.send(cmd.Context(), &http.Client{}, http.MethodGet, path, nil)
	if err != nil {
		var said *answerError
		if t.connected && (!errors.As(err, &said) || said.status >= http.StatusInternalServerError) {
			return 0, &streamError{err} // it restarts
		}
		return 0, err
	}
	t.connected = true
	defer resp.Body.Close() //nolint:errcheck // it never ends by itself
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 32<<20)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		var s feed.Signal
		if err := json.Unmarshal([]byte(data), &s); err != nil {
			return n, fmt.Errorf("signal of the daemon: %w", err)
		}
		if err := t.print(&s, []byte(data)); err != nil {
			return n, err
		}
		t.after = s.ID
		n++
	}
	if err := lines.Err(); err != nil {
		return n, &streamError{err}
	}
	return n, &streamError{io.EOF}
}

func printSignal(cmd *cobra.Command, s *feed.Signal, raw []byte) error {
	w := cmd.OutOrStdout()
	if out, _ := cmd.Flags().GetString("output"); out == "json" {
		_, err := fmt.Fprintf(w, "%s\n", raw)
		return err
	}
	_, err := fmt.Fprintln(w, s.Time.Local().Format("15:04:05"), describe(s))
	return err
}

// describe tells a signal in one line.
func describe(s *feed.Signal) string {
	what := s.FeedURL
	if s.GUID != "" {
		what = s.Entry + " " + s.GUID
		if s.Post != nil {
			what = s.Entry + " " + s.Post.Title
		}
	}
	line := fmt.Sprintf("%-13s  %s", s.Kind, oneLine(what))
	for _, field := range sortedKeys(s.Changed) {
		c := s.Changed[field]
		line += fmt.Sprintf("  %s: %q → %q", field, cut(oneLine(c.From), 40), cut(oneLine(c.To), 40))
	}
	if !s.Held.IsZero() {
		line += fmt.Sprintf("  held: %d new, %d changed", s.Held.Created, s.Held.Modified)
	}
	return line
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
