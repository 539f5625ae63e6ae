package hub

import (
	"sync"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

const maxBooked = 10_000

// schedule decides when each request is verified, within the rates of its host and its callback and the number of
// concurrent verifications of its host. A request that must wait goes back to the store. Its time stays reserved here, so
// that the rates hold no matter why the request is claimed again.
type schedule struct {
	hosts      *pacer
	callbacks  *pacer // by subscription
	concurrent int    // verifications of one host

	mu      sync.Mutex
	booked  map[string]time.Time // by request
	running map[string]int       // by host
}

func newSchedule(l *Limits) *schedule {
	return &schedule{
		hosts: newPacer(l.PerHost), callbacks: newPacer(l.PerCallback), concurrent: l.ConcurrentPerHost,
		booked: make(map[string]time.Time), running: make(map[string]int),
	}
}

// start returns zero if the verification of a request may start now; end must follow. Otherwise it returns when to try
// again.
func (s *schedule) start(r *feed.HubRequest, now time.Time) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	host := feed.HostID(r.Callback)
	at, known := s.booked[r.ID]
	if !known {
		at = later(s.hosts.book(host, now), s.callbacks.book(r.Subscription(), now))
	} else if !at.After(now) && s.running[host] >= s.concurrent {
		at = later(s.hosts.book(host, now), now.Add(s.hosts.rate.Every)) // the reserved time was lost
	}
	if !at.After(now) && s.running[host] < s.concurrent {
		delete(s.booked, r.ID)
		s.running[host]++
		return time.Time{}
	}
	if len(s.booked) >= maxBooked {
		clear(s.booked)
	}
	at = later(at, now.Add(s.hosts.rate.Every))
	s.booked[r.ID] = at
	return at
}

func (s *schedule) inProgress() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, running := range s.running {
		n += running
	}
	return n
}

func (s *schedule) end(r *feed.HubRequest) {
	s.mu.Lock()
	defer s.mu.Unlock()
	host := feed.HostID(r.Callback)
	if s.running[host]--; s.running[host] == 0 {
		delete(s.running, host)
	}
}
