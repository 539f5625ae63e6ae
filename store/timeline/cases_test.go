//go:build !race

package timeline_test

import (
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// The cases of seed 004 and those that it misses, with the names of the specification.

func TestC1NormalScroll(t *testing.T) {
	each(t, func(h *house) {
		h.follow(reader, harbour)
		h.fill(harbour, 0, 40)
		first := h.page(feed.Cursor{})
		h.raw.Do("EXPIRE", cacheKey, 100)
		second := h.page(first.Next)
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
		h.want("after the last entry", titlesOf(h.page(after(last.ID, last.Timestamp))))
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
		h.want("without the entry of the cursor", titlesOf(h.page(first.Next)), down(19, 10)...)
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
		h.follow(reader, harbour)
		h.fill(harbour, 0, 3)
		id := h.page(feed.Cursor{}).Entries[0].ID
		_, err := h.Entries.TakeDownEntry(h.t.Context(), id)
		h.ok(err)
		h.drain()
		if n := h.raw.Int("ZCARD", cacheKey); n != 2 {
			h.t.Errorf("the cache has %d entries", n)
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
