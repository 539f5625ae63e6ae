package delivery

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/feedwire/feedwire/store/feed"
)

// maxCached bounds the bodies in the cache, in bytes. Bodies that are being delivered come on top.
const maxCached = 64 << 20

// cachedFor bounds the age of a version in the cache, because a takedown changes stored versions.
const cachedFor = time.Second

// versionCache keeps versions of topics in memory, because nearly all subscribers of a topic need the same version at the
// same time.
type versionCache struct {
	store Store
	shape func(ctx context.Context, d feed.Distribution, form feed.Form) (feed.Distribution, error)
	now   func() time.Time
	reads singleflight.Group

	mu   sync.Mutex // never held during I/O
	all  map[versionKey]cachedVersion
	size int
}

type versionKey struct {
	topic   string
	version int64
	form    feed.Form
}

type cachedVersion struct {
	*feed.Distribution
	read time.Time
}

// get returns a version of a topic in a form. The result is shared and must not be changed. feed.ErrNotFound: no version is stored.
func (c *versionCache) get(ctx context.Context, topic string, version int64, form feed.Form) (*feed.Distribution, error) {
	key := versionKey{topic, version, form}
	if d := c.cached(key); d != nil {
		return d, nil
	}
	began := c.now()
	read, err, _ := c.reads.Do(fmt.Sprint(key), func() (any, error) {
		if d := c.cached(key); d != nil { // another call has just read it
			return d, nil
		}
		d, err := c.read(ctx, topic, version, form)
		if err == nil {
			c.add(key, cachedVersion{&d, began})
		}
		return &d, err
	})
	return read.(*feed.Distribution), err
}

func (c *versionCache) read(ctx context.Context, topic string, version int64, form feed.Form) (feed.Distribution, error) {
	if form == (feed.Form{}) {
		return c.store.Version(ctx, topic, version)
	}
	d, err := c.get(ctx, topic, version, feed.Form{})
	if err != nil {
		return feed.Distribution{}, err
	}
	return c.shape(ctx, *d, form)
}

func (c *versionCache) cached(key versionKey) *feed.Distribution {
	c.mu.Lock()
	defer c.mu.Unlock()
	if v := c.all[key]; v.Distribution != nil && c.now().Sub(v.read) < cachedFor {
		return v.Distribution
	}
	return nil
}

// add adds a version. If the cache is too large, it forgets the others: nearly all deliveries are of the newest versions.
func (c *versionCache) add(key versionKey, v cachedVersion) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if old := c.all[key]; old.Distribution != nil {
		c.size -= len(old.Body)
	}
	if c.size += len(v.Body); c.size > maxCached {
		clear(c.all)
		c.size = len(v.Body)
	}
	c.all[key] = v
}
