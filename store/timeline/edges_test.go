//go:build !race

package timeline_test

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestE1TiesBeforeADeletedCursor(t *testing.T) {
	each(t, func(h *house) {
		h.follow(reader, harbour)
		for i := range 25 {
			h.save(harbour, strconv.Itoa(i), h.now.Time)
		}
		all := h.walk(feed.Cursor{})
		first := h.page(feed.Cursor{})
		_, err := h.Entries.TakeDownEntry(h.t.Context(), "Entry:"+first.Next.Member)
		h.ok(err)
		h.drain()
		h.want("the rest", h.walk(first.Next), all[10:]...)
	})
}

func TestE2ScoresAreWholeSeconds(t *testing.T) {
	each(t, func(h *house) {
		h.follow(reader, harbour)
		h.save(harbour, "a", h.now.Time.Add(900*time.Millisecond))
		h.page(feed.Cursor{})
		got := h.raw.Strings("ZRANGE", cacheKey, 0, -1, "WITHSCORES")
		if len(got) != 2 || got[1] != strconv.FormatInt(h.now.Time.Unix(), 10) {
			h.t.Errorf("the cache has %v", got)
		}
	})
}

func TestE3CursorOlderThanTheCache(t *testing.T) {
	each(t, func(h *house) {
		h.follow(reader, harbour)
		h.fill(harbour, 0, 520)
		h.page(feed.Cursor{})
		cursor := feed.Cursor{Score: float64(h.now.Time.Add(-505 * time.Second).Unix()), Member: "0"}
		h.want("page", titlesOf(h.page(cursor)), down(13, 4)...)
	})
}

func TestE4PagesAreFullAlthoughEntriesWereDeleted(t *testing.T) {
	each(t, func(h *house) {
		h.follow(reader, harbour)
		h.fill(harbour, 0, 60)
		h.page(feed.Cursor{})
		for i := 58; i > 20; i-- {
			e, err := h.Entries.EntryByGUID(h.t.Context(), harbour, strconv.Itoa(i))
			h.ok(err)
			_, err = h.Entries.TakeDownEntry(h.t.Context(), e.ID)
			h.ok(err)
		}
		page := h.page(feed.Cursor{})
		h.want("page", titlesOf(page), append([]string{"59"}, down(20, 12)...)...)
		if page.Next.IsZero() {
			h.t.Error("nothing follows")
		}
	})
}

func TestE5MoreFollowsOnlyIfThereIsAnotherEntry(t *testing.T) {
	each(t, func(h *house) {
		h.follow(reader, harbour)
		h.fill(harbour, 0, 20)
		if page := h.page(h.page(feed.Cursor{}).Next); len(page.Entries) != size || !page.Next.IsZero() {
			h.t.Errorf("second page: %d entries, then %v", len(page.Entries), page.Next)
		}
	})
}

func TestE6OnlyReadsKeepTheCacheAlive(t *testing.T) {
	each(t, func(h *house) {
		h.follow(reader, harbour)
		h.fill(harbour, 0, 3)
		h.page(feed.Cursor{})
		h.drain()
		h.raw.Do("EXPIRE", cacheKey, 100)
		h.save(harbour, "new", h.now.Time)
		h.drain()
		if ttl := h.raw.Int("TTL", cacheKey); ttl < 1 || ttl > 100 {
			h.t.Errorf("the cache lives for %d s", ttl)
		}
	})
}

func TestE6CacheThatBeginsWithFanOutExpires(t *testing.T) {
	each(t, func(h *house) {
		h.follow(reader, harbour)
		h.page(feed.Cursor{}) // of no entries
		h.save(harbour, "new", h.now.Time)
		h.drain()
		if ttl := h.raw.Int("TTL", cacheKey); ttl < 1 {
			h.t.Errorf("the cache has a TTL of %d s", ttl)
		}
		h.want("timeline", h.walk(feed.Cursor{}), "new")
	})
}

