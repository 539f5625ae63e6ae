package ranking_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// 002-1, 002-2, 002-3, 002-5, 002-6, 002-7, 002-10, 002-11
func TestV1PostBeginsWithTheVoteOfItsAuthor(t *testing.T) {
	each(t, func(h *house) {
		h.now.Advance(123 * time.Millisecond)
		posted := h.now.Time
		e := h.entry(feed.MemberURL(ann), "one", posted.Add(time.Hour)) // no entry is ahead of the clock
		for range 2 {
			h.ok(h.Rankings.RankEntry(t.Context(), e))
		}
		want := map[string]string{
			"title": "one", "link": "https://harbour.example/one", "author": "user:83123", "time": core.Stamp(posted), "votes": "1", "up": "1",
		}
		if a := h.article(e); fmt.Sprint(a) != fmt.Sprint(want) || !strings.HasSuffix(a["time"], ".123") {
			t.Errorf("the article is %v", a)
		}
		if at, score := number(h.score("time:", e)), number(h.score("score:", e)); at != number(want["time"]) || score != at+432 {
			t.Errorf("it is from %v and has the score %v", at, score)
		}
		if n := h.raw.Int("GET", "article:"); n != 1 {
			t.Errorf("article: is %d", n)
		}
		up, down := h.voters(e)
		if !slices.Equal(up, []string{"user:83123"}) || len(down) != 0 {
			t.Errorf("voted up: %v, down: %v", up, down)
		}
		if ttl := h.raw.Int("TTL", "upvoted:"+e.Number()); ttl < 7*86400 || ttl > 8*86400 {
			t.Errorf("the votes expire after %d s", ttl)
		}
		for _, key := range []string{"article:", "article:" + e.Number(), "time:", "score:"} {
			if ttl := h.raw.Int("TTL", key); ttl != -1 {
				t.Errorf("%s expires after %d s", key, ttl)
			}
		}
	})
}

// 002-4, 002-11
func TestEntryOfASourceBeginsWithoutVotes(t *testing.T) {
	each(t, func(h *house) {
		e := h.entry(harbour, "one", h.now.Time)
		e.Link = "link.com"
		h.ok(h.Rankings.RankEntry(t.Context(), e))
		if a := h.article(e); a["author"] != harbour || a["link"] != "link.com" || a["votes"] != "0" {
			t.Errorf("the article is %v", a)
		}
		h.want("new", e, 0)
	})
}

func TestNoneOnAnEntryWithoutVotesChangesNothing(t *testing.T) {
	anonymous(t, func(h *house) {
		e := h.entry(harbour, "one", h.now.Time)
		if got, want := h.vote(e, bob, feed.VoteNone), (feed.Score{Score: float64(h.now.Time.Unix()), Vote: feed.VoteNone}); got != want {
			t.Errorf("a user: got %+v, want %+v", got, want)
		}
		got, err := h.Rankings.VoteAnonymously(t.Context(), e, "192.0.2.1", feed.VoteNone)
		h.ok(err)
		if want := (feed.Score{Score: float64(h.now.Time.Unix()), Vote: feed.VoteNone}); got != want {
			t.Errorf("a network: got %+v, want %+v", got, want)
		}
		if a := h.article(e); len(a) > 0 || h.score("time:", e) != "" || h.score("score:", e) != "" {
			t.Errorf("the entry became the article %v", a)
		}
		post := h.entry(feed.MemberURL(ann), "post", h.now.Time)
		h.vote(post, ann, feed.VoteNone)
		h.ok(h.Rankings.RankEntry(t.Context(), post))
		h.want("a post whose author took the vote back before it was ranked", post, 0)
	})
}

