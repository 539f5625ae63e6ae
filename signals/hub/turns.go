package hub

import (
	"sync"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// maxTurns bounds how many turns are remembered.
const maxTurns = 10_000

// turns says when the callbacks are asked: the GETs at one host and those at one callback keep their rates, and few of
// those at one host are under way at a time. A request whose turn is later goes back to the store, and its turn is
// remembered here, so that the rates hold for whatever makes it come again.
type turns struct {
	hosts     *pacer
	callbacks *pacer // by subscription
	atOnce    int

	mu     sync.Mutex // held for map operations
	booked map[string]time.Time
	asking map[string]int // GETs under way, by host
}

func newTurns(l *Limits) *turns {
	return &turns{
		hosts: newPacer(l.PerHost), callbacks: newPacer(l.PerCallback), atOnce: l.HostAtOnce,
		booked: make(map[string]time.Time), asking: make(map[string]int),
	}
}

// start takes the turn of a request and returns zero; end must follow. Or it returns when to come again.
func (t *turns) start(r *feed.HubRequest, now time.Time) time.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	host := feed.HostID(r.Callback)
	at, known := t.booked[r.ID]
	if !known {
		at = later(t.hosts.book(host, now), t.callbacks.book(r.Subscription(), now))
	} else if !at.After(now) && t.asking[host] >= t.atOnce {
		at = later(t.hosts.book(host, now), now.Add(t.hosts.rate.Every)) // it came in vain
	}
	if !at.After(now) && t.asking[host] < t.atOnce {
		delete(t.booked, r.ID)
		t.asking[host]++
		return time.Time{}
	}
	if len(t.booked) >= maxTurns {
		clear(t.booked) // they take another turn
	}
	at = later(at, now.Add(t.hosts.rate.Every))
	t.booked[r.ID] = at
	return at
}

// underWay is how many GETs there are now.
func (t *turns) underWay() (n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, asking := range t.asking {
		n += asking
	}
	return n
}

// end ends the GET of a request that had its turn.
func (t *turns) end(r *feed.HubRequest) {
	t.mu.Lock()
	defer t.mu.Unlock()
	host := feed.HostID(r.Callback)
	if t.asking[host]--; t.asking[host] == 0 {
		delete(t.asking, host)
	}
}
