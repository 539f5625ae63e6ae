package retry

import (
	"errors"
	"sync"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// reportEvery is the time between two reports of requests that fail for the same reason.
const reportEvery = 10 * time.Second

// Report limits the reports of requests that the store cannot serve, of which there may be hundreds in a second. The zero value is
// ready to use.
type Report struct {
	mu     sync.Mutex
	last   time.Time
	failed int // since last
}

// Failed calls log for the first of the requests that fail with feed.ErrUnavailable, and then at most every ten seconds, with the number
// of those that failed since. It calls log for each other error.
func (r *Report) Failed(err error, log func(count int)) {
	if !errors.Is(err, feed.ErrUnavailable) {
		log(1)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed++
	if now := time.Now(); r.last.IsZero() || now.Sub(r.last) >= reportEvery {
		log(r.failed)
		r.last, r.failed = now, 0
	}
}
