package intake_test

import (
	"errors"
	"testing"
	"time"

	"github.com/feedwire/feedwire/publish/intake"
	"github.com/feedwire/feedwire/store/feed"
)

func TestArticleOfATakedownIsRemoved(t *testing.T) {
	s := newFakeStore(autoSource())
	s.signal(feed.PostCreated, post("1", "T"))
	s.signal(feed.PostCreated, post("2", "U"))
	work(t, s, intake.Options{}, time.Minute)
	s.takeDown("1")
	work(t, s, intake.Options{}, time.Minute)
	if len(s.articles) != 1 || s.articles[feed.ArticleUUID(siteURL, "2")].Title != "U" || len(s.acked) != 3 {
		t.Errorf("articles are %+v; acknowledged %v", s.articles, s.acked)
	}
}

func TestArticleOfAnEntryThatWasWrittenAgainIsKept(t *testing.T) {
	s := newFakeStore(autoSource())
	s.takeDown("1")
	s.takenDown = nil
	s.signal(feed.PostCreated, post("1", "again"))
	work(t, s, intake.Options{}, time.Minute)
	if a := s.articles[feed.ArticleUUID(siteURL, "1")]; a.Title != "again" {
		t.Errorf("articles are %+v", s.articles)
	}
}

func TestArticleOfATakedownDuringTheIntakeIsRemoved(t *testing.T) {
	s := newFakeStore(autoSource())
	s.signal(feed.PostCreated, post("1", "T"))
	s.before = func(step string) error {
		if step == "save" { // the post was loaded before, and nothing removes the article after
			s.takenDown = []string{"1"}
		}
		return nil
	}
	same(t, "transitions", work(t, s, intake.Options{}, time.Minute), []string(nil))
	if len(s.articles) != 0 {
		t.Errorf("articles are %+v", s.articles)
	}
}

func TestTakedownIsRepeatedUntilItsSignalsAreRedacted(t *testing.T) {
	s := newFakeStore(autoSource())
	s.signal(feed.PostCreated, post("1", "T"))
	s.takeDown("1")
	failures := 2
	s.before = func(step string) error {
		if step == "changes" && failures > 0 {
			failures--
			return errors.New("a damaged key")
		}
		return nil
	}
	work(t, s, intake.Options{}, 3*time.Minute)
	if failures > 0 || len(s.acked) != 2 || s.acked[0] != s.signals[0].ID {
		t.Errorf("%d failures are left; acknowledged %v", failures, s.acked)
	}
}
