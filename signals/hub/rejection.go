package hub

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// rejection is the response to a request that is not accepted.
type rejection struct {
	status int
	wait   time.Duration // until a retry makes sense; 0: it does not
	shown  bool          // the client has received it as a page
	reason string        // for the client: the parameter, the problem, the remedy
}

func (r *rejection) Error() string { return r.reason }

// result returns the value of the result label.
func (r *rejection) result() string {
	switch r.status {
	case http.StatusTooManyRequests:
		return requestLimited
	case http.StatusServiceUnavailable:
		return requestUnavailable
	case http.StatusForbidden, http.StatusNotFound, http.StatusConflict, http.StatusUnprocessableEntity:
		return requestDenied
	}
	return requestInvalid
}

func rejected(status int, reason string) *rejection {
	return &rejection{status: status, reason: reason}
}

func limited(wait time.Duration, reason string) *rejection {
	return &rejection{status: http.StatusTooManyRequests, wait: wait, reason: reason}
}

func unknownTopic(parameter string) *rejection {
	return rejected(http.StatusNotFound, parameter+": is not distributed here; use the rel=self link of a feed that names this hub")
}

// rejectionFor returns the response for an error. It logs errors that the client did not cause and hides their text.
func (f *Front) rejectionFor(mode feed.HubMode, err error) *rejection {
	if r, ok := errors.AsType[*rejection](err); ok {
		return r
	}
	f.failures.Failed(err, func(count int) {
		f.opts.Logger.Warn("request to the hub not accepted", "mode", mode, "count", count, "err", err)
	})
	return &rejection{status: http.StatusServiceUnavailable, wait: 30 * time.Second, reason: "unavailable; retry later"}
}

func (r *rejection) setRetryAfter(h http.Header) {
	if r.wait > 0 {
		h.Set("Retry-After", strconv.Itoa(int((r.wait+time.Second-1)/time.Second)))
	}
}

// reject writes the response for an error and returns the result for the metrics.
func (f *Front) reject(w http.ResponseWriter, mode feed.HubMode, err error) string {
	r := f.rejectionFor(mode, err)
	if r.shown {
		return r.result()
	}
	r.setRetryAfter(w.Header())
	w.WriteHeader(r.status)
	fmt.Fprintln(w, r.reason)
	return r.result()
}
