package publish

import (
	"container/list"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// documents keep the feeds that were asked for last, up to so many bytes.
type documents struct {
	most  int
	gauge prometheus.Gauge

	mu    sync.Mutex
	bytes int
	order *list.List // of *keptDocument, the one asked for last in front
	known map[reissue]*list.Element
}

type keptDocument struct {
	of  reissue
	doc *document
}

func newDocuments(most int, gauge prometheus.Gauge) *documents {
	return &documents{most: most, gauge: gauge, order: list.New(), known: make(map[reissue]*list.Element)}
}

// get is a document that is kept; nil: it is not.
func (d *documents) get(of reissue) *document {
	d.mu.Lock()
	defer d.mu.Unlock()
	e := d.known[of]
	if e == nil {
		return nil
	}
	d.order.MoveToFront(e)
	return e.Value.(*keptDocument).doc
}

// put keeps a document, in the place of those that were not asked for the longest. One that is larger than all that may
// be kept is not.
func (d *documents) put(of reissue, doc *document) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if e := d.known[of]; e != nil {
		d.remove(e)
	}
	d.known[of] = d.order.PushFront(&keptDocument{of, doc})
	d.bytes += doc.size()
	for d.bytes > d.most {
		d.remove(d.order.Back())
	}
	d.gauge.Set(float64(d.bytes))
}

func (d *documents) drop(of reissue) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if e := d.known[of]; e != nil {
		d.remove(e)
		d.gauge.Set(float64(d.bytes))
	}
}

// remove forgets a document; d.mu is held.
func (d *documents) remove(e *list.Element) {
	kept := d.order.Remove(e).(*keptDocument)
	delete(d.known, kept.of)
	d.bytes -= kept.doc.size()
}

// size is about what a document takes, with its header lines and the names of its parts.
func (d *document) size() int {
	return len(d.plain.body) + len(d.gzip.body) + 4096 + 256*len(d.parts)
}
