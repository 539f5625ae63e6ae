package ranking_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/feedwire/feedwire/store/feed"
)

// signalled signals votes, and returns the signals that this wrote.
func (h *house) signalled() []feed.Signal {
	h.t.Helper()
	last, err := h.Signals.LastSignal(h.t.Context())
	h.ok(err)
	made, err := h.SignalVotes(h.t.Context())
	h.ok(err)
	all, err := h.Signals.Signals(h.t.Context(), last, 1000, 0)
	h.ok(err)
	if len(all) != made {
		h.t.Errorf("it wrote %d signals and counts %d", len(all), made)
	}
	return all
}

func TestVotesOnAnEntryBecomeOneSignal(t *testing.T) {
	anonymous(t, func(h *house) {
		want := func(what string, want ...feed.Signal) {
			t.Helper()
			h.now.Advance(10 * time.Second)
			for i := range want {
				want[i].Kind, want[i].Time = feed.EntryVoted, h.now.Time
			}
			if diff := cmp.Diff(want, h.signalled(), cmpopts.IgnoreFields(feed.Signal{}, "ID"), cmpopts.EquateApproxTime(time.Millisecond)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", what, diff)
			}
		}
		one, two := h.entry(harbour, "one", h.now.Time), h.post("two")
		score := float64(h.now.Time.Unix())
		want("the vote of the author with which a post begins")
		for user := range int64(5) {
			h.vote(one, bob+user, feed.VoteUp)
		}
		h.vote(one, 100, feed.VoteDown)
		h.vote(two, bob, feed.VoteDown)
		want("votes", feed.Signal{FeedURL: harbour, Entry: one.ID, Votes: feed.SignalVotes{Score: score + 4*432, Up: 5, Down: 1}},
			feed.Signal{FeedURL: feed.MemberURL(ann), Entry: two.ID, Votes: feed.SignalVotes{Score: score, Up: 1, Down: 1}})
		h.vote(one, 100, feed.VoteDown)
		want("a repeated vote")

		h.ok(h.Rankings.EraseVotes(t.Context(), 100))
		want("an erased vote", feed.Signal{FeedURL: harbour, Entry: one.ID, Votes: feed.SignalVotes{Score: score + 5*432, Up: 5}})
		_, err := h.Rankings.VoteAnonymously(t.Context(), one, "192.0.2.1", feed.VoteUp)
		h.ok(err)
		want("a vote without an account",
			feed.Signal{FeedURL: harbour, Entry: one.ID, Votes: feed.SignalVotes{Score: score + 5*432, Up: 5, Anonymous: 1}})
		h.vote(two, bob, feed.VoteNone)
		if early := h.signalled(); len(early) > 0 {
			t.Errorf("less than 10 seconds after the last signals came %+v", early)
		}
		h.vote(one, bob, feed.VoteNone)
		h.ok(h.Rankings.RemoveRanked(t.Context(), one.ID))
		want("a vote that waited, and one on an entry that was taken down",
			feed.Signal{FeedURL: feed.MemberURL(ann), Entry: two.ID, Votes: feed.SignalVotes{Score: score + 432, Up: 1}})
	})
}

func TestSignalsOfVotesAreBounded(t *testing.T) {
	each(t, func(h *house) {
		for i := range 101 {
			h.vote(h.entry(harbour, fmt.Sprint(i), h.now.Time), bob, feed.VoteUp)
			h.now.Advance(time.Millisecond)
		}
		h.vote(&feed.Entry{ID: "Entry:1"}, eve, feed.VoteUp) // which stays the first one
		if all := h.signalled(); len(all) != 100 || all[0].Entry != "Entry:1" || all[99].Entry != "Entry:100" {
			t.Errorf("%d signals at once: %+v", len(all), all)
		}
		h.now.Advance(10 * time.Second)
		if all := h.signalled(); len(all) != 1 || all[0].Entry != "Entry:101" {
			t.Errorf("the rest is %+v", all)
		}
	})
}