func TestEditedEntryChangesItsArticle(t *testing.T) {
	each(t, func(h *house) {
		e := h.entry(harbour, "one", h.now.Time)
		h.ok(h.Rankings.UpdateRanked(t.Context(), e))
		if a := h.article(e); len(a) > 0 {
			t.Errorf("an entry that is no article is stored as %v", a)
		}
		h.ok(h.Rankings.RankEntry(t.Context(), e))
		want := h.article(e)
		e.Title, e.Link, e.Timestamp = "two", "https://harbour.example/two", h.now.Time.Add(time.Hour)
		want["title"], want["link"] = e.Title, e.Link
		h.ok(h.Rankings.UpdateRanked(t.Context(), e))
		if a := h.article(e); !maps.Equal(a, want) {
			t.Errorf("the article is %v, want %v", a, want)
		}
		h.ok(h.Rankings.RemoveRanked(t.Context(), e.ID))
		h.ok(h.Rankings.UpdateRanked(t.Context(), e))
		if a := h.article(e); len(a) != 1 {
			t.Errorf("an entry that was taken down is stored as %v", a)
		}
	})
}

// 002-12, 002-13, 002-14, 002-15
func TestV2V3V4VotesChangeTheScore(t *testing.T) {
	each(t, func(h *house) {
		e := h.post("one")
		check := func(step string, votes int, wantUp, wantDown string) {
			t.Helper()
			h.want(step, e, votes)
			up, down := h.voters(e)
			if strings.Join(up, " ") != wantUp || strings.Join(down, " ") != wantDown {
				t.Errorf("%s: up %v, down %v", step, up, down)
			}
		}
		for _, step := range []struct {
			vote     feed.Vote
			votes    int
			up, down string
		}{
			{feed.VoteNone, 1, "user:83123", ""},
			{feed.VoteUp, 2, "user:7 user:83123", ""},
			{feed.VoteUp, 2, "user:7 user:83123", ""},
			{feed.VoteDown, 0, "user:83123", "user:7"},
			{feed.VoteDown, 0, "user:83123", "user:7"},
			{feed.VoteUp, 2, "user:7 user:83123", ""},
			{feed.VoteDown, 0, "user:83123", "user:7"},
			{feed.VoteNone, 1, "user:83123", ""},
			{feed.VoteDown, 0, "user:83123", "user:7"},
		} {
			score := h.vote(e, bob, step.vote)
			check(string(step.vote), step.votes, step.up, step.down)
			if score.Votes != step.votes || score.Vote != step.vote || score.Score != number(h.score("score:", e)) {
				t.Errorf("%s returned %+v", step.vote, score)
			}
			all, err := h.Rankings.Scores(t.Context(), bob, []string{e.ID, "Entry:999999"})
			h.ok(err)
			if len(all) != 1 || all[e.ID] != score {
				t.Errorf("%s: read as %+v", step.vote, all)
			}
		}
		if ttl := h.raw.Int("TTL", "downvoted:"+e.Number()); ttl <= 0 || ttl > 8*86400 {
			t.Errorf("downvotes expire after %d s", ttl)
		}
		h.vote(e, ann, feed.VoteDown)
		check("of the author", -2, "", "user:7 user:83123")
		if _, err := h.Rankings.Vote(t.Context(), e, bob, "sideways"); err == nil {
			t.Error("a vote is sideways")
		}
	})
}

// 002-17
func TestV5VotingClosesAfterAWeek(t *testing.T) {
	each(t, func(h *house) {
		e, posted := h.post("one"), h.now.Time
		h.now.Time = posted.Add(week)
		h.vote(e, bob, feed.VoteUp)
		h.now.Time = posted.Add(week + time.Second)
		for _, v := range feed.Votes() {
			_, err := h.Rankings.Vote(t.Context(), e, bob, v)
			h.fails(err, feed.ErrVotingClosed)
		}
		h.want("closed", e, 2)
		h.raw.Do("DEL", "upvoted:"+e.Number()) // they expire
		_, err := h.Rankings.Vote(t.Context(), e, eve, feed.VoteUp)
		h.fails(err, feed.ErrVotingClosed)
		h.want("without the sets", e, 2)

		old := h.entry(harbour, "old", posted)
		_, err = h.Rankings.Vote(t.Context(), old, bob, feed.VoteUp)
		h.fails(err, feed.ErrVotingClosed)
		if n := h.raw.Int("EXISTS", "article:"+old.Number()); n != 0 {
			t.Error("an old entry is an article although nobody could vote on it")
		}
	})
}

