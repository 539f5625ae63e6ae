package delivery

import (
	"context"
	"slices"
	"sync"

	"github.com/feedwire/feedwire/store/feed"
)

// maxCached bounds the bodies in the cache, in bytes. Bodies that are being delivered come on top.
const maxCached = 64 << 20

// versionCache keeps versions of topics in memory, because nearly all subscribers of a topic need the same version at the
// same time.
type versionCache struct {
	store Store

	mu    sync.Mutex // never held during I/O
	all   map[versionKey]*cachedVersion
	order []versionKey // oldest first
	size  int
}

type versionKey struct {
	topic   string
	version int64
}

// cachedVersion is read by the first goroutine that needs it.
type cachedVersion struct {
	mu   sync.Mutex // held during the read
	read bool
	feed.Distribution
}

func newVersionCache(store Store) *versionCache {
	return &versionCache{store: store, all: make(map[versionKey]*cachedVersion)}
}

// get returns a version of a topic. The result is shared and must not be changed. feed.ErrNotFound: no version is stored.
func (c *versionCache) get(ctx context.Context, topic string, version int64) (*feed.Distribution, error) {
	key := versionKey{topic, version}
	c.mu.Lock()
	v := c.all[key]
	if v == nil {
		v = &cachedVersion{}
		c.all[key] = v
		c.order = append(c.order, key)
	}
	c.mu.Unlock()

	v.mu.Lock()
	defer v.mu.Unlock()
	if v.read {
		return &v.Distribution, nil
	}
	d, err := c.store.Version(ctx, topic, version)
	if err != nil {
		c.remove(key)
		return nil, err
	}
	v.Distribution, v.read = d, true
	c.evict(len(d.Body))
	return &v.Distribution, nil
}

// evict adds the size of a body to the cache and removes the oldest versions if the cache is too large.
func (c *versionCache) evict(size int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.size += size
	for c.size > maxCached && len(c.order) > 1 {
		oldest := c.order[0]
		c.order = c.order[1:]
		c.size -= len(c.all[oldest].Body)
		delete(c.all, oldest)
	}
}

// remove deletes a version that could not be read, so that the next get reads it again.
func (c *versionCache) remove(key versionKey) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.all, key)
	if i := slices.Index(c.order, key); i >= 0 {
		c.order = slices.Delete(c.order, i, i+1)
	}
}
