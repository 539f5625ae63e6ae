package community

import (
	"encoding/json"
	"math"
	"sync"
)

// Bounds of decodedThreads, in comments.
const (
	decodedFrom = 50     // of a thread; others are quick to decode
	decodedMost = 20_000 // of all threads
)

// decodedComment is a comment with the JSON that it is decoded from.
type decodedComment struct {
	text string
	storedComment
	ok bool // the JSON is a comment
}

// decode decodes the JSON of a comment.
func decode(text string) *decodedComment {
	d := &decodedComment{text: text}
	d.ok = json.Unmarshal([]byte(text), &d.storedComment) == nil && math.Abs(d.Created) <= 1e11
	return d
}

// decodedThreads holds the comments of long threads that were read last. A comment is decoded again if its JSON has changed, so that a thread
// is always that of Redis. Decoding is most of the time of reading a long thread.
type decodedThreads struct {
	mu      sync.Mutex
	threads map[int64]map[string]*decodedComment // by submission and field of the thread
	count   int                                  // comments of all threads
}

// decode decodes the fields of the thread of a submission. No one changes the result.
func (t *decodedThreads) decode(n int64, fields map[string]string) map[string]*decodedComment {
	t.mu.Lock()
	before := t.threads[n]
	t.mu.Unlock()
	all := make(map[string]*decodedComment, len(fields))
	for field, text := range fields {
		if d := before[field]; d != nil && d.text == text {
			all[field] = d
		} else {
			all[field] = decode(text)
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.count -= len(t.threads[n])
	delete(t.threads, n)
	if len(all) < decodedFrom {
		return all
	}
	if t.threads == nil || t.count+len(all) > decodedMost {
		t.threads, t.count = make(map[int64]map[string]*decodedComment), 0
	}
	t.threads[n] = all
	t.count += len(all)
	return all
}