func TestClockThatIsSetBackLeavesVotesAsTheyAre(t *testing.T) {
	each(t, func(h *house) {
		e := h.post("one")
		h.vote(e, bob, feed.VoteUp)
		h.now.Advance(-2 * week)
		h.vote(e, eve, feed.VoteUp)
		h.vote(e, bob, feed.VoteDown)
		h.want("the clock is late", e, 1)
		later := h.entry(harbour, "later", e.Timestamp)
		if score := h.vote(later, bob, feed.VoteUp).Score; score != number(core.Stamp(h.now.Time))+432 {
			t.Errorf("an entry of the future begins with the score %v", score)
		}
		h.now.Advance(2 * week)
		h.vote(e, bob, feed.VoteUp)
		h.want("the clock is right", e, 3)
		votes, err := h.Rankings.VotesOf(t.Context(), bob)
		h.ok(err)
		if len(votes) != 2 {
			t.Errorf("bob has the votes %v", votes)
		}
	})
}

func TestWeightAndWindowAreOptions(t *testing.T) {
	storetest.EachEngine(t, func(t *testing.T, dial core.DialFunc) {
		now := storetest.NewClock()
		opts := core.Options{Dial: dial, Sharded: storetest.Sharded(), Now: now.Now, VoteWeight: 10, VoteWindow: time.Hour}
		h := &house{Store: storetest.New(t, opts), t: t, now: now, raw: storetest.HarbourCommands(t, dial)}
		e := h.entry(harbour, "one", now.Time)
		if score := h.vote(e, bob, feed.VoteDown); score.Score != float64(now.Time.Unix()-10) {
			t.Errorf("the score is %v", score.Score)
		}
		opts.VoteWeight = 20
		h.Reload(opts)
		if score := h.vote(e, eve, feed.VoteDown); score.Score != float64(now.Time.Unix()-40) {
			t.Errorf("after a reload the score is %v", score.Score)
		}
		now.Advance(time.Hour + time.Second)
		_, err := h.Rankings.Vote(t.Context(), e, bob, feed.VoteNone)
		h.fails(err, feed.ErrVotingClosed)
	})
}

// 002-16, 002-25
func TestV6VoteOnARemovedEntryMakesNoMember(t *testing.T) {
	each(t, func(h *house) {
		e, never := h.post("one"), h.entry(harbour, "never voted on", h.now.Time)
		h.vote(e, bob, feed.VoteDown)
		h.ok(h.Rankings.AddToGroup(t.Context(), "sport", e))
		h.ok(h.Rankings.AddToGroup(t.Context(), "news", e))
		for range 2 {
			h.ok(h.Rankings.RemoveRanked(t.Context(), e.ID))
			h.ok(h.Rankings.RemoveRanked(t.Context(), never.ID))
		}
		for _, one := range []*feed.Entry{e, never} {
			_, err := h.Rankings.Vote(t.Context(), one, eve, feed.VoteUp)
			h.fails(err, feed.ErrGone)
			h.fails(h.Rankings.AddToGroup(t.Context(), "sport", one), feed.ErrGone)
			h.ok(h.Rankings.RankEntry(t.Context(), one))
			if removed, err := h.Rankings.WasTakenDown(t.Context(), one.ID); err != nil || !removed {
				t.Errorf("taken down: %t, %v", removed, err)
			}
			if a := h.article(one); len(a) != 1 || a["del"] != "1" {
				t.Errorf("what is left of the article: %v", a)
			}
		}
		left := h.raw.Int("EXISTS", "time:", "score:", "group:sport", "group:news", "upvoted:"+e.Number(), "downvoted:"+e.Number())
		if count := h.raw.Int("GET", "article:"); left != 0 || count != 0 {
			t.Errorf("%d keys and %d articles are left", left, count)
		}
		if removed, err := h.Rankings.WasTakenDown(t.Context(), "Entry:999999"); err != nil || removed {
			t.Errorf("taken down: %t, %v", removed, err)
		}
	})
}

