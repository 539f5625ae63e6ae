package audit

import (
	"testing"

	"github.com/feedwire/feedwire/store/feed"
)

func TestAuditEntriesOfLayout1AreReadable(t *testing.T) {
	uuid := feed.ArticleUUID("https://a.example/feed", "1")
	for on, want := range map[string]feed.Object{
		uuid + " in production":            feed.ArticleObject(uuid, "production"),
		"https://a.example/feed":           {Name: "https://a.example/feed"},
		"abc, b.example/…xy to in a topic": {Name: "abc, b.example/…xy to in a topic"},
	} {
		if got := objectFrom(on); got != want {
			t.Errorf("%q: got %+v, want %+v", on, got, want)
		}
	}
	entry, err := articleEntryFrom(`{"who":"ann","action":"article_publish","on":"` + uuid + ` in production"}`)
	if err != nil || entry.Who != "ann" || entry.Object != feed.ArticleObject(uuid, "production") {
		t.Errorf("got %+v, %v", entry, err)
	}
}
