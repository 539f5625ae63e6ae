package timeline_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// delayed is a connection on which some commands are sent late, so that the steps of concurrent calls mix in many ways.
type delayed struct{ net.Conn }

func (d delayed) Write(b []byte) (int, error) {
	if rand.IntN(3) == 0 {
		time.Sleep(time.Duration(rand.IntN(1000)) * time.Microsecond)
	}
	return d.Conn.Write(b)
}

func delaying(dial core.DialFunc) core.DialFunc {
	return func(ctx context.Context) (net.Conn, error) {
		c, err := dial(ctx)
		if err != nil {
			return nil, err
		}
		return delayed{c}, nil
	}
}

// together runs calls at the same time.
func together(calls ...func()) {
	var all sync.WaitGroup
	for _, call := range calls {
		all.Go(call)
	}
	all.Wait()
}

func TestRacesLoseNothing(t *testing.T) {
	dial := storetest.Redis(t)
	now := storetest.NewClock()
	s := storetest.New(t, store.Options{Dial: delaying(dial), Now: now.Now})
	h := &house{s, t, now, storetest.Commands(t, dial)}
	h.fill(harbour, 0, 15)
	h.fill(yard, 0, 3)
	ctx := t.Context()
	check := func(err error) {
		if err != nil {
			t.Error(err)
		}
	}
	// fanOut applies the change of an entry, as a worker does.
	fanOut := func(id string) {
		c := feed.Chunk{FeedURL: harbour, Entry: id}
		_, err := s.Timelines.ApplyChunk(ctx, c)
		check(err)
	}
	read := func(user int64) []string {
		page, err := s.Timelines.Timeline(ctx, user, feed.Cursor{}, 100)
		check(err)
		return titlesOf(page)
	}
	takeDown := func(id string) {
		_, err := s.Entries.TakeDownEntry(ctx, id)
		check(err)
	}
	cache := func(user int64) string { return fmt.Sprintf("feed:user:%d", user) }

	for name, race := range map[string]func(user int64, guid string){
		"post during two cold starts": func(user int64, guid string) {
			var id string
			together(func() { read(user) }, func() { read(user) }, func() {
				id = h.save(harbour, guid, now.Time)
				fanOut(id)
			})
			if got := read(user); !slices.Contains(got, guid) || len(got) != 16 {
				t.Errorf("the timeline has %v", got)
			}
			takeDown(id)
		},
		"fan-out onto a timeline that ends": func(user int64, guid string) {
			read(user)
			id := h.save(harbour, guid, now.Time)
			together(func() { fanOut(id) }, func() {
				_, err := s.Timelines.Follow(ctx, user, feed.Follow{FeedURL: yard}) // it drops the cache
				check(err)
			})
			if got := read(user); !slices.Contains(got, guid) || len(got) != 19 {
				t.Errorf("the timeline has %v", got)
			}
			if ttl := h.raw.Int("TTL", cache(user)); ttl < 1 {
				t.Errorf("the cache has a TTL of %d s", ttl)
			}
			takeDown(id)
		},
		"removal overtakes the addition": func(user int64, guid string) {
			read(user)
			id := h.save(harbour, guid, now.Time)
			together(func() { fanOut(id) }, func() {
				takeDown(id)
				fanOut(id)
			})
			if n := h.raw.Int("ZCARD", cache(user)); n != 15 {
				t.Errorf("the cache has %d entries", n)
			}
		},
		"fan-out to a user who unfollows": func(user int64, guid string) {
			read(user)
			id := h.save(harbour, guid, now.Time)
			together(func() { fanOut(id) }, func() {
				check(s.Timelines.Unfollow(ctx, user, harbour))
				read(user)
			})
			if n := h.raw.Int("ZCARD", cache(user)); n != 0 {
				t.Errorf("the cache has %d entries", n)
			}
			takeDown(id)
		},
		"follow and unfollow during a cold start": func(user int64, _ string) {
			together(func() { read(user) }, func() {
				_, err := s.Timelines.Follow(ctx, user, feed.Follow{FeedURL: yard})
				check(err)
			}, func() { check(s.Timelines.Unfollow(ctx, user, harbour)) })
			h.wantSet(read(user), "0", "1", "2")
			if n := h.raw.Int("ZCARD", cache(user)); n != 3 {
				t.Errorf("the cache has %d entries", n)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			for run := range raceRuns {
				user := rand.Int64N(1 << 40)
				h.follow(user, harbour)
				race(user, fmt.Sprint("race ", run))
				check(s.Timelines.EraseUser(ctx, user))
				if t.Failed() {
					t.FailNow()
				}
			}
		})
	}
	h.raw.Check(nil, 4)
}

// wantSet is want in any order.
func (h *house) wantSet(got []string, want ...string) {
	h.t.Helper()
	slices.Sort(got)
	h.want("timeline", got, want...)
}
