package signals

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

const (
	writeTimeout = 10 * time.Second // for one event to leave, or the client is let go
	readyTimeout = 5 * time.Second  // for the reader to know its place after a start
	retryHint    = "retry: 2000\n\n"
	heartbeat    = ": still here\n\n"
)

var (
	errFull     = errors.New("all streams are taken; try again later, or read /api/v1/signals")
	errStopping = errors.New("the daemon is stopping; come back with Last-Event-ID")
	errStarting = errors.New("the outbox cannot be followed yet; try again in a moment")
)

// client is one open stream.
type client struct {
	events  chan *event       // filled by the reader once the client follows
	kinds   []feed.SignalKind // empty: all
	feedURL string            // empty: all
	brief   bool              // it wants no texts of posts
	at      place             // of the last signal the client has; owned by the handler

	ready     <-chan struct{}    // closed when the reader knows its place
	cancel    context.CancelFunc // ends the handler
	following bool               // guarded by Events.mu
	dropped   ending             // why the reader ended it; guarded by Events.mu
}

// wants reports whether the event passes the filters of the client.
func (c *client) wants(ev *event) bool {
	return (len(c.kinds) == 0 || slices.Contains(c.kinds, ev.kind)) && (c.feedURL == "" || c.feedURL == ev.feedURL)
}

// ServeHTTP serves GET /api/v1/events: signals as server-sent events. The header Last-Event-ID or the parameter after
// names the last signal that the client has; an empty after asks for all that are kept; without either, only new
// signals are sent. The parameters kind (may be repeated) and feed_url select; content=0 leaves out the
// texts of posts. Whether the client may ask at all has
// been decided before it comes here.
func (e *Events) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet {
		w.Header().Set("Allow", http.MethodGet)
		refuse(w, feed.ProblemMethod.Problem(r, "read the stream with GET"))
		return
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	c := &client{events: make(chan *event, e.opts.Buffer), cancel: cancel}
	resume, wrong := c.read(r)
	if wrong != nil {
		refuse(w, feed.ProblemInvalid.Problem(r, wrong.Field+": "+wrong.Reason, *wrong))
		return
	}
	if err := e.admit(c); err != nil {
		e.refuseLater(w, r, err)
		return
	}
	if err := e.prepare(ctx, c, resume); err != nil {
		why := endStore
		if ctx.Err() != nil {
			why = endClient
		}
		e.dismiss(c, why)
		e.refuseLater(w, r, err)
		return
	}
	e.dismiss(c, e.stream(ctx, c, newWriter(w)))
}

// read takes what the request asks for; resume is false when it names no place to start from.
func (c *client) read(r *http.Request) (resume bool, wrong *feed.FieldError) {
	query := r.URL.Query()
	field, after := "Last-Event-ID", r.Header.Get("Last-Event-ID")
	if after == "" {
		field, after = "after", query.Get("after")
	}
	var err error
	if c.at, err = parsePlace(after); err != nil {
		return false, &feed.FieldError{Field: field, Reason: err.Error()}
	}
	c.feedURL = query.Get("feed_url")
	switch content := query.Get("content"); content {
	case "", "1":
	case "0":
		c.brief = true
	default:
		return false, &feed.FieldError{Field: "content", Reason: "use 0 to leave out the texts of posts, or 1"}
	}
	known := []feed.SignalKind{feed.FeedCreated, feed.FeedModified, feed.PostCreated, feed.PostModified}
	for _, k := range query["kind"] {
		kind := feed.SignalKind(k)
		if !slices.Contains(known, kind) {
			return false, &feed.FieldError{
				Field: "kind", Reason: "unknown kind: use feed_created, feed_modified, post_created or post_modified",
			}
		}
		c.kinds = append(c.kinds, kind)
	}
	return after != "" || query.Has("after"), nil
}

// prepare waits until the reader knows its place, so that nothing falls between a replay and what the reader hands
// over, and finds the start of a client that wants only new signals.
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
	c.at, err = parsePlace(last)
	return err
}

