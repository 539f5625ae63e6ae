package lists

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/feedwire/feedwire/store/feed"
)

// votes is a store of votes that counts how often it is read.
type votes struct {
	Store
	votes map[string]int
	reads int
	down  bool
}

func (v *votes) VoteCounts(_ context.Context, ids []string) (map[string]feed.VoteCounts, error) {
	v.reads++
	all := make(map[string]feed.VoteCounts)
	for _, id := range ids {
		all[id] = feed.VoteCounts{Votes: v.votes[id]}
	}
	if v.down {
		return nil, feed.ErrUnavailable
	}
	return all, nil
}

func TestStreamsReadTheVotesTogether(t *testing.T) {
	store := &votes{votes: map[string]int{"Entry:1": 1}}
	all := newTallies(store)
	refresh := func(want error) {
		t.Helper()
		if err := all.refresh(t.Context()); !errors.Is(err, want) {
			t.Fatalf("got %v, want %v", err, want)
		}
	}
	ids := []string{"Entry:1", "Entry:2"}
	for range 100 {
		leave, err := all.watch(ids)
		if err != nil {
			t.Fatal(err)
		}
		defer leave()
		refresh(nil)
	}
	if store.reads != 1 {
		t.Errorf("100 streams read the votes %d times in a moment", store.reads)
	}
	has := make(map[string]uint64)
	want := func(what, ids string) {
		t.Helper()
		if got := fmt.Sprint(all.changed([]string{"Entry:1", "Entry:2"}, has, 9)); got != ids {
			t.Errorf("%s: %s changed, want %s", what, got, ids)
		}
	}
	want("at first", "[Entry:1 Entry:2]")
	want("then", "[]")
	all.touch("Entry:2")
	all.touch("Entry:3") // no stream follows it
	want("an own vote", "[Entry:2]")
	store.votes["Entry:1"] = 2
	all.read, store.down = all.read.Add(-liveEvery), true
	refresh(feed.ErrUnavailable)
	store.down = false
	refresh(nil)
	want("after an outage", "[Entry:1]")
	all.touch("Entry:1")
	all.touch("Entry:2")
	if first := all.changed(ids, has, 1); len(first) != 1 {
		t.Errorf("%v events at once", first)
	}
	want("the rest", "[Entry:2]")
}

func TestStreamsOfVotesLeaveNothing(t *testing.T) {
	all := newTallies(&votes{})
	var leaves []func()
	for i := 0; ; i++ {
		leave, err := all.watch([]string{"Entry:1", fmt.Sprint("Entry:", 2+i)})
		if errors.Is(err, feed.ErrUnavailable) {
			break
		}
		leaves = append(leaves, leave)
	}
	if len(leaves) != maxStreams || all.open() != maxStreams {
		t.Errorf("%d streams are open", len(leaves))
	}
	for _, leave := range leaves[1:] {
		leave()
	}
	if len(all.watched) != 2 {
		t.Errorf("one stream follows %d entries", len(all.watched))
	}
	leaves[0]()
	if len(all.watched) != 0 || all.open() != 0 {
		t.Errorf("no stream follows %d entries", len(all.watched))
	}
	entries := make([]string, maxWatched+1)
	for i := range entries {
		entries[i] = fmt.Sprint("Entry:", i)
	}
	if _, err := all.watch(entries); !errors.Is(err, feed.ErrUnavailable) {
		t.Errorf("%d entries are followed: %v", len(entries), err)
	}
}
