package delivery

import (
	"cmp"
	"net/http"
	"time"

	"github.com/feedwire/feedwire/ingest/fetch"
	"github.com/feedwire/feedwire/store/feed"
)

// Classes of responses to a delivery: values of the code_class label and of feed.Health.Reason. Instead of classError, the latter is
// the class of the failure of the connection.
const (
	classSuccess  = "2xx"
	classRedirect = "3xx" // a failure: redirects are not followed (WebSub section 7)
	classClient   = "4xx"
	classServer   = "5xx"
	classTimeout  = "timeout"
	classBlocked  = "blocked" // the address must not be dialled
	classError    = "error"   // no connection, or not HTTP
)

// classes returns all classes, those of statuses first.
func classes() []string {
	return []string{classSuccess, classRedirect, classClient, classServer, classTimeout, classBlocked, classError}
}

// response is the outcome of one request to a subscriber.
type response struct {
	class   string
	failure feed.FailureClass // of the connection, with classError; empty: unknown
	status  int               // 0: none
	wait    time.Duration     // from Retry-After; 0: none
	readers int               // that the subscriber reports; 0: none
}

// serverFailed reports whether the server failed, not only this callback.
func (r response) serverFailed() bool {
	return r.class == classServer || r.class == classTimeout || r.class == classError || r.status == http.StatusTooManyRequests
}

func statusClass(status int) string {
	if digit := status / 100; digit >= 2 && digit <= 5 {
		return classes()[digit-2]
	}
	return classError
}

// reason returns the value of feed.Health.Reason.
func (r response) reason() string { return cmp.Or(string(r.failure), r.class) }

// failedResponse returns the outcome of a request without a response. The text of its error contains the callback and is not stored.
func failedResponse(err error) response {
	switch class := fetch.ClassOf(err); class {
	case feed.FailureBlockedAddress:
		return response{class: classBlocked}
	case feed.FailureTimeout:
		return response{class: classTimeout}
	case feed.FailureDNS, feed.FailureConnect, feed.FailureTLS:
		return response{class: classError, failure: class}
	}
	return response{class: classError}
}

// Bounds of Retry-After.
const (
	minWait = 5 * time.Second
	maxWait = 6 * time.Hour
)

// retryAfter returns the time until the Retry-After of a response, within bounds, or 0.
func retryAfter(header http.Header, now time.Time) time.Duration {
	at := fetch.RetryAfter(header, now)
	if at.IsZero() {
		return 0
	}
	return min(max(at.Sub(now), minWait), maxWait)
}
