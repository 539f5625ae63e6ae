package intake_test

import (
	"errors"
	"testing"
	"time"

	"github.com/feedwire/feedwire/publish/intake"
	"github.com/feedwire/feedwire/store/feed"
)

var localURL = feed.MemberURL(5)

// local returns an entry of a local source.
func local(guid, title string) *feed.Entry {
	e := post(guid, title)
	e.FeedURL = localURL
	return e
}

func TestPromotedEntryHasAnArticleThatFollowsIt(t *testing.T) {
	s := newFakeStore(feed.Source{URL: localURL})
	s.entries = []feed.Entry{*local("1", "T")}
	opts := intake.Options{Feeds: outgoing()}
	for range 2 {
		uuid, err := intake.New(s, opts).Promote(t.Context(), "Entry:1")
		if err != nil || uuid != feed.ArticleUUID(localURL, "1") || len(s.articles) != 1 || s.articles[uuid].Title != "T" {
			t.Fatalf("promoted %q, %v; articles are %+v", uuid, err, s.articles)
		}
	}
	for _, e := range []*feed.Entry{local("1", "U"), local("2", "V")} {
		s.signals = append(s.signals, feed.Signal{ID: e.GUID + "-0", Kind: feed.PostModified, FeedURL: localURL, GUID: e.GUID, Entry: e.ID, Post: e})
	}
	same(t, "transitions", work(t, s, opts, time.Minute), []string(nil))
	if len(s.articles) != 1 || s.articles[feed.ArticleUUID(localURL, "1")].Title != "U" {
		t.Errorf("after an edit, and the edit of an entry that was not promoted, articles are %+v", s.articles)
	}
}

func TestEntryIsNotPromotedIfItsArticleCouldNotFollowIt(t *testing.T) {
	s := newFakeStore(feed.Source{URL: siteURL}, feed.Source{URL: localURL})
	s.entries, s.takenDown = []feed.Entry{*post("1", "T")}, []string{"gone"}
	in := intake.New(s, intake.Options{Feeds: outgoing()})
	if _, err := in.Promote(t.Context(), "Entry:1"); !errors.Is(err, feed.ErrConflict) {
		t.Errorf("an entry of a source that no feed takes: %v", err)
	}
	if _, err := in.Promote(t.Context(), "Entry:2"); !errors.Is(err, feed.ErrNotFound) {
		t.Errorf("an entry that does not exist: %v", err)
	}
	s.entries = []feed.Entry{*local("gone", "T")}
	if _, err := in.Promote(t.Context(), "Entry:1"); !errors.Is(err, feed.ErrNotFound) {
		t.Errorf("an entry that is taken down meanwhile: %v", err)
	}
	if len(s.articles) != 0 {
		t.Errorf("articles are %+v", s.articles)
	}
}
