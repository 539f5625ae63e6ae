//go:build !race

package timeline_test

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// The cases of timelines (C) and edge cases (E), with the names of the specification. Tests of this package and of publish/posts
// run on a real Redis, on miniredis and in the sharded layout; the others run on a real Redis.
//
//	case  tests                                          where feedwire differs
//	C1-4  TestC1 to TestC4, TestE3                       a reader whose cache has ended waits for the new one
//	C5    TestC5                                         a follow drops the cache instead of adding five entries, so that all are there
//	C6-7  TestC6, TestC7; status codes: TestC13 of publish/posts, TestRemovedSource… of publish/readers
//	C8    TestC8, TestMoved…                             authors cannot edit posts; sources and editors edit entries
//	C9    TestC9 of cmd/feedwire/daemon
//	C10   TestC10
//	C11   TestC11, TestRaces…
//	C12   TestC12 of publish/posts
//	C13   TestC13 and TestLikes… of publish/posts        a vote takes the place of a like
//	C14   TestC14 of publish/posts
//	E1-8  TestE1 to TestE8; E1 of publish/readers
//	E9    TestE9                                         stories of several sources are not collapsed
//	E10   TestE10
//	E11   TestE11 of cmd/feedwire/daemon                 dates before 1970 stay
//	E12   TestE12
//	E13   TestE13, TestRemovedSource… of publish/readers
//	E14   TestE14
//	E15   TestE15
//	E16   TestE16
//	E17   TestE17 of publish/posts                       the first post makes its author follow the own posts, not the sign-up
//	E18   TestE18

func TestC1NormalScroll(t *testing.T) {
	each(t, func(h *house) {
		h.follow(reader, harbour)
		h.fill(harbour, 0, 40)
		first := h.page(feed.Cursor{})
		h.raw.Do("EXPIRE", cacheKey, 100)
		cached := h.raw.Strings("ZRANGE", cacheKey, 0, -1, "WITHSCORES")
		second := h.page(first.Next)
		h.want("cache", h.raw.Strings("ZRANGE", cacheKey, 0, -1, "WITHSCORES"), cached...)
		h.want("second page", titlesOf(second), down(29, 20)...)
		if last := second.Entries[size-1]; second.Next != after(last.ID, last.Timestamp) {
			h.t.Errorf("next is %v, the last entry is %s at %v", second.Next, last.ID, last.Timestamp)
		}
		if ttl := h.raw.Int("TTL", cacheKey); ttl < 604790 {
			h.t.Errorf("the cache lives for %d s", ttl)
		}
	})
}

func TestPagesInQuickSuccessionWriteOnce(t *testing.T) {
	each(t, func(h *house) {
		h.follow(reader, harbour)
		h.fill(harbour, 0, 40)
		first := h.page(feed.Cursor{})
		h.raw.Do("EXPIRE", cacheKey, 605_000) // more than a page sets, as if it had been a moment before
		h.page(first.Next)
		if ttl := h.raw.Int("TTL", cacheKey); ttl <= 604_800 {
			h.t.Errorf("a page set the TTL to %d s", ttl)
		}
	})
}

func TestPageOfAWarmTimelineTakesTwoExchanges(t *testing.T) {
	each(t, func(h *house) {
		h.follow(reader, harbour, yard)
		h.fill(harbour, 0, 20)
		h.fill(yard, 0, 20)
		first := h.page(feed.Cursor{})
		h.page(first.Next)
		for _, cursor := range []feed.Cursor{{}, first.Next} {
			before := h.exchanges()
			h.page(cursor)
			if n := h.exchanges() - before; n != 2 {
				h.t.Errorf("a page after %v takes %v exchanges", cursor, n)
			}
		}
	})
}

