package publish

import "time"

// NewReceiptsWithin is NewReceipts with another time after which an acknowledged response counts.
func NewReceiptsWithin(delay time.Duration) *Receipts { return &Receipts{delay} }

// Judge tells what a server behind r makes of a response that the client's system acknowledged age ago, while the client
// has neither asked again nor left.
func Judge(r *Receipts, age time.Duration) (delivered, known bool) {
	c := &receiptConn{delay: r.delay}
	return c.judge(wire{}, false, age)
}

// Unproved is the number of responses of a feed whose arrival is not known yet.
func (p *Publisher) Unproved(typ string) int {
	r := p.outlets[typ].recorder
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.unproved)
}
