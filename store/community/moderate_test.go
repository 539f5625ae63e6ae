package community_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

func (h *town) moderate(c int64, state feed.Visibility) feed.Visibility {
	h.t.Helper()
	before, err := h.Community.ModerateComment(h.t.Context(), 1, c, state)
	h.ok(err)
	return before
}

func (h *town) wantThread(what string, user int64, want string) {
	h.t.Helper()
	if got := h.thread(user); got != want {
		h.t.Errorf("%s: user %d reads %q, want %q", what, user, got, want)
	}
}

func (h *town) wantComments(what string, e *feed.Entry, want string) {
	h.t.Helper()
	if got := h.news(e)["comments"]; got != want {
		h.t.Errorf("%s: the submission counts %s comments, want %s", what, got, want)
	}
}

func TestHiddenCommentIsReadByItsAuthorOnly(t *testing.T) {
	each(t, func(h *town) {
		ctx, e := t.Context(), h.submit(h.ann, "one")
		a := h.comment(h.bob, feed.NoParent, "a")
		h.now.Advance(time.Second)
		if before := h.moderate(a, feed.Hidden); before != feed.Visible || h.moderate(a, feed.Hidden) != feed.Hidden {
			t.Errorf("it was %s", before)
		}
		h.comment(h.bob, a, "b")
		for reader, deleted := range map[int64]bool{h.bob: false, h.ann: true, 0: true} {
			if all, _, err := h.Community.CommentsOf(ctx, h.bob, reader, feed.Cursor{}, 10); err != nil || len(all) != 2 || all[0].Deleted != deleted || all[1].Deleted != deleted {
				t.Errorf("for user %d the comments of bob are %+v, %v", reader, all, err)
			}
		}
		h.wantThread("hidden", h.bob, "a(b)")
		h.wantThread("hidden", h.ann, "")
		h.wantThread("hidden", 0, "")
		h.wantComments("hidden", e, "0")
		for reader, count := range map[int64]int{h.bob: 2, h.ann: 0, 0: 0} { // the author counts what the author reads
			if n, err := h.Community.News(ctx, reader, 1); err != nil || len(n) != 1 || n[0].Comments != count {
				t.Errorf("for user %d the submission is %+v, %v", reader, n, err)
			}
		}
		if m, err := h.Community.Member(ctx, h.bob); err != nil || m.Replies != 0 {
			t.Errorf("bob has %+v, %v", m, err)
		}
		_, err := h.Community.AddComment(ctx, 1, h.ann, a, "c")
		h.fails(err, feed.ErrGone)
		_, err = h.Community.VoteOnComment(ctx, 1, a, h.ann, feed.VoteUp)
		h.fails(err, feed.ErrGone)
		h.fails(h.Community.Report(ctx, feed.Reported{News: 1, Comment: a}, h.ann, "spam"), feed.ErrGone)
		h.ok(h.Community.EditComment(ctx, 1, a, h.bob, "A"))
		h.wantThread("edited", h.ann, "")
		h.moderate(a, feed.Visible)
		h.wantThread("visible", h.ann, "A")
		h.wantComments("visible", e, "1")
		h.moderate(a, feed.Hidden)
		h.ok(h.Community.DeleteComment(ctx, 1, a+1, h.bob, false))
		if n, err := h.Community.News(ctx, h.bob, 1); err != nil || n[0].Comments != 1 {
			t.Errorf("the author of a hidden and a deleted comment reads %+v, %v", n, err)
		}
		h.ok(h.Community.EraseMember(ctx, h.bob))
		h.wantThread("without author", 0, "")
	})
}

// 003-14
func TestReplyThatIsNotVisibleIsNotUnread(t *testing.T) {
	each(t, func(h *town) {
		ctx := t.Context()
		h.submit(h.ann, "one")
		a := h.comment(h.bob, feed.NoParent, "a")
		unread := func(what string, want int) {
			t.Helper()
			m, err := h.Community.Member(ctx, h.bob)
			if h.ok(err); m.Replies != want {
				t.Errorf("%s: bob has %d unread replies, want %d", what, m.Replies, want)
			}
		}
		seen := h.comment(h.eve, a, "seen")
		h.now.Advance(time.Second)
		h.ok(h.Community.SeeReplies(ctx, h.bob))
		h.now.Advance(time.Second)
		b, c, own := h.comment(h.eve, a, "b"), h.comment(h.ann, a, "c"), h.comment(h.bob, a, "own")
		unread("two replies", 2)
		for range 2 { // once
			h.moderate(b, feed.Hidden)
		}
		h.moderate(own, feed.Removed)
		h.moderate(seen, feed.Hidden)
		unread("one of them hidden", 1)
		h.moderate(b, feed.Removed)
		unread("removed after it was hidden", 1)
		h.moderate(b, feed.Visible)
		unread("visible again", 2)
		h.moderate(b, feed.Removed)
		h.ok(h.Community.DeleteComment(ctx, 1, b, h.eve, false))
		unread("deleted after it was removed", 1)
		h.ok(h.Community.DeleteComment(ctx, 1, c, h.ann, false))
		unread("the other one deleted", 0)
		h.moderate(seen, feed.Visible)
		unread("a reply that was read is visible again", 0)
	})
}

