package intake

import "sync"

// earlySignals bounds the ids in memory. A signal whose id is not remembered is processed twice, which changes nothing.
const earlySignals = 20_000

// early remembers the signals that were processed before the group handed them out. It is safe for concurrent use.
type early struct {
	mu    sync.Mutex // for microseconds
	epoch uint64     // of the store, when they were processed
	ids   map[string]bool
}

// add remembers a signal that was processed under an epoch of the store.
func (e *early) add(epoch uint64, id string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if epoch != e.epoch || e.ids == nil { // after a failover, their articles may be lost
		e.epoch, e.ids = epoch, make(map[string]bool)
	}
	if len(e.ids) < earlySignals {
		e.ids[id] = true
	}
}

// remove forgets a signal, and reports whether it was processed under this epoch.
func (e *early) remove(epoch uint64, id string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	done := e.ids[id] && e.epoch == epoch
	delete(e.ids, id)
	return done
}
