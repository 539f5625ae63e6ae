//go:build !race

package timeline_test

import (
	"testing"

	"github.com/feedwire/feedwire/store/feed"
)

func TestWarmTimelinesAreCounted(t *testing.T) {
	each(t, func(h *house) {
		count := func(last, want int64) {
			h.t.Helper()
			got, err := h.Timelines.WarmTimelines(h.t.Context(), last)
			h.ok(err)
			if got != want {
				h.t.Errorf("of %d users %d have warm timelines, want %d", last, got, want)
			}
		}
		read := func(user int64) {
			_, err := h.Timelines.Timeline(h.t.Context(), user, feed.Cursor{}, size)
			h.ok(err)
		}
		count(0, 0)
		read(2)
		read(4)
		count(3, 1)
		count(5, 2)
		for user := range int64(1100) {
			read(user + 1)
		}
		count(1100, 1100) // from a sample
	})
}
