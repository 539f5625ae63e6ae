package lists

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// Bounds of the streams of votes.
const (
	maxStreams  = 500  // open at once
	maxWatched  = 5000 // different entries of all streams
	maxOfStream = 100  // entries of a stream
)

// tallies are the votes on the entries that streams follow. The streams read them together, so that a page that many people have open
// costs the store no more than one.
type tallies struct {
	store Store

	reading sync.Mutex // held while the store is read; guards read
	read    time.Time  // when the store was read last

	mu      sync.Mutex // guards the fields below; never held during I/O
	streams int
	watched map[string]*tally // by id
}

// tally is the votes on an entry.
type tally struct {
	feed.VoteCounts
	version uint64 // increases with each change; the first one is 1
	streams int    // that follow it
}

func newTallies(store Store) *tallies {
	return &tallies{store: store, watched: make(map[string]*tally)}
}

// watch makes refresh read the votes on different entries until the caller calls leave. feed.ErrUnavailable: too much is followed.
func (t *tallies) watch(ids []string) (leave func(), err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.streams >= maxStreams || len(t.watched)+len(ids) > maxWatched {
		return nil, fmt.Errorf("votes on %d entries are followed by %d clients already: %w", len(t.watched), t.streams, feed.ErrUnavailable)
	}
	t.streams++
	for _, id := range ids {
		if t.watched[id] == nil {
			t.watched[id] = &tally{version: 1}
		}
		t.watched[id].streams++
	}
	return func() { t.leave(ids) }, nil
}

func (t *tallies) leave(ids []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.streams--
	for _, id := range ids {
		if t.watched[id].streams--; t.watched[id].streams == 0 {
			delete(t.watched, id)
		}
	}
}

// open returns how many streams are open.
func (t *tallies) open() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.streams
}

// touch makes streams read the votes on an entry again although their number may be the same: someone changed their own vote.
func (t *tallies) touch(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if one := t.watched[id]; one != nil {
		one.version++
	}
}

// refresh reads the votes, unless another stream has just read them.
func (t *tallies) refresh(ctx context.Context) error {
	t.reading.Lock()
	defer t.reading.Unlock()
	if time.Since(t.read) < liveEvery/2 {
		return nil
	}
	t.mu.Lock()
	ids := slices.Collect(maps.Keys(t.watched))
	t.mu.Unlock()
	found, err := t.store.VoteCounts(ctx, ids)
	if err != nil {
		return err
	}
	t.read = time.Now()
	t.mu.Lock()
	defer t.mu.Unlock()
	for id, now := range found {
		if one := t.watched[id]; one != nil && one.VoteCounts != now {
			one.VoteCounts = now
			one.version++
		}
	}
	return nil
}

// changed returns up to limit of some entries whose votes have changed since the versions that a stream has, and updates these.
func (t *tallies) changed(ids []string, has map[string]uint64, limit int) (all []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, id := range ids {
		if now := t.watched[id].version; now != has[id] && len(all) < limit {
			has[id] = now
			all = append(all, id)
		}
	}
	return all
}
