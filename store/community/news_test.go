package community_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// 003-15, 003-18, 003-20, 003-22, 003-26, 003-27
func TestA2SubmissionIsListedAndItsURLLeadsToIt(t *testing.T) {
	each(t, func(h *town) {
		h.now.Advance(123 * time.Millisecond)
		ctx, e, n := t.Context(), h.entry(h.ann, "one"), core.Stamp(h.now.Time)
		h.ok(h.Community.MaySubmit(ctx, h.ann, link("one"), false))
		for range 2 { // the second is a repetition
			h.ok(h.Community.Submit(ctx, e, link("one"), false))
		}
		want := map[string]string{
			"id": "1", "title": "one", "url": "https://a.example/one", "user_id": fmt.Sprint(h.ann), "ctime": n, "score": "1", "up": "1", "down": "0", "comments": "0",
		}
		got := h.news(e)
		for field, value := range want {
			if got[field] != value {
				t.Errorf("%s is %q, want %q", field, got[field], value)
			}
		}
		if len(got) != len(want)+1 || number(got["rank"]) < 12.4356 || number(got["rank"]) > 12.4357 {
			t.Errorf("the submission is %v", got)
		}
		for key, member := range map[string]any{"news.up:1": h.ann, "news.cron": 1, fmt.Sprint("voted.news:", h.ann): 1} {
			if at := h.score(key, member); number(at) != number(n) {
				t.Errorf("%s has %v at %q", key, member, at)
			}
		}
		if rank := h.score("news.top", 1); number(rank) != number(got["rank"]) {
			t.Errorf("news.top has the rank %s", rank)
		}
		recent := fmt.Sprintf("user:%d:submitted_recently", h.ann)
		if ttl := h.raw.Int("TTL", "url:https://a.example/one"); ttl < 172790 || ttl > 172800 {
			t.Errorf("the URL expires after %d s", ttl)
		}
		if ttl := h.raw.Int("TTL", recent); ttl < 890 || ttl > 900 {
			t.Errorf("the author waits for %d s", ttl)
		}
		if votes := h.raw.StringMap("HGETALL", "article:1"); votes["votes"] != "1" || votes["news"] != "1" {
			t.Errorf("the article is %v", votes)
		}
		h.wantKarma("after the submission", h.ann, 1)

		// The same URL by another member leads to the first, and the member can submit another one at once.
		var duplicate *feed.DuplicateError
		for _, err := range []error{
			h.Community.MaySubmit(ctx, h.bob, link("one"), false), h.Community.Submit(ctx, h.entry(h.bob, "again"), link("one"), false),
		} {
			if !errors.As(err, &duplicate) || duplicate.First != 1 || !errors.Is(err, feed.ErrExists) {
				t.Errorf("a duplicate: %v", err)
			}
		}
		if h.raw.Int("EXISTS", "news:2", fmt.Sprintf("user:%d:submitted_recently", h.bob)) != 0 {
			t.Error("the duplicate is stored, or its author has to wait")
		}
		var quota *feed.QuotaError
		for _, err := range []error{
			h.Community.MaySubmit(ctx, h.ann, link("two"), false), h.Community.Submit(ctx, h.entry(h.ann, "two"), link("two"), false),
		} {
			if !errors.As(err, &quota) || quota.Wait < 890*time.Second || quota.Wait > 900*time.Second || !strings.Contains(quota.Reason, "wait 8") && !strings.Contains(quota.Reason, "wait 9") {
				t.Errorf("a second submission: %v", err)
			}
		}
		h.ok(h.Community.MaySubmit(ctx, h.ann, link("two"), true)) // as an admin
		h.ok(h.Community.Submit(ctx, h.entry(h.ann, "two"), link("two"), true))
		h.pause(h.ann)
		h.ok(h.Community.Submit(ctx, h.entry(h.ann, "three"), link("three"), true))
		if h.raw.Int("EXISTS", recent) != 0 {
			t.Error("an admin has to wait")
		}
	})
}