// 002-25
func TestExpiredEntryLeavesNothing(t *testing.T) {
	each(t, func(h *house) {
		e := h.entry(harbour, "one", h.now.Time)
		h.vote(e, bob, feed.VoteUp)
		h.ok(h.Rankings.AddToGroup(t.Context(), "sport", e))
		for range 2 {
			h.ok(h.Rankings.ForgetRanked(t.Context(), e.ID))
		}
		if keys := h.raw.Keys("*ed:" + e.Number()); len(keys) != 0 || h.raw.Int("EXISTS", "article:"+e.Number(), "time:", "score:", "group:sport") != 0 {
			t.Errorf("the keys %v are left, or others", keys)
		}
		if votes, err := h.Rankings.VotesOf(t.Context(), bob); err != nil || len(votes) != 0 {
			t.Errorf("bob's votes are %v, %v", votes, err)
		}
	})
}

func TestErasedVotesDoNotCountWhileVotingIsOpen(t *testing.T) {
	each(t, func(h *house) {
		closed := h.post("closed")
		h.vote(closed, bob, feed.VoteUp)
		h.now.Advance(week)
		h.raw.Do("EXPIRE", "upvoted:"+closed.Number(), 86400) // the clock of Redis did not advance
		open, removed := h.post("open"), h.post("removed")
		h.vote(open, bob, feed.VoteDown)
		h.vote(open, eve, feed.VoteDown)
		h.now.Advance(time.Second)
		h.vote(removed, bob, feed.VoteUp)
		votes, err := h.Rankings.VotesOf(t.Context(), bob)
		h.ok(err)
		want := []feed.OwnVote{
			{Entry: removed.ID, Vote: feed.VoteUp, Time: h.now.Time}, {Entry: open.ID, Vote: feed.VoteDown, Time: h.now.Time.Add(-time.Second)},
			{Entry: closed.ID, Vote: feed.VoteUp, Time: h.now.Time.Add(-week - time.Second)},
		}
		if !slices.Equal(votes, want) {
			t.Errorf("bob's votes are %v, want %v", votes, want)
		}
		h.ok(h.Rankings.RemoveRanked(t.Context(), removed.ID))
		for range 2 {
			h.ok(h.Rankings.EraseVotes(t.Context(), bob))
		}
		h.want("open", open, 0)
		h.want("closed", closed, 2)
		for _, e := range []*feed.Entry{open, closed} {
			up, down := h.voters(e)
			if slices.Contains(up, "user:7") || slices.Contains(down, "user:7") {
				t.Errorf("%s: up %v, down %v", e.Title, up, down)
			}
		}
		if n := h.raw.Int("EXISTS", "voted:7"); n != 0 {
			t.Error("bob's votes are stored")
		}
	})
}

// 002-11
func TestV7VotesLiftAnArticleByADay(t *testing.T) {
	each(t, func(h *house) {
		older := h.entry(harbour, "older", h.now.Time.Add(-24*time.Hour))
		younger := h.entry(harbour, "younger", h.now.Time)
		both := []*feed.Entry{older, younger}
		h.ok(h.Rankings.RankEntry(t.Context(), younger))
		for user := range int64(199) {
			h.vote(older, user+1, feed.VoteUp)
		}
		h.wantList("199 votes", feed.ListByScore, both, "younger older")
		if score := h.vote(older, 200, feed.VoteUp).Score; score != number(h.score("score:", younger)) {
			t.Errorf("after 200 votes the scores are %v and %s", score, h.score("score:", younger))
		}
		h.vote(older, 201, feed.VoteUp)
		h.wantList("201 votes", feed.ListByScore, both, "older younger")
		h.wantList("by time", feed.ListByTime, both, "younger older")
	})
}
