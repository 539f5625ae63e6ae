// Package pace limits how often events happen.
package pace

import (
	"slices"
	"sync"
	"time"
)

// Rate allows one event in Every on average, and Burst events at once.
type Rate struct {
	Every time.Duration
	Burst int
}

const maxKeys = 20_000

// Pacer applies a rate to each key. Unlike a map of rate.Limiter it keeps one time for each key: when the whole burst will
// be available again. If it has too many keys it forgets one, which then starts with a whole burst.
type Pacer struct {
	rate Rate

	mu   sync.Mutex
	idle map[string]time.Time
}

// New returns a Pacer.
func New(rate Rate) *Pacer { return &Pacer{rate: rate, idle: make(map[string]time.Time)} }

// Wait returns how long a key has to wait. The empty key never waits.
func (p *Pacer) Wait(key string, now time.Time) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return max(0, p.next(key, now).Sub(now))
}

// Take counts an event now and returns zero, or returns how long the key has to wait.
func (p *Pacer) Take(key string, now time.Time) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if wait := p.next(key, now).Sub(now); wait > 0 {
		return wait
	}
	p.add(key, now)
	return 0
}

// Book reserves the next time at which an event of a key is allowed, and returns it.
func (p *Pacer) Book(key string, now time.Time) time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	next := p.next(key, now)
	p.add(key, now)
	return next
}

// add counts an event of a key. The caller holds p.mu.
func (p *Pacer) add(key string, now time.Time) {
	if key == "" {
		return
	}
	if _, known := p.idle[key]; !known {
		p.makeRoom(now)
	}
	p.idle[key] = latest(p.idle[key], now).Add(p.rate.Every)
}

// next returns when the next event of a key is allowed. The caller holds p.mu.
func (p *Pacer) next(key string, now time.Time) time.Time {
	if key == "" {
		return now
	}
	return latest(now, p.idle[key].Add(-time.Duration(p.rate.Burst-1)*p.rate.Every))
}

// makeRoom removes a key if there are too many: an idle one if it finds one among eight, otherwise any. The caller holds
// p.mu.
func (p *Pacer) makeRoom(now time.Time) {
	if len(p.idle) < maxKeys {
		return
	}
	tried, last := 0, ""
	for key, idle := range p.idle {
		last = key
		if tried++; tried == 8 || !idle.After(now) {
			break
		}
	}
	delete(p.idle, last)
}

func latest(times ...time.Time) time.Time { return slices.MaxFunc(times, time.Time.Compare) }
