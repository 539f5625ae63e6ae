package hub

import (
	"context"
	"sync"

	"github.com/feedwire/feedwire/store/feed"
)

// cached bounds the bodies that are held beside those being delivered, in bytes.
const cached = 64 << 20

// bodies keeps versions in memory: nearly all subscribers of a topic get the same one at the same time.
type bodies struct {
	store Store

	mu    sync.Mutex // held for map operations only
	all   map[bodyKey]*body
	order []bodyKey // oldest first
	size  int
}

type bodyKey struct {
	topic   string
	version int64
}

// body is one version, read once by the first who needs it.
type body struct {
	once sync.Mutex
	read bool // guarded by once
	feed.Distribution
}

func newBodies(store Store) *bodies { return &bodies{store: store, all: make(map[bodyKey]*body)} }

// get is a version of a topic. What is returned is shared and must not be changed. feed.ErrNotFound: it is kept no more.
func (b *bodies) get(ctx context.Context, topic string, version int64) (*feed.Distribution, error) {
	key := bodyKey{topic, version}
	b.mu.Lock()
	found := b.all[key]
	if found == nil {
		found = &body{}
		b.all[key] = found
		b.order = append(b.order, key)
	}
	b.mu.Unlock()

	found.once.Lock()
	defer found.once.Unlock()
	if found.read {
		return &found.Distribution, nil
	}
	d, err := b.store.Version(ctx, topic, version)
	if err != nil {
		b.forget(key)
		return nil, err
	}
	found.Distribution, found.read = d, true
	b.keep(len(d.Body))
	return &found.Distribution, nil
}

// keep counts a body that was read, and forgets the oldest ones beyond the bound.
func (b *bodies) keep(size int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.size += size
	for b.size > cached && len(b.order) > 1 {
		oldest := b.order[0]
		b.order = b.order[1:]
		b.size -= len(b.all[oldest].Body)
		delete(b.all, oldest)
	}
}

// forget drops a body that could not be read, so that the next one tries again.
func (b *bodies) forget(key bodyKey) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.all, key)
	for i, k := range b.order {
		if k == key {
			b.order = append(b.order[:i], b.order[i+1:]...)
			return
		}
	}
}
