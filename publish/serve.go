package publish

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// The values of X-Feedwire-Impressions: what a response means for the articles in it.
const (
	impressions        = "X-Feedwire-Impressions"
	counted            = "counted" // once the client has proved to have all of it
	ignoredHead        = "ignored; head"
	ignoredPrefetch    = "ignored; prefetch"
	ignoredAgent       = "ignored; agent"
	ignoredWildcard    = "ignored; unnamed document"
	ignoredRefused     = "ignored; unauthorized"
	ignoredUnavailable = "ignored; unavailable"
)

// ServeHTTP answers GET and HEAD for the feed named by the path value "type".
func (p *Publisher) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	typ := r.PathValue("type")
	o := p.outlet(typ)
	if o == nil {
		refuse(w, http.StatusNotFound, fmt.Sprintf("There is no feed %.64q. Known feeds: %s.", typ, strings.Join(p.Names(), ", ")))
		return
	}
	o.ServeHTTP(w, r)
}

// At is what answers GET and HEAD at a path as ServeHTTP does, but without a pattern to match; nil: no feed is served there.
func (p *Publisher) At(path string) http.Handler {
	if name, ok := strings.CutPrefix(path, "/feed/"); ok {
		if o := p.outlet(name); o != nil {
			return o
		}
	}
	return nil
}

// ServeHTTP answers a request for this feed.
func (o *outlet) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		refuse(w, http.StatusMethodNotAllowed, "A feed can be read with GET and HEAD only.")
		return
	}
	who := o.visitors.of(value(r.Header, "User-Agent"))
	code := o.serve(w, r, who.counted)
	o.metrics.request(code, who.client)
	o.guests.note(who.client, code, value(w.Header(), impressions))
}

// refuse answers with a sentence for a person.
func refuse(w http.ResponseWriter, code int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(code)
	fmt.Fprintln(w, text) //nolint:gosec // plain text that no browser takes for anything else
}

// serve answers one request and tells the status code. Consumer: the User-Agent is one that counts.
func (o *outlet) serve(w http.ResponseWriter, r *http.Request, consumer bool) int {
	if o.secret != nil && !o.secret.shownBy(r) {
		if o.opts.OnAuthFailure != nil && r.Header.Get("Authorization") != "" {
			o.opts.OnAuthFailure("basic")
		}
		w.Header().Set(impressions, ignoredRefused)
		w.Header().Set("WWW-Authenticate", fmt.Sprintf(`Basic realm="feed %s", charset="UTF-8"`, o.Type))
		refuse(w, http.StatusUnauthorized, "This feed asks for its user name and password.")
		return http.StatusUnauthorized
	}
	verdict := o.verdict(r, consumer)
	if verdict == counted && !o.recorder.reserve() {
		// The consumer may come again later; a fetch that cannot be counted would keep its articles in the feed for good.
		return o.unavailable(w, "Too many fetches wait to be counted.")
	}
	now := o.current(r.Context(), verdict == counted && o.RetireAfter > 0)
	if now.err != nil {
		if verdict == counted {
			o.recorder.release()
		}
		return o.unavailable(w, "The feed cannot be read at the moment.")
	}
	return o.answer(w, r, now, verdict)
}

// verdict tells whether a completed answer to r would be an impression.
func (o *outlet) verdict(r *http.Request, consumer bool) string {
	switch {
	case r.Method == http.MethodHead:
		return ignoredHead
	case prefetching(r.Header):
		return ignoredPrefetch
	case !consumer && o.secret == nil: // with a secret, it was shown
		return ignoredAgent
	}
	return counted
}

func (o *outlet) unavailable(w http.ResponseWriter, text string) int {
	w.Header().Set(impressions, ignoredUnavailable)
	w.Header().Set("Retry-After", "5")
	refuse(w, http.StatusServiceUnavailable, text+" Please try again in 5 seconds.")
	return http.StatusServiceUnavailable
}

// answer writes the document, or that the client holds it already, and has the fetch recorded once it is proved that the
// consumer got all of it.
func (o *outlet) answer(w http.ResponseWriter, r *http.Request, now edition, verdict string) int {
	v, encoding := &now.doc.plain, 0
	if acceptsGzip(r.Header) {
		v, encoding = &now.doc.gzip, 1
	}
	held, proved := now.doc.held(v, r.Header)
	if held && !proved && verdict == counted {
		o.recorder.release()
		verdict = ignoredWildcard
	}
	code, lines, body := http.StatusOK, now.full[encoding], v.body
	if held {
		code, lines, body = http.StatusNotModified, now.bare[encoding], nil
	}
	header := w.Header()
	for _, line := range lines {
		header[line.name] = line.values
	}
	header[impressions] = []string{verdict}
	if now.stale {
		header.Set("X-Feedwire-Stale", "true")
		o.metrics.stale.Inc()
	}
	if verdict != counted {
		_ = send(w, r, code, body) // whoever it is may go away
		return code
	}
	f := o.recorder.begin(now.doc.shown)
	err := send(w, r, code, body)
	if err == nil {
		// What net/http still holds back could not be proved to have arrived.
		err = http.NewResponseController(w).Flush()
	}
	if c := receiptOf(r); c != nil && err == nil && r.ProtoMajor == 1 {
		o.recorder.expect(c, f)
		return code
	}
	written := err == nil || errors.Is(err, errors.ErrUnsupported) // a writer that cannot flush has not failed
	o.recorder.settled(f, written && r.Context().Err() == nil)
	return code
}

func send(w http.ResponseWriter, r *http.Request, code int, body []byte) error {
	w.WriteHeader(code)
	if len(body) == 0 || r.Method == http.MethodHead {
		return nil
	}
	_, err := w.Write(body)
	return err
}
