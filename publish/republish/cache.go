package republish

import (
	"container/list"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// cache holds the most recently requested documents up to a number of bytes.
type cache struct {
	limit int
	gauge prometheus.Gauge

	mu     sync.Mutex
	bytes  int
	order  *list.List // of *cached, the most recently requested first
	byName map[name]*list.Element
}

type cached struct {
	name name
	doc  *rendered
}

func newCache(limit int, gauge prometheus.Gauge) *cache {
	return &cache{limit: limit, gauge: gauge, order: list.New(), byName: make(map[name]*list.Element)}
}

// get returns a document, or nil if it is not cached.
func (c *cache) get(of name) *rendered {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.byName[of]
	if e == nil {
		return nil
	}
	c.order.MoveToFront(e)
	return e.Value.(*cached).doc
}

// put caches a document and evicts others to make room. It does not cache a document that exceeds the limit alone.
func (c *cache) put(of name, doc *rendered) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.byName[of]; e != nil {
		c.evict(e)
	}
	c.byName[of] = c.order.PushFront(&cached{of, doc})
	c.bytes += doc.size()
	for c.bytes > c.limit {
		c.evict(c.order.Back())
	}
	c.gauge.Set(float64(c.bytes))
}

func (c *cache) remove(of name) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.byName[of]; e != nil {
		c.evict(e)
		c.gauge.Set(float64(c.bytes))
	}
}

func (c *cache) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.bytes = 0
	c.order.Init()
	clear(c.byName)
	c.gauge.Set(0)
}

// evict removes a document. c.mu is held.
func (c *cache) evict(e *list.Element) {
	old := c.order.Remove(e).(*cached)
	delete(c.byName, old.name)
	c.bytes -= old.doc.size()
}

// size returns about how many bytes the document occupies, with the keys of its fragments.
func (d *rendered) size() int { return d.Size() + 256*len(d.fragments) }
