package signals

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

const (
	readyTimeout   = 5 * time.Second // for the reader to get its position after a start
	reconnectAfter = 2 * time.Second // for clients
	heartbeat      = ": heartbeat\n\n"
)

var (
	errFull     = errors.New("the limit of concurrent streams is reached; retry later, or read /api/v1/signals")
	errStopping = errors.New("the daemon is stopping; reconnect with Last-Event-ID")
	errStarting = errors.New("the outbox cannot be followed yet; retry in a moment")
)

// ServeHTTP serves GET /api/v1/events: signals as server-sent events. The header Last-Event-ID or the parameter after names
// the last signal that the client has; an empty after requests all stored signals; without either, the stream starts with
// the next signal. The parameters kind (repeatable) and feed_url filter; content=0 omits the texts of posts. The caller
// has authorised the request.
func (e *Events) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet {
		w.Header().Set("Allow", http.MethodGet)
		web.WriteProblem(w, feed.ProblemMethod.Problem(r, "read the stream with GET"))
		return
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	c := &client{events: make(chan *event, e.opts.Buffer), cancel: cancel}
	resume, err := c.parse(r)
	if err != nil {
		fields, _ := errors.AsType[feed.FieldErrors](err)
		web.WriteProblem(w, feed.ProblemInvalid.Problem(r, err.Error(), fields...))
		return
	}
	if err := e.connect(c); err != nil {
		e.writeUnavailable(w, r, err)
		return
	}
	if err := e.prepare(ctx, c, resume); err != nil {
		why := endStore
		if ctx.Err() != nil {
			why = endClient
		}
		e.remove(c, why)
		e.writeUnavailable(w, r, err)
		return
	}
	e.remove(c, e.stream(ctx, c, w))
}

// prepare waits until the reader has a position, so that no signal is lost between a replay and what the reader sends. A
// client that does not resume starts at the newest signal.
func (e *Events) prepare(ctx context.Context, c *client, resume bool) error {
	select {
	case <-c.ready:
	case <-ctx.Done():
		return errStopping
	case <-time.After(readyTimeout):
		return errStarting
	}
	if resume {
		return nil
	}
	last, err := e.store.LastSignal(ctx)
	if err != nil {
		return err
	}
	c.last, err = parseSignalID(last)
	return err
}

// stream replays what the client has missed and then follows the outbox. The first replay may be long and runs before the
// client follows, so that its buffer cannot overflow. The second one closes the gap: a signal may be both in it and in the
// buffer, and client.last removes the duplicate.
func (e *Events) stream(ctx context.Context, c *client, w http.ResponseWriter) endReason {
	out, err := web.OpenStream(w, reconnectAfter)
	if err != nil {
		return endClient
	}
	if why := e.replay(ctx, c, out); why != "" {
		return why
	}
	e.follow(c)
	if why := e.replay(ctx, c, out); why != "" {
		return why
	}
	ticker := time.NewTicker(e.opts.Heartbeat)
	defer ticker.Stop()
	for ctx.Err() == nil {
		var err error
		select {
		case <-ctx.Done():
		case ev := <-c.events:
			err = c.send(out, ev)
		case <-ticker.C:
			err = out.Write([]byte(heartbeat))
		}
		if err == nil && len(c.events) == 0 {
			err = out.Flush()
		}
		if err != nil {
			return endClient
		}
	}
	return endClient
}

// replay sends the stored signals that the client does not have. It returns why the stream must end, or "".
func (e *Events) replay(ctx context.Context, c *client, out *web.Stream) endReason {
	for ctx.Err() == nil {
		missed, err := e.store.Signals(ctx, c.last.String(), batchSize, 0)
		for i := 0; i < len(missed) && err == nil && ctx.Err() == nil; i++ {
			var ev *event
			if ev, err = newEvent(&missed[i]); err == nil && c.send(out, ev) != nil {
				return endClient
			}
		}
		switch {
		case err != nil && ctx.Err() == nil:
			e.opts.Logger.Warn("cannot replay signals, event stream ended", "err", err)
			return endStore
		case ctx.Err() != nil, out.Flush() != nil:
			return endClient
		case len(missed) == 0:
			return ""
		}
	}
	return endClient
}

// writeUnavailable responds to a request that may succeed later.
func (e *Events) writeUnavailable(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() != nil {
		return
	}
	detail := err.Error()
	if !slices.Contains([]error{errFull, errStopping, errStarting}, err) {
		e.opts.Logger.Warn("event stream rejected", "err", err)
		detail = "the store cannot be read now; retry in a moment"
	}
	w.Header().Set("Retry-After", strconv.Itoa(int(reconnectAfter.Seconds())))
	web.WriteProblem(w, feed.ProblemUnavailable.Problem(r, detail))
}