func TestE7FanOutSkipsColdTimelines(t *testing.T) {
	each(t, func(h *house) {
		h.follow(reader, harbour)
		h.fill(harbour, 0, 3)
		h.drain()
		if keys := h.raw.Keys("feed:user:*"); len(keys) != 0 {
			h.t.Errorf("there are the keys %v", keys)
		}
		h.page(feed.Cursor{})
		h.raw.Do("DEL", cacheKey) // evicted
		h.save(harbour, "3", h.now.Time)
		h.drain()
		h.want("timeline", h.walk(feed.Cursor{}), "3", "2", "1", "0")
		if n := h.raw.Int("ZCARD", cacheKey); n != 4 {
			h.t.Errorf("the cache has %d entries", n)
		}
	})
}

func TestE8RemovalOvertakesTheAddition(t *testing.T) {
	each(t, func(h *house) {
		h.follow(reader, harbour)
		h.fill(harbour, 0, 3)
		h.page(feed.Cursor{})
		h.drain()
		id := h.save(harbour, "new", h.now.Time)
		_, err := h.Entries.TakeDownEntry(h.t.Context(), id)
		h.ok(err)
		signals, err := h.Signals.NextSignals(h.t.Context(), "timelines", "test", 9, 0)
		h.ok(err)
		slices.Reverse(signals)
		h.ok(h.Timelines.PlanFanout(h.t.Context(), signals))
		h.drain()
		if n := h.raw.Int("ZCARD", cacheKey); n != 3 {
			h.t.Errorf("the cache has %d entries", n)
		}
	})
}

func TestE9SameStoryOfTwoSourcesIsTwoEntries(t *testing.T) {
	each(t, func(h *house) {
		h.follow(reader, harbour, yard)
		h.save(harbour, "story", h.now.Time)
		h.save(yard, "story", h.now.Time)
		h.want("of both", h.walk(feed.Cursor{}), "story", "story")
		h.ok(h.Timelines.Unfollow(h.t.Context(), reader, yard))
		h.want("of one", h.walk(feed.Cursor{}), "story")
	})
}

func TestE10ManyFollowsAreOneColdStart(t *testing.T) {
	each(t, func(h *house) {
		for i := range 100 {
			url := "http://s" + strconv.Itoa(i) + ".example/"
			h.follow(reader, url)
			h.save(url, strconv.Itoa(i), h.now.Time.Add(time.Duration(i)*time.Second))
		}
		if keys := h.raw.Keys("feed:user:*"); len(keys) != 0 {
			h.t.Errorf("there are the keys %v", keys)
		}
		h.want("timeline", h.walk(feed.Cursor{}), down(99, 0)...)
		if n := h.coldStarts(); n != 1 {
			h.t.Errorf("the cache was built %v times", n)
		}
	})
}

func TestE12BackdatedEntryIsInItsPlace(t *testing.T) {
	each(t, func(h *house) {
		h.follow(reader, harbour)
		h.fill(harbour, 0, 12)
		h.page(feed.Cursor{})
		h.save(harbour, "between", h.now.Time.Add(-1500*time.Millisecond))
		h.save(harbour, "oldest", h.now.Time.Add(-time.Hour))
		h.drain()
		want := slices.Concat([]string{"11", "10", "between"}, down(9, 0), []string{"oldest"})
		h.want("timeline", h.walk(feed.Cursor{}), want...)
	})
}

func TestE13ExpiredEntriesDoNotReturn(t *testing.T) {
	each(t, func(h *house) {
		h.follow(reader, harbour)
		h.fill(harbour, 0, 20)
		h.page(feed.Cursor{})
		_, err := h.Entries.ExpireEntries(h.t.Context(), harbour, 5)
		h.ok(err)
		h.want("cached", h.walk(feed.Cursor{}), down(19, 15)...)
		h.raw.Do("DEL", cacheKey, warmKey)
		h.want("rebuilt", h.walk(feed.Cursor{}), down(19, 15)...)
	})
}

