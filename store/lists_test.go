package store_test

import (
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
