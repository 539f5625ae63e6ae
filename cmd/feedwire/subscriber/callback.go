package subscriber

import (
	"crypto/subtle"
	"fmt"
	"io"
	"net/http"
	"path"
	"time"

	"github.com/feedwire/feedwire/cmd/feedwire/terminal"
	"github.com/feedwire/feedwire/ingest/parser"
	"github.com/feedwire/feedwire/signals/websub"
	"github.com/feedwire/feedwire/store/feed"
)

// ServeHTTP serves the callback. A proxy may change its path, except the last part, which is the token.
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
		http.Error(w, "use GET or POST", http.StatusMethodNotAllowed)
	}
}

// confirm responds to verification of intent and to denials (WebSub 5.2 and 5.3). It confirms only what was requested.
func (s *subscriber) confirm(w http.ResponseWriter, r *http.Request) {
	intent, ok := websub.ParseIntent(r.URL.Query())
	s.mu.Lock()
	ok = ok && intent.Topic == s.topic &&
		(intent.Mode == feed.HubDenied || intent.Mode == s.wanted && time.Now().Before(s.until))
	s.left = s.left || ok && intent.Mode == feed.HubUnsubscribe
	s.mu.Unlock()
	if !ok {
		fmt.Fprintf(s.opts.Notes, "did not confirm %q of %q, which was not requested\n", intent.Mode, terminal.OneLine(intent.Topic))
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff") // the challenge is foreign text
	_, _ = io.WriteString(w, intent.Challenge)          // a denial has none
	select {
	case s.intents <- intent:
	default: // the command has enough of them
	}
}

// deliver accepts a document and responds at once. process prints it later, in order.
func (s *subscriber) deliver(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	left, topic := s.left, s.topic
	s.mu.Unlock()
	if left {
		http.Error(w, "no such subscription", http.StatusGone)
		return
	}
	body, err := websub.ReadDelivery(r, maxDocument)
	if err != nil {
		fmt.Fprintf(s.opts.Notes, "delivery rejected: %v\n", err)
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if err := websub.Verify(r.Header, s.secret, body); err != nil {
		fmt.Fprintf(s.opts.Notes, "delivery rejected: %v\n", err)
		http.Error(w, err.Error(), http.StatusForbidden)
		return
	}
	select {
	case s.queue <- parser.Raw{Body: body, ContentType: r.Header.Get("Content-Type"), URL: topic, Received: time.Now(), Pushed: true}:
		w.WriteHeader(http.StatusAccepted)
	default:
		w.Header().Set("Retry-After", "30")
		http.Error(w, "busy", http.StatusServiceUnavailable)
	}
}
