package articles_test

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/publish/desk/articles"
	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/publish/web/webtest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// arrive saves an article of Site that its source published some time ago, and returns its UUID.
func arrive(t *testing.T, n *storetest.Newsroom, name string, ago time.Duration) string {
	t.Helper()
	a := feed.Article{
		UUID: feed.ArticleUUID(storetest.Site, name), FeedURL: storetest.Site, GUID: name, Title: "About " + name, Digest: "1",
		Content:   "<p>Beginning of " + name + `.</p><img src="http://x.test/` + name + `.jpg" width="800">` + strings.Repeat("<p>more</p>", 1000),
		Published: n.Clock.Now().Add(-ago),
	}
	if _, err := n.SaveArticle(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	return a.UUID
}

func TestInboxShowsTheNewestFirstAndTellsWhatWouldBeBlocked(t *testing.T) {
	d, n := newDesk(t, func(opts *articles.Options) {
		opts.Verdict = func(a *feed.Article, typ string, _ func() (feed.Article, error)) (string, error) {
			if a.GUID == "older" && typ == "production" {
				return "an image has no address", nil
			}
			return "", nil
		}
	})
	arrive(t, n, "older", 3*time.Hour)
	arrive(t, n, "newer", 10*time.Minute)
	b := d.As(t, "ann", feed.RoleEditor)
	page := b.Get("/inbox", 200)
	webtest.InOrder(t, page, "3 to review", "About newer", "The Harbour Post", "10 min ago", "Beginning of newer.", "/image?http://x.test/newer.jpg",
		"About older", "would be blocked in production: an image has no address", "A day with the pilot")
	if strings.Contains(page, "Ferry line") {
		t.Error("the inbox has an article that was published")
	}
	page = b.Get("/inbox?q=newer", 200)
	if webtest.Contains(t, page, "About newer"); strings.Count(page, "data-row=") != 1 {
		t.Errorf("the search finds %d articles", strings.Count(page, "data-row="))
	}
	if page := d.As(t, "rea", feed.RoleViewer).Get("/inbox", 200); strings.Contains(page, "formaction") {
		t.Error("a viewer is offered to decide")
	}
}

func TestDismissedArticlesLeaveTheInboxUntilTheyAreRestored(t *testing.T) {
	d, n := newDesk(t)
	one, two := arrive(t, n, "one", time.Hour), arrive(t, n, "two", 2*time.Hour)
	b := d.As(t, "ann", feed.RoleEditor)
	page := b.Follow("/articles/dismiss", url.Values{"pick": {one, two}, "once": {"x"}, "back": {"/inbox"}})
	webtest.Contains(t, page, "2 articles dismissed.", "1 to review")
	webtest.Contains(t, b.Follow(undoAt.FindStringSubmatch(page)[1], url.Values{"back": {"/inbox"}}), "Undone for 2 articles.", "3 to review")
	page = b.Follow("/articles/dismiss", url.Values{"one": {one}, "once": {"y"}, "back": {"/inbox"}})
	webtest.Contains(t, page, "Dismissed.", "2 to review")
	webtest.Contains(t, b.Get("/articles/"+one, 200), "dismissed it", "restored it", "unpublished")
	page = b.Get("/articles?state=dismissed", 200)
	if webtest.Contains(t, page, "About one", ">Restore<"); strings.Count(page, "data-row=") != 1 {
		t.Errorf("%d articles are dismissed", strings.Count(page, "data-row="))
	}
	webtest.Contains(t, b.Follow("/articles/restore", url.Values{"one": {one}, "once": {"z"}, "back": {"/inbox"}}), "Back in the inbox.", "3 to review")

	seen := seenOn(t, b.Get("/inbox", 200), two, "production")
	d.As(t, "ben", feed.RoleEditor).Follow("/articles/publish", url.Values{"one": {seen}, "once": {"v"}})
	rec := b.Send(http.MethodPost, "/articles/dismiss", url.Values{"one": {two}, "once": {"w"}, "back": {"/inbox"}})
	if webtest.Contains(t, rec.Body.String(), "ben published it", "the decision stays"); rec.Code != http.StatusConflict {
		t.Errorf("dismissing what someone else published: %d", rec.Code)
	}
	if rec := b.Send(http.MethodPost, "/articles/dismiss", url.Values{"once": {"u"}}); rec.Code != 422 {
		t.Errorf("with nothing selected: %d", rec.Code)
	}
}

func TestArticleLeadsToItsNeighboursAndBackToTheFilteredInbox(t *testing.T) {
	d, n := newDesk(t)
	newer, older := arrive(t, n, "newer", time.Hour), arrive(t, n, "older", 2*time.Hour)
	b := d.As(t, "ann", feed.RoleEditor)
	page := "/articles/" + newer + "?from=%2finbox%3fq%3dAbout"
	webtest.Contains(t, b.Get("/inbox?q=About", 200), `href="`+page+`"`)
	webtest.Contains(t, html.UnescapeString(b.Get(page, 200)), `<a href="/inbox?q=About">Inbox</a>`,
		`<a href="/articles/`+older+"?from="+url.QueryEscape("/inbox?q=About")+`" rel="next">`)
	webtest.Contains(t, b.Get("/articles/"+older+"?from=/inbox", 200), "/articles/"+newer+"?from=%2Finbox\" rel=\"prev\"")
	if other := b.Get("/articles/"+newer+"?from=https://evil.example/inbox", 200); strings.Contains(other, "evil.example/inbox\"") {
		t.Error("the page leads to another site")
	}
}

func TestAPIListsDismissesAndRestoresTheInbox(t *testing.T) {
	d, n := newDesk(t)
	uuid := arrive(t, n, "one", time.Hour)
	list := func(state string) (all []string) {
		t.Helper()
		rec := d.Call(http.MethodGet, "/api/v1/articles?state="+state, "")
		for _, a := range webtest.Read[feed.Page[feed.Article]](t, rec).Items {
			all = append(all, a.GUID)
		}
		return all
	}
	if got := list("inbox"); fmt.Sprint(got) != "[one post-4]" {
		t.Errorf("the inbox is %v", got)
	}
	body, _ := json.Marshal(map[string]any{"articles": []string{uuid, storetest.Post(1)}})
	rec := d.Call(http.MethodPost, "/api/v1/articles/dismiss", string(body))
	all := webtest.Read[web.Bulk](t, rec)
	if rec.Code != 207 || all.Done != 1 || all.Failed != 1 || all.Items[0].Transition.To != feed.StateDismissed || all.Items[1].Problem.Status != 409 {
		t.Fatalf("%d %s", rec.Code, rec.Body)
	}
	if got := list("dismissed"); fmt.Sprint(got) != "[one]" {
		t.Errorf("dismissed are %v", got)
	}
	if undone := d.Call(http.MethodPost, "/api/v1/undo/"+all.Items[0].Transition.Undo, ""); undone.Code != 207 || len(list("inbox")) != 2 {
		t.Errorf("undo: %d %s", undone.Code, undone.Body)
	}
	d.Call(http.MethodPost, "/api/v1/articles/dismiss", string(body))
	d.Call(http.MethodPost, "/api/v1/articles/restore", string(body))
	if got := list("inbox"); len(got) != 2 {
		t.Errorf("after restoring the inbox is %v", got)
	}
}
