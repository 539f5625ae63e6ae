package intake_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/feedwire/feedwire/publish/intake"
	"github.com/feedwire/feedwire/store/feed"
)

const floodURL = "https://flood.example/feed.xml"

// flood returns a store with many signals of one source, and behind them some of another.
func flood(many, some int) *fakeStore {
	other := autoSource()
	other.URL = floodURL
	s := newFakeStore(autoSource(), other)
	for i := range many + some {
		e := post(fmt.Sprint(i), "T")
		if e.ID = fmt.Sprintf("Entry:%d", i); i < many {
			e.FeedURL = floodURL
		}
		s.signal(feed.PostCreated, e)
		s.signals[i].FeedURL = e.FeedURL
	}
	return s
}

func TestManySignalsOfOneSourceDoNotDelayAnother(t *testing.T) {
	s := flood(5000, 3)
	s.takes = time.Millisecond
	var first time.Duration
	start := time.Time{}
	s.before = func(string) error {
		if start.IsZero() {
			start = time.Now()
		}
		if _, ok := s.articles[feed.ArticleUUID(siteURL, "5002")]; ok && first == 0 {
			first = time.Since(start)
		}
		return nil
	}
	work(t, s, intake.Options{}, time.Minute)
	if first == 0 || first > 2*time.Second {
		t.Errorf("the last signal became an article after %v", first)
	}
	if len(s.acked) != 5003 || len(s.articles) != 5003 {
		t.Errorf("%d signals are acknowledged, %d articles exist", len(s.acked), len(s.articles))
	}
}

func TestSignalsProcessedEarlyAreNotProcessedTwice(t *testing.T) {
	s := flood(1000, 3)
	s.takes = time.Millisecond
	saves := 0
	s.before = func(step string) error {
		if step == "save" {
			saves++
		}
		return nil
	}
	work(t, s, intake.Options{}, time.Minute)
	// A signal may be under way twice when the group reaches the signals that are processed early.
	if saves < 1003 || saves > 1003+100 {
		t.Errorf("%d articles were saved for 1003 signals", saves)
	}
}

func TestSignalsOfSourcesThatNoFeedTakesAreNotProcessedEarly(t *testing.T) {
	s := flood(1000, 3)
	s.takes = time.Millisecond
	other := s.sources[siteURL]
	other.Feeds = nil
	s.sources[siteURL] = other
	work(t, s, intake.Options{}, time.Minute)
	if s.loaded[floodURL] == 0 || s.loaded[siteURL] != 0 {
		t.Errorf("posts of %d signals were loaded early, and %d of a source that no feed takes", s.loaded[floodURL], s.loaded[siteURL])
	}
	if len(s.acked) != 1003 || len(s.articles) != 1000 {
		t.Errorf("%d signals are acknowledged, %d articles exist", len(s.acked), len(s.articles))
	}
}

func TestBacklogOfSourcesThatNoFeedTakesIsNotReadAhead(t *testing.T) {
	s := flood(1000, 3)
	other := s.sources[floodURL]
	other.Feeds = nil
	s.sources[floodURL] = other
	s.before = func(step string) error {
		if step == "ahead" {
			t.Error("signals are read ahead")
		}
		return nil
	}
	work(t, s, intake.Options{}, time.Minute)
	if len(s.acked) != 1003 || len(s.articles) != 3 || s.loaded[floodURL] != 0 {
		t.Errorf("%d signals are acknowledged, %d articles exist, %d posts are loaded in vain", len(s.acked), len(s.articles), s.loaded[floodURL])
	}
}

func TestFailoverRepeatsWhatWasProcessedEarly(t *testing.T) {
	s := flood(1000, 1)
	last := feed.ArticleUUID(siteURL, "1000")
	lost := false
	s.takes = time.Millisecond
	s.before = func(step string) error {
		if _, ok := s.articles[last]; ok && !lost && step == "ack" {
			delete(s.articles, last) // the new primary does not have it
			s.turns++
			lost = true
		}
		return nil
	}
	work(t, s, intake.Options{}, time.Minute)
	if _, ok := s.articles[last]; !ok || !lost || len(s.acked) != 1001 {
		t.Errorf("lost: %v, article: %v, acknowledged: %d", lost, ok, len(s.acked))
	}
}

func TestUnsignalledEntriesOfOneSourceDoNotDelayAnother(t *testing.T) {
	s := flood(1, 1)
	s.signals[0].Post, s.signals[0].Entry, s.signals[0].Unsignalled = nil, "", feed.Unsignalled{Created: 2000}
	for i := range 2000 {
		e := post(fmt.Sprint("old ", i), "T")
		e.FeedURL = floodURL
		s.entries = append(s.entries, *e)
	}
	s.takes = 2 * time.Millisecond
	var first time.Duration
	start := time.Time{}
	s.before = func(string) error {
		if start.IsZero() {
			start = time.Now()
		}
		if _, ok := s.articles[feed.ArticleUUID(siteURL, "1")]; ok && first == 0 {
			first = time.Since(start)
		}
		return nil
	}
	work(t, s, intake.Options{}, time.Minute)
	if first == 0 || first > 2*time.Second {
		t.Errorf("the signal behind became an article after %v", first)
	}
}
