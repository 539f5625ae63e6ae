package images

import (
	"context"
	"sync"
)

// Bounds of the images that are fetched at once.
const (
	maxActive    = 16
	maxPerHost   = 2
	maxPerReader = 4
)

// gate admits fetches within the bounds. A request that waits counts for none of them, so it delays no images of another
// host.
type gate struct {
	mu      sync.Mutex
	active  int
	hosts   map[string]int
	readers map[int64]int
	left    chan struct{} // closed when a fetch ends
}

func newGate() *gate {
	return &gate{hosts: make(map[string]int), readers: make(map[int64]int), left: make(chan struct{})}
}

// enter waits until an image of the host may be fetched for the reader. The caller calls leave after the fetch.
func (g *gate) enter(ctx context.Context, host string, reader int64) (leave func(), err error) {
	for {
		entered, left := g.try(host, reader)
		if entered {
			return func() { g.leave(host, reader) }, nil
		}
		select {
		case <-left:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// try reports whether an image may be fetched now, and returns the channel that is closed when the next fetch ends.
func (g *gate) try(host string, reader int64) (entered bool, left <-chan struct{}) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.active >= maxActive || g.hosts[host] >= maxPerHost || g.readers[reader] >= maxPerReader {
		return false, g.left
	}
	g.active++
	g.hosts[host]++
	g.readers[reader]++
	return true, g.left
}

func (g *gate) leave(host string, reader int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.active--
	release(g.hosts, host)
	release(g.readers, reader)
	close(g.left)
	g.left = make(chan struct{})
}

func release[K comparable](counts map[K]int, key K) {
	if counts[key]--; counts[key] == 0 {
		delete(counts, key)
	}
}
