package community

import (
	"context"
	"errors"
	"sync"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// Thread returns the comments on a submission as trees, with the votes of a user; 0: no user. Siblings are in the order of upvotes minus
// downvotes, those with the same number newest first. A deleted comment is there only if it has replies that are.
func (s *Store) Thread(ctx context.Context, n, user int64) ([]feed.Comment, error) {
	return s.completed(ctx, n, user, false)
}

// ModeratedThread is Thread as moderators read it: hidden and removed comments are complete, and have a state.
func (s *Store) ModeratedThread(ctx context.Context, n, user int64) ([]feed.Comment, error) {
	return s.completed(ctx, n, user, true)
}

func (s *Store) completed(ctx context.Context, n, user int64, moderates bool) ([]feed.Comment, error) {
	t, err := s.readThread(ctx, n)
	if err != nil {
		return nil, err
	}
	o := t.outline(user, moderates)
	names, err := s.Names(ctx, authors(o.Comments)...)
	return complete(o.Comments, &o, names), core.Wrap(err, "comments on submission %d", n)
}

// Outline is Thread for readers who need few of the names and votes.
func (s *Store) Outline(ctx context.Context, n, user int64) (feed.Outline, error) {
	return s.outline(ctx, n, user, false)
}

// ModeratedOutline is ModeratedThread for readers who need few of the names and votes.
func (s *Store) ModeratedOutline(ctx context.Context, n, user int64) (feed.Outline, error) {
	return s.outline(ctx, n, user, true)
}

func (s *Store) outline(ctx context.Context, n, user int64, moderates bool) (o feed.Outline, err error) {
	t, err := s.readThread(ctx, n)
	if err == nil {
		o = t.outline(user, moderates)
	}
	return o, err
}

// readThread returns the comments on a submission. It reads those of a thread that is held only if they have changed.
func (s *Store) readThread(ctx context.Context, n int64) (*thread, error) {
	k, held := s.keys(), s.threads.get(n)
	if held != nil && held.revision != "" {
		revision, err := redis.String(s.db.Do(ctx, group, "HGET", k.news(n), "revision"))
		if err == nil && revision == held.revision {
			return held, nil
		}
		if err != nil && !errors.Is(err, redis.ErrNil) {
			return nil, core.Wrap(err, "comments on submission %d", n)
		}
	}
	r, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		b.Add("HGET", k.news(n), "revision") // first, so that it is not newer than the comments
		b.Add("HGETALL", k.thread(n))
	})
	if err != nil {
		return nil, core.Wrap(err, "comments on submission %d", n)
	}
	t := newThread(r.Text(), r.Map(), held)
	s.threads.put(n, t)
	return t, nil
}

// Bounds of heldThreads, in comments.
const (
	heldFrom = 50     // of a thread; others are quick to read
	heldMost = 20_000 // of all threads
)

// heldThreads holds the long threads that were read last.
type heldThreads struct {
	mu      sync.Mutex
	threads map[int64]*heldThread // by submission
	count   int                   // comments of all threads
	reads   int64
}

type heldThread struct {
	*thread
	read int64 // number of the last read
}

// get returns the thread of a submission; nil: it is not held.
func (h *heldThreads) get(n int64) *thread {
	h.mu.Lock()
	defer h.mu.Unlock()
	held := h.threads[n]
	if held == nil {
		return nil
	}
	h.reads++
	held.read = h.reads
	return held.thread
}

// put holds a thread in place of that which was read before, and drops those that were read longest ago.
func (h *heldThreads) put(n int64, t *thread) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.drop(n)
	if len(t.comments) < heldFrom {
		return
	}
	if h.threads == nil {
		h.threads = make(map[int64]*heldThread)
	}
	for h.count+len(t.comments) > heldMost && len(h.threads) > 0 {
		oldest := n
		for other, held := range h.threads {
			if oldest == n || held.read < h.threads[oldest].read {
				oldest = other
			}
		}
		h.drop(oldest)
	}
	h.reads++
	h.threads[n] = &heldThread{t, h.reads}
	h.count += len(t.comments)
}

func (h *heldThreads) drop(n int64) {
	if held := h.threads[n]; held != nil {
		delete(h.threads, n)
		h.count -= len(held.comments)
	}
}
