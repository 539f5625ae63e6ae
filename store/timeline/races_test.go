package timeline_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"net"
	"slices"
	"sync"
	"sync/atomic"
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

// cut is a connection that breaks after some writes, as if the program were killed there.
type cut struct {
	net.Conn
	left *atomic.Int64
}

func (c cut) Write(b []byte) (int, error) {
	if c.left.Add(-1) < 0 {
		_ = c.Close()
		return 0, net.ErrClosed
	}
	return c.Conn.Write(b)
}

func TestKillWhileASourceBecomesPulledOrPushedLosesNothing(t *testing.T) {
	for writes := range int64(8) {
		t.Run(fmt.Sprint(writes), func(t *testing.T) {
			dial, now := storetest.Redis(t), storetest.NewClock()
			var left atomic.Int64
			left.Store(math.MaxInt64)
			s := storetest.New(t, store.Options{PullFollowers: 5, Now: now.Now, Dial: func(ctx context.Context) (net.Conn, error) {
				c, err := dial(ctx)
				return cut{c, &left}, err
			}})
			h := &house{s, t, now, storetest.Commands(t, dial), nil}
			// killed plans the fan-out of an entry, is killed after some writes, and plans it again.
			killed := func(id string) {
				t.Helper()
				signals := []feed.Signal{{FeedURL: harbour, Entry: id, Time: now.Time}}
				left.Store(writes)
				_ = s.Timelines.PlanFanout(t.Context(), signals)
				left.Store(math.MaxInt64)
				h.ok(s.Timelines.PlanFanout(t.Context(), signals))
				h.drain()
				got := h.walk(feed.Cursor{})
				h.raw.Do("DEL", cacheKey, warmKey)
				h.want("timeline", got, h.walk(feed.Cursor{})...)
			}
			h.follow(reader, harbour, yard)
			h.fill(yard, 100, 2*size) // enough for pages of the cache
			h.fill(harbour, 0, 5)
			h.drain()
			h.page(feed.Cursor{})
			for user := range int64(6) {
				h.follow(user+1, harbour)
			}
			oldest, err := h.Entries.EntryByGUID(t.Context(), harbour, "0")
			h.ok(err)
			oldest.Timestamp, oldest.Title = now.Time.Add(time.Second), "moved"
			h.ok(h.Entries.SaveEntry(t.Context(), &oldest))
			killed(oldest.ID)
			for user := range int64(6) {
				h.ok(s.Timelines.Unfollow(t.Context(), user+1, harbour))
			}
			killed(h.save(harbour, "new", now.Time.Add(2*time.Second)))
		})
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
	h := &house{s, t, now, storetest.Commands(t, dial), nil}
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
		"follow again, and a post, beside an unfollow": func(user int64, guid string) {
			var id string
			together(func() { check(s.Timelines.Unfollow(ctx, user, harbour)) }, func() {
				_, err := s.Timelines.Follow(ctx, user, feed.Follow{FeedURL: harbour})
				check(err)
				read(user)
				id = h.save(harbour, guid, now.Time)
				fanOut(id)
			})
			follows, err := s.Timelines.Follows(ctx, user)
			check(err)
			page, err := s.Timelines.Timeline(ctx, user, feed.Cursor{}, size) // of the cache
			check(err)
			if got := titlesOf(page); len(follows) == 1 && !slices.Contains(got, guid) || len(follows) == 0 && len(got) > 0 {
				t.Errorf("with %d follows, the timeline has %v", len(follows), got)
			}
			if isFollower := h.raw.Do("ZSCORE", harbour+":followers", user) != nil; !isFollower && len(follows) == 1 {
				t.Error("the follow has no follower")
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
