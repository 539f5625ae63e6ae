package publish

import "time"

// NewReceiptsWithin is NewReceipts with another time after which an acknowledged response counts.
func NewReceiptsWithin(delay time.Duration) *Receipts { return &Receipts{delay} }

// Unproved is the number of responses of a feed whose arrival is not known yet.
func (p *Publisher) Unproved(typ string) int {
	r := p.outlets[typ].recorder
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.unproved)
}