// 003-28
func TestTextsAreNoDuplicates(t *testing.T) {
	each(t, func(h *town) {
		text := &feed.Submission{Title: "Ask", Text: "Why?\nHow?"}
		for range 2 {
			h.pause(h.ann)
			h.ok(h.Community.Submit(t.Context(), h.entry(h.ann, "Ask"), text, false))
		}
		all, err := h.Community.News(t.Context(), h.bob, 1, 2, 3)
		h.ok(err)
		if len(all) != 2 || all[0].URL != "" || all[0].Text != "Why?\nHow?" || all[1].Author != "ann" || all[1].Vote != feed.VoteNone {
			t.Errorf("the texts are %+v", all)
		}
		if keys := h.raw.Keys("url:*"); len(keys) != 0 {
			t.Errorf("texts are known as %v", keys)
		}
	})
}

// 003-28
func TestSubmissionIsBounded(t *testing.T) {
	long := strings.Repeat("ä", feed.MaxNewsText)
	for _, good := range []feed.Submission{
		{Title: long[:2*feed.MaxNewsTitle], Text: long}, {Title: " T ", URL: " http://a.example "}, {Title: "T", URL: "https://a.example/?q=%C3#x"},
	} {
		if err := good.Check(); err != nil || good.Title == " T " {
			t.Errorf("%.40q %.40q is refused: %v", good.Title, good.URL, err)
		}
	}
	for _, tt := range []struct {
		field      string
		submission feed.Submission
	}{
		{"title", feed.Submission{Title: " ", Text: "x"}}, {"title", feed.Submission{Title: "\u200b\ufeff", Text: "x"}}, {"url", feed.Submission{Title: "T", Text: "\u202e"}}, {"title", feed.Submission{Title: long[:2*feed.MaxNewsTitle+2], Text: "x"}},
		{"title", feed.Submission{Title: "a\nb", Text: "x"}}, {"url", feed.Submission{Title: "T", URL: " ", Text: " "}},
		{"text", feed.Submission{Title: "T", URL: "https://a.example/", Text: "x"}}, {"text", feed.Submission{Title: "T", Text: long + "x"}},
		{"text", feed.Submission{Title: "T", Text: "a\x00b"}}, {"url", feed.Submission{Title: "T", URL: "ftp://a.example/"}},
		{"url", feed.Submission{Title: "T", URL: "javascript:alert(1)"}}, {"url", feed.Submission{Title: "T", URL: "//a.example"}},
		{"url", feed.Submission{Title: "T", URL: "https://"}}, {"url", feed.Submission{Title: "T", URL: "https://ann:x@a.example/"}},
		{"url", feed.Submission{Title: "T", URL: "https://a.example/" + long[:2040]}},
	} {
		var fields feed.FieldErrors
		if err := tt.submission.Check(); !errors.As(err, &fields) || len(fields) != 1 || fields[0].Field != tt.field {
			t.Errorf("%.40q %.40q %.40q: %v, want an error of %s", tt.submission.Title, tt.submission.URL, tt.submission.Text, err, tt.field)
		}
	}
}

