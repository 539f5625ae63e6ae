package desk_test

import (
	"context"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/publish/hypertext"
	"github.com/feedwire/feedwire/publish/instant/validate"
	"github.com/feedwire/feedwire/publish/placement"
	"github.com/feedwire/feedwire/store/feed"
)

var undoAt = regexp.MustCompile(`action="(/articles/undo/[0-9a-f]{32})"`)

// seenOn is what a page sends about an article in a feed.
func seenOn(t *testing.T, page, uuid, typ string) string {
	t.Helper()
	seen := regexp.MustCompile(`value="(` + uuid + ` ` + typ + ` [^"]*)"`).FindStringSubmatch(page)
	if seen == nil {
		t.Fatalf("the page says nothing of %s in %s:\n%s", uuid, typ, page)
	}
	return seen[1]
}

// follows sends a form and returns the page that it leads to.
func (b *browser) follows(path string, form url.Values) string {
	b.t.Helper()
	rec := b.send(http.MethodPost, path, form)
	if rec.Code != http.StatusSeeOther {
		b.t.Fatalf("POST %s: %d %s", path, rec.Code, rec.Body)
	}
	return b.gets(rec.Header().Get("Location"), http.StatusOK)
}

func has(t *testing.T, page string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q:\n%s", want, page)
		}
	}
}

func article(n int) string { return feed.ArticleUUID(siteURL, fmt.Sprint("post-", n)) }

func TestArticlesTellTheirStateInEachFeed(t *testing.T) {
	o := newOffice(t, func(opts *deskOptions) {
		opts.Blocked = func(a *feed.Article, typ string) string {
			if a.UUID == article(2) && typ == "production" {
				return "an image has no address"
			}
			return ""
		}
	})
	b := o.in("ann", feed.RoleEditor)
	inOrder(t, b.gets("/articles", 200), "Ferry line", "2 of 4", "last", "Why the old lighthouse", "blocked", "an image has no address", "A day with the pilot", "unpublished")
	for query, want := range map[string]string{
		"state=withdrawn&feed=production": "Fish market", "q=TIDE": "What the new tide", "state=blocked": "Why the old", "feed=production&state=imported": "Harbour museum",
		"state=unpublished&feed=production": "A day with",
	} {
		page := b.gets("/articles?"+query, 200)
		if has(t, page, want); strings.Count(page, "data-row=") != 1 {
			t.Errorf("%s finds %d articles, want 1", query, strings.Count(page, "data-row="))
		}
	}
	b.gets("/articles?feed=nothing", 422)
	b.gets("/articles?state=odd", 422)
	b.gets("/articles?cursor=odd", 422)
	if page := o.in("rea", feed.RoleViewer).gets("/articles", 200); strings.Contains(page, "formaction") {
		t.Error("a reader is offered to publish")
	}
}

func TestPublishWithdrawAndUndo(t *testing.T) {
	o := newOffice(t)
	b := o.in("ann", feed.RoleEditor)
	one := seenOn(t, b.gets("/articles", 200), article(4), "production")
	page := b.follows("/articles/publish", url.Values{"one": {one}, "once": {"x"}, "back": {"/articles?feed=production"}})
	has(t, page, "Published.", ">Undo<")
	if s := o.store.articles[article(4)].Feeds["production"].State; s != feed.StatePublished {
		t.Errorf("it is %q", s)
	}
	undo := undoAt.FindStringSubmatch(page)
	has(t, b.follows(undo[1], url.Values{"back": {"/articles?feed=production"}}), "Undone.", `aria-current="page"`)
	if s := o.store.articles[article(4)].Feeds["production"].State; s != "" && s != feed.StateUnpublished {
		t.Errorf("undone, it is %q", s)
	}
	var log []string
	for _, e := range o.signs.log[len(o.signs.log)-2:] {
		log = append(log, e.Who+" "+e.Action+" "+e.Object.String()+" "+e.Before+" "+e.After)
	}
	want := []string{
		"ann article_publish " + article(4) + " in production unpublished published", "ann article_undo " + article(4) + " in production published unpublished",
	}
	if strings.Join(log, "\n") != strings.Join(want, "\n") {
		t.Errorf("the audit log says %q", log)
	}
	if rec := b.send(http.MethodPost, "/articles/undo/00", nil); rec.Code != http.StatusConflict || !strings.Contains(rec.Body.String(), "more than an hour old") {
		t.Errorf("undoing nothing: %d %s", rec.Code, rec.Body)
	}
}

