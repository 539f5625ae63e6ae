package readers_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/publish/web/webtest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// browser returns the browser of the visitor.
func (d *desk) browser() *webtest.Browser { return webtest.NewBrowser(d.t, d) }

// save saves entries of the source storetest.Paused with some titles, the first one newest.
func (d *desk) save(newest time.Time, titles ...string) {
	d.t.Helper()
	source, err := d.Source(d.t.Context(), feed.SourceID(storetest.Paused))
	if err != nil {
		d.t.Fatal(err)
	}
	var doc feed.Document
	for i, title := range titles {
		doc.Entries = append(doc.Entries, feed.Entry{
			FeedURL: source.URL, GUID: title, Title: title, Link: "https://quiet.example/" + url.PathEscape(title),
			Timestamp: newest.Add(-time.Duration(i) * time.Minute),
		})
	}
	if _, err := d.SaveEntries(d.t.Context(), feed.Claim{Source: source}, doc); err != nil {
		d.t.Fatal(err)
	}
}

func TestPersonFollowsAndUnfollowsOnThePage(t *testing.T) {
	d := newDesk(t)
	b := d.browser()
	webtest.Contains(t, b.Get("/read", 200), "Follow your first source", `action="/read/follows"`)
	rec := b.Send(http.MethodPost, "/read/follows", url.Values{"url": {"https://none.example/"}})
	if rec.Code != 422 {
		t.Errorf("got %d", rec.Code)
	}
	webtest.InOrder(t, rec.Body.String(), "No feed found", `value="https://none.example/"`)

	d.save(webtest.Noon().Add(-time.Hour), "Low tide", "High tide")
	page := b.Follow("/read/follows", url.Values{"url": {storetest.Paused}})
	webtest.InOrder(t, page, "You follow the source", "Low tide", "High tide", "1 source", `action="/read/follows"`)
	one := "/read" + quiet
	page = b.Follow(one, url.Values{"title": {"Tides"}, "folder": {"Sea"}})
	webtest.InOrder(t, page, "The follow is changed", `<b dir="auto">Tides</b>`, `<h3><a href="/read?folder=Sea" dir="auto">Sea</a>`)
	view := "/read?source=" + feed.SourceID(storetest.Paused)
	webtest.InOrder(t, b.Follow(one, url.Values{"muted": {"true"}, "back": {view}}), `<h1 dir="auto">Tides</h1>`, "Unmute", "Low tide", "muted")
	page = b.Get("/read", 200)
	if webtest.InOrder(t, page, "have no entries yet", "muted"); strings.Contains(page, "Low tide") {
		t.Error("the page shows entries of a muted source")
	}
	webtest.InOrder(t, b.Follow(one, url.Values{"muted": {"false"}, "back": {view}}), "Mute<", "Low tide")
	webtest.Contains(t, b.Get("/read", 200), "Low tide")
	if rec := b.Send(http.MethodPost, one, url.Values{"folder": {strings.Repeat("x", 201)}}); rec.Code != 422 {
		t.Errorf("a folder that is too long got %d", rec.Code)
	}
	page = b.Follow(one+"/unfollow", nil)
	webtest.Contains(t, page, "You no longer follow the source", "Follow your first source")
	webtest.Contains(t, b.Follow(webtest.UndoPath(t, page), nil), "Low tide")
	if rec := b.Send(http.MethodPost, "/read/follows/000000000000", nil); rec.Code != 404 {
		t.Errorf("an unknown source got %d", rec.Code)
	}
}

func TestEditorChoosesWhatNewMembersFollow(t *testing.T) {
	d := newDesk(t)
	b := d.As(t, "ed", feed.RoleEditor)
	webtest.Contains(t, b.Get("/default-follows", 200), "New members follow nothing")
	webtest.Contains(t, b.Follow("/default-follows", url.Values{"url": {storetest.Paused}}), "New members follow the source", storetest.Paused)
	if rec := b.Send(http.MethodPost, "/default-follows", url.Values{"url": {"https://none.example/"}}); rec.Code != 404 {
		t.Errorf("a source that does not exist got %d", rec.Code)
	}
	if err := d.RemoveSource(t.Context(), feed.SourceID(storetest.Paused), 0); err != nil {
		t.Fatal(err)
	}
	webtest.Contains(t, b.Get("/default-follows", 200), "New members follow nothing")
	remove := "/default-follows/" + feed.SourceID(storetest.Paused) + "/remove"
	webtest.Contains(t, b.Follow(remove, nil), "New members no longer follow the source")
	if rec := b.Send(http.MethodPost, remove, nil); rec.Code != 404 {
		t.Errorf("the second time got %d", rec.Code)
	}
	d.As(t, "vic", feed.RoleViewer).Get("/default-follows", http.StatusForbidden)
}

