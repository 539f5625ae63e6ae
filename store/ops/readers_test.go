package ops_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// A copy bounds readers as before, has what they did, and goes on to erase an account that was removed.
func TestReadersSurviveBackupAndCopies(t *testing.T) {
	t.Parallel()
	first := storetest.New(t, store.Options{Dial: storetest.Redis(t)})
	check := func(errs ...error) {
		t.Helper()
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
	}
	check(first.Check(t.Context()))
	const reader = int64(404)
	e := feed.Entry{FeedURL: harbour, GUID: "g", Title: "T", Timestamp: time.Now().Truncate(time.Second)}
	save(t, first, []feed.Entry{e})
	e.ID = "Entry:1"
	check(first.People.AddAccount(t.Context(), feed.Account{Name: "eve", Role: feed.RoleMember}))
	eve, err := first.People.Account(t.Context(), "eve")
	check(err)
	for _, user := range []int64{reader, eve.ID} {
		_, followed := first.Timelines.Follow(t.Context(), user, feed.Follow{FeedURL: harbour, Folder: "Sea"})
		_, voted := first.Rankings.Vote(t.Context(), &e, user, feed.VoteUp)
		check(followed, voted, first.Timelines.MarkSources(t.Context(), user, feed.Selection{}, time.Time{}), first.Timelines.AddSaved(t.Context(), user, e.ID))
		for range feed.MaxFetches {
			check(first.Timelines.CountFetch(t.Context(), user))
		}
	}
	_, err = first.Rankings.SaveList(t.Context(), feed.EntryList{Name: "front", Title: "Front page"})
	check(err)
	_, err = first.Rankings.PlaceInList(t.Context(), "front", &e, feed.ListTarget{}, "")
	check(err)
	check(first.Rankings.AddToGroup(t.Context(), "sport", &e), first.Timelines.AddDefaultFollow(t.Context(), harbour))
	_, err = first.People.RemoveAccount(t.Context(), "eve")
	check(err)

	for name, s := range copiesOf(t, first) {
		t.Run(name, func(t *testing.T) {
			if removed, err := s.People.RemovedAccounts(t.Context()); err != nil || !slices.Equal(removed, []int64{eve.ID}) {
				t.Errorf("the removed accounts are %v, %v", removed, err)
			}
			if err := s.EraseAccounts(t.Context()); err != nil {
				t.Fatal(err)
			}
			for _, user := range []int64{reader, eve.ID} {
				there := 0
				if user == reader {
					there = 1
				}
				follows, followErr := s.Timelines.Follows(t.Context(), user)
				votes, voteErr := s.Rankings.VotesOf(t.Context(), user)
				saved, savedErr := s.Timelines.Saved(t.Context(), user, feed.Cursor{}, 9)
				if err := errors.Join(followErr, voteErr, savedErr); err != nil || len(follows) != there || len(votes) != there || len(saved.Entries) != there {
					t.Errorf("account %d has %d follows, %d votes, %d saved entries, %v", user, len(follows), len(votes), len(saved.Entries), err)
				}
				err := s.Timelines.CountFetch(t.Context(), user)
				if _, refused := errors.AsType[*feed.QuotaError](err); refused != (user == reader) {
					t.Errorf("account %d may fetch another address: %v", user, err)
				}
			}
			if counts, err := s.Timelines.UnreadCounts(t.Context(), reader); err != nil || counts[harbour] != 0 {
				t.Errorf("unread are %v, %v", counts, err)
			}
			scores, err := s.Rankings.Scores(t.Context(), reader, []string{e.ID})
			if err != nil || scores[e.ID].Votes != 1 || scores[e.ID].Vote != feed.VoteUp {
				t.Errorf("the score is %+v, %v", scores[e.ID], err)
			}
			for _, list := range []string{"sport", "front"} {
				if places, _, err := s.Rankings.ListPlaces(t.Context(), list, feed.Cursor{}, 9); err != nil || len(places) != 1 {
					t.Errorf("list %s has %v, %v", list, places, err)
				}
			}
			if urls, err := s.Timelines.DefaultFollows(t.Context()); err != nil || !slices.Equal(urls, []string{harbour}) {
				t.Errorf("the default follows are %v, %v", urls, err)
			}
		})
	}
}
