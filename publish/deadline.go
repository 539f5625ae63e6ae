package publish

import (
	"os"
	"sync"
	"time"
)

// deadline is when a connection stops to wait in one direction. net/http sets and lifts it several times for each request,
// mostly while nobody waits, and each time costs the system a timer: a good part of what a small answer costs. So the
// connection learns of it only once somebody does wait.
type deadline struct {
	set func(time.Time) error // of the connection

	mu     sync.Mutex
	wanted time.Time // zero: none
	known  time.Time // to the connection
	slack  time.Duration
	busy   int // calls that wait, or could
}

// want is what SetReadDeadline and SetWriteDeadline mean. Calls that wait already see it.
func (d *deadline) want(t time.Time) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.wanted = t
	if d.busy == 0 || d.holds() {
		return nil
	}
	return d.tell()
}

// begin must go before a call that may wait, and end come after it. On an error, of which there is one where the deadline
// has passed, neither the call nor end may follow.
func (d *deadline) begin() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.holds() {
		if !d.wanted.IsZero() && time.Until(d.wanted) <= 0 {
			return os.ErrDeadlineExceeded
		}
		if err := d.tell(); err != nil {
			return err
		}
	}
	d.busy++
	return nil
}

func (d *deadline) end() {
	d.mu.Lock()
	d.busy--
	d.mu.Unlock()
}

// holds tells whether the connection need not be told: what it knows is what is wanted, or a little earlier.
func (d *deadline) holds() bool {
	early := d.wanted.Sub(d.known)
	return early == 0 || early > 0 && early <= d.slack
}

// tell has the connection know. One that is set anew before a fiftieth of its time is over stays.
func (d *deadline) tell() error {
	d.known, d.slack = d.wanted, time.Until(d.wanted)/50
	return d.set(d.wanted)
}
