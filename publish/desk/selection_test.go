package desk_test

import (
	"testing"
	"time"

	"github.com/feedwire/feedwire/publish/desk"
	"github.com/feedwire/feedwire/store/feed"
)

func TestFeedsSelectAmongTheEntriesOfTheirSources(t *testing.T) {
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
		{"a category that it has", ships, 1, []string{"production: known to published"}},
		{"a category that it has not", sport, 0, nil},
		{"an author who is left out", without, 0, nil},
		{"one of two", keep("title=nothing", "title=(?i)^t"), 1, []string{"production: known to published"}},
		{"a selection that cannot be read", feed.Filters{Keep: []feed.Filter{{Field: "title", Match: "("}}}, 0, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			feeds := outgoing()
			feeds[0].Select = tt.selected
			s := newIntakeStore(autoSource())
			s.signal(feed.PostCreated, post("1", "T"))
			same(t, "transitions", work(t, s, desk.IntakeOptions{Feeds: feeds}, time.Minute), tt.want)
			if len(s.articles) != tt.articles || len(s.acked) != 1 {
				t.Errorf("%d articles, want %d; acknowledged %v", len(s.articles), tt.articles, s.acked)
			}
		})
	}
}

func TestAnEditIsFollowedThoughItIsNotSelectedAnyMore(t *testing.T) {
	feeds := outgoing()
	feeds[0].Select = feed.Filters{Keep: []feed.Filter{{Field: feed.FilterTitle, Match: "^T$"}}}
	s := newIntakeStore(autoSource())
	s.signal(feed.PostCreated, post("1", "T"))
	s.signal(feed.PostModified, post("1", "Another"))
	same(t, "transitions", work(t, s, desk.IntakeOptions{Feeds: feeds}, time.Minute),
		[]string{"production: known to published", "production: published to published"})
	if a := s.articles[feed.ArticleUUID(siteURL, "1")]; a.Title != "Another" {
		t.Errorf("the article has the title %q still", a.Title)
	}
}

func TestHeldEntriesAreSelectedAsWell(t *testing.T) {
	feeds := outgoing()
	feeds[0].Select = feed.Filters{Keep: []feed.Filter{{Field: feed.FilterTitle, Match: "^T$"}}}
	s := newIntakeStore(autoSource())
	s.entries = []feed.Entry{*post("1", "T"), *post("2", "U")}
	s.signal(feed.FeedModified, nil)
	s.signals[0].Held = feed.Held{Created: 2}
	work(t, s, desk.IntakeOptions{Feeds: feeds}, time.Minute)
	if len(s.articles) != 1 {
		t.Errorf("got %d articles, want the selected one", len(s.articles))
	}
}

func TestAFeedDecidesOverItsSourcesWhoPublishes(t *testing.T) {
	manual := autoSource()
	manual.Publish = feed.PublishManual
	for _, tt := range []struct {
		name   string
		source feed.Source
		mode   feed.PublishMode
		want   []string
	}{
		{"the source: at once", autoSource(), "", []string{"production: known to published"}},
		{"the feed: an editor", autoSource(), feed.PublishManual, nil},
		{"the feed: at once", manual, feed.PublishAuto, []string{"production: known to published"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			feeds := outgoing()
			feeds[0].Publish = tt.mode
			s := newIntakeStore(tt.source)
			s.signal(feed.PostCreated, post("1", "T"))
			same(t, "transitions", work(t, s, desk.IntakeOptions{Feeds: feeds}, time.Minute), tt.want)
		})
	}
}

func TestATwinTakesWhatItsOriginalTakes(t *testing.T) {
	feeds := outgoing()
	feeds[1].TwinOf = feeds[0].Type
	s := newIntakeStore(autoSource())
	s.signal(feed.PostCreated, post("1", "T"))
	same(t, "transitions", work(t, s, desk.IntakeOptions{Feeds: feeds}, time.Minute),
		[]string{"production: known to published", "development: known to published"})
}
