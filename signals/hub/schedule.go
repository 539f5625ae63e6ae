package hub

import (
	"math"
	"net/netip"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/feedwire/feedwire/signals/pace"
	"github.com/feedwire/feedwire/store/feed"
)

const (
	maxBooked  = 10_000
	maxWaiting = 10_000           // requests that wait in memory
	crowded    = 30 * time.Second // until a request is scheduled again that found no room to wait
)

// schedule decides when each request is verified, within the rates of its host and its callback, and the numbers of concurrent
// verifications of its lane, its client, its network and its host.
//
// A request that exceeds a rate goes back to the store. Its time stays reserved here, so that the rates hold no matter why the
// request is claimed again. A request whose lane, client, network or host is busy waits here, so that it starts as soon as it may, and the
// requests of others overtake it.
type schedule struct {
	limits    *Limits
	hosts     *pace.Pacer
	callbacks *pace.Pacer // by subscription

	mu      sync.Mutex
	booked  map[string]time.Time         // by request
	running map[string]int               // by group
	waiting map[string][]feed.HubRequest // by client
	waits   map[string]bool              // the requests in waiting
}

func newSchedule(l *Limits) *schedule {
	return &schedule{
		limits: l, hosts: pace.New(l.PerHost), callbacks: pace.New(l.PerCallback),
		booked: make(map[string]time.Time), running: make(map[string]int), waiting: make(map[string][]feed.HubRequest),
		waits: make(map[string]bool),
	}
}

// group is a set of requests of which a limited number is verified at the same time.
type group struct {
	name  string
	limit int
}

func (s *schedule) lane(r *feed.HubRequest) group {
	number := r.Lane
	if r.Mode == feed.HubDenied {
		number = feed.LaneDenial
	}
	return group{"lane " + strconv.Itoa(int(number)), s.limits.Concurrent}
}

// client returns the requests of a client, or of the hub itself, which have no limit of their own.
func (s *schedule) client(name string) group {
	if name == "" {
		return group{"hub", math.MaxInt}
	}
	return group{"client " + name, s.limits.ConcurrentPerClient}
}

// network returns the requests for callbacks on new hosts of the network of a client, whose addresses may be those of one attacker.
func (s *schedule) network(r *feed.HubRequest) group {
	ip, err := netip.ParseAddr(r.Client)
	if err != nil || r.Lane != feed.LaneNewHost || r.Mode == feed.HubDenied {
		return group{"any network", math.MaxInt}
	}
	bits := 24
	if ip.Is6() {
		bits = 48
	}
	prefix, _ := ip.Prefix(bits) // fails only for a longer prefix than the address
	return group{"network " + prefix.String(), s.limits.ConcurrentPerNetwork}
}

// groups returns the groups of a request.
func (s *schedule) groups(r *feed.HubRequest) []group {
	return []group{s.lane(r), s.client(r.Client), s.network(r), {"host " + feed.HostID(r.Callback), s.limits.ConcurrentPerHost}}
}

func (s *schedule) isFull(g group) bool { return s.running[g.name] >= g.limit }

// decision is what happens to a claimed request.
type decision int

const (
	startNow decision = iota // its verification starts; end must follow
	waitHere                 // startWaiting returns it later
	postpone                 // it goes back to the store
)

// decide decides on a claimed request, and returns until when to postpone it.
func (s *schedule) decide(r *feed.HubRequest, now time.Time) (decision, time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.waits[r.ID] { // its claim has ended meanwhile, or another request got its id
		queue := s.waiting[r.Client]
		if i := slices.IndexFunc(queue, func(w feed.HubRequest) bool { return w.ID == r.ID }); i >= 0 {
			queue[i] = *r
			return waitHere, time.Time{}
		}
	}
	at, known := s.booked[r.ID]
	if !known {
		at = s.hosts.Book(feed.HostID(r.Callback), now)
		if next := s.callbacks.Book(r.Subscription(), now); next.After(at) {
			at = next
		}
	}
	if at.After(now) {
		if len(s.booked) >= maxBooked {
			clear(s.booked)
		}
		s.booked[r.ID] = at
		return postpone, at
	}
	switch {
	case s.occupy(r):
	case len(s.waits) >= maxWaiting:
		return postpone, now.Add(crowded)
	default:
		s.waiting[r.Client] = append(s.waiting[r.Client], *r)
		s.waits[r.ID] = true
		delete(s.booked, r.ID)
		return waitHere, time.Time{}
	}
	delete(s.booked, r.ID)
	return startNow, time.Time{}
}

// startWaiting returns the requests that have waited and whose verification may start now; end must follow for each. The clients are
// in no particular order, so that each gets a share.
func (s *schedule) startWaiting() (all []feed.HubRequest) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for client, queue := range s.waiting {
		mine := s.client(client)
		queue = slices.DeleteFunc(queue, func(r feed.HubRequest) bool {
			if s.isFull(mine) || s.isFull(s.lane(&r)) || !s.occupy(&r) { // the first two are cheap: thousands may wait
				return false
			}
			all = append(all, r)
			delete(s.waits, r.ID)
			return true
		})
		if s.waiting[client] = queue; len(queue) == 0 {
			delete(s.waiting, client)
		}
	}
	return all
}

// occupy takes a slot in each group of a request, or none if a group has no free one. The caller holds s.mu.
func (s *schedule) occupy(r *feed.HubRequest) bool {
	groups := s.groups(r)
	if slices.ContainsFunc(groups, s.isFull) {
		return false
	}
	for _, g := range groups {
		s.running[g.name]++
	}
	return true
}

func (s *schedule) end(r *feed.HubRequest) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, g := range s.groups(r) {
		if s.running[g.name]--; s.running[g.name] == 0 {
			delete(s.running, g.name)
		}
	}
}
