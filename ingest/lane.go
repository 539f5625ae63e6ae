package ingest

import (
	"sync"
	"time"
)

// A poll that takes longer than slowAfter moves to the slow lane, where there is room, and leaves its worker to others:
// a server that answers late, or never, must not keep other sources waiting.
const (
	slowAfter = 2 * time.Second
	slowLane  = 4 // polls in the slow lane for each worker
)

// seat is the place of one poll: first a worker's, later perhaps one in the slow lane.
type seat struct {
	mu         sync.Mutex // guards moved and left; held for no longer than they are looked at
	moved      bool
	left       bool
	idle, slow chan struct{} // tokens of idle workers; of polls in the slow lane
	timer      *time.Timer
}

// sit gives a poll the seat of a worker whose token was taken from idle.
func sit(idle, slow chan struct{}) *seat {
	s := &seat{idle: idle, slow: slow}
	s.mu.Lock() // until timer is set: move may come first
	defer s.mu.Unlock()
	s.timer = time.AfterFunc(slowAfter, s.move)
	return s
}

// move goes to the slow lane, or tries again later where that is full.
func (s *seat) move() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.left {
		return
	}
	select {
	case s.slow <- struct{}{}:
		s.moved = true
		s.idle <- struct{}{}
	default:
		s.timer.Reset(slowAfter)
	}
}

// leave frees the seat.
func (s *seat) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left = true
	s.timer.Stop()
	if s.moved {
		<-s.slow
		return
	}
	s.idle <- struct{}{}
}
