package main

import (
	"compress/gzip"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"
	"time"

	"github.com/feedwire/feedwire/ingest"
	"github.com/feedwire/feedwire/signals/websub"
)

// delivery is a document that the hub has signed.
type delivery struct {
	topic string
	doc   ingest.Raw
}

// ServeHTTP is the callback, at whatever path a proxy has made of it: its last part is the token.
func (s *subscriber) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case subtle.ConstantTimeCompare([]byte(path.Base(r.URL.Path)), []byte(s.token)) == 0:
		http.NotFound(w, r)
	case r.Method == http.MethodGet:
		s.confirm(w, r)
	case r.Method == http.MethodPost:
		s.deliver(w, r)
	default:
		w.Header().Set("Allow", "GET, POST")
		http.Error(w, "hubs send GET and POST", http.StatusMethodNotAllowed)
	}
}

// confirm answers the hub that asks whether we mean it, or that denies us (sections 5.2 and 5.3). What nobody asked for
// is not confirmed.
func (s *subscriber) confirm(w http.ResponseWriter, r *http.Request) {
	intent, ok := websub.ParseIntent(r.URL.Query())
	s.mu.Lock()
	ok = ok && intent.Topic == s.topic &&
		(intent.Mode == websub.Denied || intent.Mode == s.wanted && time.Now().Before(s.until))
	s.left = s.left || ok && intent.Mode == websub.Unsubscribe
	s.mu.Unlock()
	if !ok {
		fmt.Fprintf(s.notes, "refused to confirm %q of %q, which was not asked for\n", intent.Mode, oneLine(intent.Topic))
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff") // the challenge is somebody else's text
	_, _ = io.WriteString(w, intent.Challenge)          // none where denied
	select {
	case s.heard <- intent:
	default: // told often enough
	}
}

// deliver takes a document and answers at once; what it says is told afterwards, in order.
func (s *subscriber) deliver(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	left := s.left
	s.mu.Unlock()
	if left {
		http.Error(w, "there is no subscription here", http.StatusGone)
		return
	}
	body, err := deliveredBody(r)
	if err != nil {
		fmt.Fprintf(s.notes, "delivery refused: %v\n", err)
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if err := websub.Verify(r.Header, s.secret, body); err != nil {
		fmt.Fprintf(s.notes, "delivery refused: %v\n", err)
		http.Error(w, err.Error(), http.StatusForbidden)
		return
	}
	select {
	case s.queue <- delivery{s.topic, ingest.Raw{
		Body: body, ContentType: r.Header.Get("Content-Type"), URL: s.topic, Received: time.Now(), Pushed: true,
	}}:
		w.WriteHeader(http.StatusAccepted)
	default:
		w.Header().Set("Retry-After", "30")
		http.Error(w, "busy with what came before", http.StatusServiceUnavailable)
	}
}

// deliveredBody reads a delivery. The signature is over what the topic is (section 7.1), not over how it travels.
func deliveredBody(r *http.Request) ([]byte, error) {
	from := io.Reader(r.Body)
	switch r.Header.Get("Content-Encoding") {
	case "", "identity":
	case "gzip", "x-gzip":
		unpacked, err := gzip.NewReader(from)
		if err != nil {
			return nil, errors.New("it is not gzip, as it says")
		}
		from = unpacked
	default:
		return nil, errors.New("it is encoded by something else than gzip")
	}
	body, err := io.ReadAll(io.LimitReader(from, maxDocument+1))
	switch {
	case err != nil:
		return nil, errors.New("it cannot be read to its end")
	case len(body) > maxDocument:
		return nil, errors.New("it has more than 8 MiB")
	}
	return body, nil
}
