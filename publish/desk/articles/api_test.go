package articles_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/publish/web/webtest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestArticlesComeInPages(t *testing.T) {
	d, _ := newDesk(t)
	for _, tt := range []struct {
		query string
		want  []string
	}{
		{"?limit=3", []string{"post-2", "post-1", "post-4", "post-7", "post-5", "post-3", "post-6"}},
		{"?limit=1&feed=production&state=published", []string{"post-2", "post-1", "post-3"}},
		{"?limit=2&feed=production&state=published", []string{"post-2", "post-1", "post-3"}},
		{"?limit=3&feed=production&state=published", []string{"post-2", "post-1", "post-3"}},
	} {
		var got []string
		path := "/api/v1/articles" + tt.query
		for pages := 1; ; pages++ {
			page := webtest.Get[feed.Page[feed.Article]](t, d, path)
			for _, a := range page.Items {
				got = append(got, a.GUID)
			}
			if page.Next == "" {
				break
			}
			if pages > 3 {
				t.Fatal("the list does not end")
			}
			path = "/api/v1/articles" + tt.query + "&cursor=" + page.Next
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: other articles (-want +got):\n%s", tt.query, diff)
		}
	}
}

func TestPlacedArticlesArePagedInEachState(t *testing.T) {
	n := storetest.EmptyNewsroom(t)
	d := webtest.Over(n, n.Clock.Now)
	mount(d, n)
	all := make([]feed.Decision, 205)
	for i := range all {
		a := feed.Article{UUID: feed.ArticleUUID(storetest.Site, fmt.Sprint(i)), FeedURL: storetest.Site, Digest: "1"}
		if _, err := n.SaveArticle(t.Context(), a); err != nil {
			t.Fatal(err)
		}
		all[i] = feed.Decision{UUID: a.UUID, Type: "production", Publish: true}
	}
	decide := func(id string, publish bool) {
		for i := range all {
			all[i].Publish = publish
		}
		if _, err := n.Decide(t.Context(), id, all); err != nil {
			t.Fatal(err)
		}
	}
	decide("first", true)
	for _, step := range []struct {
		state feed.State
		enter func()
	}{
		{feed.StatePublished, func() {}},
		{feed.StateWithdrawn, func() { decide("second", false) }},
		{feed.StateImported, func() {
			decide("third", true)
			n.ShowAll(t, "production", feed.ImportAfter)
		}},
		{feed.StateExpired, func() {
			decide("fourth", true)
			n.Clock.Advance(feed.DefaultWindow + time.Second)
			if _, err := n.ExpireArticles(t.Context(), "production", feed.DefaultWindow); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		step.enter()
		state := step.state
		path := "/api/v1/articles?limit=200&feed=production&state=" + string(state)
		first := webtest.Get[feed.Page[feed.Article]](t, d, path)
		second := webtest.Get[feed.Page[feed.Article]](t, d, path+"&cursor="+first.Next)
		seen := map[string]bool{}
		for _, a := range slices.Concat(first.Items, second.Items) {
			seen[a.UUID] = true
		}
		if len(first.Items) != 200 || len(second.Items) != 5 || len(seen) != 205 || second.Next != "" {
			t.Errorf("%s: pages of %d and %d with %d articles, then %q",
				state, len(first.Items), len(second.Items), len(seen), second.Next)
		}
	}
}

func TestArticlesAreSelected(t *testing.T) {
	d, n := newDesk(t)
	n.Clock.Advance(-8 * 24 * time.Hour)
	old := feed.Article{UUID: feed.ArticleUUID(storetest.Site, "old"), FeedURL: storetest.Site, GUID: "old", Digest: "1"}
	if _, err := n.SaveArticle(t.Context(), old); err != nil {
		t.Fatal(err)
	}
	n.Clock.Advance(8 * 24 * time.Hour)
	for _, tt := range []struct {
		query string
		want  []string
	}{
		{"?feed=production&state=published", []string{"post-2", "post-1", "post-3"}},
		{"?feed=production&state=unpublished", []string{"post-4"}},
		{"?q=POST-2", []string{"post-2"}},
		{"?q=post-2&source=elsewhere", nil},
		{"?q=post&feed=production&state=withdrawn", []string{"post-7"}},
		{"?feed=production&state=withdrawn", []string{"post-7"}},
		{"?feed=development&state=published", nil},
		{"?days=30&limit=200", []string{"post-2", "post-1", "post-4", "post-7", "post-5", "post-3", "post-6", "old"}},
	} {
		var got []string
		for _, a := range webtest.Get[feed.Page[feed.Article]](t, d, "/api/v1/articles"+tt.query).Items {
			got = append(got, a.GUID)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: other articles (-want +got):\n%s", tt.query, diff)
		}
	}
}
