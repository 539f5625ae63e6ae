package hub

import (
	"time"
)

// Bounds of the breaker: a host that answers hardly any delivery is left alone for a while.
const (
	window      = 5 * time.Minute  // over which deliveries are counted
	leastTries  = 10               // in a window, to judge by
	badShare    = 0.8              // of them that may fail
	firstBreak  = time.Minute      // doubled with each
	longest     = 30 * time.Minute // break
	spreadBreak = 10 * time.Second // over which deliveries come back after a break
)

// ahead is how many deliveries of one host are claimed before there is room for them, so that the host does not wait for
// the store. They are few enough to be begun long before their fence.
const ahead = 32

// atFirst is how many deliveries are claimed of a host that is quiet: one to begin and one behind it.
const atFirst = 2

// host is what the engine knows of one host. The dispatcher owns it.
type host struct {
	id      string
	capped  bool   // there may be more to claim once there is room
	running int    // deliveries begun or about to be, but for the slow ones
	slow    int    // deliveries under way for longer than slowAfter
	waiting []*job // claimed, first come first served

	answered    time.Time // the last answer; zero if a delivery has taken long since then
	until       time.Time // when it may be asked again; past: now
	pause       time.Duration
	probing     bool // one delivery is to show whether the break helped
	since       time.Time
	tries, fail int // in the window
}

// claimed is how many deliveries of the host are in this engine's hands.
func (h *host) claimed() int { return h.running + len(h.waiting) }

// quiet reports whether nobody knows that the host answers now. It then is asked one thing at a time: many hosts that
// answer nothing must not take all workers, nor all that may be claimed.
func (h *host) quiet(o *Options, now time.Time) bool { return now.Sub(h.answered) > o.Timeout }

// reach is how many deliveries may be claimed, begun ones included. Those of a closed host are put off, many at a time.
func (h *host) reach(o *Options, now time.Time) int {
	if h.quiet(o, now) && !h.closed(now) {
		return atFirst
	}
	return o.PerHost + ahead
}

// room is how many more may be claimed.
func (h *host) room(o *Options, now time.Time) int {
	if h.slow >= o.SlowPerHost {
		return 0
	}
	return max(0, h.reach(o, now)-h.claimed())
}

// free reports whether another delivery may be begun.
func (h *host) free(o *Options, now time.Time) bool {
	switch {
	case h.probing:
		return h.running+h.slow == 0
	case h.slow >= o.SlowPerHost:
		return false
	case h.quiet(o, now):
		return h.running == 0
	}
	return h.running < o.PerHost
}

// closed reports whether the host is left alone.
func (h *host) closed(now time.Time) bool { return now.Before(h.until) }

// idle reports whether the host can be forgotten.
func (h *host) idle(now time.Time) bool {
	return h.claimed()+h.slow == 0 && !h.closed(now) && !h.probing && now.Sub(h.since) > window
}

// judge counts an answer and reports whether the host is left alone from now on.
func (h *host) judge(a answer, now time.Time) (broke bool) {
	if now.Sub(h.since) > window {
		h.since, h.tries, h.fail = now, 0, 0
	}
	h.tries++
	if a.status != 0 {
		h.answered = now
	}
	switch {
	case a.ill():
		h.fail++
	case h.probing:
		h.probing, h.pause = false, 0
		h.tries, h.fail = 0, 0
	}
	if a.wait > 0 {
		h.until = later(h.until, now.Add(a.wait))
	}
	if h.closed(now) || !a.ill() {
		return false
	}
	if h.probing || h.tries >= leastTries && float64(h.fail) >= badShare*float64(h.tries) {
		h.pause = min(max(2*h.pause, firstBreak), longest)
		h.until, h.probing = now.Add(h.pause), true
		h.tries, h.fail = 0, 0
		return true
	}
	return false
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
