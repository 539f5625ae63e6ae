package intake

import (
	"sync"

	"github.com/feedwire/feedwire/store/feed"
)

// Bounds of the signals in memory. Signals beyond them wait for the group.
const (
	queuedBySource = 100
	queuedSignals  = 10_000
	earlySignals   = 20_000 // ids; a signal whose id is not remembered is processed twice, which changes nothing
)

// queue hands out the signals of all sources in turn. Its zero value is empty.
type queue struct {
	bySource map[string][]feed.Signal // in their order
	turns    []string                 // sources with signals, the next one first
	size     int
}

// add adds a signal about a post. Other signals, and those of a source that has many in the queue, are left to the group.
func (q *queue) add(s *feed.Signal) {
	waiting := q.bySource[s.FeedURL]
	if s.Entry == "" || len(waiting) >= queuedBySource || q.size >= queuedSignals {
		return
	}
	if q.bySource == nil {
		q.bySource = make(map[string][]feed.Signal)
	}
	if len(waiting) == 0 {
		q.turns = append(q.turns, s.FeedURL)
	}
	q.bySource[s.FeedURL] = append(waiting, *s)
	q.size++
}

// next removes up to limit signals.
func (q *queue) next(limit int) (all []feed.Signal) {
	for len(all) < limit && len(q.turns) > 0 {
		url := q.turns[0]
		q.turns = q.turns[1:]
		waiting := q.bySource[url]
		all = append(all, waiting[0])
		if q.bySource[url] = waiting[1:]; len(waiting) > 1 {
			q.turns = append(q.turns, url)
		} else {
			delete(q.bySource, url)
		}
		q.size--
	}
	return all
}

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