func TestRemovedCommentIsRestoredUnlessItsAuthorDeletedIt(t *testing.T) {
	each(t, func(h *town) {
		ctx, e := t.Context(), h.submit(h.ann, "one")
		a := h.comment(h.bob, feed.NoParent, "a")
		h.now.Advance(time.Second)
		h.comment(h.ann, a, "b")
		h.moderate(a, feed.Removed)
		h.wantThread("removed", h.bob, "x(b)")
		h.wantComments("removed", e, "1")
		h.fails(h.Community.EditComment(ctx, 1, a, h.bob, "A"), feed.ErrGone)
		h.moderate(a, feed.Hidden)
		h.wantComments("hidden", e, "1")
		h.moderate(a, feed.Visible)
		h.wantThread("restored", 0, "a(b)")
		h.wantComments("restored", e, "2")
		h.moderate(a, feed.Removed)
		h.ok(h.Community.DeleteComment(ctx, 1, a, h.bob, false))
		_, err := h.Community.ModerateComment(ctx, 1, a, feed.Visible)
		h.fails(err, feed.ErrGone)
		_, err = h.Community.ModerateComment(ctx, 1, 99, feed.Visible)
		h.fails(err, feed.ErrNotFound)
		_, err = h.Community.ModerateComment(ctx, 1, a, "gone")
		h.fails(err, feed.ErrInvalid)
		h.wantComments("deleted", e, "1")
	})
}

// The check of each counts the comments afterwards.
func TestDeletingRacesWithRestoring(t *testing.T) {
	each(t, func(h *town) {
		h.submit(h.ann, "one")
		for i := range 10 {
			c := h.comment(h.bob, feed.NoParent, fmt.Sprint(i))
			h.moderate(c, feed.Removed)
			var both sync.WaitGroup
			both.Go(func() {
				if err := h.Community.DeleteComment(t.Context(), 1, c, h.bob, false); err != nil {
					t.Error(err)
				}
			})
			both.Go(func() {
				if _, err := h.Community.ModerateComment(t.Context(), 1, c, feed.Visible); err != nil && !errors.Is(err, feed.ErrGone) {
					t.Error(err)
				}
			})
			both.Wait()
			h.now.Advance(time.Minute)
		}
		h.wantThread("deleted", 0, "")
	})
}

func TestLockedThreadTakesNoComments(t *testing.T) {
	each(t, func(h *town) {
		e := h.submit(h.ann, "one")
		a := h.comment(h.bob, feed.NoParent, "a")
		for i := range 2 {
			if changed, err := h.Community.LockNews(t.Context(), 1, true); err != nil || changed != (i == 0) {
				t.Errorf("locked: %v, %v", changed, err)
			}
		}
		_, err := h.Community.AddComment(t.Context(), 1, h.ann, a, "b")
		h.fails(err, feed.ErrConflict)
		if _, err := h.Community.LockNews(t.Context(), 1, false); err != nil || h.news(e)["locked"] != "" {
			t.Errorf("unlocked: %v", err)
		}
		h.comment(h.ann, a, "b")
		_, err = h.Community.LockNews(t.Context(), 99, true)
		h.fails(err, feed.ErrNotFound)
	})
}

func TestBannedMemberWritesAndVotesNowhere(t *testing.T) {
	each(t, func(h *town) {
		ctx := t.Context()
		e := h.submit(h.ann, "one")
		mine := h.comment(h.bob, feed.NoParent, "a")
		other := h.comment(h.ann, feed.NoParent, "b")
		own := h.submit(h.bob, "two")
		h.pause(h.bob)
		for i := range 2 {
			if changed, err := h.Community.Ban(ctx, h.bob); err != nil || changed != (i == 0) {
				t.Errorf("banned: %v, %v", changed, err)
			}
		}
		_, commented := h.Community.AddComment(ctx, 1, h.bob, feed.NoParent, "c")
		_, voted := h.Community.VoteOnNews(ctx, e, h.bob, feed.VoteUp)
		_, liked := h.Community.VoteOnComment(ctx, 1, other, h.bob, feed.VoteUp)
		for what, err := range map[string]error{
			"a comment": commented, "a vote": voted, "a vote on a comment": liked,
			"a submission": h.Community.Submit(ctx, h.entry(h.bob, "three"), link("three"), false), "a plan": h.Community.MaySubmit(ctx, h.bob, link("three"), false),
			"an edit": h.Community.EditComment(ctx, 1, mine, h.bob, "A"), "an edit of news": h.Community.EditNews(ctx, 2, h.bob, false, link("four"), false),
			"a report": h.Community.Report(ctx, feed.Reported{News: 1}, h.bob, "spam"),
		} {
			if !errors.Is(err, feed.ErrForbidden) {
				t.Errorf("%s of a banned member: %v", what, err)
			}
		}
		h.ok(h.Community.DeleteComment(ctx, 1, mine, h.bob, false))
		bans, next, err := h.Community.Bans(ctx, feed.Cursor{}, 10)
		if err != nil || len(bans) != 1 || bans[0].Account != "bob" || !bans[0].Since.Equal(h.now.Time) || !next.IsZero() {
			t.Errorf("bans are %+v, %v", bans, err)
		}
		if changed, err := h.Community.Unban(ctx, h.bob); err != nil || !changed {
			t.Errorf("unbanned: %v, %v", changed, err)
		}
		h.vote(own, h.ann, feed.VoteUp)
		h.comment(h.bob, feed.NoParent, "d")
	})
}

