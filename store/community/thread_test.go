package community_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// comment adds a comment to submission 1 and returns its number.
func (h *town) comment(user, parent int64, body string) int64 {
	h.t.Helper()
	c, err := h.Community.AddComment(h.t.Context(), 1, user, parent, body)
	h.ok(err)
	return c
}

// thread returns the bodies of the comments on submission 1, as "a(b(c) d)".
func (h *town) thread(user int64) string {
	h.t.Helper()
	all, err := h.Community.Thread(h.t.Context(), 1, user)
	h.ok(err)
	return shape(all)
}

func shape(all []feed.Comment) string {
	words := make([]string, len(all))
	for i, c := range all {
		words[i] = c.Body
		if c.Deleted {
			words[i] = "x"
		}
		if len(c.Replies) > 0 {
			words[i] += "(" + shape(c.Replies) + ")"
		}
	}
	return strings.Join(words, " ")
}

// 003-14, 003-29, 003-30, 003-31, 003-32, defects (c) and (d)
func TestA6CommentsAreAThread(t *testing.T) {
	each(t, func(h *town) {
		ctx := t.Context()
		h.submit(h.ann, "one")
		a := h.comment(h.bob, feed.NoParent, "a")
		if again := h.comment(h.bob, feed.NoParent, "a"); again != a {
			t.Errorf("the repetition of a call is comment %d after %d", again, a)
		}
		h.now.Advance(time.Second)
		b, d := h.comment(h.eve, a, "b"), h.comment(h.bob, a, "d")
		h.now.Advance(time.Second)
		c := h.comment(h.bob, b, "c")
		h.now.Advance(time.Second)
		e := h.comment(h.eve, feed.NoParent, "e")
		if got := h.thread(h.bob); got != "e a(d b(c))" {
			t.Errorf("the thread is %s", got)
		}
		if before, err := h.Community.VoteOnComment(ctx, 1, b, h.ann, feed.VoteUp); err != nil || before != feed.VoteNone {
			t.Errorf("a vote: %s, %v", before, err)
		}
		if before, err := h.Community.VoteOnComment(ctx, 1, b, h.ann, feed.VoteDown); err != nil || before != feed.VoteUp {
			t.Errorf("a vote in the other direction: %s, %v", before, err)
		}
		_, err := h.Community.VoteOnComment(ctx, 1, e, h.ann, feed.VoteDown)
		h.ok(err)
		if got := h.thread(h.bob); got != "a(b(c) d) e" {
			t.Errorf("after votes the thread is %s", got)
		}
		replies := func(user int64) int {
			m, err := h.Community.Member(ctx, user)
			h.ok(err)
			return m.Replies
		}
		if bob, eve := replies(h.bob), replies(h.eve); bob != 1 || eve != 1 { // d is a reply to oneself
			t.Errorf("bob has %d unread replies, eve %d", bob, eve)
		}
		own, next, err := h.Community.CommentsOf(ctx, h.bob, h.bob, feed.Cursor{}, 1)
		if h.ok(err); len(own) != 1 || own[0].NewsID != 1 || own[0].Body != "c" || own[0].ParentID != b || next.IsZero() {
			t.Errorf("the last comment of bob is %+v, next %v", own, next)
		}
		if own, next, err = h.Community.CommentsOf(ctx, h.bob, h.bob, next, 5); err != nil || len(own) != 2 || own[0].Body != "d" || own[1].Body != "a" || !next.IsZero() {
			t.Errorf("the first comments of bob are %+v, next %v; %v", own, next, err)
		}
		h.ok(h.Community.SeeReplies(ctx, h.bob))
		if replies(h.bob) != 0 {
			t.Error("the replies are unread")
		}
		if n := h.news(&feed.Entry{ID: "Entry:1"}); n["comments"] != "5" || h.score(fmt.Sprint("user.comments:", h.bob), fmt.Sprint("1-", c)) == "" {
			t.Errorf("the submission is %v", n)
		}
		for range 2 { // once
			h.ok(h.Community.DeleteComment(ctx, 1, c, h.bob, false))
			h.ok(h.Community.DeleteComment(ctx, 1, a, h.bob, false))
		}
		h.ok(h.Community.DeleteComment(ctx, 1, d, h.ann, true))
		if got := h.thread(h.bob); got != "e x(b)" && got != "x(b) e" {
			t.Errorf("after deletions the thread is %s", got)
		}
		if text := fmt.Sprint(h.raw.StringMap("HGETALL", "thread:comment:1")); strings.Contains(text, `"body":"a"`) {
			t.Errorf("the body of a deleted comment is stored: %s", text)
		}
		_, err = h.Community.AddComment(ctx, 1, h.eve, a, "late")
		h.fails(err, feed.ErrGone)
		h.fails(h.Community.EditComment(ctx, 1, a, h.bob, "back"), feed.ErrGone)
		_, err = h.Community.VoteOnComment(ctx, 1, a, h.ann, feed.VoteUp)
		h.fails(err, feed.ErrGone)
		if n := h.news(&feed.Entry{ID: "Entry:1"}); n["comments"] != "2" {
			t.Errorf("the submission is %v", n)
		}
	})
}

