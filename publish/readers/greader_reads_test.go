//go:build !race

package readers_test

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/publish/readers"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// countedReads counts how often follows and sources are read.
type countedReads struct {
	*storetest.Newsroom
	follows, sources int
}

func (c *countedReads) Follows(ctx context.Context, user int64) ([]feed.Follow, error) {
	c.follows++
	return c.Newsroom.Follows(ctx, user)
}

func (c *countedReads) TitlesByURL(ctx context.Context, urls []string) (map[string]feed.About, error) {
	c.sources++
	return c.Newsroom.TitlesByURL(ctx, urls)
}

func TestCallsOfAppsReadOnlyWhatTheyNeed(t *testing.T) {
	a := newApp(t)
	a.send(201, "PUT", site, `{}`)
	store := &countedReads{Newsroom: a.Newsroom}
	a.Mount(readers.New(store, a.Kit, readers.Options{}))
	item := url.Values{"i": a.read(10), "a": {state + "read"}}
	for path, want := range map[string]countedReads{
		"GET token": {}, "GET user-info": {}, "POST edit-tag": {},
		"GET tag/list": {follows: 1}, "GET unread-count": {follows: 1}, "GET stream/items/ids?" + allItems: {follows: 1},
		"GET subscription/list": {follows: 1, sources: 1}, "POST stream/items/contents": {follows: 1, sources: 1},
	} {
		store.follows, store.sources = 0, 0
		a.call(http.StatusOK, strings.Replace(path, " ", " /reader/api/0/", 1), item)
		if store.follows != want.follows || store.sources != want.sources {
			t.Errorf("%s read follows %d times and sources %d times", path, store.follows, store.sources)
		}
	}
}

func TestAppsGetUnreadCountsByLabel(t *testing.T) {
	a := newApp(t)
	for name, f := range map[string]feed.Follow{"a": {}, "b": {Folder: "Sea"}, "c": {Folder: "Sea"}, "d": {Folder: "Quiet", Muted: true}} {
		f.FeedURL = "https://" + name + ".example/feed.xml"
		if _, err := a.Newsroom.Follow(t.Context(), a.Visitor.Account.ID, f); err != nil {
			t.Fatal(err)
		}
		if err := a.SaveEntry(t.Context(), &feed.Entry{FeedURL: f.FeedURL, GUID: "1", Timestamp: a.Clock.Time}); err != nil {
			t.Fatal(err)
		}
	}
	type count struct {
		ID    string
		Count int
	}
	counts := get[struct{ UnreadCounts []count }](a, "/reader/api/0/unread-count?output=json").UnreadCounts
	want := []count{{"user/-/label/Uncategorized", 1}, {"user/-/label/Sea", 2}, {state + "reading-list", 3}}
	if got := counts[4:]; !slices.Equal(got, want) {
		t.Errorf("got %v after those of sources, want %v", got, want)
	}
}
