package desk

import (
	"fmt"
	"net/http"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// pollSource makes a source due, with ?full=1 to be read anew; with ?trace=1 it is polled before the answer, which is the trace.
func (d *Desk) pollSource(w http.ResponseWriter, r *http.Request) error {
	if r.URL.Query().Get("trace") == "1" {
		return d.tracePoll(w, r)
	}
	poll := d.store.PollSource
	if inFull(r) {
		poll = d.store.PollInFull
	}
	return d.withSource(w, r, http.StatusAccepted, poll)
}

// inFull reports whether a request for a poll wants the document read anew, changed or not.
func inFull(r *http.Request) bool { return r.URL.Query().Get("full") == "1" }

// pollSources makes all sources due.
func (d *Desk) pollSources(w http.ResponseWriter, r *http.Request) error {
	due, err := d.store.PollSources(r.Context())
	if err != nil {
		return err
	}
	d.opts.Logger.Info("all sources are to be polled", "count", due)
	answer(w, http.StatusAccepted, map[string]int{"due": due})
	return nil
}

func (d *Desk) tracePoll(w http.ResponseWriter, r *http.Request) error {
	id, err := sourceID(r)
	if err != nil {
		return err
	}
	if d.opts.Trace == nil {
		return fmt.Errorf("this daemon cannot trace a poll: %w", feed.ErrConflict)
	}
	// The poll has its own bound, which may be longer than that of other answers. Where none can be set, none is.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(maxTimeout + time.Minute))
	trace, err := d.opts.Trace(r.Context(), id, inFull(r))
	if err != nil {
		return err
	}
	answer(w, http.StatusOK, trace)
	return nil
}
