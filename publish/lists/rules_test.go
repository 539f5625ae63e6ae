package lists_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/feedwire/feedwire/publish/lists"
	"github.com/feedwire/feedwire/publish/web/webtest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// ruled returns a site whose rules put entries with "match" in the title into the group sport.
func ruled(t *testing.T) *site {
	t.Helper()
	n := storetest.EmptyNewsroom(t)
	s := &site{Newsroom: n, t: t, Desk: webtest.Over(n, n.Clock.Now)}
	_, _, err := s.AddSource(t.Context(), feed.Source{URL: storetest.Harbour})
	s.ok(err)
	s.restart()
	return s
}

// restart makes a new room with the rules, as a daemon that starts.
func (s *site) restart() {
	s.lists = lists.New(s.Newsroom, s.Kit, lists.Options{})
	s.lists.SetRules(sport("match"))
}

func sport(words string) feed.RuledGroups {
	return feed.RuledGroups{{Name: "sport", Rules: []feed.GroupRule{{Prefix: "title", Value: words}, {Prefix: "category", Value: words}}}}
}

// members returns the titles of the members of a group in the order of their scores.
func (s *site) members(group string) string {
	places, _, err := s.ListPlaces(s.t.Context(), group, feed.Cursor{}, 50)
	var titles []string
	for _, p := range places {
		found, err := s.HeadlinesByID(s.t.Context(), []string{"Entry:" + p.Member})
		s.ok(err)
		titles = append(titles, found["Entry:"+p.Member].Title)
	}
	if err != nil {
		return err.Error()
	}
	return strings.Join(titles, ", ")
}

// edit replaces the title of an entry.
func (s *site) edit(e *feed.Entry, title string) {
	s.t.Helper()
	doc := feed.Document{Entries: []feed.Entry{{FeedURL: e.FeedURL, GUID: e.GUID, Title: title, Timestamp: e.Timestamp}}}
	_, err := s.SaveEntries(s.t.Context(), feed.Claim{Source: feed.Source{ID: feed.SourceID(e.FeedURL), URL: e.FeedURL}}, doc)
	s.ok(err)
}

func TestEntriesFollowTheRulesAsTheyAreStoredAndEdited(t *testing.T) {
	s := ruled(t)
	s.run()
	first, second := s.save(storetest.Harbour, "first match", s.Clock.Time), s.save(storetest.Harbour, "second", s.Clock.Time.Add(-time.Second))
	third := &feed.Entry{
		FeedURL: storetest.Harbour, GUID: "third", Title: "third", Timestamp: s.Clock.Time.Add(-time.Minute), Authors: []string{"Bo", "Cy"},
		Extra: map[string]string{feed.FieldCategories: `[{"term": "Match"}]`},
	}
	s.ok(s.SaveEntry(t.Context(), third))
	eventually(t, "two entries are members", func() bool { return s.members("sport") == "first match, third" })
	s.edit(first, "first")
	s.edit(second, "second match")
	eventually(t, "the edits count", func() bool { return s.members("sport") == "second match, third" })
	s.ok(s.RemoveFromGroup(t.Context(), "sport", second.ID))
	s.edit(second, "second match, again")
	s.edit(first, "first match, again")
	eventually(t, "the last edit counts", func() bool { return strings.HasPrefix(s.members("sport"), "first match, again") })
	if got := s.members("sport"); got != "first match, again, third" {
		t.Errorf("the group has %s", got)
	}
}

func TestNewRulesSelectExistingEntries(t *testing.T) {
	s := ruled(t)
	for _, title := range []string{"match", "race", "match and race", "other"} {
		s.save(storetest.Harbour, title, s.Clock.Time.Add(-time.Duration(len(title))*time.Second))
	}
	added := s.save(storetest.Harbour, "added", s.Clock.Time.Add(-time.Hour))
	s.ok(s.AddToGroup(t.Context(), "sport", added))
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { _ = s.lists.Run(ctx) })
	eventually(t, "the rules are followed", func() bool { return s.members("sport") == "match, match and race, added" })
	s.lists.SetRules(sport("race"))
	eventually(t, "the new rules are followed", func() bool { return s.members("sport") == "race, match and race, added" })
	stop()
	running.Wait()

	s.restart()
	s.run()
	eventually(t, "the rules of the start are followed", func() bool { return s.members("sport") == "match, match and race, added" })
	s.lists.SetRules(nil)
	eventually(t, "the group has only what the editor added", func() bool { return s.members("sport") == "added" })
}

// A pass over all entries is not repeated for the same rules.
func TestRulesAreAppliedOnce(t *testing.T) {
	s := ruled(t)
	s.save(storetest.Harbour, "match", s.Clock.Time)
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { _ = s.lists.Run(ctx) })
	eventually(t, "the rules are followed", func() bool {
		followed, err := s.RulesFollowed(t.Context())
		return err == nil && followed == sport("match").Digest() && s.members("sport") == "match"
	})
	stop()
	running.Wait()
	s.Raw.Do("DEL", "group:sport", "score:sport") // a pass would bring it back
	s.Raw.Do("HDEL", "article:1", "groups", "by_rule")
	s.restart()
	s.run()
	other := s.save(storetest.Harbour, "another match", s.Clock.Time)
	eventually(t, "a signal is handled", func() bool { return strings.Contains(s.members("sport"), other.Title) })
	if got := s.members("sport"); got != "another match" {
		t.Errorf("the group has %s", got)
	}
}
