package publish

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/feedwire/feedwire/publish/arrival"
	"github.com/feedwire/feedwire/publish/document"
	"github.com/feedwire/feedwire/store/feed"
)

// Values of X-Feedwire-Impressions: what a response means for the articles in it.
const (
	impressions        = "X-Feedwire-Impressions"
	counted            = "counted" // once it is proved that the whole response arrived
	ignoredHead        = "ignored; head"
	ignoredPrefetch    = "ignored; prefetch"
	ignoredAgent       = "ignored; agent"
	ignoredArticle     = "ignored; single article"
	ignoredWildcard    = "ignored; unnamed document"
	ignoredRefused     = "ignored; unauthorized"
	ignoredUnavailable = "ignored; unavailable"
)

// ServeHTTP answers a request for this feed.
func (o *outlet) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !document.Readable(w, r) {
		return
	}
	who := o.agents.of(value(r.Header, "User-Agent"))
	code := o.serve(w, r, who.counted)
	o.metrics.request(code, who.client)
	o.visits.add(who.client, code, value(w.Header(), impressions))
}

// serve answers one request and returns the status code. consumer: the User-Agent is one that counts.
func (o *outlet) serve(w http.ResponseWriter, r *http.Request, consumer bool) int {
	if !o.authorized(w, r) {
		return http.StatusUnauthorized
	}
	verdict := o.verdict(r, consumer)
	if verdict == counted && !o.recorder.reserve() {
		// The consumer may retry later; a fetch that cannot be counted would keep its articles in the feed.
		return o.unavailable(w, "Too many fetches are waiting to be counted.")
	}
	retires := verdict == counted && o.RetireAfter > 0
	if retires {
		o.recorder.flush(context.WithoutCancel(r.Context()), arrival.Of(r)) // a client that closed its side still reads
	}
	now := o.current(r.Context(), retires)
	if now.doc == nil {
		if verdict == counted {
			o.recorder.release()
		}
		return o.unavailable(w, "The feed is not available now.")
	}
	return o.answer(w, r, now, verdict)
}

// authorized reports whether the feed is public or r proves that it may read it. Otherwise it answers r.
func (o *outlet) authorized(w http.ResponseWriter, r *http.Request) bool {
	if !o.private() || o.proves(r) {
		return true
	}
	w.Header().Set(impressions, ignoredRefused)
	w.Header().Set("WWW-Authenticate", fmt.Sprintf(`Basic realm="feed %s", charset="UTF-8"`, o.Type))
	document.Refuse(w, http.StatusUnauthorized, "This feed requires its user name and password.")
	return false
}

// verdict returns whether a complete response to r is an impression.
func (o *outlet) verdict(r *http.Request, consumer bool) string {
	switch {
	case r.Method == http.MethodHead:
		return ignoredHead
	case prefetch(r.Header):
		return ignoredPrefetch
	case !consumer && !o.private(): // credentials make the consumer
		return ignoredAgent
	}
	return counted
}

func (o *outlet) unavailable(w http.ResponseWriter, text string) int {
	w.Header().Set(impressions, ignoredUnavailable)
	return document.Unavailable(w, text)
}

// answer writes the document, or 304, and has the fetch recorded when it is proved that the consumer got all of it.
func (o *outlet) answer(w http.ResponseWriter, r *http.Request, now response, verdict string) int {
	response := now.doc.Response(r.Header)
	if response.Code == http.StatusNotModified && !response.Named && verdict == counted {
		o.recorder.release()
		verdict = ignoredWildcard
	}
	header := w.Header()
	header[impressions] = []string{verdict}
	if now.err != nil {
		feed.MarkStale(header)
		o.metrics.stale.Inc()
	}
	if verdict != counted {
		_ = response.Write(w, r) // the client may leave
		return response.Code
	}
	f := o.recorder.begin(now.doc.shown)
	err := response.Write(w, r)
	if err == nil {
		err = http.NewResponseController(w).Flush() // what net/http buffers could not be proved to have arrived
	}
	if c := arrival.Of(r); c != nil && err == nil {
		o.recorder.await(c, f)
		return response.Code
	}
	written := err == nil || errors.Is(err, errors.ErrUnsupported) // a writer that cannot flush has not failed
	o.recorder.settle(f, written && r.Context().Err() == nil)
	return response.Code
}
