package timeline_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// saved returns the titles of the entries that a user has saved.
func (h *house) saved(user int64) (titles []string) {
	h.t.Helper()
	for after := (feed.Cursor{}); ; {
		page, err := h.Timelines.Saved(h.t.Context(), user, after, 2)
		h.ok(err)
		titles = append(titles, titlesOf(page)...)
		if after = page.Next; after.IsZero() {
			return titles
		}
	}
}

func TestSavedEntriesStayWhenTheyExpire(t *testing.T) {
	each(t, func(h *house) {
		h.follow(reader, harbour)
		ids := make([]string, 5)
		for i := range ids {
			ids[i] = h.save(harbour, fmt.Sprint(i), h.now.Time.Add(time.Duration(i)*time.Second))
		}
		for _, i := range []int{3, 0, 1, 0} {
			h.ok(h.Timelines.AddSaved(h.t.Context(), reader, ids[i]))
			h.now.Advance(time.Second)
		}
		h.ok(h.Timelines.AddSaved(h.t.Context(), reader+1, ids[1]))
		h.want("saved", h.saved(reader), "1", "0", "3")
		page := h.page(feed.Cursor{})
		all, err := h.Timelines.ForReader(h.t.Context(), reader, page.Entries)
		h.ok(err)
		for i, e := range all {
			if want := i == 1 || i >= 3; e.Saved != want {
				h.t.Errorf("entry %s: saved is %t", e.Title, e.Saved)
			}
		}
		_, err = h.Entries.ExpireEntries(h.t.Context(), harbour, 1)
		h.ok(err)
		h.want("saved, after they expired", h.saved(reader), "1", "0", "3")
		h.want("the timeline", h.walk(feed.Cursor{}), "4")
		h.want("the cache of the timeline", titlesOf(h.page(feed.Cursor{})), "4")
		if n := h.raw.Int("EXISTS", ids[2]); n != 0 {
			h.t.Error("an entry that nobody saved has not expired")
		}

		for range 2 {
			h.ok(h.Timelines.RemoveSaved(h.t.Context(), reader, ids[1]))
			h.ok(h.Timelines.RemoveSaved(h.t.Context(), reader, ids[0]))
		}
		h.want("saved, after two were removed", h.saved(reader), "3")
		h.want("saved by another user", h.saved(reader+1), "1")
		if h.raw.Int("EXISTS", ids[0]) != 0 || h.raw.Int("EXISTS", ids[1]) != 1 {
			h.t.Error("an expired entry stays for nobody, or does not stay for another user")
		}
		h.ok(h.Timelines.EraseUser(h.t.Context(), reader))
		h.ok(h.Timelines.EraseUser(h.t.Context(), reader+1))
		if n := h.raw.Int("EXISTS", ids[1], ids[3], harbour+":saved"); n != 0 {
			h.t.Errorf("%d keys remain of erased users", n)
		}
	})
}

func TestEntryThatIsTakenDownIsNotSavedAnyMore(t *testing.T) {
	each(t, func(h *house) {
		ids := []string{h.save(harbour, "expired", h.now.Time), h.save(harbour, "listed", h.now.Time.Add(time.Second))}
		for _, id := range ids {
			h.ok(h.Timelines.AddSaved(h.t.Context(), reader, id))
		}
		_, err := h.Entries.ExpireEntries(h.t.Context(), harbour, 1)
		h.ok(err)
		for _, id := range ids {
			_, err := h.Entries.TakeDownEntry(h.t.Context(), id)
			h.ok(err)
		}
		h.want("saved", h.saved(reader))
		if n := h.raw.Int("EXISTS", ids[0], ids[1], harbour+":saved"); n != 0 {
			h.t.Errorf("%d keys remain", n)
		}
		if err := h.Timelines.AddSaved(h.t.Context(), reader, ids[1]); !errors.Is(err, feed.ErrNotFound) {
			h.t.Errorf("saved again: %v", err)
		}
		h.ok(h.Timelines.RemoveSaved(h.t.Context(), reader, ids[1]))
	})
}

func TestUserSavesABoundedNumberOfEntries(t *testing.T) {
	each(t, func(h *house) {
		id := h.save(harbour, "a", h.now.Time)
		key := fmt.Sprint("user.saved:", reader)
		for i := range feed.MaxSaved / 1000 {
			args := []any{key}
			for n := range 1000 {
				args = append(args, 1, fmt.Sprintf("9%d%03d", i, n))
			}
			h.raw.Do("ZADD", args...)
		}
		if err := h.Timelines.AddSaved(h.t.Context(), reader, id); !errors.Is(err, feed.ErrConflict) {
			h.t.Errorf("one more: %v", err)
		}
		if n := h.raw.Int("EXISTS", harbour+":saved"); n != 0 {
			h.t.Error("the entry stays although it was not saved")
		}
	})
}
