package client

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/feedwire/feedwire/signals/retry"
	"github.com/feedwire/feedwire/store/feed"
)

// Signals calls each with the signals after the one with an id, and their JSON, as they arrive, until ctx ends or each fails. With the id
// "" it begins with the next signal. If the stream ends, it connects again and continues.
func (c *Client) Signals(ctx context.Context, after string, each func(s *feed.Signal, raw []byte) error) error {
	if after == "" {
		// From the newest signal on, nothing is missed even if the stream breaks before the next one.
		var status struct {
			LastSignal string `json:"last_signal"`
		}
		if err := c.Call(ctx, http.MethodGet, "/api/v1/status", nil, &status); err != nil {
			return err
		}
		after = status.LastSignal
	}
	t := tail{client: c, after: after, each: each}
	for wait := time.Duration(0); ; wait = min(wait+time.Second, 5*time.Second) {
		last := t.after
		err := t.follow(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if !errors.Is(err, errStreamEnded) {
			return err
		}
		if t.after != last {
			wait = 0
		}
		if !retry.Await(ctx, nil, wait) {
			return nil
		}
	}
}

// tail follows the event stream of a daemon.
type tail struct {
	client    *Client
	after     string // id of the last signal, or of the last one before the start
	connected bool   // at least once
	each      func(s *feed.Signal, raw []byte) error
}

// errStreamEnded means that the stream has ended, for example because the daemon restarts.
var errStreamEnded = errors.New("event stream ended")

// follow calls each until the stream ends.
func (t *tail) follow(ctx context.Context) error {
	resp, err := t.client.WithTimeout(0).Send(ctx, http.MethodGet, "/api/v1/events?after="+url.QueryEscape(t.after), nil)
	if err != nil {
		refusal, refused := errors.AsType[*Error](err)
		if t.connected && (!refused || refusal.Status >= http.StatusInternalServerError) {
			return errStreamEnded
		}
		return err
	}
	t.connected = true
	defer resp.Body.Close() //nolint:errcheck // the stream has no end
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 32<<20)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		var s feed.Signal
		if err := json.Unmarshal([]byte(data), &s); err != nil {
			return fmt.Errorf("invalid signal from the daemon: %w", err)
		}
		if err := t.each(&s, []byte(data)); err != nil {
			return err
		}
		t.after = s.ID
	}
	return errStreamEnded
}
