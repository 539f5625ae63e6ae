package community_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// 003-8, 003-22, 003-23
func TestA3VotesCostKarma(t *testing.T) {
	each(t, func(h *town) {
		ctx, e := t.Context(), h.submit(h.ann, "one")
		h.now.Advance(time.Second)
		if before := h.vote(e, h.bob, feed.VoteUp); before != feed.VoteNone {
			t.Errorf("bob had voted %s before", before)
		}
		h.wantKarma("an upvote costs", h.bob, 0)
		h.wantKarma("the author gets", h.ann, 2)
		for _, v := range []feed.Vote{feed.VoteUp, feed.VoteDown} {
			if before := h.vote(e, h.bob, v); before != feed.VoteUp {
				t.Errorf("a second vote %s: before %s", v, before)
			}
		}
		h.wantKarma("a second vote is free", h.bob, 0)
		if at := h.score("news.up:1", h.bob); number(at) != number(core.Stamp(h.now.Time)) {
			t.Errorf("the vote is from %s", at)
		}

		var karma *feed.KarmaError
		_, err := h.Community.VoteOnNews(ctx, h.submit(h.ann, "two"), h.bob, feed.VoteUp)
		if !errors.As(err, &karma) || karma.Has != 0 || karma.Needs != 1 || !errors.Is(err, feed.ErrForbidden) {
			t.Errorf("an upvote with 0 karma: %v", err)
		}
		h.give(h.eve, 29)
		_, err = h.Community.VoteOnNews(ctx, e, h.eve, feed.VoteDown)
		if !errors.As(err, &karma) || karma.Has != 29 || karma.Needs != 30 {
			t.Errorf("a downvote with 29 karma: %v", err)
		}
		h.give(h.eve, 30)
		h.vote(e, h.eve, feed.VoteDown)
		h.wantKarma("a downvote costs", h.eve, 24)
		h.wantKarma("the author loses nothing", h.ann, 2)
		if n := h.news(e); n["up"] != "2" || n["down"] != "1" || n["score"] != "1" {
			t.Errorf("the submission is %v", n)
		}
		all, err := h.Community.News(ctx, h.eve, 1)
		if err != nil || all[0].Vote != feed.VoteDown || all[0].Up != 2 || all[0].Down != 1 {
			t.Errorf("eve reads %+v, %v", all, err)
		}

		// Votes on the article are the same, and do not bypass karma.
		score, err := h.Rankings.Scores(ctx, h.eve, []string{e.ID})
		if err != nil || score[e.ID].Votes != 1 || score[e.ID].Vote != feed.VoteDown {
			t.Errorf("the article has %+v, %v", score[e.ID], err)
		}
		_, err = h.Rankings.Vote(ctx, e, h.eve, feed.VoteUp)
		h.fails(err, feed.ErrConflict)
		for _, v := range []feed.Vote{feed.VoteNone, "sideways"} {
			_, err = h.Community.VoteOnNews(ctx, e, h.eve, v)
			h.fails(err, feed.ErrInvalid)
		}
		_, err = h.Community.VoteOnNews(ctx, &feed.Entry{ID: "Entry:99"}, h.eve, feed.VoteUp)
		h.fails(err, feed.ErrNotFound)
		if h.raw.Int("EXISTS", "news:99", "article:99", "news.up:99") != 0 || h.score("news.top", 99) != "" {
			t.Error("a vote made a submission")
		}
	})
}

// 003-23
func TestOwnSubmissionIsFree(t *testing.T) {
	each(t, func(h *town) {
		h.submit(h.ann, "one")
		if before := h.vote(&feed.Entry{ID: "Entry:1", FeedURL: feed.MemberURL(h.ann)}, h.ann, feed.VoteUp); before != feed.VoteUp {
			t.Errorf("the author had voted %s", before)
		}
		h.raw.Do("ZREM", "news.up:1", h.ann) // an older program did not vote
		h.raw.Do("HSET", "news:1", "up", 0)
		h.give(h.ann, 0)
		h.vote(&feed.Entry{ID: "Entry:1", FeedURL: feed.MemberURL(h.ann)}, h.ann, feed.VoteUp)
		h.wantKarma("the own submission", h.ann, 0)
	})
}

