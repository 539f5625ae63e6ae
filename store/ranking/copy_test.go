package ranking_test

import (
	"slices"
	"testing"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestVotesMoveToAnotherLayout(t *testing.T) {
	now := storetest.NewClock()
	open := func(sharded bool) (*house, core.DialFunc) {
		dial := storetest.Redis(t)
		return &house{Store: storetest.New(t, core.Options{Dial: dial, Sharded: sharded, Now: now.Now}), t: t, now: now}, dial
	}
	from, _ := open(false)
	from.ok(from.Check(t.Context()))
	first, second, gone := from.post("first"), from.post("second"), from.post("gone")
	from.vote(first, bob, feed.VoteDown)
	from.vote(second, bob, feed.VoteUp)
	from.add("sport", first, second)
	from.wantList("before", "sport", []*feed.Entry{first, second}, "second first")
	from.ok(from.Rankings.RemoveRanked(t.Context(), gone.ID))
	want, err := from.Rankings.VotesOf(t.Context(), bob)
	from.ok(err)

	to, dial := open(true)
	_, err = from.CopyTo(t.Context(), to.Store, false, func(int, int) {})
	to.ok(err)
	for _, list := range []string{"sport", feed.ListByScore} {
		to.wantList("after", list, []*feed.Entry{first, second}, "second first")
	}
	if got, err := to.Rankings.VotesOf(t.Context(), bob); err != nil || !slices.Equal(got, want) || len(got) != 2 {
		t.Errorf("bob's votes are %v, were %v, %v", got, want, err)
	}
	_, err = to.Rankings.Vote(t.Context(), gone, eve, feed.VoteUp)
	to.fails(err, feed.ErrGone)
	to.vote(first, eve, feed.VoteUp)
	storetest.InShards(t, "", harbour, dial).Check(nil, feed.ImportAfter)
}
