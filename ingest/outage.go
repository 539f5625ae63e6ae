package ingest

import (
	"sync"
	"time"
)

// If many hosts cannot be reached at once, the network of this machine fails and no source is blamed.
const (
	outageWindow = time.Minute
	outageHosts  = 10  // least number of hosts tried
	maxContacts  = 512 // hosts in the sample
)

// contacts records the last attempt to reach each host. It is safe for concurrent use.
type contacts struct {
	mu    sync.Mutex // guards hosts, for microseconds
	hosts map[string]contact
}

type contact struct {
	at     time.Time
	failed bool
}

// isOutage records an attempt. It reports whether the attempt failed as more than half of all hosts do.
func (c *contacts) isOutage(host string, now time.Time, failed bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.hosts == nil || len(c.hosts) >= maxContacts {
		c.hosts = make(map[string]contact) // a new sample is as good
	}
	c.hosts[host] = contact{now, failed}
	if !failed {
		return false
	}
	unreachable := 0
	for name, last := range c.hosts {
		if now.Sub(last.at) > outageWindow {
			delete(c.hosts, name)
		} else if last.failed {
			unreachable++
		}
	}
	return len(c.hosts) >= outageHosts && 2*unreachable > len(c.hosts)
}
