package readers_test

import (
	"bytes"
	"context"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/publish/web/webtest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// imports sends an OPML document with some outlines and returns the result.
func (d *desk) imports(outlines string) web.Bulk {
	d.t.Helper()
	rec := d.Call("POST", "/api/v1/me/opml", `<opml version="2.0"><body>`+outlines+`</body></opml>`)
	if rec.Code != 207 {
		d.t.Fatalf("got %d: %s", rec.Code, rec.Body)
	}
	return webtest.Read[web.Bulk](d.t, rec)
}

func TestExportedFollowsAreImportedAsTheyWere(t *testing.T) {
	d := newDesk(t)
	d.send(201, "PUT", site, `{"title": "Mine & yours", "folder": "Sea, land/Paris, Île-de-France"}`)
	d.send(201, "PUT", quiet, `{"muted": true}`)
	before := d.follows()
	file := d.send(200, "GET", "/opml", "")
	webtest.Contains(t, file, "<title>Follows of "+d.Visitor.Account.Name+"</title>")
	for _, path := range []string{site, quiet} {
		d.send(204, "DELETE", path, "")
	}
	large := strings.Replace(file, "</opml>", strings.Repeat(" ", 5<<20)+"</opml>", 1) // 5,000 follows with long titles
	done := webtest.Read[web.Bulk](t, d.Call("POST", "/api/v1/me/opml", large))
	after := d.follows()
	if done.Done != 2 || done.Failed != 0 || len(after) != 2 {
		t.Fatalf("imported %+v: %+v", done, after)
	}
	for i := range after {
		if after[i].Name != before[i].Name || after[i].Folder != before[i].Folder || after[i].FeedURL != before[i].FeedURL ||
			after[i].Muted != before[i].Muted {
			t.Errorf("%+v became %+v", before[i], after[i])
		}
	}
	d.send(200, "PUT", site, `{"folder": "Other"}`)
	if done := webtest.Read[web.Bulk](t, d.Call("POST", "/api/v1/me/opml", file)); done.Items[0].Status != 200 || d.follows()[1].Folder != "Other" {
		t.Errorf("a follow that exists has changed: %+v", done)
	}
}

func TestImportReportsEachOutline(t *testing.T) {
	d := newDesk(t)
	done := d.imports(`<outline text="City"><outline text="New" xmlUrl="https://new.example/feed"/></outline>
<outline text="Bad" xmlUrl="ftp://x.example/"/><outline text="Known" xmlUrl="` + storetest.Paused + `"/>`)
	if done.Done != 2 || done.Failed != 1 || done.Items[0].Status != 201 || done.Items[1].Status != 400 || done.Items[2].Status != 201 {
		t.Errorf("got %+v", done)
	}
	source, err := d.Source(t.Context(), feed.SourceID("https://new.example/feed"))
	if err != nil || len(source.Feeds) != 0 || len(d.fetched) != 0 {
		t.Errorf("added %+v, %v; fetched %v", source, err, d.fetched)
	}
	if all := d.follows(); len(all) != 2 || all[0].Folder != "City" || all[0].Name != "New" {
		t.Errorf("follows %+v", all)
	}
	for _, body := range []string{"", "no OPML", `<html></html>`} {
		d.send(400, "POST", "/opml", body)
	}
}

func TestImportAddsAsManySourcesAsFollowingDoes(t *testing.T) {
	outlines := func(host string) string {
		var b strings.Builder
		for i := range feed.MaxFetches + 5 {
			fmt.Fprintf(&b, `<outline text="T" xmlUrl="https://%s.example/%d"/>`, host, i)
		}
		return b.String()
	}
	d := newDesk(t)
	done := d.imports(outlines("one"))
	if done.Done != feed.MaxFetches || done.Failed != 5 || done.Items[feed.MaxFetches].Status != 429 ||
		done.Items[feed.MaxFetches].Problem.Detail != "an account can follow 20 new addresses in an hour" {
		t.Errorf("got %+v", done)
	}
	d.Visitor.Scopes = feed.RoleEditor.Scopes()
	if done := d.imports(outlines("two")); done.Failed != 0 {
		t.Errorf("of an editor, %d failed", done.Failed)
	}
}

// uploads sends a file in the form of the page, and returns the response.
func (d *desk) uploads(file string) *httptest.ResponseRecorder {
	d.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	if file != "" {
		part, _ := form.CreateFormFile("file", "follows.opml")
		_, _ = part.Write([]byte(file))
	}
	_ = form.Close()
	r := httptest.NewRequest(http.MethodPost, "/read/opml", &body)
	r.Header.Set("Content-Type", form.FormDataContentType())
	rec := httptest.NewRecorder()
	d.ServeHTTP(rec, r)
	return rec
}

func TestFileIsImportedByTheForm(t *testing.T) {
	d := newDesk(t)
	webtest.Contains(t, d.browser().Get("/read", 200), `action="/read/opml" enctype="multipart/form-data"`)
	d.send(201, "PUT", quiet, "{}")
	webtest.Contains(t, d.browser().Get("/read", 200), "<summary>Import from OPML</summary>", `action="/read/opml"`)
	file := `<opml version="2.0"><body><outline text="City"><outline text="New" xmlUrl="https://new.example/feed"/></outline>
<outline text="Bad" xmlUrl="ftp://x.example/"/><outline text="Known" xmlUrl="` + storetest.Paused + `"/></body></opml>`
	rec := d.uploads(file)
	page := rec.Body.String()
	webtest.InOrder(t, page, "1 source cannot be followed.", "1 followed · 1 followed before · 1 refused", "ftp://x.example/", "http")
	if all := d.follows(); rec.Code != 200 || len(all) != 2 || all[0].Folder != "City" || strings.Contains(page, "Import it again") {
		t.Errorf("got %d, follows %+v:\n%s", rec.Code, all, page)
	}
	for what, file := range map[string]string{
		"Choose an OPML file.": "", "larger than 8 MiB": strings.Repeat(" ", 8<<20+1), "larger": strings.Repeat(" ", 9<<20), "The document is not OPML": "no OPML",
	} {
		if rec := d.uploads(file); rec.Code != 422 && rec.Code != 400 || !strings.Contains(rec.Body.String(), what) || !strings.Contains(rec.Body.String(), "<details class=\"card\" open>") {
			t.Errorf("%s: got %d\n%s", what, rec.Code, rec.Body)
		}
	}
	d.Visitor = feed.Visitor{}
	if rec := d.uploads(file); rec.Code != 401 {
		t.Errorf("a stranger gets %d", rec.Code)
	}
}

// slowStore is a store in which it takes 4 seconds to add a source.
type slowStore struct{ *storetest.Newsroom }

func (s slowStore) AddSource(ctx context.Context, source feed.Source) (feed.Source, bool, error) {
	s.Clock.Time = s.Clock.Time.Add(4 * time.Second)
	return s.Newsroom.AddSource(ctx, source)
}

func TestImportTakesTenSecondsAndIsContinued(t *testing.T) {
	n := storetest.NewNewsroom(t)
	d := newDeskOver(t, n, slowStore{n})
	var outlines strings.Builder
	for i := range 5 {
		fmt.Fprintf(&outlines, `<outline text="%d" xmlUrl="https://new.example/%[1]d"/>`, i)
	}
	for request, want := range [][]int{{201, 201, 201, 429, 429}, {200, 200, 200, 201, 201}} {
		done := d.imports(outlines.String())
		for i, item := range done.Items {
			if item.Status != want[i] {
				t.Errorf("request %d, source %d: got %d, want %d: %+v", request, i, item.Status, want[i], item.Problem)
			}
		}
	}
	file := "<opml><body>" + strings.ReplaceAll(outlines.String(), "new.example", "other.example") + "</body></opml>"
	webtest.InOrder(t, d.uploads(file).Body.String(), "2 sources of the file remain. Import it again to continue.", "3 followed · 0 followed before · 0 refused", `action="/read/opml"`)
	webtest.Contains(t, d.uploads(file).Body.String(), "Imported.", "2 followed · 3 followed before · 0 refused")
}
