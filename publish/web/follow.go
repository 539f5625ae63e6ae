package web

import (
	"fmt"
	"net/http"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

const (
	followPulse     = 2 * time.Second         // between two checks
	maxFollowing    = 50                      // open streams
	followFor       = 10 * time.Minute        // then the browser reconnects and is admitted again
	followReconnect = 5 * time.Second         // until a browser reconnects
	followBeat      = ": nothing changed\n\n" // keeps proxies from closing the connection
)

// Follow streams an event whenever the text of state changes.
func (k *Kit) Follow(w http.ResponseWriter, r *http.Request, state func() ([]any, error)) error {
	select {
	case k.following <- struct{}{}:
		defer func() { <-k.following }()
	default:
		return fmt.Errorf("%d pages are followed already: %w", maxFollowing, feed.ErrUnavailable)
	}
	var last string
	return k.Pulse(w, r, followPulse, func(first bool) (string, error) {
		now, err := state()
		before := last
		switch last = fmt.Sprintln(now...); {
		case first || err != nil:
			return "", err
		case last == before:
			return followBeat, nil
		}
		return "event: changed\ndata: {}\n\n", nil
	})
}

// Pulse streams the events that next returns, first at once and then in intervals, until the client leaves, the daemon stops or next
// fails. It returns the error of the first call only: later, the browser reconnects and gets the error then.
func (k *Kit) Pulse(w http.ResponseWriter, r *http.Request, every time.Duration, next func(first bool) (string, error)) error {
	text, err := next(true)
	if err != nil {
		return err
	}
	out, err := OpenStream(w, followReconnect)
	if err != nil {
		return nil //nolint:nilerr // the client is gone
	}
	pulse, end := time.NewTicker(every), time.NewTimer(followFor)
	defer pulse.Stop()
	defer end.Stop()
	for err == nil {
		if text != "" && (out.Write([]byte(text)) != nil || out.Flush() != nil) {
			return nil
		}
		select {
		case <-r.Context().Done():
			return nil
		case <-end.C:
			return nil
		case <-k.closed:
			return nil
		case <-pulse.C:
		}
		text, err = next(false)
	}
	return nil
}
