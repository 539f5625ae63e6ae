package hub

import (
	"sync"
	"time"
)

// maxRefreshes bounds the topics in a refreshQueue.
const maxRefreshes = 10_000

// refreshQueue makes sure that each publish is followed by a refresh of its topic, and that two refreshes of a topic are at
// least interval apart.
type refreshQueue struct {
	interval time.Duration

	mu     sync.Mutex
	topics map[string]refreshState
}

type refreshState struct {
	last   time.Time
	queued bool // refresh again after the interval
}

func newRefreshQueue(interval time.Duration) *refreshQueue {
	return &refreshQueue{interval: interval, topics: make(map[string]refreshState)}
}

// refreshDecision is what follows a publish.
type refreshDecision int

const (
	refreshNow      refreshDecision = iota
	refreshQueued                   // the topic was refreshed less than an interval ago
	refreshRejected                 // the queue is full
)

// add records a publish of a topic.
func (q *refreshQueue) add(topic string, now time.Time) refreshDecision {
	q.mu.Lock()
	defer q.mu.Unlock()
	state, known := q.topics[topic]
	switch {
	case known && now.Sub(state.last) < q.interval:
		q.topics[topic] = refreshState{state.last, true}
		return refreshQueued
	case !known && len(q.topics) >= maxRefreshes:
		return refreshRejected
	}
	q.topics[topic] = refreshState{last: now}
	return refreshNow
}

// requeue queues a topic whose refresh failed.
func (q *refreshQueue) requeue(topic string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if state, known := q.topics[topic]; known {
		q.topics[topic] = refreshState{state.last, true}
	}
}

// due returns the topics to refresh now and the time of the next refresh, or zero. It removes topics that are not queued
// and whose interval is over.
func (q *refreshQueue) due(now time.Time) (due []string, next time.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for topic, state := range q.topics {
		earliest := state.last.Add(q.interval)
		switch {
		case now.Before(earliest):
			if next.IsZero() || earliest.Before(next) {
				next = earliest
			}
		case state.queued:
			q.topics[topic] = refreshState{last: now}
			due = append(due, topic)
		default:
			delete(q.topics, topic)
		}
	}
	return due, next
}

// flush removes all topics and returns the queued ones.
func (q *refreshQueue) flush() (queued []string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for topic, state := range q.topics {
		if state.queued {
			queued = append(queued, topic)
		}
	}
	clear(q.topics)
	return queued
}