func TestE14EvictedCacheIsRebuilt(t *testing.T) {
	each(t, func(h *house) {
		h.follow(reader, harbour)
		h.fill(harbour, 0, 5)
		h.page(feed.Cursor{})
		h.raw.Do("DEL", cacheKey)
		h.want("timeline", h.walk(feed.Cursor{}), down(4, 0)...)
		if n := h.raw.Int("ZCARD", cacheKey); n != 5 {
			h.t.Errorf("the cache has %d entries", n)
		}
	})
}

func TestE14FullRedisServesTimelinesFromTheSources(t *testing.T) {
	dial := storetest.Redis(t)
	now := storetest.NewClock()
	h := &house{storetest.New(t, core.Options{Dial: dial, Now: now.Now}), t, now, storetest.Commands(t, dial), nil}
	h.follow(reader, harbour)
	h.fill(harbour, 0, 15)
	h.raw.Do("CONFIG", "SET", "maxmemory", "1")
	h.want("timeline", h.walk(feed.Cursor{}), down(14, 0)...)
	h.raw.Do("CONFIG", "SET", "maxmemory", "0")
}

func TestE15CursorOfAnotherUserIsAPosition(t *testing.T) {
	each(t, func(h *house) {
		h.follow(reader, harbour)
		h.follow(7, yard)
		h.fill(harbour, 0, 3)
		h.now.Advance(time.Minute)
		h.fill(harbour, 3, 2)
		at := h.now.Time.Add(-30 * time.Second)
		h.want("after it", titlesOf(h.page(after(h.save(yard, "y", at), at))), down(2, 0)...)
	})
}

func TestE16CutAmongEqualTimestampsIsStable(t *testing.T) {
	each(t, func(h *house) {
		h.follow(reader, harbour)
		for i := range 510 {
			h.save(harbour, strconv.Itoa(i), h.now.Time)
		}
		all := h.walk(feed.Cursor{})
		h.save(harbour, "same second", h.now.Time)
		h.drain()
		got := h.walk(feed.Cursor{})
		if rest := slices.DeleteFunc(slices.Clone(got), func(title string) bool { return title == "same second" }); len(got) != 511 || !slices.Equal(rest, all) {
			h.t.Errorf("%d entries, in another order than the %d before", len(got), len(all))
		}
	})
}

func TestE18MutedSourcesAreHidden(t *testing.T) {
	each(t, func(h *house) {
		h.follow(reader, harbour, yard)
		h.fill(harbour, 0, 100)
		h.now.Advance(100 * time.Second)
		h.fill(yard, 100, 50)
		h.page(feed.Cursor{})
		mute := func(is bool) {
			if f, err := h.Timelines.ChangeFollow(h.t.Context(), reader, yard, feed.FollowChange{Muted: &is}); err != nil || f.Muted != is {
				h.t.Errorf("changed to %+v, %v", f, err)
			}
		}
		mute(true)
		h.want("muted", h.walk(feed.Cursor{}), down(99, 0)...)
		h.save(yard, "150", h.now.Time.Add(time.Second))
		h.drain()
		mute(false)
		h.want("unmuted", h.walk(feed.Cursor{}), down(150, 0)...)
	})
}

func TestPagesEndAlthoughVeryManyEntriesAreMuted(t *testing.T) {
	each(t, func(h *house) {
		h.follow(reader, harbour, yard)
		h.fill(harbour, 0, 1)
		h.now.Advance(time.Hour)
		h.fill(yard, 1, 499)
		h.page(feed.Cursor{})
		muted := true
		_, err := h.Timelines.ChangeFollow(h.t.Context(), reader, yard, feed.FollowChange{Muted: &muted})
		h.ok(err)
		h.want("timeline", h.walk(feed.Cursor{}), "0")
	})
}

