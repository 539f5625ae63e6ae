package daemon

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/publish/placement"
	"github.com/feedwire/feedwire/store/feed"
)

// An article that breaks the format stays out of the feed, and every page and command that shows it has the reason.
func TestABlockedArticleSaysWhy(t *testing.T) {
	t.Parallel()
	d, web, src := startFor(t)
	web.Set("/feed.xml", wiretest.Post("good", "Good", "<p>Good.</p>"), wiretest.Post("bad?p=1", "Bad", "<p>Bad.</p>"))
	d.poll(src)
	good, bad := feed.ArticleUUID(src.URL, "good"), feed.ArticleUUID(src.URL, "bad?p=1")
	const why = "has a query or a fragment"
	for _, uuid := range []string{good, bad} {
		wiretest.Eventually(t, "an article", func() bool { return known(d, uuid) })
	}
	if text := must(t, "article", "list", "--feed", "production"); strings.Count(text, "unpublished, would be blocked") != 1 {
		t.Errorf("before publication, article list says\n%s", text)
	}
	for _, uuid := range []string{good, bad} {
		if text := must(t, "article", "publish", uuid); strings.Contains(text, why) != (uuid == bad) {
			t.Errorf("article publish says\n%s", text)
		}
	}
	if _, guids, _ := d.fetch("production", "curl/8", nil); !cmp.Equal(guids, []string{good}) {
		t.Errorf("the feed holds %v", guids)
	}

	for _, a := range d.articles("feed=production") {
		if held := a.Feeds["production"].Blocked; strings.Contains(held, why) != (a.UUID == bad) {
			t.Errorf("%s: the list says %q", a.Title, held)
		}
	}
	if text := must(t, "article", "show", bad); !strings.Contains(text, "blocked: ") || !strings.Contains(text, why) {
		t.Errorf("article show says\n%s", text)
	}
	if text := must(t, "article", "list"); strings.Count(text, "published, blocked") != 1 {
		t.Errorf("article list says\n%s", text)
	}
	var v placement.Preview
	d.do(http.MethodGet, "/api/v1/articles/"+bad+"/preview?feed=production", nil, &v)
	if !strings.Contains(v.Blocked, why) || len(v.Findings) != 1 || v.Findings[0].Rule != "canonical-query" || v.Findings[0].Remedy == "" ||
		!strings.Contains(v.Markup, "<p>Bad.</p>") {
		t.Errorf("the preview is %+v", v)
	}
	v = placement.Preview{}
	d.do(http.MethodGet, "/api/v1/articles/"+good+"/preview", nil, &v)
	if v.Blocked != "" || len(v.Findings) != 0 {
		t.Errorf("the preview of a good one is %+v", v)
	}
}

// known reports whether an article has been made of its entry.
func known(d *daemon, uuid string) bool {
	for _, a := range d.articles("") {
		if a.UUID == uuid {
			return true
		}
	}
	return false
}
