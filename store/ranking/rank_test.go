package ranking_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// cast gives an entry so many votes up and down.
func (h *house) cast(e *feed.Entry, up, down int) {
	h.t.Helper()
	for user := range up + down {
		v := feed.VoteUp
		if user >= up {
			v = feed.VoteDown
		}
		h.vote(e, int64(1000+user), v)
	}
}

func TestRankingsAreComputedFromVotesAndTime(t *testing.T) {
	each(t, func(h *house) {
		at := func(title string, age time.Duration) *feed.Entry {
			return h.entry(harbour, title, h.now.Time.Add(-age))
		}
		fresh, older, disputed := at("fresh", time.Minute), at("older", 2*24*time.Hour), at("disputed", time.Hour)
		disliked, silent, own := at("disliked", 0), at("silent", 0), h.post("own")
		all := []*feed.Entry{fresh, older, disputed, disliked, silent, own}
		h.cast(fresh, 2, 0)
		h.cast(older, 6, 0)
		h.cast(disputed, 5, 3)
		h.cast(disliked, 0, 1)
		h.vote(silent, bob, feed.VoteNone)
		for _, list := range []string{"top", "hot", "best", "day", "week", "month"} {
			h.wantList("before", list, all, "")
		}
		for range 2 {
			h.ok(h.Rankings.ComputeRankings(t.Context()))
		}
		for list, want := range map[string]string{
			"top": "fresh disputed own older", "hot": "fresh disputed older", "best": "older fresh disputed own",
			"day": "fresh disputed own", "week": "older fresh disputed own", "month": "older fresh disputed own",
		} {
			h.wantList("computed", list, all, want)
		}
		want := feed.WilsonScore(5, 3)
		if got := number(h.score("rank:best", disputed)); got != want {
			t.Errorf("the rank of 5 votes up and 3 down is %v, want %v", got, want)
		}
		h.vote(disputed, 1007, feed.VoteUp) // from down
		h.vote(disputed, 1006, feed.VoteNone)
		h.ok(h.Rankings.ComputeRankings(t.Context()))
		if got, want := number(h.score("rank:best", disputed)), feed.WilsonScore(6, 1); got != want {
			t.Errorf("the rank of 6 votes up and 1 down is %v, want %v", got, want)
		}
		h.ok(h.Rankings.RemoveRanked(t.Context(), fresh.ID))
		h.wantList("after a takedown", "hot", all, "disputed older")
		h.now.Advance(6 * 24 * time.Hour)
		h.ok(h.Rankings.ComputeRankings(t.Context()))
		h.wantList("six days later", "day", all, "")
		h.wantList("six days later", "week", all, "disputed own")
		h.wantList("six days later", "month", all, "older disputed own")
	})
}

// An entry that neither is new nor has a high score stays in its rankings.
func TestMembersOfRankingsAreCandidates(t *testing.T) {
	each(t, func(h *house) {
		old := h.entry(harbour, "old", h.now.Time.Add(-5*24*time.Hour))
		h.cast(old, 3, 0)
		h.ok(h.Rankings.ComputeRankings(t.Context()))
		scores, times := []any{"score:"}, []any{"time:"}
		for i := range feed.MaxRanked + 1 {
			member := fmt.Sprint("article:x", i)
			scores, times = append(scores, h.now.Time.Unix()+5000, member), append(times, h.now.Time.Unix(), member)
		}
		h.raw.Do("ZADD", scores...)
		h.raw.Do("ZADD", times...)
		h.ok(h.Rankings.ComputeRankings(t.Context()))
		h.wantList("among many new entries", "week", []*feed.Entry{old}, "old")
		h.raw.Do("ZREMRANGEBYSCORE", "score:", h.now.Time.Unix()+5000, "+inf")
		h.raw.Do("ZREMRANGEBYSCORE", "time:", h.now.Time.Unix(), "+inf")
	})
}

func TestRankingsAreBounded(t *testing.T) {
	each(t, func(h *house) {
		for range feed.MaxRanked + 5 {
			h.vote(h.entry(harbour, "e", h.now.Time), bob, feed.VoteUp)
		}
		h.ok(h.Rankings.ComputeRankings(t.Context()))
		if n := h.raw.Int("ZCARD", "rank:best"); n != feed.MaxRanked {
			t.Errorf("the ranking has %d entries", n)
		}
	})
}

// The entry is removed after its votes were read and before the ranking is stored.
func TestRankingBringsNoRemovedEntryBack(t *testing.T) {
	dial, now := storetest.Memory(t), storetest.NewClock()
	h := &house{t: t, now: now, raw: storetest.Commands(t, dial)}
	h.Store = storetest.New(t, core.Options{Dial: dial, Now: now.Now, EditScript: func(name, text string) string {
		if name == "store_ranking" { // another daemon was first
			return "redis.call('ZREM', KEYS[2], 'article:1')\n" + text
		}
		return text
	}})
	e := h.entry(harbour, "removed", now.Time)
	h.vote(e, bob, feed.VoteUp)
	h.ok(h.Rankings.ComputeRankings(t.Context()))
	for _, list := range []string{"top", "day"} {
		h.wantList("after the removal", list, []*feed.Entry{e}, "")
	}
}

func TestListsNamesAllLists(t *testing.T) {
	each(t, func(h *house) {
		h.add("sport", h.entry(harbour, "a", h.now.Time))
		h.add("arts", h.entry(harbour, "b", h.now.Time))
		lists, err := h.Rankings.Lists(t.Context())
		h.ok(err)
		var names []string
		for _, l := range lists {
			names = append(names, fmt.Sprint(l.Name, " ", l.Kind))
			if _, _, err := h.Rankings.ListPlaces(t.Context(), l.Name, feed.Cursor{}, 5); err != nil || l.Title == "" {
				t.Errorf("the list %+v: %v", l, err)
			}
		}
		want := "time all, score all, top ranking, hot ranking, best ranking, day ranking, week ranking, month ranking, arts group, sport group"
		if got := strings.Join(names, ", "); got != want {
			t.Errorf("the lists are %s", got)
		}
		h.fails(h.Rankings.AddToGroup(t.Context(), "hot", h.entry(harbour, "c", h.now.Time)), feed.ErrInvalid)
	})
}
