package terminal

import (
	"testing"

	"github.com/feedwire/feedwire/store/feed"
)

func TestSignalPrintsOneLine(t *testing.T) {
	t.Parallel()
	const url = "https://blog.example.org/feed.xml"
	for want, s := range map[string]feed.Signal{
		"feed_created   " + url: {Kind: feed.FeedCreated},
		"feed_modified  " + url + `  title: "Harbour" → "The Harbour"`: {
			Kind: feed.FeedModified, Changed: map[string]feed.Change{"title": {From: "Harbour", To: "The Harbour"}},
		},
		"feed_modified  " + url + "  unsignalled: 30 new, 2 changed": {Kind: feed.FeedModified, Unsignalled: feed.Unsignalled{Created: 30, Modified: 2}},
		"post_created   Entry:2 A bridge opens":                      {Kind: feed.PostCreated, GUID: "p", Entry: "Entry:2", Post: &feed.Entry{Title: "A bridge opens"}},
		"comment_created  Entry:2 comment 3":                         {Kind: feed.CommentCreated, Entry: "Entry:2", Comment: 3},
		"entry_voted    Entry:2 +12 −3":                              {Kind: feed.EntryVoted, Entry: "Entry:2", Votes: feed.SignalVotes{Up: 12, Down: 3}},
		"list_modified  list top":                                    {Kind: feed.ListModified, List: "top", Digest: "d"},
		"post_modified  Entry:2 p":                                   {Kind: feed.PostModified, GUID: "p", Entry: "Entry:2"},
	} {
		s.FeedURL = url
		if got := Signal(&s); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