func TestMovedEntriesLeaveNoGap(t *testing.T) {
	each(t, func(h *house) {
		h.follow(reader, harbour)
		h.fill(harbour, 0, 540)
		newest := h.page(feed.Cursor{}).Entries
		h.drain()
		for _, e := range newest { // below the cache, and below others that are not in it
			e.Timestamp, e.Title = h.now.Time.Add(-535*time.Second), "moved "+e.Title
			h.ok(h.Entries.SaveEntry(h.t.Context(), &e))
		}
		h.drain()
		for i := range 5 {
			h.save(harbour, strconv.Itoa(540+i), h.now.Time.Add(time.Second))
		}
		h.drain()
		seen := make(map[string]bool)
		for page := (feed.TimelinePage{}); len(seen) == 0 || !page.Next.IsZero(); {
			var err error
			page, err = h.Timelines.Timeline(h.t.Context(), reader, page.Next, 7) // a page ends with the last entries of the cache
			h.ok(err)
			for _, e := range page.Entries {
				seen[e.Title] = true
			}
		}
		if len(seen) != 545 {
			h.t.Errorf("the pages have %d entries of 545", len(seen))
		}
	})
}

func TestUnsignalledEntriesAreInTheTimeline(t *testing.T) {
	each(t, func(h *house) {
		h.follow(reader, harbour)
		h.fill(harbour, 0, 3)
		h.page(feed.Cursor{})
		h.drain()
		h.ok(h.Timelines.PlanFanout(h.t.Context(), []feed.Signal{{Kind: feed.FeedModified, FeedURL: harbour, Unsignalled: feed.Unsignalled{Created: 1}}}))
		h.drain()
		if keys := h.raw.Keys("feed:user:*"); len(keys) != 0 {
			h.t.Errorf("there are the keys %v", keys)
		}
	})
}

func TestSourcesWithManyFollowersArePulled(t *testing.T) {
	eachWith(t, core.Options{PullFollowers: 5}, func(h *house) {
		h.follow(reader, harbour, yard)
		for user := range int64(5) {
			h.follow(user+1, harbour)
		}
		h.fill(harbour, 0, 20)
		h.now.Advance(5 * time.Second)
		h.fill(yard, 100, 20)
		want := h.walk(feed.Cursor{}) // the cache has entries of both
		h.drain()
		oldest, err := h.Entries.EntryByGUID(h.t.Context(), harbour, "0")
		h.ok(err)
		oldest.Timestamp, oldest.Title = h.now.Time.Add(time.Second), "moved"
		h.ok(h.Entries.SaveEntry(h.t.Context(), &oldest))
		h.drain()
		want = append([]string{"moved"}, slices.DeleteFunc(want, func(title string) bool { return title == "0" })...)
		h.want("a moved entry", h.walk(feed.Cursor{}), want...)
		if len(want) != 40 || len(h.raw.Strings("SMEMBERS", "fanout:pulled")) != 1 {
			h.t.Fatalf("%d entries; pulled %v", len(want), h.raw.Strings("SMEMBERS", "fanout:pulled"))
		}
		h.now.Advance(time.Minute)
		h.save(harbour, "new", h.now.Time)
		h.drain()
		h.want("pulled", h.walk(feed.Cursor{}), append([]string{"new"}, want...)...)
		if n := h.raw.Int("ZCARD", cacheKey); n != 20 {
			h.t.Errorf("the cache has %d entries", n)
		}
		h.ok(h.Timelines.Unfollow(h.t.Context(), 1, harbour))
		h.ok(h.Timelines.Unfollow(h.t.Context(), 2, harbour))
		h.page(feed.Cursor{})
		h.save(harbour, "newer", h.now.Time.Add(time.Second))
		h.drain()
		h.want("pushed again", h.walk(feed.Cursor{}), append([]string{"newer", "new"}, want...)...)
		if pulled := h.raw.Strings("SMEMBERS", "fanout:pulled"); len(pulled) != 0 || h.raw.Int("ZCARD", cacheKey) != 42 {
			h.t.Errorf("pulled %v; the cache has %d entries", pulled, h.raw.Int("ZCARD", cacheKey))
		}
	})
}