func TestUndoneUnfollowHasItsSettings(t *testing.T) {
	d := newDesk(t)
	d.send(201, "PUT", quiet, `{"title": "Tides; \"my\" sea", "folder": "Meer, Küste", "muted": true}`)
	b := d.browser()
	before := d.follows()[0]
	b.Send(http.MethodPost, "/read"+quiet+"/unfollow", nil)
	if !strings.HasPrefix(b.Cookie.Path, "/read/follows/") || !b.Cookie.HttpOnly || len(d.follows()) != 0 {
		t.Errorf("follows %+v, cookie %+v", d.follows(), b.Cookie)
	}
	cookie := b.Cookie
	if b.Follow("/read"+quiet, nil); len(d.follows()) != 1 {
		t.Fatal("the unfollow was not undone")
	}
	after := d.follows()[0]
	if after.Since = before.Since; after != before {
		t.Errorf("%+v became %+v", before, after)
	}
	d.send(204, "DELETE", quiet, "")
	cookie.Value, b.Cookie = "damaged", cookie
	if b.Follow("/read"+quiet, nil); len(d.follows()) != 1 || d.follows()[0].Muted {
		t.Errorf("follows after a damaged cookie: %+v", d.follows())
	}
}

func TestEntriesSinceTheLastVisitAreMarked(t *testing.T) {
	d := newDesk(t)
	b := d.browser()
	d.send(201, "PUT", quiet, `{}`)
	marks := func() int { return strings.Count(b.Get("/read", 200), `" class="new">`) }
	d.save(d.Clock.Time, "One")
	if marks() != 0 {
		t.Error("the first visit has marks")
	}
	d.Clock.Advance(2 * time.Hour)
	d.save(d.Clock.Time, "Two", "Three")
	for range 3 { // the visit lasts
		d.Clock.Advance(20 * time.Minute)
		if n := marks(); n != 2 {
			t.Errorf("%d entries are marked", n)
		}
	}
	d.Clock.Advance(31 * time.Minute)
	if marks() != 0 {
		t.Error("entries of the last visit are marked")
	}
	b.Cookie.Value = "x"
	if marks() != 0 {
		t.Error("a damaged cookie marks entries")
	}
}

func TestPagesOfTheTimelineAreLinked(t *testing.T) {
	d := newDesk(t)
	d.send(201, "PUT", quiet, `{}`)
	var titles []string
	for i := range 35 {
		titles = append(titles, fmt.Sprintf("Post %02d.", i))
	}
	d.save(d.Clock.Time, titles...)
	b := d.browser()
	first := b.Get("/read", 200)
	_, next, _ := strings.Cut(first, `href="/read?cursor=`)
	next, _, _ = strings.Cut(next, `"`)
	second := b.Get("/read?cursor="+next, 200)
	if strings.Count(first, "data-row") != 30 || strings.Count(second, "data-row") != 5 || strings.Contains(second, "Next page") {
		t.Errorf("the pages have %d and %d entries", strings.Count(first, "data-row"), strings.Count(second, "data-row"))
	}
	webtest.Contains(t, second, "Post 30.", "Post 34.", "First page")
	b.Get("/read?cursor=x", 422)
}

func TestHostileEntriesDoNothingOnThePage(t *testing.T) {
	d := newDesk(t)
	d.send(201, "PUT", quiet, `{"title": "<script>1</script>", "folder": "<b>"}`)
	e := feed.Entry{
		FeedURL: storetest.Paused, GUID: "x", Title: `<script>alert(1)</script>`, Link: `javascript:alert(1)`, Timestamp: webtest.Noon(),
	}
	if err := d.SaveEntry(t.Context(), &e); err != nil {
		t.Fatal(err)
	}
	page := d.browser().Get("/read", 200)
	if webtest.HoldsScript(page) || strings.Contains(page, "href=\"javascript:") || !strings.Contains(page, "&lt;script&gt;alert") {
		t.Error(page)
	}
}

func TestVisitorsWithoutAnAccountHaveNoTimeline(t *testing.T) {
	d := newDesk(t)
	d.Visitor = feed.Visitor{Name: "zoe", Scopes: feed.RoleViewer.Scopes()}
	b := d.browser()
	webtest.Contains(t, b.Get("/read", 200), "Only people with an account", "Ask an admin")
	if rec := b.Send(http.MethodPost, "/read/follows", url.Values{"url": {storetest.Paused}}); rec.Code != 422 {
		t.Errorf("got %d", rec.Code)
	}
}
