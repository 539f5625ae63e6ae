package store_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// follower adds an account that follows two sources and has read its timeline, and returns its id.
func follower(t *testing.T, s *store.Store, name string) int64 {
	t.Helper()
	if err := s.People.AddAccount(t.Context(), feed.Account{Name: name, Role: feed.RoleViewer}); err != nil {
		t.Fatal(err)
	}
	a, err := s.People.Account(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	for _, url := range []string{harbour, "https://other.example/feed"} {
		follow(t, s, a.ID, url)
	}
	if _, err := s.Timelines.Timeline(t.Context(), a.ID, feed.Cursor{}, 10); err != nil {
		t.Fatal(err)
	}
	return a.ID
}

func follow(t *testing.T, s *store.Store, user int64, url string) {
	t.Helper()
	if _, err := s.Timelines.Follow(t.Context(), user, feed.Follow{FeedURL: url}); err != nil {
		t.Fatal(err)
	}
}

func TestRemovedAccountIsErasedAlthoughItWasInterrupted(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, raw *storetest.Redigo) {
		erase := func() {
			t.Helper()
			if err := s.EraseAccounts(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		ann, bob := follower(t, s, "ann"), follower(t, s, "bob")
		left := func(user int64) (n int) {
			id := strconv.FormatInt(user, 10)
			for _, key := range []string{"user.follows:" + id, "feed:user:" + id, "feed:user:" + id + ":warm"} {
				n += raw.Int("EXISTS", key)
			}
			for _, url := range []string{harbour, "https://other.example/feed"} {
				if raw.Of(url).Do("ZSCORE", url+":followers", id) != nil {
					n++
				}
			}
			return n
		}
		if left(ann) < 4 {
			t.Fatalf("only %d keys name a follower", left(ann))
		}
		erase()
		if left(ann) < 4 || left(bob) < 4 {
			t.Fatal("accounts are erased that exist")
		}
		// The daemon is killed after it has removed the account, or while it erases it.
		if _, err := s.People.RemoveAccount(t.Context(), "ann"); err != nil {
			t.Fatal(err)
		}
		raw.Of(harbour).Do("ZREM", harbour+":followers", ann)
		erase()
		if left(ann) != 0 || left(bob) < 4 {
			t.Errorf("%d keys name a removed account, %d another one", left(ann), left(bob))
		}
		now.Advance(time.Minute)
		follow(t, s, ann, harbour) // by a request that began before
		erase()
		now.Advance(2 * time.Minute)
		erase()
		if left(ann) != 0 || raw.Int("EXISTS", "users.removed") != 0 {
			t.Errorf("%d keys name a removed account, or it is never forgotten", left(ann))
		}
	})
}

func TestRemovedAccountLeavesNoVotes(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, raw *storetest.Redigo) {
		ann := follower(t, s, "ann")
		e := feed.Entry{ID: "Entry:64", FeedURL: harbour, Timestamp: now.Time}
		if _, err := s.Rankings.Vote(t.Context(), &e, ann, feed.VoteUp); err != nil {
			t.Fatal(err)
		}
		if _, err := s.People.RemoveAccount(t.Context(), "ann"); err != nil {
			t.Fatal(err)
		}
		if err := s.EraseAccounts(t.Context()); err != nil {
			t.Fatal(err)
		}
		scores, err := s.Rankings.Scores(t.Context(), ann, []string{e.ID})
		if left := raw.Int("EXISTS", "upvoted:64", "voted:"+strconv.FormatInt(ann, 10)); err != nil || left != 0 || scores[e.ID].Votes != 0 {
			t.Errorf("%d keys name the account, the score is %+v, %v", left, scores[e.ID], err)
		}
	})
}
