package sources_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/publish/web/webtest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestSourcesThatNeedAttentionComeFirst(t *testing.T) {
	d, _ := newDesk(t)
	html := page(t, d, "/sources")
	webtest.InOrder(t, html, "2 sources need attention.", `aria-current="true">all <span>4</span>`, "failing <span>1</span>",
		storetest.Gone, "Новости гавани", "3 failures in a row", "Quiet Notes", "not polled while paused", "The Harbour Post")
	webtest.Contains(t, html, `<a href="/sources" aria-current="page">sources</a>`)
	webtest.Contains(t, page(t, d, "/sources/"+feed.SourceID(storetest.Site)), `<a href="/sources" aria-current="true">sources</a>`)
	none, _ := emptyDesk(t)
	if html := page(t, none, "/sources"); !strings.Contains(html, "There are no sources yet.") || !strings.Contains(html, `href="/sources/add"`) {
		t.Errorf("the empty page does not lead on:\n%s", html)
	}
}

func TestSourcesAreFoundByTextAndState(t *testing.T) {
	d, _ := newDesk(t)
	for path, want := range map[string][]string{
		"/sources?q=HARBOUR":             {"The Harbour Post"},
		"/sources?q=гавани":              {"Новости гавани"},
		"/sources?q=development":         {"The Harbour Post"},
		"/sources?state=paused":          {"Quiet Notes"},
		"/sources?q=quiet&state=failing": {"No source matches."},
	} {
		_, html, _ := strings.Cut(page(t, d, path), "List of sources")
		for _, name := range []string{"The Harbour Post", "Новости гавани", "Quiet Notes", "No source matches."} {
			if strings.Contains(html, name) != slices.Contains(want, name) {
				t.Errorf("%s: %q is shown: %v", path, name, strings.Contains(html, name))
			}
		}
	}
}

func TestSourcesComeInPages(t *testing.T) {
	d, n := emptyDesk(t)
	for i := range 120 {
		if _, _, err := n.AddSource(t.Context(), feed.Source{URL: fmt.Sprintf("https://source%03d.example/", i)}); err != nil {
			t.Fatal(err)
		}
	}
	seen, path := 0, "/sources?q=source"
	for path != "" {
		html := page(t, d, path)
		seen += strings.Count(html, `scope="row"`)
		next := regexp.MustCompile(`href="([^"]*)" rel="next"`).FindStringSubmatch(html)
		path = ""
		if next != nil {
			path = strings.ReplaceAll(next[1], "&amp;", "&")
		}
	}
	if seen != 120 {
		t.Errorf("the pages show %d sources", seen)
	}
	webtest.InOrder(t, page(t, d, "/sources?q=source&page=2"), `href="/sources?q=source" rel="prev"`, "51 to 100 of 120", `page=3`)
	if html := page(t, d, "/sources?page=9"); strings.Contains(html, `scope="row"`) {
		t.Error("a page behind the last one shows sources")
	}
}

func TestListLeadsToEachSource(t *testing.T) {
	d, _ := newDesk(t)
	html := page(t, d, "/sources")
	for _, url := range []string{storetest.Site, storetest.Slow, storetest.Gone, storetest.Paused} {
		if !strings.Contains(html, `href="/sources/`+feed.SourceID(url)+`"`) {
			t.Errorf("no link to %s", url)
		}
	}
}

func TestReadersSeeNoButtons(t *testing.T) {
	d, _ := newDesk(t)
	b := d.As(t, "rea", feed.RoleViewer)
	for _, path := range []string{"/sources", "/sources/" + feed.SourceID(storetest.Site)} {
		_, inside, _ := strings.Cut(b.Get(path, 200), "<main")
		if strings.Contains(inside, `method="post"`) || strings.Contains(inside, "/sources/add") {
			t.Errorf("%s offers a reader what it may not do", path)
		}
	}
}

func TestSourcesWithOneCauseAreResolvedTogether(t *testing.T) {
	d, n := newDesk(t)
	const target = "https://harbour.example/new.xml"
	moved := stored(t, n, storetest.Site)
	moved.Poll.Move = feed.Move{To: target, Since: n.Clock.Now(), Seen: 1}
	n.SetSource(t, moved)
	html := page(t, d, "/sources")
	webtest.InOrder(t, html, "<b>1</b> Moved permanently", "The Harbour Post", "Use the new addresses", "<b>1</b> Gone", storetest.Gone, "Remove", "List of sources")
	if _, list, _ := strings.Cut(page(t, d, "/sources?cause=moved"), "List of sources"); !strings.Contains(list, "The Harbour Post") || strings.Contains(list, storetest.Gone) {
		t.Error("the filter shows other sources")
	}
	b := d.As(t, "ann", feed.RoleAdmin)
	undo := func(do, id, notice string) {
		t.Helper()
		rec := b.Send(http.MethodPost, "/sources/bulk/"+do, url.Values{"sources": {id}})
		html := b.Get(rec.Header().Get("Location"), 200)
		fields := regexp.MustCompile(`action="(/sources/bulk/\w+)">.*name="sources" value="([^"]+)"`).FindStringSubmatch(html)
		if rec.Code != http.StatusSeeOther || !strings.Contains(html, notice) || fields == nil || fields[2] != id {
			t.Fatalf("%s: %d %q, to undo %q:\n%s", do, rec.Code, notice, fields, html)
		}
		site := stored(t, n, storetest.Site)
		if do == "adopt" && site.Address() != target || do == "remove" && stored(t, n, storetest.Gone).ID != "" {
			t.Errorf("%s did nothing", do)
		}
		if rec := b.Send(http.MethodPost, fields[1], url.Values{"sources": {id}}); rec.Code != http.StatusSeeOther {
			t.Errorf("undo %s: %d", do, rec.Code)
		}
	}
	undo("adopt", moved.ID, "The source is polled at its new address.")
	undo("remove", feed.SourceID(storetest.Gone), "Removed 1 source.")
	if site := stored(t, n, storetest.Site); site.Address() != storetest.Site || stored(t, n, storetest.Gone).ID == "" {
		t.Error("the changes are not undone")
	}
	log, err := n.Audit(t.Context(), "", 10)
	if err != nil || len(log) != 4 || !strings.Contains(log[3].After, "polled at "+target) || log[1].Action != "source_remove" || log[0].Action != "source_restore" {
		t.Errorf("the audit log has %+v, %v", log, err)
	}
	if rec := b.Send(http.MethodPost, "/sources/bulk/adopt", url.Values{"sources": {moved.ID}}); rec.Code != http.StatusConflict {
		t.Errorf("a source without a redirect: %d", rec.Code)
	}
}