// 003-33
func TestModeratorsHideAndRemoveSubmissions(t *testing.T) {
	each(t, func(h *town) {
		ctx, e := t.Context(), h.submit(h.ann, "one")
		h.give(h.bob, 10)
		voter := h.member("zoe")
		h.vote(e, voter, feed.VoteUp)
		c := h.comment(h.bob, feed.NoParent, "a")
		moderate := func(state, before feed.Visibility) {
			t.Helper()
			for range 2 { // it is repeatable
				got, err := h.Community.ModerateNews(ctx, 1, state, "")
				h.ok(err)
				if got != before {
					t.Errorf("before it became %s it was %s, want %s", state, got, before)
				}
				before = state
			}
		}
		place := h.score("news.cron", 1)
		gone := func(state string) {
			t.Helper()
			_, err := h.Community.VoteOnNews(ctx, e, h.bob, feed.VoteUp)
			h.fails(err, feed.ErrGone)
			_, err = h.Community.VoteOnComment(ctx, 1, c, h.eve, feed.VoteUp)
			h.fails(err, feed.ErrGone)
			_, err = h.Community.AddComment(ctx, 1, h.bob, c, state)
			h.fails(err, feed.ErrGone)
			h.fails(h.Community.Report(ctx, feed.Reported{News: 1}, h.bob, "spam"), feed.ErrGone)
			h.fails(h.Community.Report(ctx, feed.Reported{News: 1, Comment: c}, h.eve, "spam"), feed.ErrGone)
		}

		moderate(feed.Hidden, feed.Visible)
		gone("hidden")
		h.comment(h.ann, c, "b") // the author may, and others do not read it
		h.wantComments("hidden", e, "1")
		if m, err := h.Community.Member(ctx, h.bob); err != nil || m.Replies != 0 {
			t.Errorf("bob has %+v, %v", m, err)
		}
		h.pause(h.eve)
		h.ok(h.Community.MaySubmit(ctx, h.eve, link("one"), false))
		second := h.entry(h.eve, "one")
		h.ok(h.Community.Submit(ctx, second, link("one"), false))

		moderate(feed.Removed, feed.Hidden)
		gone("removed")
		_, err := h.Community.AddComment(ctx, 1, h.ann, feed.NoParent, "c")
		h.fails(err, feed.ErrGone)
		h.fails(h.Community.EditNews(ctx, 1, h.ann, false, link("two"), false), feed.ErrGone)
		h.ok(h.Community.EraseMember(ctx, voter)) // computes its rank
		if h.score("news.cron", 1) != "" || h.score("news.top", 1) != "" {
			t.Error("a removed submission is listed")
		}
		for _, reader := range []int64{h.ann, h.eve, 0} {
			if n, err := h.Community.News(ctx, reader, 1); err != nil || len(n) != 1 || !n[0].Deleted || n[0].URL != "" || n[0].State != "" {
				t.Errorf("user %d reads %+v, %v", reader, n, err)
			}
		}
		if n, err := h.Community.ModeratedNews(ctx, h.eve, 1); err != nil || n[0].State != feed.Removed || n[0].Title != "one" {
			t.Errorf("a moderator reads %+v, %v", n, err)
		}

		moderate(feed.Visible, feed.Removed)
		if h.score("news.cron", 1) != place || h.score("news.top", 1) == "" {
			t.Error("a restored submission is not where it was")
		}
		h.vote(e, h.bob, feed.VoteUp)
		h.ok(h.Community.DeleteNews(ctx, 1, h.ann, true))
		_, err = h.Community.ModerateNews(ctx, 1, feed.Visible, "")
		h.fails(err, feed.ErrGone)
		_, err = h.Community.ModerateNews(ctx, 9, feed.Hidden, "")
		h.fails(err, feed.ErrNotFound)
		_, err = h.Community.ModerateNews(ctx, 1, "gone", "")
		h.fails(err, feed.ErrInvalid)
	})
}