// 003-8
func TestMemberGetsKarmaForEachHourOfUse(t *testing.T) {
	each(t, func(h *town) {
		visit := func(want int) {
			t.Helper()
			for range 2 {
				m, err := h.Community.VisitCommunity(t.Context(), h.ann)
				if h.ok(err); m.Karma != want || m.Replies != 0 {
					t.Errorf("%v: the visit returns %+v, want karma %d", h.now.Time, m, want)
				}
			}
			h.wantKarma(h.now.Time.String(), h.ann, want)
		}
		visit(1)
		h.now.Advance(time.Hour)
		visit(1)
		h.now.Advance(time.Second)
		visit(2)
		h.now.Advance(time.Hour)
		visit(2)
		h.now.Advance(24 * time.Hour)
		visit(3)
		_, err := h.Community.VisitCommunity(t.Context(), 99)
		h.ok(err)
		if h.raw.Int("EXISTS", "user:99") != 0 {
			t.Error("a visit made an account")
		}
		_, err = h.Community.Member(t.Context(), 99)
		h.fails(err, feed.ErrNotFound)
	})
}

// 003-23: defects (g) and (q) are that both pass, and that each vote reads all others.
func TestParallelVotesOfAMemberAreOne(t *testing.T) {
	each(t, func(h *town) {
		e := h.submit(h.ann, "one")
		h.give(h.bob, 1000)
		var all sync.WaitGroup
		for i := range 20 {
			all.Go(func() {
				if _, err := h.Community.VoteOnNews(t.Context(), e, h.bob, feed.Votes()[i%2]); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		n := h.news(e)
		if n["up"]+n["down"] != "20" && n["up"]+n["down"] != "11" {
			t.Errorf("20 votes of one member count as %s up and %s down", n["up"], n["down"])
		}
	})
}

// Voting on the article ends after a week, so that both vote stores stay in step.
func TestVotingOnASubmissionCloses(t *testing.T) {
	each(t, func(h *town) {
		e := h.submit(h.ann, "one")
		h.now.Advance(feed.VoteWindow)
		h.vote(e, h.bob, feed.VoteUp)
		h.now.Advance(time.Second)
		_, err := h.Community.VoteOnNews(t.Context(), e, h.eve, feed.VoteUp)
		h.fails(err, feed.ErrVotingClosed)
		h.wantKarma("a refused vote is free", h.eve, 1)
	})
}

// Another member may vote on the entry in the moment before it is a submission.
func TestVotesFromBeforeTheSubmissionDoNotCount(t *testing.T) {
	each(t, func(h *town) {
		e := h.entry(h.ann, "one")
		h.ok(h.Rankings.RankEntry(t.Context(), e))
		for user, v := range map[int64]feed.Vote{h.bob: feed.VoteUp, h.eve: feed.VoteDown, h.ann: feed.VoteDown} {
			_, err := h.Rankings.Vote(t.Context(), e, user, v)
			h.ok(err)
		}
		h.ok(h.Community.Submit(t.Context(), e, link("one"), false))
		if a := h.raw.StringMap("HGETALL", "article:1"); a["votes"] != "1" {
			t.Errorf("the article is %v", a)
		}
		h.vote(e, h.bob, feed.VoteUp)
	})
}

func TestErasedMemberLeavesNoSubmissionsAndVotes(t *testing.T) {
	each(t, func(h *town) {
		ctx := t.Context()
		own, deleted, other := h.submit(h.ann, "own"), h.submit(h.ann, "deleted"), h.submit(h.bob, "other")
		h.ok(h.Community.DeleteNews(ctx, 2, h.ann, false))
		h.vote(own, h.bob, feed.VoteUp)
		h.vote(other, h.ann, feed.VoteUp)
		if _, err := h.People.RemoveAccount(ctx, "ann"); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			h.ok(h.EraseAccounts(ctx))
		}
		for _, e := range []*feed.Entry{own, deleted} {
			if n := h.news(e); n["del"] != "1" || n["title"] != "" || n["url"] != "" || n["user_id"] != "0" {
				t.Errorf("what is left is %v", n)
			}
		}
		if n := h.news(other); n["up"] != "1" || n["score"] != "1" {
			t.Errorf("the vote on another submission counts: %v", n)
		}
		id := fmt.Sprint(h.ann)
		if keys := h.raw.Keys("voted.news:" + id); len(keys) != 0 || h.score("news.up:3", id) != "" || h.raw.Int("EXISTS", "url:https://a.example/own", "user:"+id+":submitted_recently") != 0 {
			t.Error("the member is named in keys")
		}
	})
}

// step does something at random as a member.
func (h *town) step(entries []*feed.Entry, random *rand.Rand, user int64) {
	ctx, e := h.t.Context(), entries[random.IntN(len(entries))]
	switch n := random.IntN(100); {
	case n < 80:
		_, _ = h.Community.VoteOnNews(ctx, e, user, feed.Votes()[random.IntN(2)])
	case n < 85:
		_ = h.Community.EditNews(ctx, numberOf(e), user, true, link(fmt.Sprint(random.IntN(20))), false)
	case n < 90:
		_ = h.Community.RankNews(ctx)
	case n < 94:
		_ = h.Community.EraseMember(ctx, user)
		_ = h.Rankings.EraseVotes(ctx, user)
	case n < 96 && e != entries[0]:
		_ = h.Community.DeleteNews(ctx, numberOf(e), user, true)
	default:
		_, _ = h.Community.VisitCommunity(ctx, user)
	}
}

func numberOf(e *feed.Entry) int64 { return int64(number(e.Number())) }

// The invariants are those of the package comment; Each checks them when the test ends.
func TestInvariantsHoldWithParallelVoters(t *testing.T) {
	each(t, func(h *town) {
		var entries []*feed.Entry
		for i := range 6 {
			entries = append(entries, h.submit(h.ann, fmt.Sprint("s", i)))
		}
		var all sync.WaitGroup
		for i := range 64 {
			user := h.member(fmt.Sprint("voter", i))
			h.give(user, 100)
			all.Go(func() {
				random := rand.New(rand.NewPCG(3, uint64(i)))
				for range 10 {
					h.step(entries, random, user)
				}
			})
		}
		all.Wait()
		if n := h.raw.Int("HGET", "news:1", "up"); n < 2 {
			t.Error("nobody has voted")
		}
	})
}

func TestInvariantsCatchWrongScripts(t *testing.T) {
	for name, mutant := range map[string]struct{ from, to string }{
		"none":                                 {},
		"a vote is not counted":                {"redis.call('HINCRBY', news, asked, 1)", ""},
		"both votes pass":                      {"if redis.call('ZSCORE', KEYS[9], user) then return {'voted', 'down'} end", ""},
		"the article misses votes":             {"if cast(user, asked) then signal_later() end", ""},
		"deleted news is ranked":               {"if not is[3] or is[4] or is[5] == 'removed' or is[6] then return end", ""},
		"deleted news is listed":               {"redis.call('ZREM', cron, n)", ""},
		"the score is not computed":            {"rank(news, n, KEYS[10], now)", ""},
		"erased votes count":                   {"redis.call('HINCRBY', KEYS[1], counter, -1)", ""},
		"votes are not listed with the member": {"redis.call('ZADD', KEYS[12], ARGV[6], n)\nredis.call('HINCRBY'", "redis.call('HINCRBY'"},
	} {
		t.Run(name, func(t *testing.T) {
			dial, now, edited := storetest.Redis(t), storetest.NewClock(), 0
			opts := core.Options{Dial: dial, Now: now.Now, EditScript: func(_, text string) string {
				if mutant.from == "" {
					return text
				}
				edited += strings.Count(text, mutant.from)
				return strings.Replace(text, mutant.from, mutant.to, 1)
			}}
			h := newTown(t, storetest.New(t, opts), now, storetest.Commands(t, dial))
			h.ann = h.member("ann")
			var entries []*feed.Entry
			for i := range 4 {
				entries = append(entries, h.submit(h.ann, fmt.Sprint("s", i)))
			}
			random := rand.New(rand.NewPCG(3, 1))
			var users []int64
			for i := range 20 {
				users = append(users, h.member(fmt.Sprint("voter", i)))
				h.give(users[i], 1000)
			}
			for range 400 {
				h.step(entries, random, users[random.IntN(len(users))])
			}
			wrong := storetest.Findings(t, func(tb storetest.TB) { storetest.Check(tb, dial, nil, feed.ImportAfter) })
			if (wrong > 0) != (mutant.from != "") || (edited > 0) != (mutant.from != "") {
				t.Errorf("the check found %d errors; %d scripts were changed", wrong, edited)
			}
		})
	}
}
