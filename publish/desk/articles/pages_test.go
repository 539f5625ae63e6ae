package articles_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/feedwire/feedwire/publish/desk/articles"
	"github.com/feedwire/feedwire/publish/hypertext"
	"github.com/feedwire/feedwire/publish/instant/validate"
	"github.com/feedwire/feedwire/publish/placement"
	"github.com/feedwire/feedwire/publish/web/webtest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// seenOn is what a page sends about an article in a feed.
func seenOn(t *testing.T, page, uuid, typ string) string {
	t.Helper()
	seen := regexp.MustCompile(`value="(` + uuid + ` ` + typ + ` [^"]*)"`).FindStringSubmatch(page)
	if seen == nil {
		t.Fatalf("the page says nothing of %s in %s:\n%s", uuid, typ, page)
	}
	return seen[1]
}

func TestListShowsTheStateInEachFeed(t *testing.T) {
	d, _ := newDesk(t, func(opts *articles.Options) {
		opts.Verdict = func(a *feed.Article, typ string, _ func() (feed.Article, error)) (string, error) {
			if a.UUID == storetest.Post(2) && typ == "production" {
				return "an image has no address", nil
			}
			return "", nil
		}
	})
	b := d.As(t, "ann", feed.RoleEditor)
	webtest.InOrder(t, b.Get("/articles", 200), "Why the old lighthouse", "blocked", "an image has no address", "Ferry line", "2 of 4", "last", "A day with the pilot", "unpublished")
	for query, want := range map[string]string{
		"state=withdrawn&feed=production": "Fish market", "q=TIDE": "What the new tide", "state=blocked": "Why the old", "feed=production&state=imported": "Harbour museum",
		"state=unpublished&feed=production": "A day with",
	} {
		page := b.Get("/articles?"+query, 200)
		if webtest.Contains(t, page, want); strings.Count(page, "data-row=") != 1 {
			t.Errorf("%s finds %d articles, want 1", query, strings.Count(page, "data-row="))
		}
	}
	b.Get("/articles?feed=nothing", 422)
	b.Get("/articles?state=odd", 422)
	b.Get("/articles?cursor=odd", 422)
	if page := d.As(t, "rea", feed.RoleViewer).Get("/articles", 200); strings.Contains(page, "formaction") {
		t.Error("a reader is offered to publish")
	}
}

func TestArticlePageShowsItsStateAndHistory(t *testing.T) {
	d, n := newDesk(t, func(opts *articles.Options) {
		opts.Preview = func(_ context.Context, a feed.Article, typ string) (placement.Preview, error) {
			return placement.Preview{
				Feed: typ, Markup: "<article><h1>" + a.Title + "</h1></article>", Blocked: "an image has no address",
				Findings: []validate.Finding{{Severity: "error", Message: "The image has no address.", Place: "figure > img", Remedy: "Give it one."}},
				Warnings: []hypertext.Warning{{Message: "A script was left out.", Place: "script"}},
			}, nil
		}
	})
	uuid := storetest.Post(8)
	save := func(digest, content string) {
		a := feed.Article{UUID: uuid, FeedURL: storetest.Site, GUID: "post-8", Title: "Ferry line", Digest: digest, Content: content}
		if _, err := n.SaveArticle(t.Context(), a); err != nil {
			t.Fatal(err)
		}
	}
	n.Clock.Advance(-2 * time.Hour)
	save("1", "<p>It opens a new pier.</p>")
	n.Clock.Advance(30 * time.Minute)
	if rec := d.Call(http.MethodPost, "/api/v1/articles/"+uuid+"/publish", `{"feed":"production"}`); rec.Code != http.StatusOK {
		t.Fatalf("got %d %s", rec.Code, rec.Body)
	}
	n.Clock.Advance(30 * time.Minute)
	save("2", "<p>It opens a second pier.</p>")
	n.Clock.Advance(time.Hour)
	n.Show(t, uuid, 2)
	visit := feed.Visit{Time: n.Clock.Time, Client: "facebook", Status: 200, Counted: true}
	if err := n.AddVisits(t.Context(), "production", []feed.Visit{visit}); err != nil {
		t.Fatal(err)
	}
	b := d.As(t, "ben", feed.RoleEditor)
	page := b.Get("/articles/"+uuid, 200)
	webtest.InOrder(t, page, "It is not in the feed. It is published but blocked: an image has no address.", "facebook", "The image has no address.", "figure &gt; img",
		"Give it one.", "A script was left out.", "fetched it from production, impression 2", "its source changed it", "ann", "published it in production", "it arrived",
		"<del>new</del>", "<ins>second</ins>", "The Harbour Post")
	if webtest.Contains(t, page, `</span> 2 of 4`); strings.Contains(page, "&lt;nil&gt;") {
		t.Error("the page shows what is no text")
	}
	if strings.Contains(page, "automatically") {
		t.Error("what ann published counts as published by rule as well")
	}
	rec := b.Send(http.MethodGet, "/articles/"+uuid, nil)
	if policy := rec.Header().Get("Content-Security-Policy"); !strings.Contains(policy, "frame-src 'self'") || strings.Contains(policy, "unsafe") {
		t.Errorf("policy %q", policy)
	}
	rec = b.Send(http.MethodGet, "/articles/"+uuid+"/preview?feed=production", nil)
	policy := rec.Header().Get("Content-Security-Policy")
	if rec.Code != 200 || !strings.HasPrefix(policy, "sandbox; default-src 'none';") || strings.Contains(policy, "script") || !strings.Contains(rec.Body.String(), "<article><h1>Ferry") {
		t.Errorf("preview: %d %q %s", rec.Code, policy, rec.Body)
	}
	for n, want := range map[int]string{4: "It is not in the feed. It waits for an editor", 5: "It was imported 40 min ago", 6: "It expired", 7: "It was withdrawn 1 h ago"} {
		webtest.Contains(t, b.Get("/articles/"+storetest.Post(n)+"?feed=development", 200), want)
	}
	b.Get("/articles/"+feed.ArticleUUID("no", "article"), 404)
}

