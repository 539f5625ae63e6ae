package intake_test

import (
	"testing"
	"time"

	"github.com/feedwire/feedwire/publish/intake"
	"github.com/feedwire/feedwire/store/feed"
)

func TestFeedSelectsEntries(t *testing.T) {
	keep := func(text ...string) (f feed.Filters) {
		for _, s := range text {
			filter, err := feed.ParseFilter(s)
			if err != nil {
				t.Fatal(err)
			}
			f.Keep = append(f.Keep, filter)
		}
		return f
	}
	ships, sport := keep("category=^Ships$"), keep("category=^Sport$")
	without := feed.Filters{Block: keep("author=Ann").Keep}
	for _, tt := range []struct {
		name     string
		selected feed.Filters
		articles int
		want     []string
	}{
		{"matching category", ships, 1, []string{"production: unpublished to published"}},
		{"other category", sport, 0, nil},
		{"blocked author", without, 0, nil},
		{"one of two filters matches", keep("title=nothing", "title=(?i)^t"), 1, []string{"production: unpublished to published"}},
		{"invalid selection", feed.Filters{Keep: []feed.Filter{{Field: "title", Match: "("}}}, 0, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			feeds := outgoing()
			feeds[0].Select = tt.selected
			s := newFakeStore(autoSource())
			s.signal(feed.PostCreated, post("1", "T"))
			same(t, "transitions", work(t, s, intake.Options{Feeds: feeds}, time.Minute), tt.want)
			if len(s.articles) != tt.articles || len(s.acked) != 1 {
				t.Errorf("%d articles, want %d; acknowledged %v", len(s.articles), tt.articles, s.acked)
			}
		})
	}
}

func TestEditOfArticleIsFollowedIfNoLongerSelected(t *testing.T) {
	feeds := outgoing()
	feeds[0].Select = feed.Filters{Keep: []feed.Filter{{Field: feed.FilterTitle, Match: "^T$"}}}
	s := newFakeStore(autoSource())
	s.signal(feed.PostCreated, post("1", "T"))
	s.signal(feed.PostModified, post("1", "Another"))
	same(t, "transitions", work(t, s, intake.Options{Feeds: feeds}, time.Minute),
		[]string{"production: unpublished to published", "production: published to published"})
	if a := s.articles[feed.ArticleUUID(siteURL, "1")]; a.Title != "Another" {
		t.Errorf("the article has the title %q", a.Title)
	}
}

func TestUnsignalledEntriesAreSelected(t *testing.T) {
	feeds := outgoing()
	feeds[0].Select = feed.Filters{Keep: []feed.Filter{{Field: feed.FilterTitle, Match: "^T$"}}}
	s := newFakeStore(autoSource())
	s.entries = []feed.Entry{*post("1", "T"), *post("2", "U")}
	s.signal(feed.FeedModified, nil)
	s.signals[0].Unsignalled = feed.Unsignalled{Created: 2}
	work(t, s, intake.Options{Feeds: feeds}, time.Minute)
	if len(s.articles) != 1 {
		t.Errorf("got %d articles, want the selected one", len(s.articles))
	}
}

func TestPublishModeOfFeedOverridesSource(t *testing.T) {
	manual := autoSource()
	manual.Publish = feed.PublishManual
	for _, tt := range []struct {
		name   string
		source feed.Source
		mode   feed.PublishMode
		want   []string
	}{
		{"source: automatic", autoSource(), "", []string{"production: unpublished to published"}},
		{"feed: manual", autoSource(), feed.PublishManual, nil},
		{"feed: automatic", manual, feed.PublishAuto, []string{"production: unpublished to published"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			feeds := outgoing()
			feeds[0].Publish = tt.mode
			s := newFakeStore(tt.source)
			s.signal(feed.PostCreated, post("1", "T"))
			same(t, "transitions", work(t, s, intake.Options{Feeds: feeds}, time.Minute), tt.want)
		})
	}
}

func TestTwinTakesSourcesOfItsOriginal(t *testing.T) {
	feeds := outgoing()
	feeds[1].TwinOf = feeds[0].Type
	s := newFakeStore(autoSource())
	s.signal(feed.PostCreated, post("1", "T"))
	same(t, "transitions", work(t, s, intake.Options{Feeds: feeds}, time.Minute),
		[]string{"production: unpublished to published", "development: unpublished to published"})
}
