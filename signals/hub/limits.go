package hub

import (
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"
)

// Limits bound what strangers can make the hub do. Rates and memory are of this daemon alone; what is counted in the
// store is of all. Each number has a default, which holds where it is 0.
type Limits struct {
	PerClient      Rate          // requests of one address, each topic of a publish counting as one; default: 10 a second, 20 at once
	PerHost        Rate          // GETs at the callbacks of one host; default: 5 a second, 20 at once
	PerCallback    Rate          // GETs at one callback for one topic; default: one in 10 seconds, 3 at once
	Refusals       Rate          // of one callback for one topic, until requests for it wait; default: one in 5 minutes, 3 at once
	HostWaiting    int           // requests for one host that may wait for their GET; default: 1,000
	HostAtOnce     int           // GETs at one host at a time; default: 4
	AtOnce         int           // GETs at a time; default: 64
	Waiting        int           // requests of all that may wait; default: 100,000
	PerPair        int           // requests of one callback and topic that may wait; default: 3
	Subscriptions  int           // default: 1,000,000
	OfTopic        int           // subscriptions of one topic; default: 250,000
	OfHost         int           // subscriptions that deliver to one host; default: 100,000
	PublishesApart time.Duration // at least, between two looks at one topic; default: 10 s; negative: none
}

// Rate is how often something may happen: once in Every in the long run, and Burst times at once.
type Rate struct {
	Every time.Duration
	Burst int
}

func (l *Limits) setDefaults() {
	rate := func(r *Rate, every time.Duration, burst int) {
		if r.Every <= 0 {
			r.Every = every
		}
		if r.Burst <= 0 {
			r.Burst = burst
		}
	}
	rate(&l.PerClient, 100*time.Millisecond, 20)
	rate(&l.PerHost, 200*time.Millisecond, 20)
	rate(&l.PerCallback, 10*time.Second, 3)
	rate(&l.Refusals, 5*time.Minute, 3)
	for _, n := range []struct {
		value *int
		most  int
	}{
		{&l.HostWaiting, 1000}, {&l.HostAtOnce, 4}, {&l.AtOnce, 64}, {&l.Waiting, 100_000}, {&l.PerPair, 3},
		{&l.Subscriptions, 1_000_000}, {&l.OfTopic, 250_000}, {&l.OfHost, 100_000},
	} {
		if *n.value <= 0 {
			*n.value = n.most
		}
	}
	if l.PublishesApart == 0 {
		l.PublishesApart = 10 * time.Second
	}
}

// pacerKeys bounds how many names a pacer remembers.
const pacerKeys = 20_000

// pacer keeps rates by name. It remembers one time a name: when the name would have been idle long enough to have its whole
// burst again. When it remembers too many it forgets some, which then may go on as if they were new.
type pacer struct {
	rate Rate

	mu   sync.Mutex // held for a few map operations
	idle map[string]time.Time
}

func newPacer(rate Rate) *pacer { return &pacer{rate: rate, idle: make(map[string]time.Time)} }

// wait is how long a name has to wait; 0: not at all. The empty name never waits.
func (p *pacer) wait(name string, now time.Time) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return max(0, p.next(name, now).Sub(now))
}

// take lets a name go now, or says how long it has to wait.
func (p *pacer) take(name string, now time.Time) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if wait := p.next(name, now).Sub(now); wait > 0 {
		return wait
	}
	p.add(name, now)
	return 0
}

// book is when a name may go next, which nobody else gets then.
func (p *pacer) book(name string, now time.Time) time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	next := p.next(name, now)
	p.add(name, now)
	return next
}

// add counts a turn of a name; p.mu is held.
func (p *pacer) add(name string, now time.Time) {
	if name == "" {
		return
	}
	if _, known := p.idle[name]; !known {
		p.makeRoom(now)
	}
	p.idle[name] = later(p.idle[name], now).Add(p.rate.Every)
}

// next is when a name may go next; p.mu is held.
func (p *pacer) next(name string, now time.Time) time.Time {
	if name == "" {
		return now
	}
	return later(now, p.idle[name].Add(-time.Duration(p.rate.Burst-1)*p.rate.Every))
}

// makeRoom forgets one name where there are too many: one of a few that is idle, or any of them; p.mu is held.
func (p *pacer) makeRoom(now time.Time) {
	if len(p.idle) < pacerKeys {
		return
	}
	looked, last := 0, ""
	for name, idle := range p.idle { // in no order
		last = name
		if looked++; looked == 8 || !idle.After(now) {
			break
		}
	}
	delete(p.idle, last)
}

// clientAddress is where a request comes from: the address, or for IPv6 the network, because one subscriber line has that
// many of them. A proxy on this machine or in a private network is believed about whom it speaks for; who is on this
// machine otherwise is not limited.
func clientAddress(r *http.Request) string {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	addr := peer.Addr().Unmap()
	if addr.IsLoopback() || addr.IsPrivate() {
		client, err := forwardedFor(r.Header)
		switch {
		case err == nil:
			addr = client
		case addr.IsLoopback():
			return ""
		}
	}
	if addr.Is4() {
		return addr.String()
	}
	network, _ := addr.WithZone("").Prefix(64) // valid for IPv6
	return network.String()
}

// forwardedFor is whom the nearest proxy speaks for: the last address that it was told of.
func forwardedFor(header http.Header) (netip.Addr, error) {
	all := strings.Join(header.Values("X-Forwarded-For"), ",")
	addr, err := netip.ParseAddr(strings.TrimSpace(all[strings.LastIndexByte(all, ',')+1:]))
	return addr.Unmap(), err
}