func TestManyAreWithdrawnAtOnceWithOneUndo(t *testing.T) {
	o := newOffice(t)
	b := o.in("ann", feed.RoleEditor)
	page := b.gets("/articles", 200)
	form := url.Values{"once": {"x"}, "feed": {"production"}}
	for i := range 7 {
		form.Add("pick", article(i+1))
		form.Add("seen", seenOn(t, page, article(i+1), "production"))
		form.Add("seen", seenOn(t, page, article(i+1), "development"))
	}
	page = b.follows("/articles/withdraw", form)
	has(t, page, "3 articles withdrawn.")
	has(t, b.follows(undoAt.FindStringSubmatch(page)[1], nil), "Undone for 3 articles.")
	if p := o.store.articles[article(1)].Feeds["production"]; p.State != feed.StatePublished || len(p.Impressions) != 2 {
		t.Errorf("it is %+v", p)
	}
	if rec := b.send(http.MethodPost, "/articles/withdraw", url.Values{"feed": {"production"}}); rec.Code != 422 || !strings.Contains(rec.Body.String(), "Select articles first") {
		t.Errorf("with nothing picked: %d %s", rec.Code, rec.Body)
	}
	for _, odd := range []string{"x", article(1) + " production published one", article(1) + " nowhere published 1"} {
		if rec := b.send(http.MethodPost, "/articles/withdraw", url.Values{"one": {odd}}); rec.Code != 422 {
			t.Errorf("%q: %d", odd, rec.Code)
		}
	}
}

func TestConflictPageShowsTheOtherChange(t *testing.T) {
	o := newOffice(t)
	ann, ben := o.in("ann", feed.RoleEditor), o.in("ben", feed.RoleEditor)
	one := seenOn(t, ann.gets("/articles", 200), article(1), "production")
	ann.follows("/articles/withdraw", url.Values{"one": {one}, "once": {"a"}})
	o.store.deeds[article(1)] = o.signs.log[len(o.signs.log)-1:]
	rec := ben.send(http.MethodPost, "/articles/publish", url.Values{"one": {one}, "once": {"b"}, "back": {"/articles?q=ferry"}})
	if rec.Code != http.StatusConflict {
		t.Fatalf("got %d %s", rec.Code, rec.Body)
	}
	page := html.UnescapeString(rec.Body.String())
	has(t, page, "1 article was not changed because someone else changed it.", "ann withdrew it just now.", "withdrawn", "Republish anyway")
	again := seenOn(t, rec.Body.String(), article(1), "production")
	has(t, ben.follows("/articles/publish", url.Values{"one": {again}, "once": {"c"}, "back": {"/articles?q=ferry"}}), "Published.")
}

func TestArticlePageTellsWhyAndWhatBecomesOfIt(t *testing.T) {
	o := newOffice(t, func(opts *deskOptions) {
		opts.Preview = func(_ context.Context, a feed.Article, typ string) (placement.Preview, error) {
			return placement.Preview{
				Feed: typ, Markup: "<article><h1>" + a.Title + "</h1></article>", Blocked: "an image has no address",
				Findings: []validate.Finding{{Severity: "error", Message: "The image has no address.", Place: "figure > img", Remedy: "Give it one."}},
				Warnings: []hypertext.Warning{{Message: "A script was left out.", Place: "script"}},
			}, nil
		}
	})
	uuid := article(1)
	o.store.visits = []feed.Visit{{Time: noon.Add(time.Second), Client: "facebook", Status: 200, Counted: true}}
	o.store.versions[uuid] = []feed.Version{
		{Time: noon, Title: "Ferry line", Content: "<p>It opens a second pier.</p>"}, {Time: noon.Add(-time.Hour), Title: "Ferry line", Content: "<p>It opens a new pier.</p>"},
	}
	o.store.deeds[uuid] = []feed.AuditEntry{{Time: noon.Add(-2 * time.Hour), Who: "ann", Action: "article_publish", Object: feed.ArticleObject(uuid, "production"), Before: "unpublished", After: "published"}}
	b := o.in("ben", feed.RoleEditor)
	page := b.gets("/articles/"+uuid, 200)
	inOrder(t, page, "It is not in the feed. It is published but blocked: an image has no address.", "facebook", "The image has no address.", "figure &gt; img",
		"Give it one.", "A script was left out.", "fetched it from production, impression 2", "its source changed it", "it arrived", "ann", "published it in production",
		"<del>new</del>", "<ins>second</ins>", "The Harbour Post")
	if has(t, page, `</span> 2 of 4`); strings.Contains(page, "&lt;nil&gt;") {
		t.Error("the page shows what is no text")
	}
	if strings.Contains(page, "automatically") {
		t.Error("what ann published counts as published by rule as well")
	}
	rec := b.send(http.MethodGet, "/articles/"+uuid, nil)
	if policy := rec.Header().Get("Content-Security-Policy"); !strings.Contains(policy, "frame-src 'self'") || strings.Contains(policy, "unsafe") {
		t.Errorf("policy %q", policy)
	}
	rec = b.send(http.MethodGet, "/articles/"+uuid+"/preview?feed=production", nil)
	policy := rec.Header().Get("Content-Security-Policy")
	if rec.Code != 200 || !strings.HasPrefix(policy, "sandbox; default-src 'none';") || strings.Contains(policy, "script") || !strings.Contains(rec.Body.String(), "<article><h1>Ferry") {
		t.Errorf("preview: %d %q %s", rec.Code, policy, rec.Body)
	}
	for n, want := range map[int]string{4: "It is not in the feed. It waits for an editor", 5: "It was imported 40 min ago", 6: "It expired", 7: "It was withdrawn 1 h ago"} {
		has(t, b.gets("/articles/"+article(n)+"?feed=development", 200), want)
	}
	b.gets("/articles/"+feed.ArticleUUID("no", "article"), 404)
}

