package readers_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/publish/web/webtest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// write saves an entry of the source storetest.Paused, from noon if it has no time, and returns its path below /read.
func (d *desk) write(e feed.Entry) string {
	d.t.Helper()
	e.FeedURL, e.GUID = storetest.Paused, e.Title
	if e.Timestamp.IsZero() {
		e.Timestamp = webtest.Noon()
	}
	if err := d.SaveEntry(d.t.Context(), &e); err != nil {
		d.t.Fatal(err)
	}
	return "/read/entries/" + e.Number()
}

func TestTextOfAnEntryLoadsImagesFromThisSiteOnly(t *testing.T) {
	d := newDesk(t)
	d.send(201, "PUT", quiet, `{}`)
	path := d.write(feed.Entry{Title: "Quay", Link: "https://quiet.example/quay", Content: `<p onclick="x">One</p><img src="/a.png" srcset="/b.png 2x">` +
		`<video src="/c.mp4"></video><iframe src="https://youtube.com/embed/1"></iframe><script>alert(1)</script><pre>x</pre>`})
	for _, page := range []string{d.browser().Get(path, 200), d.browser().Get("/read?layout=full", 200)} {
		webtest.InOrder(t, page, "<p>One</p>", `<img loading="lazy" alt="" src="/image?https://quiet.example/a.png"/>`,
			`<a href="https://quiet.example/c.mp4">`, `<a href="https://youtube.com/embed/1">`, `<pre tabindex="0">x</pre>`)
		if webtest.HoldsScript(page) || strings.Contains(page, "onclick") || strings.Contains(page, "b.png") || strings.Contains(page, "<iframe") {
			t.Error(page)
		}
	}
}

func TestFilesOfAnEntryMayBePlayed(t *testing.T) {
	d := newDesk(t)
	d.send(201, "PUT", quiet, `{}`)
	path := d.write(feed.Entry{Title: "Episode", Extra: map[string]string{
		feed.FieldEnclosures: `[{"url":"https://quiet.example/1.mp3","length":23000000,"duration":1450},{"url":"https://quiet.example/plan.pdf"}]`,
	}})
	rec := d.browser().Send(http.MethodGet, path, nil)
	webtest.InOrder(t, rec.Body.String(), `<audio controls preload="none" src="https://quiet.example/1.mp3"`, "audio/mpeg, 23.0 MB, 24 min", `>plan.pdf</a>`)
	if policy := rec.Header().Get("Content-Security-Policy"); !strings.HasSuffix(policy, "; media-src http: https:") {
		t.Errorf("policy %q", policy)
	}
}

func TestEntriesAreListedWithExcerptAndPicture(t *testing.T) {
	d := newDesk(t)
	d.send(201, "PUT", quiet, `{}`)
	d.write(feed.Entry{Title: "Quay", Content: `<img src="https://quiet.example/dot.gif" width="1" height="1"><img src="https://quiet.example/a.png"><p>Low &amp; wide</p>`})
	d.write(feed.Entry{Title: "Echo of a title", Summary: "Echo of a title"})
	d.write(feed.Entry{Title: "ميناء", Extra: map[string]string{feed.FieldLanguage: "fa"}})
	page := d.browser().Get("/read", 200)
	webtest.Contains(t, page, `<img class="picture" src="/image?https://quiet.example/a.png" alt="" loading="lazy">`,
		`<p class="excerpt" dir="auto">Low &amp; wide</p>`, `dir="rtl" lang="fa">ميناء`)
	if strings.Count(page, "picture") != 1 || strings.Count(page, "excerpt") != 1 {
		t.Error(page)
	}
}

func TestLayoutIsKept(t *testing.T) {
	d := newDesk(t)
	d.send(201, "PUT", quiet, `{}`)
	d.write(feed.Entry{Title: "Quay", Content: "<p>Low</p>"})
	b := d.browser()
	for _, b.Cookie = range b.Send(http.MethodGet, "/read?layout=cards", nil).Result().Cookies() {
		if b.Cookie.Name == "feedwire_layout" {
			break
		}
	}
	webtest.Contains(t, b.Get("/read", 200), `<ol class="timeline cards">`, `<a href="/read?layout=cards" aria-current="true">Cards</a>`)
	b.Cookie = &http.Cookie{Name: "feedwire_layout", Value: `"><script>`}
	webtest.Contains(t, b.Get("/read?layout=none", 200), `<ol class="timeline list">`)
}

func TestMembersReadEntriesOfTheirSourcesOnly(t *testing.T) {
	d := newDesk(t)
	path := d.write(feed.Entry{Title: "Quay", Content: "<p>Low</p>"})
	d.browser().Get(path, 200) // a viewer may read all entries
	d.Visitor.Scopes = []feed.Scope{feed.ScopeFollows}
	if page := d.browser().Get(path, 404); strings.Contains(page, "Low") {
		t.Error(page)
	}
	d.send(201, "PUT", quiet, `{"title": "Tides"}`)
	webtest.InOrder(t, d.browser().Get(path, 200), "Tides", "<h1", "Quay", "<p>Low</p>")
	for _, n := range []string{"999", "x", "-1", "1e3"} {
		d.browser().Get("/read/entries/"+n, 404)
	}
}

func TestEntriesLeadToTheNextOne(t *testing.T) {
	d := newDesk(t)
	d.send(201, "PUT", quiet, `{}`)
	second := d.write(feed.Entry{Title: "Two"})
	first := d.write(feed.Entry{Title: "One"}) // same time, higher number
	webtest.Contains(t, d.browser().Get(first, 200), `<a href="`+second+`" rel="next">`)
	if page := d.browser().Get(second, 200); strings.Contains(page, `rel="next"`) {
		t.Error(page)
	}
}
