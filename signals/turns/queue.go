// Package turns hands out the work of many sources in turn, so that a source with much work does not delay the others.
package turns

// Queue holds work by source, in order. Create it with New.
type Queue[T any] struct {
	perSource, total int
	bySource         map[string]*line[T]
	sources          []string // with work, the next one first
	size             int
}

// line is the work of one source.
type line[T any] struct {
	all  []piece[T]
	size int
}

type piece[T any] struct {
	work T
	size int
}

// New returns an empty Queue for work up to these sizes, of one source and in total. A single piece of a source may be larger.
func New[T any](perSource, total int) *Queue[T] {
	return &Queue[T]{perSource: perSource, total: total, bySource: make(map[string]*line[T])}
}

// Add adds work of a source behind its other work. It reports false if there is no room.
func (q *Queue[T]) Add(source string, work T, size int) bool {
	l := q.bySource[source]
	if q.size >= q.total || l != nil && l.size+size > q.perSource {
		return false
	}
	if l == nil {
		l = new(line[T])
		q.bySource[source] = l
		q.sources = append(q.sources, source)
	}
	l.all = append(l.all, piece[T]{work, size})
	l.size += size
	q.size += size
	return true
}

// Next removes the oldest work of the source whose turn it is. It reports false if the queue is empty.
func (q *Queue[T]) Next() (work T, ok bool) {
	if len(q.sources) == 0 {
		return work, false
	}
	source := q.sources[0]
	q.sources = q.sources[1:]
	l := q.bySource[source]
	first := l.all[0]
	l.all = l.all[1:]
	l.size -= first.size
	q.size -= first.size
	if len(l.all) == 0 {
		delete(q.bySource, source)
	} else {
		q.sources = append(q.sources, source)
	}
	return first.work, true
}
