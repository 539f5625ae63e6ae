package ranking_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/ranking"
)

// add adds entries to a group.
func (h *house) add(group string, entries ...*feed.Entry) {
	h.t.Helper()
	for _, e := range entries {
		h.ok(h.Rankings.AddToGroup(h.t.Context(), group, e))
	}
}

// entries returns entries of a source that are a second apart, the newest first.
func (h *house) entries(titles string) (all []*feed.Entry) {
	for i, title := range strings.Fields(titles) {
		all = append(all, h.entry(harbour, title, h.now.Time.Add(-time.Duration(i)*time.Second)))
	}
	return all
}

// 002-8, 002-9, 002-18, 002-19, 002-22
func TestV8GroupListsItsMembersByScore(t *testing.T) {
	each(t, func(h *house) {
		all := h.entries("a b c d e")
		h.add("sport", all[:4]...)
		h.add("sport", all[0])
		h.vote(all[4], bob, feed.VoteUp)
		h.vote(all[2], bob, feed.VoteUp)
		h.wantList("computed", "sport", all, "c a b d")
		if ttl := h.raw.Int("TTL", "score:sport"); ttl < 1 || ttl > 60 {
			t.Errorf("the order is stored for %d s", ttl)
		}
		h.vote(all[3], bob, feed.VoteUp)
		h.add("sport", all[4])
		h.wantList("stored", "sport", all, "c d e a b")
		h.ok(h.Rankings.RemoveFromGroup(t.Context(), "sport", all[2].ID))
		h.ok(h.Rankings.RemoveFromGroup(t.Context(), "sport", all[2].ID))
		h.ok(h.Rankings.RemoveRanked(t.Context(), all[3].ID))
		h.wantList("without two", "sport", all, "e a b")
		h.raw.Do("DEL", "score:sport") // it expires
		h.wantList("computed again", "sport", all, "e a b")
		h.wantList("all", feed.ListByScore, all, "c e a b")
		if n := h.raw.Int("TTL", "group:sport"); n != -1 {
			t.Errorf("the group expires after %d s", n)
		}
	})
}

// 002-20
func TestGroupOrdersScoresBelowOneAndBelowZero(t *testing.T) {
	each(t, func(h *house) {
		zero := time.Unix(0, 0)
		all := []*feed.Entry{h.entry(harbour, "low", zero.Add(-5000*time.Second)), h.entry(harbour, "half", zero.Add(500*time.Millisecond)), h.entry(harbour, "one", zero.Add(time.Second))}
		h.add("old", all...)
		h.wantList("members", "old", all, "one half low")
		for i, want := range []string{"-5000", "0.5", "1"} {
			if got := h.score("score:old", all[i]); got != want {
				t.Errorf("%s has the score %s in the group", all[i].Title, got)
			}
		}
	})
}

// 002-21
func TestEmptyGroupIsRemembered(t *testing.T) {
	each(t, func(h *house) {
		e := h.entry(harbour, "a", h.now.Time)
		h.add("sport", e)
		h.ok(h.Rankings.RemoveFromGroup(t.Context(), "sport", e.ID))
		h.wantList("empty", "sport", nil, "")
		if ttl := h.raw.Int("TTL", "score:sport:empty"); ttl < 1 || ttl > 60 {
			t.Fatalf("it is remembered for %d s", ttl)
		}
		h.raw.Do("SADD", "group:sport", "article:"+e.Number())
		h.wantList("remembered", "sport", nil, "") // it is not computed
		h.raw.Do("DEL", "group:sport")
		h.add("sport", e)
		h.wantList("with a member", "sport", []*feed.Entry{e}, "a")
	})
}

// 002-23
func TestGroupsHaveNames(t *testing.T) {
	each(t, func(h *house) {
		e := h.entry(harbour, "a", h.now.Time)
		for _, wrong := range []string{"", "a:b", "Sport", "-a", ".a", "a b", "ü", "time", "score", "a.rss", "a.json", strings.Repeat("a", 65)} {
			h.fails(h.Rankings.AddToGroup(t.Context(), wrong, e), feed.ErrInvalid)
		}
		names := []string{"0", "a.b_c-d", strings.Repeat("a", 64)}
		for _, name := range names {
			h.add(name, e)
		}
		groups, err := h.Rankings.Groups(t.Context())
		h.ok(err)
		if !slices.Equal(groups, names) {
			t.Errorf("the groups are %v", groups)
		}
		_, _, err = h.Rankings.ListPlaces(t.Context(), "other", feed.Cursor{}, 5)
		h.fails(err, feed.ErrNotFound)
		h.ok(h.Rankings.RemoveGroup(t.Context(), "0"))
		h.fails(h.Rankings.RemoveGroup(t.Context(), "0"), feed.ErrNotFound)
		_, _, err = h.Rankings.ListPlaces(t.Context(), "0", feed.Cursor{}, 5)
		h.fails(err, feed.ErrNotFound)
		h.wantList("another group", "a.b_c-d", []*feed.Entry{e}, "a")
	})
}

func TestNumberOfGroupsIsBounded(t *testing.T) {
	each(t, func(h *house) {
		e, other := h.entry(harbour, "a", h.now.Time), h.entry(harbour, "b", h.now.Time)
		for i := range feed.MaxGroupsOf {
			h.add(fmt.Sprint("g", i), e)
		}
		h.fails(h.Rankings.AddToGroup(t.Context(), "more", e), feed.ErrConflict)
		names := []any{"groups"}
		for i := range feed.MaxGroups {
			names = append(names, fmt.Sprint("g", i))
		}
		h.raw.Do("SADD", names...)
		h.fails(h.Rankings.AddToGroup(t.Context(), "more", other), feed.ErrConflict)
		h.add("g999", other)
	})
}