// The caches still have the entries of a source that has become pulled, and one of them has moved since.
func TestEntryOfASourceThatBecomesPulledIsOnAPageOnce(t *testing.T) {
	eachWith(t, core.Options{PullFollowers: 1}, func(h *house) {
		h.follow(reader, harbour)
		h.fill(harbour, 0, 20)
		moved := h.page(feed.Cursor{}).Entries[5]
		h.drain()
		h.follow(7, harbour)
		moved.Timestamp, moved.Title = h.now.Time.Add(time.Second), "moved" // an entry moves only if its text changes
		h.ok(h.Entries.SaveEntry(h.t.Context(), &moved))
		h.plan()
		want := append([]string{"moved"}, slices.DeleteFunc(down(19, 10), func(title string) bool { return title == "14" })...)
		h.want("page", titlesOf(h.page(feed.Cursor{})), want...)
	})
}

func TestFollowersAreDividedIntoChunks(t *testing.T) {
	each(t, func(h *house) {
		followers := []any{harbour + ":followers"}
		for user := range int64(1201) {
			followers = append(followers, user*3+1, user*3+1)
		}
		h.raw.Do("ZADD", followers...)
		h.ok(h.Timelines.PlanFanout(h.t.Context(), []feed.Signal{{Kind: feed.PostCreated, FeedURL: harbour, Entry: "Entry:1", Time: h.now.Time}}))
		var bounds []int64
		for _, c := range h.chunks() {
			bounds = append(bounds, c.First, c.Last)
			if c.FeedURL != harbour || c.Entry != "Entry:1" || c.Tries != 1 || !c.Time.Equal(h.now.Time) {
				h.t.Errorf("chunk %+v", c)
			}
		}
		if !slices.Equal(bounds, []int64{0, 1500, 1501, 3000, 3001, 0}) {
			h.t.Errorf("the chunks are %v", bounds)
		}
	})
}

func TestCommentChangesNoTimeline(t *testing.T) {
	each(t, func(h *house) {
		h.save(harbour, "g1", h.now.Time)
		h.follow(1, harbour)
		h.drain()
		h.ok(h.Timelines.PlanFanout(h.t.Context(), []feed.Signal{{Kind: feed.CommentCreated, FeedURL: harbour, Entry: "Entry:1", Comment: 1, Time: h.now.Time}}))
		if some, err := h.Timelines.NextChunks(h.t.Context(), "test", 10, 0); err != nil || len(some) != 0 {
			t.Errorf("%d chunks, %v", len(some), err)
		}
	})
}

func TestWorkerFinishesItsChunksAfterARestart(t *testing.T) {
	storetest.Each(t, func(t *testing.T, opts core.Options, now *storetest.Clock, raw *storetest.Redigo) {
		h := &house{storetest.New(t, opts), t, now, raw, nil}
		h.follow(reader, harbour)
		id := h.save(harbour, "a", now.Time)
		h.ok(h.Timelines.PlanFanout(t.Context(), []feed.Signal{{Kind: feed.PostCreated, FeedURL: harbour, Entry: id, Time: now.Time}}))
		if before := h.chunks(); len(before) != 1 {
			t.Fatalf("%d chunks", len(before))
		}
		h.Store = storetest.New(t, opts)
		if others, err := h.Timelines.NextChunks(t.Context(), "other", 100, 0); err != nil || len(others) != 0 {
			t.Errorf("another worker got %+v, %v", others, err)
		}
		if after := h.chunks(); len(after) != 1 || after[0].Entry != id || after[0].Tries != 2 {
			t.Errorf("after the restart the worker got %+v", after)
		}
	})
}

// A follower whose cache is damaged takes no entry from those who follow the same source.
func TestBuriedChunkLosesNoEntry(t *testing.T) {
	each(t, func(h *house) {
		readers := []int64{reader, reader + 1, reader + 2}
		for _, user := range readers {
			h.follow(user, harbour)
		}
		h.save(harbour, "a", h.now.Time)
		for _, user := range readers {
			_, err := h.Timelines.Timeline(h.t.Context(), user, feed.Cursor{}, size)
			h.ok(err)
		}
		h.raw.Do("SET", cacheKey, "damaged")
		id := h.save(harbour, "b", h.now.Time.Add(time.Second))
		h.ok(h.Timelines.PlanFanout(h.t.Context(), []feed.Signal{{Kind: feed.PostCreated, FeedURL: harbour, Entry: id, Time: h.now.Time}}))
		chunk := h.chunks()[0]
		if _, err := h.Timelines.ApplyChunk(h.t.Context(), chunk); err == nil {
			h.t.Fatal("the chunk was applied to a damaged cache")
		}
		h.ok(h.Timelines.BuryChunk(h.t.Context(), chunk))
		for _, user := range readers {
			page, err := h.Timelines.Timeline(h.t.Context(), user, feed.Cursor{}, size)
			h.ok(err)
			h.want(fmt.Sprint("the page of ", user), titlesOf(page), "b", "a")
		}
	})
}