func TestScoredTimelineHasTheVotesOfItsEntries(t *testing.T) {
	each(t, func(h *house) {
		h.follow(reader, harbour)
		h.follow(reader+1, harbour)
		h.fill(harbour, 0, 20)
		scored := func(user int64) (feed.TimelinePage, map[string]feed.Score) {
			h.t.Helper()
			page, scores, err := h.Timelines.ScoredTimeline(h.t.Context(), user, feed.Cursor{}, size)
			h.ok(err)
			return page, scores
		}
		scored(reader)
		before := h.exchanges()
		page, scores := scored(reader)
		if n := h.exchanges() - before; n != 2 || len(scores) != 0 {
			h.t.Errorf("a page without votes takes %v exchanges and has the scores %v", n, scores)
		}
		h.want("the page", titlesOf(page), titlesOf(h.page(feed.Cursor{}))...)
		var ids []string
		for i := range page.Entries {
			ids = append(ids, page.Entries[i].ID)
		}
		_, err := h.Rankings.Vote(h.t.Context(), &page.Entries[3], reader, feed.VoteUp)
		h.ok(err)
		for user, vote := range map[int64]feed.Vote{reader: feed.VoteUp, reader + 1: feed.VoteNone} {
			want, err := h.Rankings.Scores(h.t.Context(), user, ids)
			h.ok(err)
			_, got := scored(user)
			if diff := cmp.Diff(want, got); diff != "" || got[ids[3]].Vote != vote {
				h.t.Errorf("the scores for user %d are %v (-want +got):\n%s", user, got, diff)
			}
		}
	})
}

// The source of an entry changes when it moves. What a page remembers of the entry must not decide who sees it.
func TestPageShowsEntriesByTheirCurrentSource(t *testing.T) {
	each(t, func(h *house) {
		h.follow(reader, harbour, yard)
		id := h.save(harbour, "moved", h.now.Time)
		h.save(yard, "other", h.now.Time.Add(time.Second))
		h.want("at first", titlesOf(h.page(feed.Cursor{})), "other", "moved")
		for range 2 {
			h.raw.Do("HSET", id, "feed_url", "http://quay.example/feed.xml")
			h.want("of a source that the user does not follow", titlesOf(h.page(feed.Cursor{})), "other")
			h.want("again", titlesOf(h.page(feed.Cursor{})), "other")
			h.raw.Do("HSET", id, "feed_url", harbour)
			h.want("of a followed source", titlesOf(h.page(feed.Cursor{})), "other", "moved")
		}
	})
}

func TestC1bTiesAreNotLost(t *testing.T) {
	each(t, func(h *house) {
		h.follow(reader, harbour, yard)
		for i := range 45 { // three seconds, each with entries of both sources
			url := []string{harbour, yard}[i%2]
			h.save(url, strconv.Itoa(i), h.now.Time.Add(time.Duration(i/15)*time.Second))
		}
		seen := make(map[string]int)
		for _, title := range h.walk(feed.Cursor{}) {
			seen[title]++
		}
		for i := range 45 {
			if n := seen[strconv.Itoa(i)]; n != 1 {
				h.t.Errorf("entry %d is on %d pages", i, n)
			}
		}
	})
}

func TestC2RefreshShowsNewEntriesFirst(t *testing.T) {
	each(t, func(h *house) {
		h.follow(reader, harbour)
		h.fill(harbour, 0, 30)
		first := h.page(feed.Cursor{})
		h.save(harbour, "new", h.now.Time)
		h.drain()
		h.want("refresh", titlesOf(h.page(feed.Cursor{}))[:2], "new", "29")
		h.want("the old cursor", titlesOf(h.page(first.Next)), down(19, 10)...)
	})
}

func TestC3CacheExhausted(t *testing.T) {
	each(t, func(h *house) {
		h.follow(reader, harbour)
		h.fill(harbour, 0, 14)
		second := h.page(h.page(feed.Cursor{}).Next)
		h.want("second page", titlesOf(second), down(3, 0)...)
		if !second.Next.IsZero() {
			h.t.Errorf("more follows after %v", second.Next)
		}
		last := second.Entries[3]
		if page := h.page(after(last.ID, last.Timestamp)); len(page.Entries) != 0 || !page.Next.IsZero() {
			h.t.Errorf("after the last entry there are %v, then %v", titlesOf(page), page.Next)
		}
	})
}

