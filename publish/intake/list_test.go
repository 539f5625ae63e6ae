package intake_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/feedwire/feedwire/publish/intake"
	"github.com/feedwire/feedwire/store/feed"
)

// listed returns a store whose list sport has n entries of a source that feeds no outgoing feed.
func listed(n int) *fakeStore {
	s := newFakeStore(feed.Source{URL: siteURL})
	for i := range n {
		e := post(fmt.Sprint(i), fmt.Sprint("Post ", i))
		e.ID = fmt.Sprint("Entry:", i+1)
		s.list = append(s.list, *e)
	}
	return s
}

// fromList returns a feed of the first two entries of the list sport.
func fromList(change func(*feed.Outgoing)) intake.Options {
	f := feed.Outgoing{Type: "partner", From: "list:sport", Top: 2, RetireAfter: feed.ImportAfter}
	if change != nil {
		change(&f)
	}
	return intake.Options{Feeds: []feed.Outgoing{f}}
}

func (s *fakeStore) state(guid string) feed.State {
	return s.states[feed.ArticleUUID(siteURL, guid)+" partner"]
}

func TestFirstEntriesOfAListArePublished(t *testing.T) {
	s := listed(3)
	same(t, "transitions", work(t, s, fromList(nil), time.Second), []string{"partner: unpublished to published", "partner: unpublished to published"})
	if s.state("0") != feed.StatePublished || s.state("1") != feed.StatePublished || s.state("2") != "" || len(s.articles) != 2 {
		t.Errorf("the states are %v", s.states)
	}
	reads := 0
	s.before = func(step string) error {
		if step == "entries" {
			reads++
		}
		return nil
	}
	same(t, "the second start", work(t, s, fromList(nil), 5*time.Minute), []string(nil))
	if reads != 1 {
		t.Errorf("the entries of a list that does not change were read %d times", reads)
	}
}

func TestEntryThatLeavesTheListStaysPublished(t *testing.T) {
	s := listed(3)
	s.before = after(90*time.Second, func() { s.list = s.list[2:] })
	same(t, "transitions", len(work(t, s, fromList(nil), 3*time.Minute)), 3)
	for _, guid := range []string{"0", "1", "2"} {
		if s.state(guid) != feed.StatePublished {
			t.Errorf("post %s is %q", guid, s.state(guid))
		}
	}
}

// after returns a step that calls change once, when a time has passed since the first step.
func after(d time.Duration, change func()) func(string) error {
	var first time.Time
	return func(string) error {
		switch {
		case first.IsZero():
			first = time.Now()
		case change != nil && time.Since(first) >= d:
			change()
			change = nil
		}
		return nil
	}
}

func TestEditOfAnEntryFromAListIsRepublished(t *testing.T) {
	s := listed(2)
	work(t, s, fromList(nil), time.Second)
	s.list = nil // it left the list
	s.signal(feed.PostModified, post("0", "edited"))
	same(t, "transitions", work(t, s, fromList(nil), time.Second), []string{"partner: published to published"})
	s.signal(feed.PostModified, post("9", "in no list"))
	same(t, "an entry in no list", work(t, s, fromList(nil), time.Second), []string(nil))
	if len(s.articles) != 2 {
		t.Errorf("the articles are %v", s.articles)
	}
}

func TestExpiredArticleOfAListIsPublishedAgainOnlyAsAStandingItem(t *testing.T) {
	for retireAfter, want := range map[int]feed.State{feed.ImportAfter: feed.StateExpired, 0: feed.StatePublished} {
		s := listed(1)
		key := feed.ArticleUUID(siteURL, "0") + " partner"
		s.states[key] = feed.StateExpired
		work(t, s, fromList(func(f *feed.Outgoing) { f.RetireAfter = retireAfter }), time.Second)
		if s.states[key] != want {
			t.Errorf("retire_after %d: the article is %s, want %s", retireAfter, s.states[key], want)
		}
	}
}

func TestEditorsPublishAndFiltersSelectEntriesOfLists(t *testing.T) {
	s := listed(2)
	work(t, s, fromList(func(f *feed.Outgoing) { f.Publish = feed.PublishManual }), time.Second)
	if len(s.articles) != 2 || s.state("0") != "" {
		t.Errorf("manual: the states are %v", s.states)
	}
	s = listed(2)
	filter, err := feed.ParseFilter("title=1")
	if err != nil {
		t.Fatal(err)
	}
	work(t, s, fromList(func(f *feed.Outgoing) { f.Select.Keep = []feed.Filter{filter} }), time.Second)
	if len(s.articles) != 1 || s.state("1") != feed.StatePublished {
		t.Errorf("selected: the states are %v", s.states)
	}
}

func TestListIsReadAgainAfterAFailure(t *testing.T) {
	s := listed(1)
	failures := 0
	s.before = func(step string) error {
		if step == "save" && failures < 2 {
			failures++
			return errors.New("test")
		}
		return nil
	}
	work(t, s, fromList(nil), 5*time.Minute)
	if s.state("0") != feed.StatePublished || failures != 2 {
		t.Errorf("after %d failures the article is %q", failures, s.state("0"))
	}
}