func TestChunkThatFailsIsBuried(t *testing.T) {
	each(t, func(h *house) {
		h.follow(reader, harbour)
		h.save(harbour, "a", h.now.Time)
		h.ok(h.Timelines.PlanFanout(h.t.Context(), []feed.Signal{{Kind: feed.PostCreated, FeedURL: harbour, Entry: "Entry:1", Time: h.now.Time}}))
		chunks := h.chunks()
		if state, err := h.Timelines.FanoutState(h.t.Context()); err != nil || state.Waiting != 1 || state.Oldest.IsZero() {
			h.t.Errorf("state %+v, %v", state, err)
		}
		h.ok(h.Timelines.BuryChunk(h.t.Context(), chunks[0]))
		h.ok(h.Timelines.BuryChunk(h.t.Context(), chunks[0])) // after a lost reply
		state, err := h.Timelines.FanoutState(h.t.Context())
		if err != nil || state != (feed.FanoutState{Dead: 1}) {
			h.t.Errorf("state %+v, %v", state, err)
		}
	})
}

func TestErasedUserLeavesNoKey(t *testing.T) {
	each(t, func(h *house) {
		h.follow(reader, harbour, yard)
		h.save(harbour, "a", h.now.Time)
		h.page(feed.Cursor{})
		h.ok(h.Timelines.CountFetch(h.t.Context(), reader))
		for _, what := range []feed.Limited{feed.LimitedSubmissions, feed.LimitedComments, feed.LimitedVotes} {
			h.ok(h.Timelines.CountLimited(h.t.Context(), &feed.Account{ID: reader, Created: h.now.Time}, what, newAccounts()))
		}
		h.readInEveryWay(harbour)
		for range 2 {
			h.ok(h.Timelines.EraseUser(h.t.Context(), reader))
		}
		for _, key := range h.raw.Keys("*") {
			if strings.Contains(key, "404") || strings.HasSuffix(key, ":followers") {
				h.t.Errorf("the key %s remains", key)
			}
		}
	})
}

func TestUserFollowsABoundedNumberOfSources(t *testing.T) {
	each(t, func(h *house) {
		follows := []any{followKey}
		for i := range feed.MaxFollows {
			follows = append(follows, "http://s.example/"+strconv.Itoa(i), "{}")
		}
		h.raw.Do("HSET", follows...)
		if _, err := h.Timelines.Follow(h.t.Context(), reader, feed.Follow{FeedURL: harbour}); err == nil {
			h.t.Error("the user follows one more")
		}
		if n := h.raw.Int("ZCARD", harbour+":followers"); n != 0 {
			h.t.Errorf("the source has %d followers", n)
		}
		h.raw.Do("DEL", followKey)
	})
}

func TestUserFollowsABoundedNumberOfNewAddressesInAnHour(t *testing.T) {
	each(t, func(h *house) {
		for range feed.MaxFetches {
			h.ok(h.Timelines.CountFetch(h.t.Context(), reader))
		}
		err := h.Timelines.CountFetch(h.t.Context(), reader)
		if quota, ok := errors.AsType[*feed.QuotaError](err); !ok || quota.Wait <= 0 || quota.Wait > time.Hour {
			h.t.Errorf("one more: %v", err)
		}
		if err := h.Timelines.CountFetch(h.t.Context(), reader+1); err != nil {
			h.t.Errorf("another user: %v", err)
		}
	})
}