// stream replays what the client has missed and goes on with what comes. The first replay may be long and runs before
// the client follows, lest its buffer overflow meanwhile. The second one closes the gap: a signal of that moment may
// be both in it and in the buffer, and the client's place tells which it has.
func (e *Events) stream(ctx context.Context, c *client, out *writer) ending {
	if out.open() != nil {
		return endClient
	}
	if why := e.replay(ctx, c, out); why != "" {
		return why
	}
	e.follow(c)
	if why := e.replay(ctx, c, out); why != "" {
		return why
	}
	beat := time.NewTicker(e.opts.Heartbeat)
	defer beat.Stop()
	for ctx.Err() == nil {
		var err error
		select {
		case <-ctx.Done():
		case ev := <-c.events:
			err = c.send(out, ev)
		case <-beat.C:
			err = out.write([]byte(heartbeat))
		}
		if err == nil && len(c.events) == 0 {
			err = out.flush()
		}
		if err != nil {
			return endClient
		}
	}
	return endClient
}

// replay sends what the outbox holds after the client's place. It returns why the stream cannot go on, or "".
func (e *Events) replay(ctx context.Context, c *client, out *writer) ending {
	for ctx.Err() == nil {
		missed, err := e.store.Signals(ctx, c.at.String(), batch, 0)
		for i := 0; i < len(missed) && err == nil && ctx.Err() == nil; i++ {
			var ev *event
			if ev, err = newEvent(&missed[i]); err == nil && c.send(out, ev) != nil {
				return endClient
			}
		}
		switch {
		case err != nil && ctx.Err() == nil:
			e.opts.Logger.Warn("cannot replay signals, stream ended", "err", err)
			return endStore
		case ctx.Err() != nil, out.flush() != nil:
			return endClient
		case len(missed) == 0:
			return ""
		}
	}
	return endClient
}

// send writes an event unless the client has it already or does not want it.
func (c *client) send(out *writer, ev *event) error {
	if !ev.at.after(c.at) {
		return nil
	}
	c.at = ev.at
	if !c.wants(ev) {
		return nil
	}
	return out.write(ev.over(c))
}

// writer writes to a stream with a deadline for each piece. It is the deadline that ends a stream nobody reads.
type writer struct {
	http.ResponseWriter
	control *http.ResponseController
}

func newWriter(w http.ResponseWriter) *writer {
	return &writer{w, http.NewResponseController(w)}
}

// open sends the head and the hint how soon to come back. It lifts the read timeout of the server: net/http would end
// the request by it.
func (w *writer) open() error {
	_ = w.control.SetReadDeadline(time.Time{}) // not every connection has one
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // nginx would hold events back
	w.WriteHeader(http.StatusOK)
	return cmp.Or(w.write([]byte(retryHint)), w.flush())
}

func (w *writer) write(b []byte) error {
	_ = w.control.SetWriteDeadline(time.Now().Add(writeTimeout)) // not every connection has one
	_, err := w.Write(b)
	return err
}

func (w *writer) flush() error { return w.control.Flush() }

// refuseLater answers a request that may succeed later.
func (e *Events) refuseLater(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() != nil {
		return
	}
	detail := err.Error()
	if !slices.Contains([]error{errFull, errStopping, errStarting}, err) {
		e.opts.Logger.Warn("event stream refused", "err", err)
		detail = "the store cannot be read now; try again in a moment"
	}
	w.Header().Set("Retry-After", strconv.Itoa(int(lastBackOff/time.Second)))
	refuse(w, feed.ProblemUnavailable.Problem(r, detail))
}

// refuse answers with a problem (RFC 9457).
func refuse(w http.ResponseWriter, p feed.Problem) {
	w.Header().Set("Content-Type", feed.ProblemType)
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(p.Status)
	_ = json.NewEncoder(w).Encode(p) // the client may be gone
}
