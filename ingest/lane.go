package ingest

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// A poll that takes longer than slowAfter moves to the slow lane and leaves its worker to others: a server that answers
// late, or never, must not keep other sources waiting. Where the lane is full, the poll that has waited longest for its
// server gives way, as one that timed out. So however many servers are slow, none of them keeps a worker for longer than
// slowAfter, and each has about five times that at least, which is how long the workers take to fill the lane.
const (
	slowAfter = 2 * time.Second
	slowLane  = 4 // polls in the slow lane for each worker
)

// errGaveWay ends the fetch of a poll that another one needs the place of.
var errGaveWay = failf(ClassTimeout, "the server took too long, while too many other servers did, too")

// lane is where slow polls go on.
type lane struct {
	mu    sync.Mutex // guards seats and what is in each of them; held for no longer than they are looked at
	room  int
	seats []*seat // of the polls in the lane, the longest there first
}

// seat is the place of one poll: first a worker's, later perhaps one in the slow lane.
type seat struct {
	idle    chan struct{} // tokens of idle workers
	lane    *lane
	timer   *time.Timer
	moved   bool
	left    bool
	breakUp context.CancelCauseFunc // of the fetch under way; nil: there is none
}

// sit gives a poll the seat of a worker whose token was taken from idle.
func sit(idle chan struct{}, slow *lane) *seat {
	s := &seat{idle: idle, lane: slow}
	slow.mu.Lock() // until timer is set: move may come first
	defer slow.mu.Unlock()
	s.timer = time.AfterFunc(slowAfter, s.move)
	return s
}

// move goes to the slow lane, or tries again later where that is full of polls that have their documents already: they
// wait for the store, and then it is right that the workers do.
func (s *seat) move() {
	l := s.lane
	l.mu.Lock()
	defer l.mu.Unlock()
	if s.left {
		return
	}
	if len(l.seats) >= l.room {
		i := slices.IndexFunc(l.seats, func(other *seat) bool { return other.breakUp != nil })
		if i < 0 {
			s.timer.Reset(slowAfter)
			return
		}
		l.seats[i].breakUp(errGaveWay)
		l.seats = slices.Delete(l.seats, i, i+1)
	}
	l.seats = append(l.seats, s)
	s.moved = true
	s.idle <- struct{}{}
}

// leave frees the seat.
func (s *seat) leave() {
	s.lane.mu.Lock()
	defer s.lane.mu.Unlock()
	s.left = true
	s.timer.Stop()
	if !s.moved {
		s.idle <- struct{}{}
		return
	}
	if i := slices.Index(s.lane.seats, s); i >= 0 { // else it gave way
		s.lane.seats = slices.Delete(s.lane.seats, i, i+1)
	}
}

type seatKey struct{}

// seated is a context for the poll in a seat.
func (s *seat) seated(ctx context.Context) context.Context {
	return context.WithValue(ctx, seatKey{}, s)
}

// fetchSeated is fetch for a poll that may have to give way, as those have that are in a seat.
func (in *Ingester) fetchSeated(ctx context.Context, source *feed.Source, what errand) (answer, error) {
	s, _ := ctx.Value(seatKey{}).(*seat)
	if s == nil {
		return in.fetch(ctx, source, what)
	}
	ctx, breakUp := context.WithCancelCause(ctx)
	defer breakUp(nil)
	s.fetching(breakUp)
	defer s.fetching(nil)
	got, err := in.fetch(ctx, source, what)
	if err != nil && errors.Is(context.Cause(ctx), errGaveWay) {
		err = errGaveWay
	}
	return got, err
}

func (s *seat) fetching(breakUp context.CancelCauseFunc) {
	s.lane.mu.Lock()
	defer s.lane.mu.Unlock()
	s.breakUp = breakUp
}