// changing is a store with one article.
type changing struct {
	articles.Store
	article atomic.Pointer[feed.Article]
}

func (c *changing) set(state feed.State) {
	c.article.Store(&feed.Article{UUID: storetest.Post(1), Feeds: map[string]feed.Placement{"production": {State: state}}})
}

func (c *changing) FindArticles(context.Context, feed.ArticleQuery, []string, func(*feed.Article) bool) (feed.ArticlePage, error) {
	return feed.ArticlePage{Articles: []feed.Article{*c.article.Load()}}, nil
}

func (c *changing) ArticleView(context.Context, string, []string, int) (feed.ArticleView, error) {
	return feed.ArticleView{Article: *c.article.Load()}, nil
}

func TestPagesAreNotifiedOfChanges(t *testing.T) {
	for _, path := range []string{"/articles/live?feed=production", "/articles/" + storetest.Post(1) + "/live"} {
		synctest.Test(t, func(t *testing.T) {
			store := &changing{}
			store.set(feed.StatePublished)
			d := webtest.New(webtest.Noon)
			mount(d, store)
			ctx, cancel := context.WithCancel(t.Context())
			rec, done := httptest.NewRecorder(), make(chan struct{})
			go func() {
				d.ServeHTTP(rec, httptest.NewRequestWithContext(ctx, http.MethodGet, path, nil))
				close(done)
			}()
			time.Sleep(3 * time.Second)
			synctest.Wait()
			if body := rec.Body.String(); strings.Contains(body, "event: changed") || !rec.Flushed {
				t.Errorf("%s: before the change: %q, flushed: %v", path, body, rec.Flushed)
			}
			store.set(feed.StateWithdrawn)
			time.Sleep(2 * time.Second)
			synctest.Wait()
			if body := rec.Body.String(); !strings.Contains(body, "event: changed") {
				t.Errorf("%s: after the change: %q", path, body)
			}
			cancel()
			<-done
		})
	}
}

func TestNothingThatASourceWritesRunsOnPagesOfArticles(t *testing.T) {
	for _, x := range []string{
		`"><script>alert(1)</script><a href='javascript:alert(2)'>`, `'><img src=x onerror=alert(1)>`, `javascript:alert(1)`, `</pre></title><svg/onload=alert(1)>`,
	} {
		d, n := newDesk(t, func(opts *articles.Options) {
			opts.Preview = func(context.Context, feed.Article, string) (placement.Preview, error) {
				return placement.Preview{Markup: x, Findings: []validate.Finding{{Severity: validate.Severity(x), Message: x, Place: x, Remedy: x}}, Warnings: []hypertext.Warning{{Message: x, Place: x}}}, nil
			}
			opts.Verdict = func(*feed.Article, string, func() (feed.Article, error)) (string, error) { return x, nil }
		})
		a := feed.Article{
			UUID: storetest.Post(1), Digest: "2", Title: x, Canonical: x, GUID: x, Summary: x, Content: x, Image: x, FeedURL: x,
			Authors: []string{x}, Categories: []string{x}, Enclosures: []feed.Enclosure{{URL: x}},
		}
		if _, err := n.SaveArticle(t.Context(), a); err != nil {
			t.Fatal(err)
		}
		if err := n.AddVisits(t.Context(), "production", []feed.Visit{{Time: webtest.Noon(), Client: x, Counted: true}}); err != nil {
			t.Fatal(err)
		}
		b := d.As(t, "ann", feed.RoleEditor)
		for _, path := range []string{"/articles", "/articles?q=" + url.QueryEscape(x), "/articles/" + storetest.Post(1)} {
			page := b.Get(path, 200)
			for _, bad := range []string{"<script>", "<img", "<svg/", `href="javascript:`, "onerror=alert(1)>\"", `onload=alert(1)>`} {
				if strings.Contains(page, bad) {
					t.Errorf("%s has %q for %q", path, bad, x)
				}
			}
		}
	}
}
