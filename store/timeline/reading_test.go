package timeline_test

import (
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

var unread = feed.Selection{State: feed.StateUnread}

// titles returns the titles of all selected entries, in pages of some size.
func (h *house) titles(selected feed.Selection, size int) (titles []string) {
	h.t.Helper()
	for after := (feed.Cursor{}); ; {
		page, err := h.Timelines.Select(h.t.Context(), reader, selected, after, size)
		h.ok(err)
		titles = append(titles, titlesOf(page)...)
		if after = page.Next; after.IsZero() {
			return titles
		}
	}
}

// mark marks entries of a source by title.
func (h *house) mark(state feed.ReadState, feedURL string, titles ...string) {
	h.t.Helper()
	var ids []string
	for _, title := range titles {
		e, err := h.Entries.EntryByGUID(h.t.Context(), feedURL, title)
		h.ok(err)
		ids = append(ids, e.ID)
	}
	h.ok(h.Timelines.MarkEntries(h.t.Context(), reader, ids, state))
}

// readInEveryWay saves two entries of a source of which one is read although it is above the mark, and one is unread below it.
func (h *house) readInEveryWay(feedURL string) {
	h.t.Helper()
	h.save(feedURL, "kept unread", h.now.Time)
	h.ok(h.Timelines.MarkSources(h.t.Context(), reader, feed.Selection{FeedURL: feedURL}, time.Time{}))
	h.mark(feed.StateUnread, feedURL, "kept unread")
	h.save(feedURL, "read", h.now.Time.Add(time.Second))
	h.mark(feed.StateRead, feedURL, "read")
	if n := h.raw.Int("EXISTS", markKey, readKey, keepKey); n != 3 {
		h.t.Errorf("%d of three keys exist", n)
	}
}

// checkUnread compares the unread entries, the counts and the flags of entries with what is expected, newest first.
func (h *house) checkUnread(what string, want ...string) {
	h.t.Helper()
	h.want(what, h.titles(unread, 3), want...)
	h.want(what+", in one page", h.titles(unread, 100), want...)
	counts, err := h.Timelines.UnreadCounts(h.t.Context(), reader)
	h.ok(err)
	if n := counts[harbour] + counts[yard]; n != len(want) {
		h.t.Errorf("%s: %d unread entries are counted, want %d: %v", what, n, len(want), counts)
	}
	page, err := h.Timelines.Timeline(h.t.Context(), reader, feed.Cursor{}, 100)
	h.ok(err)
	all, err := h.Timelines.ForReader(h.t.Context(), reader, page.Entries)
	h.ok(err)
	var flagged, read []string
	for _, e := range all {
		if e.Read {
			read = append(read, e.Title)
		} else {
			flagged = append(flagged, e.Title)
		}
	}
	h.want(what+", by their flag", flagged, want...)
	h.want(what+", those that are read", h.titles(feed.Selection{State: feed.StateRead}, 3), read...)
}

func TestReadEntriesAreThoseBelowTheMarkAndThoseThatWereRead(t *testing.T) {
	each(t, func(h *house) {
		h.follow(reader, harbour, yard)
		h.fill(harbour, 0, 4)
		h.save(yard, "yard", h.now.Time.Add(-1500*time.Millisecond))
		h.checkUnread("at first", "3", "2", "yard", "1", "0")
		for range 2 {
			h.mark(feed.StateRead, harbour, "1", "3")
			h.checkUnread("after two were read", "2", "yard", "0")
		}
		h.mark(feed.StateUnread, harbour, "1")
		h.checkUnread("after one was marked as unread", "2", "yard", "1", "0")
		for range 2 {
			h.ok(h.Timelines.MarkSources(h.t.Context(), reader, feed.Selection{FeedURL: harbour}, time.Time{}))
			h.checkUnread("after a source was read", "yard")
		}
		if n := h.raw.Int("EXISTS", readKey, keepKey); n != 0 {
			h.t.Error("the mark does not prune the sets")
		}
		for range 2 {
			h.mark(feed.StateUnread, harbour, "2", "0")
			h.checkUnread("after two of it were marked as unread", "2", "yard", "0")
		}
		h.mark(feed.StateRead, harbour, "2")
		h.checkUnread("after one of them was read again", "yard", "0")
		h.save(harbour, "late", h.now.Time.Add(-10*time.Second))
		h.save(harbour, "new", h.now.Time.Add(time.Second))
		h.now.Advance(2 * time.Second)
		h.ok(h.Timelines.Unfollow(h.t.Context(), reader, yard))
		h.follow(reader, yard)
		h.checkUnread("after two more", "new", "yard", "0")
		h.ok(h.Timelines.MarkSources(h.t.Context(), reader, feed.Selection{}, time.Time{}))
		h.checkUnread("after all was read")
	})
}

func TestEntryThatArrivesAfterAllWasReadIsUnreadAlthoughItIsOlder(t *testing.T) {
	each(t, func(h *house) {
		h.follow(reader, harbour, yard)
		h.fill(harbour, 0, 2)
		h.save(yard, "old", h.now.Time.Add(-time.Hour))
		h.ok(h.Timelines.MarkSources(h.t.Context(), reader, feed.Selection{}, time.Time{}))
		h.save(yard, "late", h.now.Time.Add(-time.Minute))
		h.checkUnread("later", "late")
	})
}

func TestSourceIsReadUpToATime(t *testing.T) {
	each(t, func(h *house) {
		h.follow(reader, harbour)
		h.fill(harbour, 0, 5)
		h.mark(feed.StateRead, harbour, "4", "1")
		h.ok(h.Timelines.MarkSources(h.t.Context(), reader, feed.Selection{}, h.now.Time.Add(-2*time.Second)))
		h.checkUnread("up to entry 2", "3")
		if n := h.raw.Int("ZCARD", readKey); n != 1 {
			h.t.Errorf("%d entries are read beside the mark, want 1", n)
		}
		h.ok(h.Timelines.MarkSources(h.t.Context(), reader, feed.Selection{}, h.now.Time.Add(-4*time.Second)))
		h.checkUnread("an earlier time", "3")
	})
}

func TestUnreadEntriesOfAFolderOrSource(t *testing.T) {
	each(t, func(h *house) {
		sea, none := "Sea", ""
		_, err := h.Timelines.Follow(h.t.Context(), reader, feed.Follow{FeedURL: harbour, Folder: sea})
		h.ok(err)
		h.follow(reader, yard)
		h.fill(harbour, 0, 2)
		h.save(yard, "yard", h.now.Time)
		h.mark(feed.StateRead, harbour, "0")
		h.want("folder", h.titles(feed.Selection{Folder: &sea}, 1), "1", "0")
		h.want("unread of the folder", h.titles(feed.Selection{Folder: &sea, State: feed.StateUnread}, 1), "1")
		h.want("without a folder", h.titles(feed.Selection{Folder: &none}, 1), "yard")
		muted := true
		_, err = h.Timelines.ChangeFollow(h.t.Context(), reader, yard, feed.FollowChange{Muted: &muted})
		h.ok(err)
		h.want("all without the muted source", h.titles(unread, 9), "1")
		h.want("the muted source", h.titles(feed.Selection{FeedURL: yard}, 9), "yard")
		h.want("another source", h.titles(feed.Selection{FeedURL: "http://other.example/"}, 9))
	})
}

func TestRemovedEntriesAreNotCounted(t *testing.T) {
	each(t, func(h *house) {
		h.follow(reader, harbour)
		h.fill(harbour, 0, 4)
		h.mark(feed.StateRead, harbour, "0", "3")
		_, err := h.Entries.ExpireEntries(h.t.Context(), harbour, 3)
		h.ok(err)
		h.checkUnread("after an entry that was read has expired", "2", "1")
		h.ok(h.Timelines.MarkEntries(h.t.Context(), reader, []string{"Entry:999999", "Entry:x"}, feed.StateRead))
		h.checkUnread("after unknown entries were read", "2", "1")
	})
}

// Beyond the bound, the mark of their source stands for the oldest entries that were read: they never become unread again.
func TestEntriesReadOneByOneAreBounded(t *testing.T) {
	each(t, func(h *house) {
		h.follow(reader, harbour)
		h.fill(harbour, 0, 3)
		for i := range feed.MaxRead/500 + 1 {
			args := []any{readKey}
			for n := range 500 {
				args = append(args, h.now.Time.Unix()+1, fmt.Sprintf("1%05d http://other.example/", i*500+n))
			}
			h.raw.Do("ZADD", args...)
		}
		h.mark(feed.StateRead, harbour, "1")
		if n := h.raw.Int("ZCARD", readKey); n != feed.MaxRead {
			h.t.Errorf("%d entries are stored", n)
		}
		h.checkUnread("beyond the bound", "2")
	})
}

func TestEntriesKeptUnreadAreBounded(t *testing.T) {
	each(t, func(h *house) {
		h.follow(reader, harbour)
		h.fill(harbour, 0, feed.MaxKeptUnread+5)
		h.ok(h.Timelines.MarkSources(h.t.Context(), reader, feed.Selection{}, time.Time{}))
		all := make([]string, feed.MaxKeptUnread+5)
		for i := range all {
			all[i] = strconv.Itoa(i)
		}
		h.mark(feed.StateUnread, harbour, all...)
		want := slices.Clone(all[5:])
		slices.Reverse(want)
		h.want("unread", h.titles(unread, 400), want...)
	})
}
