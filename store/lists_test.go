package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// listed are sources with entries in lists.
type listed struct {
	*store.Store
	t *testing.T
}

func (s listed) ok(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// ranks stores an entry of a source and adds it to the lists.
func (s listed) ranks(feedURL, title string, at time.Time) feed.Entry {
	s.t.Helper()
	e := feed.Entry{FeedURL: feedURL, GUID: title, Title: title, Content: "<p>" + title, Timestamp: at}
	s.ok(s.Entries.SaveEntry(s.t.Context(), &e))
	s.ok(s.Rankings.RankEntry(s.t.Context(), &e))
	return e
}

// titles returns the titles of all pages of a list.
func (s listed) titles(list string, limit int) string {
	s.t.Helper()
	var all []string
	for after := (feed.Cursor{}); ; {
		page, err := s.PublicEntries(s.t.Context(), list, after, limit)
		s.ok(err)
		for _, e := range page.Entries {
			all = append(all, e.Title)
		}
		if after = page.Next; after.IsZero() {
			return strings.Join(all, " ")
		}
	}
}

func TestPublicEntriesAreThoseThatAnyoneMaySee(t *testing.T) {
	each(t, func(t *testing.T, raw *store.Store, now *clock, _ *storetest.Redigo) {
		s := listed{raw, t}
		const secret, removed = "http://secret.example/feed.xml", "http://removed.example/feed.xml"
		post := feed.MemberURL(5)
		for _, src := range []feed.Source{
			{URL: harbour}, {URL: removed}, {URL: post}, {URL: secret, Request: feed.Request{Headers: map[string]string{"X-Api-Key": "k"}}},
		} {
			_, _, err := s.Sources.AddSource(t.Context(), src)
			s.ok(err)
		}
		for i, url := range []string{harbour, secret, secret, secret, removed, post, secret, harbour} {
			s.ranks(url, fmt.Sprint(i), now.Time.Add(-time.Duration(i)*time.Hour))
		}
		s.ok(s.Sources.RemoveSource(t.Context(), feed.SourceID(removed), 0))
		for limit := 1; limit <= 9; limit++ {
			if got := s.titles(feed.ListByTime, limit); got != "0 5 7" {
				t.Errorf("in pages of %d anyone sees %s", limit, got)
			}
		}
		page, err := s.ListEntries(t.Context(), feed.ListByTime, 2)
		s.ok(err)
		if len(page.Entries) != 2 || page.Entries[0].Content != "<p>0" || page.Entries[1].FeedURL != post {
			t.Errorf("the first entries are %+v", page.Entries)
		}
		_, err = s.PublicEntries(t.Context(), "none", feed.Cursor{}, 2)
		if !errors.Is(err, feed.ErrNotFound) {
			t.Errorf("of an unknown list: %v", err)
		}
	})
}

func TestListVersionChangesWithWhatAFeedOfTheListShows(t *testing.T) {
	each(t, func(t *testing.T, raw *store.Store, now *clock, redis *storetest.Redigo) {
		s := listed{raw, t}
		_, _, err := s.Sources.AddSource(t.Context(), feed.Source{URL: harbour})
		s.ok(err)
		var seen []string
		look := func(after string, changed bool) {
			t.Helper()
			version, err := s.ListVersion(t.Context(), feed.ListByScore, 2)
			s.ok(err)
			if slices.Contains(seen, version) == changed {
				t.Errorf("after %s the version is %s; before, they were %s", after, version, seen)
			}
			seen = append(seen, version)
		}
		look("nothing", true)
		a, b := s.ranks(harbour, "a", now.Time), s.ranks(harbour, "b", now.Time.Add(-time.Minute))
		look("two entries", true)
		vote := func(e feed.Entry, user int64) {
			_, err := s.Rankings.Vote(t.Context(), &e, user, feed.VoteUp)
			s.ok(err)
		}
		vote(a, 1)
		look("a vote that changes no order", false)
		vote(b, 1)
		vote(b, 2)
		look("votes that change the order", true)
		c := s.ranks(harbour, "c", now.Time.Add(-time.Hour))
		look("an entry beyond the limit", false)
		a.Title = "edited"
		s.ok(s.Entries.SaveEntry(t.Context(), &a))
		look("an edit", true)
		c.Title = "edited"
		s.ok(s.Entries.SaveEntry(t.Context(), &c))
		look("an edit beyond the limit", false)
		redis.Do("HSET", harbour+":meta", "title", "New")
		look("another title of the source", true)
		_, err = s.Entries.TakeDownEntry(t.Context(), a.ID)
		s.ok(err)
		look("a takedown", true)
	})
}

// The feeds of a list, its topics and the outgoing feeds that are built from it follow the version.
func TestVersionOfAnArrangedListFollowsItsEditors(t *testing.T) {
	each(t, func(t *testing.T, raw *store.Store, now *clock, _ *storetest.Redigo) {
		s := listed{raw, t}
		const secret = "http://secret.example/feed.xml"
		for _, src := range []feed.Source{{URL: harbour}, {URL: secret, Request: feed.Request{Username: "ann"}}} {
			_, _, err := s.Sources.AddSource(t.Context(), src)
			s.ok(err)
		}
		_, err := s.Rankings.SaveList(t.Context(), feed.EntryList{Name: "front", Title: "Front"})
		s.ok(err)
		entries := make(map[string]feed.Entry)
		for _, title := range []string{"d", "c", "b", "a"} {
			entries[title] = s.ranks(harbour, title, now.Time)
		}
		entries["s"] = s.ranks(secret, "s", now.Time)
		place := func(title string, position int) {
			t.Helper()
			e := entries[title]
			_, err := s.Rankings.PlaceInList(t.Context(), "front", &e, feed.ListTarget{Position: position}, "")
			s.ok(err)
		}
		before := ""
		look := func(after, titles string, changed bool) {
			t.Helper()
			version, err := s.ListVersion(t.Context(), "front", 2)
			s.ok(err)
			page, err := s.ListEntries(t.Context(), "front", 2)
			s.ok(err)
			var got []string
			for _, e := range page.Entries {
				got = append(got, e.Title)
			}
			if strings.Join(got, " ") != titles || (version != before) != changed {
				t.Errorf("after %s the first two are %q, want %q; the version changed: %v", after, got, titles, version != before)
			}
			before = version
		}
		look("the creation", "", true)
		for _, title := range []string{"c", "b", "a"} {
			place(title, 1)
		}
		look("additions", "a b", true)
		place("s", 1)
		look("an entry of a private source on top", "a b", false)
		place("d", 4)
		look("an entry below", "a b", false)
		place("d", 3)
		look("a move among the first ones", "a d", true)
		_, err = s.Rankings.SaveList(t.Context(), feed.EntryList{Name: "front", Title: "Front page"})
		s.ok(err)
		look("another title", "a d", true)
		_, err = s.Rankings.RemoveFromList(t.Context(), "front", entries["a"].ID, "")
		s.ok(err)
		look("a removal", "d b", true)
		s.ok(s.Sources.RemoveSource(t.Context(), feed.SourceID(harbour), 0))
		look("the removal of the source", "", true)
		s.ok(s.Rankings.DeleteList(t.Context(), "front", ""))
		if _, err := s.ListVersion(t.Context(), "front", 2); !errors.Is(err, feed.ErrNotFound) {
			t.Errorf("of a deleted list: %v", err)
		}
	})
}

// A saved search is a list of what the index finds, as long as that has all entries.
func TestSavedSearchListsWhatItFinds(t *testing.T) {
	each(t, func(t *testing.T, raw *store.Store, now *clock, _ *storetest.Redigo) {
		s := listed{raw, t}
		const secret = "http://secret.example/feed.xml"
		for _, src := range []feed.Source{{URL: harbour}, {URL: secret, Request: feed.Request{Username: "ann"}}} {
			_, _, err := s.Sources.AddSource(t.Context(), src)
			s.ok(err)
		}
		_, err := s.Rankings.SaveList(t.Context(), feed.EntryList{Name: "storms", Title: "Storms", Query: "storm -calm"})
		s.ok(err)
		if _, err := s.PublicEntries(t.Context(), "storms", feed.Cursor{}, 1); !errors.Is(err, feed.ErrUnavailable) {
			t.Errorf("without an index: %v", err)
		}
		var stored []feed.Entry
		for i, url := range []string{harbour, secret, harbour, harbour} {
			stored = append(stored, s.ranks(url, fmt.Sprint(i), now.Time.Add(-time.Duration(i)*time.Hour)))
		}
		stored[2].Hidden = true
		incomplete := false
		s.SearchBy(func(_ context.Context, wanted *feed.Search, see func(*feed.Entry) bool, after feed.Cursor, limit int) (page feed.SearchPage, err error) {
			if len(wanted.Terms) != 2 || wanted.Terms[0].Text != "storm" || !wanted.Terms[1].Not {
				t.Errorf("searched for %+v", wanted)
			}
			for i := int(after.Score); i < len(stored) && len(page.Hits) < limit; i++ {
				if page.Next = (feed.Cursor{Score: float64(i + 1), Member: "m"}); i == len(stored)-1 {
					page.Next = feed.Cursor{}
				}
				if see(&stored[i]) {
					page.Hits = append(page.Hits, feed.SearchHit{Entry: stored[i]})
				}
			}
			page.Incomplete = incomplete
			return page, nil
		})
		for limit := 1; limit <= 4; limit++ {
			if got := s.titles("storms", limit); got != "0 3" {
				t.Errorf("in pages of %d the list has %s", limit, got)
			}
		}
		page, err := s.ListEntries(t.Context(), "storms", 2)
		s.ok(err)
		if page.List.Kind != feed.ListSearch || len(page.Entries) != 2 || page.Entries[1].Content != "<p>3" {
			t.Errorf("the feed has %+v", page)
		}
		first, err := s.ListVersion(t.Context(), "storms", 2)
		s.ok(err)
		stored = slices.Insert(stored, 0, s.ranks(harbour, "new", now.Time.Add(time.Hour)))
		if second, err := s.ListVersion(t.Context(), "storms", 2); err != nil || second == first {
			t.Errorf("a new entry leaves the version %s, %v", second, err)
		}
		incomplete = true
		if _, err := s.ListVersion(t.Context(), "storms", 2); !errors.Is(err, feed.ErrUnavailable) {
			t.Errorf("while the index is being built: %v", err)
		}
	})
}