// 003-33
func TestA5CommentIsEditedInAWindow(t *testing.T) {
	each(t, func(h *town) {
		ctx := t.Context()
		h.submit(h.ann, "one")
		c, written := h.comment(h.bob, feed.NoParent, "a"), h.now.Time
		h.now.Time = written.Add(7199 * time.Second)
		h.ok(h.Community.EditComment(ctx, 1, c, h.bob, "b"))
		h.fails(h.Community.EditComment(ctx, 1, c, h.eve, "c"), feed.ErrForbidden)
		h.fails(h.Community.DeleteComment(ctx, 1, c, h.eve, false), feed.ErrForbidden)
		h.fails(h.Community.EditComment(ctx, 1, 99, h.bob, "c"), feed.ErrNotFound)
		h.now.Time = written.Add(7200 * time.Second)
		h.fails(h.Community.EditComment(ctx, 1, c, h.bob, "c"), feed.ErrConflict)
		h.fails(h.Community.DeleteComment(ctx, 1, c, h.bob, false), feed.ErrConflict)
		if got := h.thread(0); got != "b" {
			t.Errorf("the thread is %s", got)
		}
	})
}

// Defects (a) and (n)
func TestCommentsAreRefused(t *testing.T) {
	each(t, func(h *town) {
		ctx := t.Context()
		h.submit(h.ann, "one")
		add := func(n, user, parent int64) error {
			_, err := h.Community.AddComment(ctx, n, user, parent, "a")
			return err
		}
		h.fails(add(99, h.bob, feed.NoParent), feed.ErrNotFound)
		h.fails(add(1, h.bob, 99), feed.ErrNotFound)
		_, err := h.Community.VoteOnComment(ctx, 1, 99, h.bob, feed.VoteUp)
		h.fails(err, feed.ErrNotFound)
		_, err = h.Community.VoteOnComment(ctx, 1, 1, h.bob, feed.VoteNone)
		h.fails(err, feed.ErrInvalid)
		for i := range feed.CommentsAMinute {
			h.comment(h.bob, feed.NoParent, fmt.Sprint(i))
		}
		var quota *feed.QuotaError
		if err := add(1, h.bob, feed.NoParent); !errors.As(err, &quota) || quota.Wait != time.Minute {
			t.Errorf("too many comments: %v", err)
		}
		parent := int64(1)
		for range feed.MaxDepth {
			h.now.Advance(time.Minute)
			parent = h.comment(h.bob, parent, "deep")
		}
		h.now.Advance(time.Minute)
		h.fails(add(1, h.bob, parent), feed.ErrConflict)
		if got := h.thread(0); strings.Count(got, "deep") != feed.MaxDepth {
			t.Errorf("the thread is %s", got)
		}
		h.ok(h.Community.DeleteNews(ctx, 1, h.ann, true))
		h.fails(add(1, h.eve, feed.NoParent), feed.ErrGone)
		_, err = h.Community.VoteOnComment(ctx, 1, 1, h.eve, feed.VoteUp)
		h.fails(err, feed.ErrGone)
		for _, body := range []string{"", " \n", "\u200b", "a\x00", "\xff", strings.Repeat("ä", feed.MaxComment+1)} {
			_, err := feed.CheckComment(body)
			h.fails(err, feed.ErrInvalid)
		}
	})
}