// 003-21, 003-28
func TestA5SubmissionIsEditedAndDeletedInAWindow(t *testing.T) {
	each(t, func(h *town) {
		ctx, e, posted := t.Context(), h.submit(h.ann, "one"), h.now.Time
		other := h.submit(h.bob, "other")
		edit := func(user int64, moderates bool, s *feed.Submission) error {
			return h.Community.EditNews(ctx, 1, user, moderates, s, false)
		}
		h.now.Time = posted.Add(899 * time.Second)
		h.ok(edit(h.ann, false, &feed.Submission{Title: "One", URL: "https://a.example/one"}))
		h.ok(edit(h.ann, false, link("moved")))
		if h.raw.Int("EXISTS", "url:https://a.example/one") != 0 || h.raw.Int("TTL", "url:https://a.example/moved") < 172790 {
			t.Error("the URL did not move")
		}
		h.fails(edit(h.ann, false, link("other")), feed.ErrExists)
		h.fails(edit(h.bob, false, link("mine")), feed.ErrForbidden)
		h.fails(h.Community.DeleteNews(ctx, 1, h.bob, false), feed.ErrForbidden)
		h.fails(h.Community.EditNews(ctx, 99, h.ann, true, link("x"), false), feed.ErrNotFound)
		h.fails(h.Community.DeleteNews(ctx, 99, h.ann, true), feed.ErrNotFound)
		h.now.Time = posted.Add(900 * time.Second)
		h.fails(edit(h.ann, false, link("late")), feed.ErrConflict)
		h.fails(h.Community.DeleteNews(ctx, 1, h.ann, false), feed.ErrConflict)
		if n := h.news(e); n["title"] != "moved" || n["url"] != "https://a.example/moved" {
			t.Errorf("the submission is %v", n)
		}
		h.ok(edit(h.eve, true, &feed.Submission{Title: "Text", Text: "now a text"})) // a moderator
		if keys := h.raw.Keys("url:*"); len(keys) != 1 {
			t.Errorf("known URLs are %v", keys)
		}
		h.ok(h.Community.DeleteNews(ctx, 2, h.bob, true))
		if h.news(other)["del"] != "1" {
			t.Error("a moderator cannot delete a submission")
		}
	})
}

// 003-21, defects (a) and (m)
func TestDeletedSubmissionStaysDeleted(t *testing.T) {
	each(t, func(h *town) {
		ctx, e := t.Context(), h.submit(h.ann, "one")
		for range 2 {
			h.ok(h.Community.DeleteNews(ctx, 1, h.ann, false))
		}
		h.now.Advance(time.Hour)
		h.ok(h.Community.DeleteNews(ctx, 1, h.ann, false)) // a request that is repeated late
		_, err := h.Community.VoteOnNews(ctx, e, h.bob, feed.VoteUp)
		h.fails(err, feed.ErrGone)
		h.fails(h.Community.EditNews(ctx, 1, h.ann, true, link("two"), false), feed.ErrGone)
		h.ok(h.Community.RankNews(ctx))
		if n := h.raw.Int("EXISTS", "news.top", "news.cron", "url:https://a.example/one"); n != 0 {
			t.Errorf("%d keys list it", n)
		}
		all, err := h.Community.News(ctx, h.ann, 1)
		if err != nil || len(all) != 1 || !all[0].Deleted || all[0].Title != "" || all[0].URL != "" {
			t.Errorf("it is shown as %+v, %v", all, err)
		}
		again := h.submit(h.bob, "one")
		h.ok(h.Community.RemoveNews(ctx, again.ID)) // its entry was taken down
		h.ok(h.Community.RemoveNews(ctx, "Entry:99"))
		h.ok(h.Rankings.RemoveRanked(ctx, "Entry:3"))
		h.pause(h.ann)
		h.fails(h.Community.Submit(ctx, h.entry(h.ann, "taken down"), link("three"), false), feed.ErrGone)
		if n := h.raw.Int("ZCARD", "news.cron"); n != 0 {
			t.Errorf("%d submissions are listed", n)
		}
	})
}

