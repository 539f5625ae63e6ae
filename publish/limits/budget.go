package limits

import (
	"context"
	"sync"
	"time"
)

const (
	patience   = 2 * time.Second // of a request that waits for memory
	maxWaiting = 256             // requests that wait
)

// budget is memory that requests share. A request of an unknown client may use three quarters of it, all requests of one
// unknown client half of it. So unknown clients cannot keep known ones from being served.
type budget struct {
	total int64

	mu      sync.Mutex
	used    int64
	unknown int64            // of used, by unknown clients
	clients map[string]int64 // unknown, by client
	waiting []*claim         // longest first
}

// claim is a request for memory that waits.
type claim struct {
	client  string
	bytes   int64
	known   bool
	granted chan struct{} // closed when it has it
}

func newBudget(total int64) *budget { return &budget{total: total, clients: make(map[string]int64)} }

// take takes memory, and waits for it for a short time. ErrFull: there is none.
func (b *budget) take(ctx context.Context, client string, bytes int64, known bool) error {
	c := &claim{client, bytes, known, make(chan struct{})}
	b.mu.Lock()
	switch {
	case b.grant(c):
		b.mu.Unlock()
		return nil
	case bytes > b.total || len(b.waiting) >= maxWaiting:
		b.mu.Unlock()
		return ErrFull
	}
	b.waiting = append(b.waiting, c)
	b.mu.Unlock()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	err := ErrFull
	select {
	case <-c.granted:
		return nil
	case <-timer.C:
	case <-ctx.Done():
		err = ctx.Err()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	select {
	case <-c.granted: // just now
		return nil
	default:
	}
	for i, other := range b.waiting {
		if other == c {
			b.waiting = append(b.waiting[:i], b.waiting[i+1:]...)
			break
		}
	}
	return err
}

// tryTake is take for an unknown client that does not wait.
func (b *budget) tryTake(client string, bytes int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.grant(&claim{client: client, bytes: bytes})
}

// grant takes the memory of a claim if the shares allow it. The caller holds b.mu.
func (b *budget) grant(c *claim) bool {
	if b.used+c.bytes > b.total {
		return false
	}
	if !c.known {
		if b.unknown+c.bytes > b.total/4*3 || c.client != "" && b.clients[c.client]+c.bytes > b.total/2 {
			return false
		}
		b.unknown += c.bytes
		b.clients[c.client] += c.bytes
	}
	b.used += c.bytes
	return true
}

// give returns memory, and serves those that wait, longest first.
func (b *budget) give(client string, bytes int64, known bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used -= bytes
	if !known {
		b.unknown -= bytes
		if b.clients[client] -= bytes; b.clients[client] <= 0 {
			delete(b.clients, client)
		}
	}
	rest := b.waiting[:0]
	for _, c := range b.waiting {
		if b.grant(c) {
			close(c.granted)
		} else {
			rest = append(rest, c)
		}
	}
	clear(b.waiting[len(rest):])
	b.waiting = rest
}

// use returns the memory in use.
func (b *budget) use() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.used
}