func TestPagesOfArticlesFollowWhatHappens(t *testing.T) {
	o := newOffice(t)
	b := o.in("ann", feed.RoleEditor)
	server := httptest.NewServer(o.desk.Handler())
	defer server.Close()
	for _, path := range []string{"/articles/live?feed=production", "/articles/" + article(1) + "/live"} {
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.AddCookie(b.cookie)
		resp, err := server.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := o.store.Withdraw(t.Context(), article(1), "production", "withdraw "+path); err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		for part := make([]byte, 256); !strings.Contains(got.String(), "event: changed"); {
			n, err := resp.Body.Read(part)
			got.Write(part[:n])
			if err != nil {
				t.Fatalf("%s: %v after %q", path, err, got.String())
			}
		}
		cancel()
		_ = resp.Body.Close()
		if _, err := o.store.Publish(t.Context(), article(1), "production", "publish "+path); err != nil {
			t.Fatal(err)
		}
	}
}

func TestNothingThatASourceWritesRunsOnPagesOfArticles(t *testing.T) {
	for _, x := range []string{
		`"><script>alert(1)</script><a href='javascript:alert(2)'>`, `'><img src=x onerror=alert(1)>`, `javascript:alert(1)`, `</pre></title><svg/onload=alert(1)>`,
	} {
		o := newOffice(t, func(opts *deskOptions) {
			opts.Preview = func(context.Context, feed.Article, string) (placement.Preview, error) {
				return placement.Preview{Markup: x, Findings: []validate.Finding{{Severity: validate.Severity(x), Message: x, Place: x, Remedy: x}}, Warnings: []hypertext.Warning{{Message: x, Place: x}}}, nil
			}
			opts.Blocked = func(*feed.Article, string) string { return x }
		})
		a := o.store.articles[article(1)]
		a.Title, a.Canonical, a.GUID, a.Summary, a.Content, a.Image, a.FeedURL = x, x, x, x, x, x, x
		a.Authors, a.Categories, a.Enclosures = []string{x}, []string{x}, []feed.Enclosure{{URL: x}}
		o.store.articles[article(1)] = a
		o.store.versions[article(1)] = []feed.Version{{Title: x, Content: x}, {Title: "t", Content: "c"}}
		o.store.visits = []feed.Visit{{Time: noon, Client: x, Counted: true}}
		b := o.in("ann", feed.RoleEditor)
		for _, path := range []string{"/articles", "/articles?q=" + url.QueryEscape(x), "/articles/" + article(1)} {
			page := b.gets(path, 200)
			for _, bad := range []string{"<script>", "<img", "<svg/", `href="javascript:`, "onerror=alert(1)>\"", `onload=alert(1)>`} {
				if strings.Contains(page, bad) {
					t.Errorf("%s has %q for %q", path, bad, x)
				}
			}
		}
	}
}
