package delivery

import (
	"context"
	"strconv"
	"sync"

	"golang.org/x/sync/singleflight"

	"github.com/feedwire/feedwire/store/feed"
)

// maxCached bounds the bodies in the cache, in bytes. Bodies that are being delivered come on top.
const maxCached = 64 << 20

// versionCache keeps versions of topics in memory, because nearly all subscribers of a topic need the same version at the
// same time.
type versionCache struct {
	store Store
	reads singleflight.Group

	mu    sync.Mutex // never held during I/O
	all   map[versionKey]*feed.Distribution
	order []versionKey // oldest first
	size  int
}

type versionKey struct {
	topic   string
	version int64
}

// get returns a version of a topic. The result is shared and must not be changed. feed.ErrNotFound: no version is stored.
func (c *versionCache) get(ctx context.Context, topic string, version int64) (*feed.Distribution, error) {
	key := versionKey{topic, version}
	if d := c.cached(key); d != nil {
		return d, nil
	}
	read, err, _ := c.reads.Do(strconv.FormatInt(version, 10)+topic, func() (any, error) {
		if d := c.cached(key); d != nil { // another call has just read it
			return d, nil
		}
		d, err := c.store.Version(ctx, topic, version)
		if err == nil {
			c.add(key, &d)
		}
		return &d, err
	})
	return read.(*feed.Distribution), err
}

func (c *versionCache) cached(key versionKey) *feed.Distribution {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.all[key]
}

// add adds a version and removes the oldest ones if the cache is too large.
func (c *versionCache) add(key versionKey, d *feed.Distribution) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all[key] = d
	c.order = append(c.order, key)
	c.size += len(d.Body)
	for c.size > maxCached && len(c.order) > 1 {
		oldest := c.order[0]
		c.order = c.order[1:]
		c.size -= len(c.all[oldest].Body)
		delete(c.all, oldest)
	}
}
