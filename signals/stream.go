package signals

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

const (
	reconnectAfter = 2 * time.Second // for clients
	heartbeat      = ": heartbeat\n\n"
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
	var c client
	resume, err := c.parse(r)
	if err != nil {
		fields, _ := errors.AsType[feed.FieldErrors](err)
		web.WriteProblem(w, feed.ProblemInvalid.Problem(r, err.Error(), fields...))
		return
	}
	following, err := e.connect()
	if err != nil {
		writeUnavailable(w, r, err.Error())
		return
	}
	why := endStore
	defer func() { e.disconnect(why) }()
	if !resume || !following { // a client that resumes while the store fails gets a 503 too, not an empty stream
		last, err := e.store.LastSignal(r.Context())
		if err == nil && !resume {
			c.last, err = parseSignalID(last)
		}
		if err != nil {
			why = e.storeFailed(r.Context(), err)
			writeUnavailable(w, r, "the store cannot be read now; retry in a moment")
			return
		}
	}
	why = e.stream(r.Context(), &c, w)
}

// stream sends a client the stored signals that it does not have until it is live, and then what the reader finds.
func (e *Events) stream(ctx context.Context, c *client, w http.ResponseWriter) endReason {
	out, err := web.OpenStream(w, reconnectAfter)
	if err != nil {
		return endClient
	}
	ticker := time.NewTicker(e.opts.Heartbeat)
	defer ticker.Stop()
	for ctx.Err() == nil {
		news, changed, why := e.next(c)
		if why != "" {
			return why
		}
		if !c.live {
			if news, err = e.missed(ctx, c); err != nil {
				return e.storeFailed(ctx, err)
			}
		}
		for _, ev := range news {
			if err := c.send(out, ev); err != nil {
				return e.left(c)
			}
		}
		if len(news) > 0 {
			if out.Flush() != nil {
				return e.left(c)
			}
			continue // there may be more
		}
		select {
		case <-changed:
		case <-ctx.Done():
		case <-ticker.C:
			if out.Write([]byte(heartbeat)) != nil || out.Flush() != nil {
				return endClient
			}
		}
	}
	return endClient
}

// left returns why a client took no more: it was too slow, if it is too far behind, or it has gone.
func (e *Events) left(c *client) endReason {
	if _, _, why := e.next(c); why == endSlow {
		return endSlow
	}
	return endClient
}

// missed returns stored signals that a client does not have.
func (e *Events) missed(ctx context.Context, c *client) ([]*event, error) {
	stored, err := e.store.Signals(ctx, c.last.String(), batchSize, 0)
	all := make([]*event, len(stored))
	for i := 0; i < len(stored) && err == nil; i++ {
		all[i], err = newEvent(&stored[i])
	}
	return all, err
}

// storeFailed logs an error of the store, unless the client caused it, and returns why its stream ends.
func (e *Events) storeFailed(ctx context.Context, err error) endReason {
	if ctx.Err() != nil {
		return endClient
	}
	e.failures.Failed(err, func(count int) {
		e.opts.Logger.Warn("event streams ended: signals cannot be read", "count", count, "err", err)
	})
	return endStore
}

// writeUnavailable responds to a request that may succeed later.
func writeUnavailable(w http.ResponseWriter, r *http.Request, detail string) {
	w.Header().Set("Retry-After", strconv.Itoa(int(reconnectAfter.Seconds())))
	web.WriteProblem(w, feed.ProblemUnavailable.Problem(r, detail))
}
