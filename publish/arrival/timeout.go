package arrival

import (
	"os"
	"sync"
	"time"
)

// timeout is the deadline of a connection in one direction. net/http sets and clears it several times per request, mostly
// while nothing waits, and each time costs the system a timer: a good part of the cost of a small response. So the
// connection learns the deadline only when a call waits.
type timeout struct {
	set func(time.Time) error // of the connection

	mu     sync.Mutex
	wanted time.Time // zero: none
	known  time.Time // to the connection
	slack  time.Duration
	busy   int // calls that wait or may wait
}

// want sets the deadline, also for calls that already wait.
func (d *timeout) want(t time.Time) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.wanted = t
	if d.busy == 0 || d.current() {
		return nil
	}
	return d.apply()
}

// begin precedes a call that may wait, and end follows it. If begin returns an error, for example because the deadline has
// passed, neither the call nor end may follow.
func (d *timeout) begin() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.current() {
		if !d.wanted.IsZero() && time.Until(d.wanted) <= 0 {
			return os.ErrDeadlineExceeded
		}
		if err := d.apply(); err != nil {
			return err
		}
	}
	d.busy++
	return nil
}

func (d *timeout) end() {
	d.mu.Lock()
	d.busy--
	d.mu.Unlock()
}

// current reports whether the connection's deadline is the wanted one, or slightly earlier.
func (d *timeout) current() bool {
	early := d.wanted.Sub(d.known)
	return early == 0 || early > 0 && early <= d.slack
}

// apply sets the connection's deadline. It stays until a fiftieth of its time has passed.
func (d *timeout) apply() error {
	d.known, d.slack = d.wanted, time.Until(d.wanted)/50
	return d.set(d.wanted)
}