// 003-18
func TestA4SubmissionsHaveScoreAndRankOfTheSeed(t *testing.T) {
	each(t, func(h *town) {
		h.submit(h.ann, "one")
		posted := h.now.Time
		for _, tt := range []struct {
			up, down, age int
			score, rank   float64
		}{
			{1, 0, 0, 1, 12.435644}, {21, 1, -1, 20, 0}, {23, 0, -1, 23, 0}, {11, 11, -1, 0, 0}, {12, 12, -1, 1.386294, 0}, {40, 10, -1, 35.416100, 0},
			{10, 0, 0, 10, 124.356435}, {10, 0, 3600, 10, 109.244728}, {10, 0, 86400, 10, 27.064641}, {0, 3, 0, -3, -37.306931},
			{10, 0, 2592000, 10, 0.870408}, {10, 0, 2592001, 10, -2592001},
		} {
			h.raw.Do("HSET", "news:1", "up", tt.up, "down", tt.down)
			h.now.Time = posted.Add(time.Duration(max(0, tt.age)) * time.Second)
			h.ok(h.Community.RankNews(t.Context()))
			all, err := h.Community.News(t.Context(), 0, 1)
			h.ok(err)
			n, listed := all[0], number(h.score("news.top", 1))
			if diff := n.Score - tt.score; diff > 1e-6 || diff < -1e-6 {
				t.Errorf("(%d, %d) has the score %v, want %v", tt.up, tt.down, n.Score, tt.score)
			}
			if diff := n.Rank - tt.rank; tt.age >= 0 && (diff > 1e-6 || diff < -1e-6 || listed != n.Rank) {
				t.Errorf("(%d, %d) at %d s has the rank %v, in the list %v, want %v", tt.up, tt.down, tt.age, n.Rank, listed, tt.rank)
			}
		}
		h.raw.Do("HSET", "news:1", "up", 1, "down", 0)
		h.ok(h.Community.RankNews(t.Context()))
	})
}

// 003-19: reads compute nothing.
func TestRanksChangeByTheJobOnly(t *testing.T) {
	each(t, func(h *town) {
		h.submit(h.ann, "old")
		h.now.Advance(24 * time.Hour)
		before := h.score("news.top", 1)
		if _, _, err := h.Community.NewsPlaces(t.Context(), feed.NewsTop, feed.Cursor{}, 10); err != nil {
			t.Fatal(err)
		}
		if _, err := h.Community.News(t.Context(), h.ann, 1); err != nil || h.score("news.top", 1) != before {
			t.Errorf("a read changed the rank: %v", err)
		}
		h.ok(h.Community.RankNews(t.Context()))
		if after := h.score("news.top", 1); number(after) >= number(before) {
			t.Errorf("the rank was %s, and is %s a day later", before, after)
		}
	})
}

// 003-26, 003-27
func TestListsAreReadInPages(t *testing.T) {
	each(t, func(h *town) {
		titles := strings.Fields("a b c d e f g")
		for i, title := range titles {
			if i != 3 {
				h.now.Advance(time.Second)
			}
			h.submit(h.ann, title)
		}
		h.vote(&feed.Entry{ID: "Entry:2", FeedURL: feed.MemberURL(h.ann), Timestamp: h.now.Time}, h.bob, feed.VoteUp)
		read := func(order feed.NewsOrder) (got string) {
			for after, more := (feed.Cursor{}), true; more; {
				var places []feed.Cursor
				var err error
				places, more, err = h.Community.NewsPlaces(t.Context(), order, after, 2)
				h.ok(err)
				for _, p := range places {
					got, after = got+p.Member, p
				}
			}
			return got
		}
		if latest := read(feed.NewsLatest); latest != "7654321" {
			t.Errorf("the latest are %s", latest)
		}
		if top := read(feed.NewsTop); !strings.HasPrefix(top, "27") || len(top) != 7 {
			t.Errorf("the top are %s", top)
		}
	})
}

// 003-15: one of many parallel submissions of a member, and of one URL, is accepted.
func TestParallelSubmissionsAreOne(t *testing.T) {
	each(t, func(h *town) {
		var all sync.WaitGroup
		var mu sync.Mutex
		submitted := 0
		for i := range 20 {
			e, title := h.entry(h.bob, "same"), fmt.Sprint(i)
			if i%2 == 0 {
				e, title = h.entry(h.member(fmt.Sprint("m", i)), "same"), "same"
			}
			all.Go(func() {
				if err := h.Community.Submit(t.Context(), e, link(title), false); err == nil {
					mu.Lock()
					submitted++
					mu.Unlock()
				}
			})
		}
		all.Wait()
		if n := h.raw.Int("ZCARD", "news.cron"); n != 2 || submitted != 2 {
			t.Errorf("%d submissions are listed, %d were accepted", n, submitted)
		}
	})
}