func TestC3PagesGoOnBeyondTheCache(t *testing.T) {
	for shallow, want := range map[bool]int{false: 525, true: 500} {
		t.Run("shallow="+strconv.FormatBool(shallow), func(t *testing.T) {
			eachWith(t, core.Options{ShallowTimelines: shallow}, func(h *house) {
				h.follow(reader, harbour)
				h.fill(harbour, 0, 525)
				h.want("timeline", h.walk(feed.Cursor{}), down(524, 525-want)...)
				if n := h.raw.Int("ZCARD", cacheKey); n != 500 {
					h.t.Errorf("the cache has %d entries", n)
				}
			})
		})
	}
}

func TestC4CursorGone(t *testing.T) {
	each(t, func(h *house) {
		h.follow(reader, harbour)
		h.fill(harbour, 0, 30)
		first := h.page(feed.Cursor{})
		h.raw.Do("ZREM", cacheKey, first.Next.Member)
		h.raw.Do("RENAME", harbour+":sort", harbour+":away") // a read of the source would show it
		h.want("without the entry of the cursor", titlesOf(h.page(first.Next)), down(19, 10)...)
		h.raw.Do("RENAME", harbour+":away", harbour+":sort")
		h.raw.Do("DEL", cacheKey, warmKey)
		h.want("without the cache", titlesOf(h.page(first.Next)), down(19, 10)...)
		if n := h.raw.Int("ZCARD", cacheKey); n != 30 {
			h.t.Errorf("the new cache has %d entries", n)
		}
	})
}

func TestC5Follow(t *testing.T) {
	each(t, func(h *house) {
		h.follow(reader, harbour)
		h.fill(harbour, 0, 3)
		h.page(feed.Cursor{})
		h.save(yard, "yard", h.now.Time.Add(-1500*time.Millisecond))
		created, err := h.Timelines.Follow(h.t.Context(), reader, feed.Follow{FeedURL: yard, Folder: "Ships"})
		if err != nil || !created {
			h.t.Errorf("follow: %t, %v", created, err)
		}
		h.want("timeline", h.walk(feed.Cursor{}), "2", "1", "yard", "0")
		if created, err = h.Timelines.Follow(h.t.Context(), reader, feed.Follow{FeedURL: yard}); err != nil || created {
			h.t.Errorf("followed again: %t, %v", created, err)
		}
		all, err := h.Timelines.Follows(h.t.Context(), reader)
		if err != nil || len(all) != 2 || all[1].Folder != "Ships" || !all[1].Since.Equal(h.now.Time) {
			h.t.Errorf("follows %+v, %v", all, err)
		}
	})
}

func TestC6Unfollow(t *testing.T) {
	each(t, func(h *house) {
		h.follow(reader, harbour, yard)
		h.fill(harbour, 0, 3)
		h.save(yard, "old", h.now.Time.Add(-20*24*time.Hour))
		h.page(feed.Cursor{})
		h.save(yard, "queued", h.now.Time)
		for range 2 {
			h.ok(h.Timelines.Unfollow(h.t.Context(), reader, yard))
			h.want("timeline", h.walk(feed.Cursor{}), down(2, 0)...)
		}
		h.drain()
		if n := h.raw.Int("ZCARD", cacheKey); n != 3 {
			h.t.Errorf("the cache has %d entries", n)
		}
		if n := h.raw.Int("ZCARD", yard+":followers"); n != 0 {
			h.t.Errorf("the source has %d followers", n)
		}
	})
}

func TestC7Deleted(t *testing.T) {
	each(t, func(h *house) {
		h.follow(reader, harbour)
		h.fill(harbour, 0, 20)
		id := h.page(feed.Cursor{}).Entries[2].ID
		_, err := h.Entries.TakeDownEntry(h.t.Context(), id)
		h.ok(err)
		h.want("before the fan-out", titlesOf(h.page(feed.Cursor{})), "19", "18", "16", "15", "14", "13", "12", "11", "10", "9")
		h.drain()
		if score := h.raw.Do("ZSCORE", cacheKey, strings.TrimPrefix(id, "Entry:")); score != nil {
			h.t.Errorf("the cache has the entry at %s", score)
		}
	})
}

