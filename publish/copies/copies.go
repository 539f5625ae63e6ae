// Package copies stores the last good results of reads, which are served while the store is unavailable.
package copies

import (
	"cmp"
	"container/list"
	"errors"
	"math"
	"sync"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// Options bound a Cache.
type Options struct {
	Entries int              // maximum number of copies; 0: no limit
	Bytes   int              // maximum size of all copies; 0: no limit
	Age     time.Duration    // after which Read does not return a copy; 0: no limit
	Now     func() time.Time // nil: time.Now
	OnSize  func(bytes int)  // called with the size of all copies when it changes; nil disables it
}

// maxPause bounds how late reads notice that the store is available again.
const maxPause = 3 * time.Second

// Cache stores the most recently used copies. It is safe for concurrent use. Create it with New.
type Cache[K comparable, V any] struct {
	opts Options
	size func(V) int

	mu      sync.Mutex
	bytes   int
	order   *list.List // of *stored[K, V], the most recently used first
	byKey   map[K]*list.Element
	reads   map[*read[K]]struct{} // that are running
	failing bool                  // the last read found the store unavailable
	probing bool                  // while it is failing: a read tries the store
	probeAt time.Time             // while it is failing: no read of a key with a copy tries the store before
}

type stored[K comparable, V any] struct {
	key   K
	value V
	at    time.Time
}

// read is a running call of Read.
type read[K comparable] struct {
	key     K
	at      time.Time
	dropped bool // its result may be what Drop removes
	probe   bool
}

// New returns an empty Cache. size returns about how many bytes a copy occupies.
func New[K comparable, V any](opts Options, size func(V) int) *Cache[K, V] {
	opts.Entries, opts.Bytes = cmp.Or(opts.Entries, math.MaxInt), cmp.Or(opts.Bytes, math.MaxInt)
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.OnSize == nil {
		opts.OnSize = func(int) {}
	}
	return &Cache[K, V]{opts: opts, size: size, order: list.New(), byKey: make(map[K]*list.Element), reads: make(map[*read[K]]struct{})}
}

// Get returns a copy of any age.
func (c *Cache[K, V]) Get(key K) (value V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.get(key); s != nil {
		return s.value, true
	}
	return value, false
}

func (c *Cache[K, V]) get(key K) *stored[K, V] {
	e := c.byKey[key]
	if e == nil {
		return nil
	}
	c.order.MoveToFront(e)
	return e.Value.(*stored[K, V])
}

// Put stores a copy and evicts others to make room. It does not store a copy that exceeds the limit alone.
func (c *Cache[K, V]) Put(key K, value V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.put(key, value, c.opts.Now())
}

func (c *Cache[K, V]) put(key K, value V, at time.Time) {
	if e := c.byKey[key]; e != nil {
		c.evict(e)
	}
	c.byKey[key] = c.order.PushFront(&stored[K, V]{key, value, at})
	c.bytes += c.size(value)
	for c.bytes > c.opts.Bytes || c.order.Len() > c.opts.Entries {
		c.evict(c.order.Back())
	}
	c.opts.OnSize(c.bytes)
}

// evict removes a copy. c.mu is held.
func (c *Cache[K, V]) evict(e *list.Element) {
	old := c.order.Remove(e).(*stored[K, V])
	delete(c.byKey, old.key)
	c.bytes -= c.size(old.value)
}

// Remove drops one copy.
func (c *Cache[K, V]) Remove(key K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.byKey[key]; e != nil {
		c.evict(e)
		c.opts.OnSize(c.bytes)
	}
}

// Drop removes the copies whose keys match. Reads of these keys that are running store no copy.
func (c *Cache[K, V]) Drop(matches func(K) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for key, e := range c.byKey {
		if matches(key) {
			c.evict(e)
		}
	}
	for r := range c.reads {
		r.dropped = r.dropped || matches(r.key)
	}
	c.opts.OnSize(c.bytes)
}

// Clear drops all copies.
func (c *Cache[K, V]) Clear() { c.Drop(func(K) bool { return true }) }

// Read returns the result of load and stores it, unless load fails. While the store is unavailable, it returns the copy instead, and
// when that was read; the zero time: the result is current. Then one call at a time waits for the store. Others return their copies
// at once, and so do all calls for some time after one that waited long.
func (c *Cache[K, V]) Read(key K, load func() (V, error)) (value V, at time.Time, err error) {
	r, instead := c.begin(key)
	if instead != nil {
		return instead.value, instead.at, nil
	}
	defer c.end(r)
	value, err = load()
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case err == nil:
		c.failing = false
		if !r.dropped {
			c.put(key, value, r.at)
		}
	case errors.Is(err, feed.ErrUnavailable):
		c.failing = true
		now := c.opts.Now()
		c.probeAt = now.Add(min(4*now.Sub(r.at), maxPause))
		if instead := c.usable(key); instead != nil {
			return instead.value, instead.at, nil
		}
	}
	return value, time.Time{}, err
}

// begin begins a read, or returns the copy to return instead.
func (c *Cache[K, V]) begin(key K) (*read[K], *stored[K, V]) {
	c.mu.Lock()
	defer c.mu.Unlock()
	pause := c.probeAt.Sub(c.opts.Now()) // longer than maxPause if the clock was put back
	if c.failing && (c.probing || pause > 0 && pause <= maxPause) {
		if instead := c.usable(key); instead != nil {
			return nil, instead
		}
	}
	r := &read[K]{key: key, at: c.opts.Now(), probe: c.failing && !c.probing}
	c.probing = c.probing || r.probe
	c.reads[r] = struct{}{}
	return r, nil
}

func (c *Cache[K, V]) end(r *read[K]) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.reads, r)
	if r.probe {
		c.probing = false
	}
}

// usable returns the copy that Read may return, or nil. c.mu is held.
func (c *Cache[K, V]) usable(key K) *stored[K, V] {
	s := c.get(key)
	if s == nil || c.opts.Age > 0 && c.opts.Now().Sub(s.at).Abs() > c.opts.Age {
		return nil
	}
	return s
}
