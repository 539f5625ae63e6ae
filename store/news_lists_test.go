package store_test

import (
	"errors"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// submits stores a post of a member and makes it news.
func (s listed) submits(user int64, title string, at time.Time) feed.Entry {
	s.t.Helper()
	return s.saves(feed.Entry{FeedURL: feed.MemberURL(user), GUID: title, Title: title, Content: "<p>" + title, Timestamp: at})
}

// saves stores the entry of a member and makes it news, which is held if the entry is hidden.
func (s listed) saves(e feed.Entry) feed.Entry {
	s.t.Helper()
	_, _, err := s.Sources.AddSource(s.t.Context(), feed.Source{URL: e.FeedURL})
	s.ok(err)
	s.ok(s.Entries.SaveEntry(s.t.Context(), &e))
	s.ok(s.Community.Submit(s.t.Context(), &e, &feed.Submission{Title: e.Title, URL: "https://a.example/" + e.Title}, true))
	return e
}

// newsID returns the number of an entry, which is that of its submission.
func newsID(e feed.Entry) int64 {
	n, _ := strconv.ParseInt(e.Number(), 10, 64)
	return n
}

func TestSubmissionsAreListsWhileTheCommunityIsEnabled(t *testing.T) {
	each(t, func(t *testing.T, raw *store.Store, now *clock, _ *storetest.Redigo) {
		s := listed{raw, t}
		s.Reload(store.Options{Community: true, Discussed: []string{harbour}})
		_, _, err := s.Sources.AddSource(t.Context(), feed.Source{URL: harbour})
		s.ok(err)
		ann, bob := follower(t, s.Store, "ann"), follower(t, s.Store, "bob")
		offered := make(map[string]feed.Entry)
		for i, title := range []string{"d", "c"} {
			e := feed.Entry{FeedURL: harbour, GUID: title, Title: title, Link: "https://harbour.example/" + title, Timestamp: now.Time.Add(time.Duration(i-9) * time.Minute)}
			s.ok(s.Entries.SaveEntry(t.Context(), &e))
			offered[title] = e
		}
		s.ok(s.OfferEntries(t.Context()))
		now.Advance(time.Minute)
		b := s.submits(ann, "b", now.Time)
		now.Advance(time.Minute)
		s.submits(ann, "a", now.Time)
		version := ""
		look := func(after, latest, top string) {
			t.Helper()
			s.ok(s.Community.RankNews(t.Context()))
			for limit := 1; limit <= 5; limit++ { // a page that begins with a hidden submission has a next one
				if got := s.titles(feed.ListNewsLatest, limit); got != latest {
					t.Errorf("after %s, in pages of %d, the newest are %q, want %q", after, limit, got, latest)
				}
				if got := s.titles(feed.ListNewsTop, limit); got != top {
					t.Errorf("after %s, in pages of %d, the top is %q, want %q", after, limit, got, top)
				}
			}
			got, err := s.ListVersion(t.Context(), feed.ListNewsTop, feed.ListTop)
			s.ok(err)
			if got == version {
				t.Errorf("after %s the version is the same", after)
			}
			version = got
		}
		look("submissions", "a b c d", "a b c d")
		e := offered["d"]
		_, err = s.Community.VoteOnNews(t.Context(), &e, bob, feed.VoteUp)
		s.ok(err)
		look("a vote", "a b c d", "a b d c")
		moderate := func(e feed.Entry, state feed.Visibility) {
			t.Helper()
			_, err := s.ModerateSubmission(t.Context(), newsID(e), state, "")
			s.ok(err)
		}
		moderate(offered["d"], feed.Hidden)
		moderate(b, feed.Hidden)
		look("hiding", "a c", "a c")
		moderate(offered["d"], feed.Removed)
		moderate(b, feed.Visible)
		look("removing and restoring", "a b c", "a b c")
		s.ok(s.Community.DeleteNews(t.Context(), newsID(offered["c"]), 0, true))
		look("deletion", "a b", "a b")
		_, err = s.Entries.TakeDownEntry(t.Context(), b.ID)
		s.ok(err)
		look("a takedown, before it is swept", "a", "a")
		page, err := s.ListEntries(t.Context(), feed.ListNewsTop, 5)
		s.ok(err)
		if page.List != feed.NewsLists()[0] || len(page.Entries) != 1 || page.Entries[0].Content != "<p>a" {
			t.Errorf("the list is %+v", page)
		}
	})
}

func TestListsOfSubmissionsHaveReservedNames(t *testing.T) {
	each(t, func(t *testing.T, raw *store.Store, now *clock, _ *storetest.Redigo) {
		s := listed{raw, t}
		_, _, err := s.Sources.AddSource(t.Context(), feed.Source{URL: harbour})
		s.ok(err)
		e := s.ranks(harbour, "a", now.Time)
		for _, list := range feed.NewsLists() {
			if err := s.Rankings.AddToGroup(t.Context(), list.Name, &e); !errors.Is(err, feed.ErrInvalid) {
				t.Errorf("a group %s: %v", list.Name, err)
			}
			if _, err := s.Rankings.SaveList(t.Context(), feed.EntryList{Name: list.Name, Title: "A"}); !errors.Is(err, feed.ErrInvalid) {
				t.Errorf("an arranged list %s: %v", list.Name, err)
			}
			s.ok(feed.CheckFrom("list:" + list.Name))
			for _, enabled := range []bool{true, false} {
				s.Reload(store.Options{Community: enabled})
				all, err := s.Rankings.Lists(t.Context())
				s.ok(err)
				_, unknown := s.ListVersion(t.Context(), list.Name, 5)
				_, _, _, missing := s.ListedEntries(t.Context(), list.Name, feed.Cursor{}, 5)
				if slices.Contains(all, list) != enabled || errors.Is(unknown, feed.ErrNotFound) == enabled || errors.Is(missing, feed.ErrNotFound) == enabled {
					t.Errorf("enabled %v: the lists are %v; %s: %v, %v", enabled, all, list.Name, unknown, missing)
				}
			}
		}
	})
}