func TestC7FanOutRemovesFromCachesThatNobodyReads(t *testing.T) {
	each(t, func(h *house) {
		h.fill(harbour, 0, 3)
		followers := []int64{reader, 65, 1}
		for _, user := range followers {
			h.follow(user, harbour)
			_, err := h.Timelines.Timeline(h.t.Context(), user, feed.Cursor{}, size)
			h.ok(err)
		}
		id := h.page(feed.Cursor{}).Entries[0].ID
		_, err := h.Entries.TakeDownEntry(h.t.Context(), id)
		h.ok(err)
		h.drain()
		for _, user := range followers {
			if n := h.raw.Int("ZCARD", fmt.Sprint("feed:user:", user)); n != 2 {
				h.t.Errorf("the cache of user %d has %d entries", user, n)
			}
		}
	})
}

func TestC8Edited(t *testing.T) {
	each(t, func(h *house) {
		h.follow(reader, harbour)
		h.fill(harbour, 0, 3)
		e := h.page(feed.Cursor{}).Entries[1]
		h.drain()
		e.Title = "edited"
		h.ok(h.Entries.SaveEntry(h.t.Context(), &e))
		signals, err := h.Signals.NextSignals(h.t.Context(), "timelines", "test", 9, 0)
		if err != nil || len(signals) != 1 || signals[0].Kind != feed.PostModified {
			h.t.Fatalf("signals %+v, %v", signals, err)
		}
		h.ok(h.Timelines.PlanFanout(h.t.Context(), signals))
		for _, c := range h.chunks() {
			if n, err := h.Timelines.ApplyChunk(h.t.Context(), c); err != nil || n != 0 {
				h.t.Errorf("the edit changed %d caches, %v", n, err)
			}
		}
		h.want("timeline", h.walk(feed.Cursor{}), "2", "edited", "0")
	})
}

func TestC10NobodyFollowed(t *testing.T) {
	each(t, func(h *house) {
		h.fill(harbour, 0, 3)
		h.drain()
		for range 2 {
			h.want("timeline", h.walk(feed.Cursor{}))
		}
		if keys := h.raw.Keys("feed:user:*"); len(keys) != 1 || h.raw.Int("EXISTS", warmKey) != 1 {
			h.t.Errorf("there are the keys %v", keys)
		}
	})
}

func TestC11ColdStart(t *testing.T) {
	each(t, func(h *house) {
		h.follow(reader, harbour, yard)
		h.fill(harbour, 0, 300)
		h.now.Advance(300 * time.Second)
		h.fill(yard, 300, 300)
		var readers sync.WaitGroup
		pages := make([]feed.TimelinePage, 20)
		for i := range pages {
			readers.Go(func() {
				var err error
				if pages[i], err = h.Timelines.Timeline(h.t.Context(), reader, feed.Cursor{}, size); err != nil {
					h.t.Error(err)
				}
			})
		}
		readers.Wait()
		if n := h.coldStarts(); n != 1 {
			h.t.Errorf("the cache was built %v times", n)
		}
		for i := range pages {
			h.want("first page", titlesOf(pages[i]), down(599, 590)...)
		}
		if n, ttl := h.raw.Int("ZCARD", cacheKey), h.raw.Int("TTL", cacheKey); n != 500 || ttl < 604790 {
			h.t.Errorf("the cache has %d entries and lives for %d s", n, ttl)
		}
		if warm, ttl := h.raw.Do("GET", warmKey), h.raw.Int("TTL", warmKey); string(warm.([]byte)) != "ready" || ttl > 604740 {
			h.t.Errorf("the marker is %s and lives for %d s", warm, ttl)
		}
		for _, url := range []string{harbour, yard} { // a read of the sources would show it
			h.raw.Do("DEL", url+":sort")
			h.raw.Do("DEL", url+":guidmap")
		}
		h.want("second page", titlesOf(h.page(pages[0].Next)), down(589, 580)...)
	})
}

func TestC11ShortColdStartHasNoMore(t *testing.T) {
	each(t, func(h *house) {
		h.follow(reader, harbour)
		h.fill(harbour, 0, 10)
		if page := h.page(feed.Cursor{}); len(page.Entries) != 10 || !page.Next.IsZero() {
			h.t.Errorf("%d entries, then %v", len(page.Entries), page.Next)
		}
	})
}
