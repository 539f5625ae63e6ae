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
	first, err := state()
	if err != nil {
		return err
	}
	last := fmt.Sprintln(first...)
	out, err := OpenStream(w, followReconnect)
	if err != nil {
		return nil //nolint:nilerr // the client is gone
	}
	pulse, end := time.NewTicker(followPulse), time.NewTimer(followFor)
	defer pulse.Stop()
	defer end.Stop()
	for {
		select {
		case <-r.Context().Done():
			return nil
		case <-end.C:
			return nil
		case <-k.closed:
			return nil
		case <-pulse.C:
		}
		now, err := state()
		if err != nil {
			return nil //nolint:nilerr // the response has begun; the browser reconnects and gets the error then
		}
		text := followBeat
		if shown := fmt.Sprintln(now...); shown != last {
			last, text = shown, "event: changed\ndata: {}\n\n"
		}
		if out.Write([]byte(text)) != nil || out.Flush() != nil {
			return nil
		}
	}
}
