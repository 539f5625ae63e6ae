package hub

import (
	"context"
	"time"
)

// Turn starts what is due now, waits until it is done, and says how long there will be nothing else.
func (f *Front) Turn(ctx context.Context) (time.Duration, error) {
	rest, err := f.turn(ctx)
	f.work.Wait()
	return rest, err
}

// ClientAddress is whom a request counts for by default.
var ClientAddress = clientAddress

// Pacer keeps rates.
type Pacer = pacer

// NewPacer is newPacer.
func NewPacer(r Rate) *Pacer { return newPacer(r) }

// Wait is wait.
func (p *pacer) Wait(name string, now time.Time) time.Duration { return p.wait(name, now) }

// Book is book.
func (p *pacer) Book(name string, now time.Time) time.Time { return p.book(name, now) }

// Names is how many names are remembered.
func (p *pacer) Names() int { return len(p.idle) }

// DefaultLimits are the limits where none are chosen.
func DefaultLimits() (l Limits) {
	l.setDefaults()
	return l
}