// 003-33, defects (f) and (g): Each checks that no vote and no comment is lost.
func TestParallelCommentsAndVotesAreAllThere(t *testing.T) {
	each(t, func(h *town) {
		h.submit(h.ann, "one")
		first := h.comment(h.ann, feed.NoParent, "first")
		var all sync.WaitGroup
		for i := range 32 {
			user := h.member(fmt.Sprint("m", i))
			all.Go(func() {
				random := rand.New(rand.NewPCG(3, uint64(i)))
				c, err := h.Community.AddComment(t.Context(), 1, user, first, fmt.Sprint("c", i))
				if err != nil {
					t.Error(err)
				}
				for range 5 {
					_, _ = h.Community.VoteOnComment(t.Context(), 1, 1+random.Int64N(20), user, feed.Votes()[random.IntN(2)])
				}
				if _, err := h.Community.VoteOnComment(t.Context(), 1, first, user, feed.VoteUp); err != nil {
					t.Error(err)
				}
				if i%4 == 0 {
					_ = h.Community.DeleteComment(t.Context(), 1, c, user, false)
				}
			})
		}
		all.Wait()
		thread, err := h.Community.Thread(t.Context(), 1, 0)
		h.ok(err)
		if len(thread) != 1 || len(thread[0].Replies) != 24 || thread[0].Up+thread[0].Down != 33 {
			t.Errorf("the first comment has %d replies, and %d and %d votes", len(thread[0].Replies), thread[0].Up, thread[0].Down)
		}
	})
}

func TestErasedMemberLeavesCommentsWithoutName(t *testing.T) {
	each(t, func(h *town) {
		ctx := t.Context()
		h.submit(h.ann, "one")
		a, b := h.comment(h.bob, feed.NoParent, "a"), h.comment(h.eve, feed.NoParent, "b")
		_, err := h.Community.VoteOnComment(ctx, 1, b, h.bob, feed.VoteDown)
		h.ok(err)
		_ = a
		if _, err := h.People.RemoveAccount(ctx, "bob"); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			h.ok(h.EraseAccounts(ctx))
		}
		all, err := h.Community.Thread(ctx, 1, 0)
		h.ok(err)
		for _, c := range all {
			if c.Body == "a" && (c.AuthorID != 0 || c.Up != 0) || c.Body == "b" && (c.Author != "eve" || c.Down != 0) {
				t.Errorf("left: %+v", c)
			}
		}
		if keys := h.raw.Keys(fmt.Sprint("*comments:", h.bob)); len(all) != 2 || len(keys) != 0 {
			t.Errorf("%d comments and the keys %v are left", len(all), keys)
		}
		if c := h.comment(h.eve, a, "reply"); c != 3 || h.raw.Int("EXISTS", fmt.Sprint("user:", h.bob)) != 0 {
			t.Error("a reply made an account")
		}
	})
}

func TestLongThreadIsAlwaysThatOfRedis(t *testing.T) {
	dial, now := storetest.Redis(t), storetest.NewClock()
	h := newTown(t, storetest.New(t, core.Options{Dial: dial, Now: now.Now}), now, storetest.NewRedigo(t, dial, ""))
	h.ann, h.bob, h.eve = h.member("ann"), h.member("bob"), h.member("eve")
	for i := range 9 {
		e := h.submit(h.ann, fmt.Sprint("s", i))
		n := number(e.Number())
		fill := []any{"thread:comment:" + e.Number(), "nextid", 3000}
		for c := 1; c <= 3000; c++ {
			fill = append(fill, c, fmt.Sprintf(`{"body":"b%d","parent_id":-1,"user_id":%d,"ctime":%d,"up":[%d]}`, c, h.bob, c, h.bob))
		}
		h.raw.Do("HSET", fill...)
		h.raw.Do("HSET", "news:"+e.Number(), "comments", 3000)
		for range 2 {
			all, err := h.Community.Thread(h.t.Context(), int64(n), h.bob)
			if h.ok(err); len(all) != 3000 || all[0].Body != "b3000" || all[0].Vote != feed.VoteUp {
				t.Fatalf("%d comments, %+v", len(all), all[0])
			}
		}
		if held := h.Community.DecodedThreads(); held != 3000*min(i+1, 6) {
			t.Errorf("%d comments of %d threads are held", held, i+1)
		}
		h.ok(h.Community.DeleteComment(h.t.Context(), int64(n), 3000, h.ann, true))
		all, err := h.Community.Thread(h.t.Context(), int64(n), h.eve)
		if h.ok(err); len(all) != 2999 || all[0].Body != "b2999" || all[0].Vote != feed.VoteNone {
			t.Errorf("after a deletion: %d comments, %+v", len(all), all[0])
		}
	}
}

