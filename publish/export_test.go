package publish

import (
	"context"
	"net"
	"time"
)

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
	r := p.outlet(typ).recorder
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.unproved)
}

// Settle returns when all that is proved by now of a feed's responses is recorded, as before a request that counts.
func (p *Publisher) Settle(ctx context.Context, typ string) {
	p.outlet(typ).recorder.settle()
	p.outlet(typ).recorder.wait(ctx)
}

// Idle tells whether no fetch of a feed is on its way.
func (p *Publisher) Idle(typ string) bool {
	r := p.outlet(typ).recorder
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.reserved == 0
}

// LimitJournal sets how many bytes the journal of a feed takes.
func (p *Publisher) LimitJournal(typ string, most int64) { p.outlet(typ).recorder.journal.most = most }

// Accepted is conn as the listener of a Receipts hands it out.
func Accepted(conn net.Conn) net.Conn { return newReceiptConn(conn, settleDelay) }
