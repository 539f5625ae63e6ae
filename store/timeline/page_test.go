package timeline_test

import (
	"testing"

	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/timeline"
)

// The entry 1 was dated back. The cache has it at its old place, and the source at the new one.
func TestPageHasAnEntryOnceAlthoughItHasTwoPlaces(t *testing.T) {
	reads := [][]feed.Cursor{
		{{Score: 30, Member: "1"}, {Score: 20, Member: "2"}, {Score: 10, Member: "3"}},
		{{Score: 6, Member: "1"}, {Score: 5, Member: "4"}},
	}
	shown := map[string]feed.Entry{"Entry:1": {ID: "Entry:1"}, "Entry:4": {ID: "Entry:4"}}
	page, err := timeline.Collect(feed.Cursor{}, 2, func(feed.Cursor, int) ([]feed.Cursor, map[string]feed.Entry, error) {
		places := reads[0]
		reads = reads[1:]
		return places, shown, nil
	})
	if err != nil || len(page.Entries) != 2 || page.Entries[0].ID != "Entry:1" || page.Entries[1].ID != "Entry:4" {
		t.Errorf("got %v, %v", page.Entries, err)
	}
}
