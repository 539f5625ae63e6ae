package delivery

import "time"

// Bounds of the circuit breaker: a host that fails nearly all deliveries is suspended.
const (
	window       = 5 * time.Minute  // over which attempts are counted
	minAttempts  = 10               // in the window, before a host can be suspended
	failedShare  = 0.8              // of the attempts that suspends a host
	firstSuspend = time.Minute      // doubled for each further suspension
	maxSuspend   = 30 * time.Minute // longest suspension
	spreadResume = 10 * time.Second // over which deliveries resume after a suspension
)

// claimAhead is how many deliveries of a host are claimed before it has slots for them, so that it does not wait for the
// store. They are few enough to start long before their fences.
const claimAhead = 32

// silentClaims is how many deliveries of a silent host are claimed: one to start and one behind it.
const silentClaims = 2

// host is the state of one host. The dispatcher owns it.
type host struct {
	id      string
	capped  bool   // there may be more to claim once there is room
	running int    // jobs started or queued, without slow ones
	slow    int    // jobs in the slow pool
	waiting []*job // claimed jobs that wait for a slot, in order

	responded        time.Time // the last response; zero if a delivery has been slow since then
	until            time.Time // end of the suspension
	suspension       time.Duration
	probing          bool // the next delivery decides whether the suspension ends
	since            time.Time
	attempts, failed int // in the window that began at since
}

// claimed returns how many deliveries of the host this engine has claimed, without slow ones.
func (h *host) claimed() int { return h.running + len(h.waiting) }

// silent reports whether the host has not responded lately. It then gets one delivery at a time: many silent hosts must
// not occupy all workers or all claims.
func (h *host) silent(o *Options, now time.Time) bool { return now.Sub(h.responded) > o.Timeout }

// claimLimit returns how many deliveries may be claimed. For a suspended host it is large, because these are postponed
// many at a time.
func (h *host) claimLimit(o *Options, now time.Time) int {
	if h.silent(o, now) && !h.suspended(now) {
		return silentClaims
	}
	return o.PerHost + claimAhead
}

// claimable returns how many more deliveries may be claimed.
func (h *host) claimable(o *Options, now time.Time) int {
	if h.slow >= slowPerHost {
		return 0
	}
	return max(0, h.claimLimit(o, now)-h.claimed())
}

// hasSlot reports whether another delivery may start.
func (h *host) hasSlot(o *Options, now time.Time) bool {
	switch {
	case h.probing:
		return h.running+h.slow == 0
	case h.slow >= slowPerHost:
		return false
	case h.silent(o, now):
		return h.running == 0
	}
	return h.running < o.PerHost
}

// suspended reports whether deliveries to the host are postponed.
func (h *host) suspended(now time.Time) bool { return now.Before(h.until) }

// idle reports whether the host can be removed.
func (h *host) idle(now time.Time) bool {
	return h.claimed()+h.slow == 0 && !h.suspended(now) && !h.probing && now.Sub(h.since) > window
}

// record counts a response and reports whether it suspends the host.
func (h *host) record(r response, now time.Time) (suspended bool) {
	if now.Sub(h.since) > window {
		h.since, h.attempts, h.failed = now, 0, 0
	}
	h.attempts++
	if r.status != 0 {
		h.responded = now
	}
	switch {
	case r.serverFailed():
		h.failed++
	case h.probing:
		h.probing, h.suspension = false, 0
		h.attempts, h.failed = 0, 0
	}
	if until := now.Add(r.wait); r.wait > 0 && until.After(h.until) {
		h.until = until
	}
	if h.suspended(now) || !r.serverFailed() {
		return false
	}
	if h.probing || h.attempts >= minAttempts && float64(h.failed) >= failedShare*float64(h.attempts) {
		h.suspension = min(max(2*h.suspension, firstSuspend), maxSuspend)
		h.until, h.probing = now.Add(h.suspension), true
		h.attempts, h.failed = 0, 0
		return true
	}
	return false
}
