package feeds_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/feedwire/feedwire/publish/desk/feeds"
	"github.com/feedwire/feedwire/publish/web/webtest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// newDesk returns a desk with two outgoing feeds over a newsroom.
func newDesk(t *testing.T, change ...func(*feeds.Options)) (*webtest.Desk, *storetest.Newsroom) {
	t.Helper()
	base := feed.Outgoing{Profile: "instant-articles", Window: feed.DefaultWindow, RetireAfter: feed.ImportAfter, MaxItems: feed.DefaultItems}
	production, development := base, base
	production.Type, production.Title = "production", "Example production"
	development.Type, development.Title = "development", "Example development"
	opts := feeds.Options{
		Feeds:   feed.OutgoingFeeds{production, development},
		Blocked: func(*feed.Article, string) string { return "" },
		Document: func(context.Context, string) (feed.Distribution, error) {
			return feed.Distribution{Body: []byte("<rss/>"), ContentType: "application/rss+xml"}, nil
		},
	}
	for _, c := range change {
		c(&opts)
	}
	n := storetest.NewNewsroom(t)
	d := webtest.Over(n, n.Clock.Now)
	d.Mount(feeds.New(n, d.Kit, opts))
	return d, n
}

func TestAPIListsFeeds(t *testing.T) {
	d, _ := newDesk(t)
	want := feeds.Feed{
		Type: "production", URL: "https://wire.example/feed/production", Title: "Example production", Profile: "instant-articles",
		Items: 3, Window: "24h0m0s", RetireAfter: 4, Articles: map[feed.State]int{
			feed.StateUnpublished: 1, feed.StatePublished: 3, feed.StateImported: 1, feed.StateExpired: 1, feed.StateWithdrawn: 1,
		},
	}
	if diff := cmp.Diff(want, webtest.Get[feed.Page[feeds.Feed]](t, d, "/api/v1/feeds").Items[0]); diff != "" {
		t.Errorf("another feed (-want +got):\n%s", diff)
	}
}

func TestFeedPageShowsArticlesAndVisits(t *testing.T) {
	d, n := newDesk(t, func(opts *feeds.Options) {
		opts.Feeds[0].Username, opts.Feeds[0].Password = "meta", "s3cret"
		opts.Blocked = func(a *feed.Article, typ string) string {
			if a.UUID == storetest.Post(2) && typ == "production" {
				return "it has no text"
			}
			return ""
		}
	})
	var visits []feed.Visit
	for i, status := range []int{200, 200, 503, 200, 304, 200} { // oldest first
		ago := 5 - i
		visits = append(visits, feed.Visit{Time: webtest.Noon().Add(-time.Duration(ago) * time.Hour), Client: "facebook", Status: status, Counted: ago%3 != 0})
	}
	for _, typ := range []string{"production", "development"} {
		if err := n.AddVisits(t.Context(), typ, visits); err != nil {
			t.Fatal(err)
		}
	}
	b := d.As(t, "rea", feed.RoleViewer)
	html := b.Get("/feeds/production", 200)
	webtest.InOrder(t, html, "Example production", "1 article is blocked.", `value="https://wire.example/feed/production"`, `data-copy="address"`,
		"meta", "••••", "Blocked", "Why the old lighthouse", "it has no text", "Articles", "Ferry line to the islands", "2 of 4",
		"last 24 hours: 4 visits by the consumer, 1 by others, 1 refused or failed", "facebook", "304 not modified", "503 service unavailable")
	if strings.Contains(html, "s3cret") {
		t.Error("the page shows the password")
	}
	webtest.InOrder(t, b.Get("/feeds", 200), "/feeds/production", "with a password", "last fetched", "/feeds/development", "open")
	rec := b.Send(http.MethodGet, "/feeds/production/document", nil)
	if rec.Code != 200 || rec.Body.String() != "<rss/>" || rec.Header().Get("Content-Type") != "text/plain; charset=utf-8" {
		t.Errorf("the document: %d %s %s", rec.Code, rec.Header(), rec.Body)
	}
	b.Get("/feeds/nothing", 404)
	webtest.InOrder(t, b.Get("/feeds/development", 200), "Last fetched")
}

func TestVisitChartHasAColumnForEachHour(t *testing.T) {
	d, n := newDesk(t)
	visits := make([]feed.Visit, 30) // those before the last 24 hours are left out
	for i := range visits {
		visits[i] = feed.Visit{Time: webtest.Noon().Add(-time.Duration(29-i) * time.Hour), Status: 200, Counted: true}
	}
	if err := n.AddVisits(t.Context(), "production", visits); err != nil {
		t.Fatal(err)
	}
	html := d.As(t, "rea", feed.RoleViewer).Get("/feeds/production", http.StatusOK)
	if n := strings.Count(html, `<rect class="counted"`); n != 24 {
		t.Errorf("%d columns", n)
	}
	if !strings.Contains(html, "last 24 hours: 24 visits by the consumer, 0 by others, 0 refused or failed") {
		t.Error("the chart has no description")
	}
}