// A thread that is held costs one field, and is that of Redis after each change.
func TestHeldThreadFollowsEveryChange(t *testing.T) {
	dial, now := storetest.Redis(t), storetest.NewClock()
	options := core.Options{Dial: dial, Now: now.Now}
	h := newTown(t, storetest.New(t, options), now, storetest.NewRedigo(t, dial, ""))
	h.ann, h.bob, h.eve = h.member("ann"), h.member("bob"), h.member("eve")
	ctx, c := t.Context(), h.Community
	h.submit(h.ann, "one")
	for id := 1; id <= 60; id++ {
		h.raw.Do("HSET", "thread:comment:1", "nextid", id, id, fmt.Sprintf(`{"body":"b%d","parent_id":%d,"user_id":%d,"ctime":%d,"up":[%d]}`,
			id, id/10*10-1, h.bob, now.Time.Unix()+int64(id), h.bob))
		h.raw.Do("ZADD", fmt.Sprint("user.comments:", h.bob), id, fmt.Sprint("1-", id))
	}
	all := func(s *store.Store) (seen []any) {
		for _, user := range []int64{0, h.bob, h.eve} {
			for _, read := range []func(context.Context, int64, int64) ([]feed.Comment, error){s.Community.Thread, s.Community.ModeratedThread} {
				thread, err := read(ctx, 1, user)
				h.ok(err)
				seen = append(seen, thread)
			}
		}
		return seen
	}
	before := all(h.Store)
	for name, change := range map[string]func() error{
		"add":    func() error { _, err := c.AddComment(ctx, 1, h.eve, 1, "a reply"); return err },
		"vote":   func() error { _, err := c.VoteOnComment(ctx, 1, 2, h.eve, feed.VoteDown); return err },
		"edit":   func() error { return c.EditComment(ctx, 1, 3, h.bob, "edited") },
		"delete": func() error { return c.DeleteComment(ctx, 1, 4, h.bob, false) },
		"hide":   func() error { _, err := c.ModerateComment(ctx, 1, 5, feed.Hidden); return err },
		"remove": func() error { _, err := c.ModerateComment(ctx, 1, 6, feed.Removed); return err },
	} {
		h.ok(change())
		got, want := all(h.Store), all(storetest.New(t, options))
		if !reflect.DeepEqual(got, want) || reflect.DeepEqual(got, before) {
			t.Errorf("after %s:\ngot %+v\nwant %+v", name, got, want)
		}
		before = got
		h.raw.Do("CONFIG", "RESETSTAT")
		all(h.Store)
		if stats := string(h.raw.Do("INFO", "commandstats").([]byte)); strings.Contains(stats, "hgetall") {
			t.Errorf("after %s, a thread that has not changed is read again: %s", name, stats)
		}
	}
	_, err := h.People.RemoveAccount(ctx, "bob")
	h.ok(err)
	h.ok(h.EraseAccounts(ctx))
	if got, want := all(h.Store), all(storetest.New(t, options)); !reflect.DeepEqual(got, want) || reflect.DeepEqual(got, before) {
		t.Errorf("after the removal of an account:\ngot %+v\nwant %+v", got, want)
	}
}
