package ingest

import (
	"sync"
	"time"
)

// When many hosts at once cannot be reached, the fault is on this side, and no source is blamed for it.
const (
	outageWindow = time.Minute
	outageHosts  = 10  // at least so many were tried
	maxContacts  = 512 // hosts that are remembered
)

// contacts remembers how the last attempt to reach each host went. It is shared by all polls; the lock is held for
// microseconds.
type contacts struct {
	mu    sync.Mutex
	hosts map[string]contact
}

type contact struct {
	at     time.Time
	failed bool
}

// note takes in an attempt and reports, where it has failed, whether more than half of all hosts fail.
func (c *contacts) note(host string, now time.Time, failed bool) (outage bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.hosts == nil || len(c.hosts) >= maxContacts {
		c.hosts = make(map[string]contact) // a fresh sample is as good
	}
	c.hosts[host] = contact{now, failed}
	if !failed {
		return false
	}
	tried, lost := 0, 0
	for name, last := range c.hosts {
		switch {
		case now.Sub(last.at) > outageWindow:
			delete(c.hosts, name)
		case last.failed:
			lost++
			fallthrough
		default:
			tried++
		}
	}
	return tried >= outageHosts && 2*lost > tried
}
