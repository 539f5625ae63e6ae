package overview

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

const (
	aliveFor    = time.Second             // for which a check of the store holds
	aliveWithin = 1500 * time.Millisecond // the deadline of a check, so that a page shows an outage within 5 seconds
)

// alive is the last check of the store. However many pages are open, the store is checked once per aliveFor.
type alive struct {
	mu  sync.Mutex
	end time.Time // of the validity of err
	err error
}

// check returns the error of the last check, or of a new one if that is too old.
func (a *alive) check(ctx context.Context, now func() time.Time, check func(context.Context) error) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if now().Before(a.end) {
		return a.err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), aliveWithin) // others wait for the result, too
	defer cancel()
	a.err = check(ctx)
	a.end = now().Add(aliveFor)
	return a.err
}

// serveAlive serves "/alive", which open pages request every two seconds: 204, or 503 and what is unavailable.
func (o *Overview) serveAlive(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set("Cache-Control", "no-store")
	err := o.alive.check(r.Context(), time.Now, o.store.Check)
	if err == nil {
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	text := "The store does not answer."
	switch {
	case errors.Is(err, feed.ErrFull):
		text = "The store has reached the limit of its memory and refuses changes."
	case errors.Is(err, feed.ErrEmptied):
		text = "The data of this installation is gone from the store."
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(http.StatusServiceUnavailable)
	fmt.Fprint(w, text)
	return nil
}