// 002-24
func TestPagesOfListsKeepTheOrderOfTies(t *testing.T) {
	each(t, func(h *house) {
		var all []*feed.Entry
		for i := range 7 {
			all = append(all, h.entry(harbour, fmt.Sprint("e", i+1), h.now.Time))
		}
		h.add("sport", all...)
		for _, list := range []string{"sport", feed.ListByTime, feed.ListByScore} {
			h.wantList("in pages of two", list, all, "e7 e6 e5 e4 e3 e2 e1")
		}
		places, more, err := h.Rankings.ListPlaces(t.Context(), "sport", feed.Cursor{}, 3)
		h.ok(err)
		if len(places) != 3 || !more {
			t.Fatalf("the first page is %v, more: %t", places, more)
		}
		h.vote(all[4], bob, feed.VoteDown) // the last of the page
		h.vote(all[0], bob, feed.VoteUp)
		rest, _, err := h.Rankings.ListPlaces(t.Context(), "sport", places[2], 9)
		h.ok(err)
		var numbers []string
		for _, p := range rest {
			numbers = append(numbers, p.Member)
		}
		if got := strings.Join(numbers, " "); got != "4 3 2 5" {
			t.Errorf("the rest is %s", got)
		}
	})
}

// 002-27
func TestMembersNeverHaveThePrefix(t *testing.T) {
	each(t, func(h *house) {
		e := h.post("one")
		h.add("sport", e)
		h.wantList("computed", "sport", []*feed.Entry{e}, "one")
		for _, key := range []string{"time:", "score:", "score:sport", "voted:83123"} {
			if members := h.raw.Strings("ZRANGE", key, 0, -1); !slices.Equal(members, []string{"article:" + e.Number()}) {
				t.Errorf("%s has %v", key, members)
			}
		}
	})
}

// 002-9: the order of such a group is computed once, in steps between which entries are voted on, join and leave.
func TestOrderOfALargeGroupIsComputedInSteps(t *testing.T) {
	each(t, func(h *house) {
		const count = 3000
		voted, left, joined := h.entry(harbour, "voted", h.now.Time.Add(-time.Hour)), h.entry(harbour, "left", h.now.Time), h.entry(harbour, "joined", h.now.Time)
		h.add("large", voted, left)
		score, members, scores := h.now.Time.Unix()-1_000_000, []any{"group:large"}, []any{"score:"}
		for i := range count {
			member := fmt.Sprint("article:", 1000+i)
			members, scores = append(members, member), append(scores, score-int64(i), member)
		}
		h.raw.Do("SADD", members...)
		h.raw.Do("ZADD", scores...)
		steps := 0
		for done := false; !done; steps++ {
			var err error
			done, err = ranking.OrderSome(h.Rankings, t.Context(), "large")
			h.ok(err)
			if steps == 0 {
				h.vote(voted, bob, feed.VoteUp)
				h.add("large", joined)
				h.ok(h.Rankings.RemoveFromGroup(t.Context(), "large", left.ID))
			}
			if ttl := h.raw.Int("TTL", "score:large:build"); !done && (ttl < 1 || ttl > 60) {
				t.Errorf("an order that no reader continues expires after %d s", ttl)
			}
		}
		if n := h.raw.Int("ZCARD", "score:large"); n != count+2 {
			t.Errorf("the order has %d members after %d steps", n, steps)
		}
		places, _, err := h.Rankings.ListPlaces(t.Context(), "large", feed.Cursor{}, 3)
		h.ok(err)
		if got := fmt.Sprint(places[0].Member, " ", places[1].Member, " ", places[2].Member); got != "3 1 1000" {
			t.Errorf("the group begins with %s", got)
		}
		if want := float64(voted.Timestamp.Unix() + 432); places[1].Score != want {
			t.Errorf("the vote is not in the order: %v, want %v", places[1].Score, want)
		}
		if ttl := h.raw.Int("TTL", "score:large"); ttl != -1 || h.raw.Int("EXISTS", "score:large:build") != 0 {
			t.Errorf("the order expires after %d s", ttl)
		}
		h.raw.Do("DEL", "score:large")
		h.wantFirst("large", "3") // one that reads computes all steps
		second := h.entry(harbour, "second", h.now.Time)
		h.add("large", second)
		h.vote(second, bob, feed.VoteUp)
		h.wantFirst("large", "4")
		h.ok(h.Rankings.RemoveRanked(t.Context(), second.ID))
		h.wantFirst("large", "3")
		h.raw.Do("SREM", append([]any{"group:large"}, members[1:2501]...)...)
		h.wantFirst("large", "3")
		if ttl := h.raw.Int("TTL", "score:large"); ttl < 1 {
			t.Errorf("the order of the smaller group expires after %d s", ttl)
		}
		_, _ = ranking.OrderSome(h.Rankings, t.Context(), "large")
		h.ok(h.Rankings.RemoveGroup(t.Context(), "large"))
		if n := h.raw.Int("EXISTS", "group:large", "score:large", "score:large:build"); n != 0 {
			t.Errorf("%d keys of the group are left", n)
		}
		h.raw.Do("ZREM", append(scores[:1:1], members[1:]...)...)
	})
}

// wantFirst fails the test unless the first entry of a list has a number.
func (h *house) wantFirst(list, number string) {
	h.t.Helper()
	places, more, err := h.Rankings.ListPlaces(h.t.Context(), list, feed.Cursor{}, 1)
	h.ok(err)
	if len(places) != 1 || !more || places[0].Member != number {
		h.t.Errorf("%s begins with %v, more: %t", list, places, more)
	}
}
