package entries_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/publish/web/webtest"
	"github.com/feedwire/feedwire/store/feed"
)

func TestEntryIsWrittenOnAPage(t *testing.T) {
	d, n := newDesk(t)
	b := d.As(t, "ann", feed.RoleEditor)
	base := "/sources/" + feed.SourceID(notes) + "/entries"
	webtest.Contains(t, b.Get(base+"/add", http.StatusOK), `action="`+base+`"`, "Preview")
	form := url.Values{"title": {"High water"}, "content": {`<p onclick="x()">Now</p><img src="https://a.example/x.png"><script>alert(1)</script>`}, "authors": {"Ann, Ben"}, "preview": {"1"}}
	preview := b.Send(http.MethodPost, base, form)
	if page := preview.Body.String(); !strings.Contains(page, "<p>Now</p>") || webtest.HoldsScript(page) || strings.Contains(page, `<img`) || len(titles(t, n)) != 0 {
		t.Errorf("previewed, with entries %v:\n%s", titles(t, n), page)
	}
	form.Del("preview")
	page := b.Follow(base, form)
	webtest.Contains(t, page, "High water", "<p>Now</p>", "Ann, Ben", "Saved", "Take down")
	form.Set("link", "/relative")
	if rec := b.Send(http.MethodPost, base, form); rec.Code != http.StatusUnprocessableEntity || !strings.Contains(rec.Body.String(), "Link: ") {
		t.Errorf("an invalid entry: %d %s", rec.Code, rec.Body)
	}
}

func TestEntryIsEditedOnAPageUnlessSomeoneElseDid(t *testing.T) {
	d, n := newDesk(t)
	made := webtest.Read[feed.Entry](t, call(t, d, http.MethodPost, all, `{"title": "One", "language": "de", "categories": [{"term": "a", "label": "A"}]}`, http.StatusCreated))
	b, path := d.As(t, "ann", feed.RoleEditor), "/entries/"+made.Number()
	_, rest, _ := strings.Cut(b.Get(path+"/edit", http.StatusOK), `name="seen" value="`)
	seen, _, _ := strings.Cut(rest, `"`)
	form := url.Values{"seen": {seen}, "title": {"Two"}, "categories": {"A"}}
	webtest.Contains(t, b.Follow(path+"/edit", form), "Two")
	got, err := n.EntryByGUID(t.Context(), notes, made.GUID)
	if err != nil || got.Title != "Two" || got.Extra["language"] != "de" || got.Extra["categories"] != made.Extra["categories"] {
		t.Errorf("stored %+v, %v", got, err)
	}
	if rec := b.Send(http.MethodPost, path+"/edit", form); rec.Code != http.StatusConflict && rec.Code != http.StatusPreconditionFailed {
		t.Errorf("the form of an older version: %d %s", rec.Code, rec.Body)
	}
}

func TestEntryIsTakenDownOnAPage(t *testing.T) {
	d, n := newDesk(t)
	made := webtest.Read[feed.Entry](t, call(t, d, http.MethodPost, all, `{"title": "One"}`, http.StatusCreated))
	b, path := d.As(t, "ann", feed.RoleEditor), "/entries/"+made.Number()
	webtest.Contains(t, b.Get(path+"/remove", http.StatusOK), "You cannot restore it")
	if rec := b.Send(http.MethodPost, path+"/remove", nil); rec.Code != http.StatusSeeOther || len(titles(t, n)) != 0 {
		t.Errorf("got %d; entries are %v", rec.Code, titles(t, n))
	}
	b.Get(path, http.StatusNotFound)
	viewer := d.As(t, "vic", feed.RoleViewer)
	if rec := viewer.Send(http.MethodPost, path+"/remove", nil); rec.Code != http.StatusForbidden {
		t.Errorf("a viewer got %d", rec.Code)
	}
}

func TestEntryPageShowsAllFields(t *testing.T) {
	d, _ := newDesk(t)
	body := `{"title": "One", "authors": ["Ann"], "author_details": [{"name": "Ann", "url": "https://a.example/ann"}],
		"enclosures": [{"url": "https://a.example/1.mp3", "type": "audio/mpeg", "length": 12216320, "credits": [{"name": "Cy", "role": "editor"}]}],
		"media": [{"url": "https://a.example/1.jpg", "rel": "thumbnail", "width": 300, "height": 200}], "image": "https://a.example/1.jpg",
		"duration": 3723, "explicit": false, "comment_count": 3, "rights": "© Ann", "geo_point": "53.5 9.9", "youtube_video": "dQw4w9WgXcQ",
		"contributors": [{"name": "Ben"}], "persons": [{"name": "Di", "role": "host"}],
		"chapters": [{"start": 0, "title": "Start"}, {"start": 62.5, "title": "End", "url": "https://a.example/end"}],
		"transcripts": [{"url": "https://a.example/1.vtt", "type": "text/vtt", "language": "de"}]}`
	made := webtest.Read[feed.Entry](t, call(t, d, http.MethodPost, all, body, http.StatusCreated))
	page := d.As(t, "vic", feed.RoleViewer).Get("/entries/"+made.Number(), http.StatusOK)
	webtest.Contains(t, page, `href="https://a.example/ann">Ann<`, `>https://a.example/1.mp3</a> <span class="quiet" dir="auto">(audio/mpeg, 12.2 MB, editor Cy)<`,
		`>https://a.example/1.jpg</a> <span class="quiet" dir="auto">(thumbnail, 300 × 200)<`, "1:02:03", "Comment count", "© Ann", "53.5 9.9", "YouTube video",
		"Ben", `Di</span> <span class="quiet" dir="auto">(host)<`, "<dt>Explicit</dt><dd><span dir=\"auto\">no<",
		"Chapter", "0:00 Start", `href="https://a.example/end">1:02 End<`, `>https://a.example/1.vtt</a> <span class="quiet" dir="auto">(text/vtt, de)<`)
}

func TestPostsAreWrittenByTheirMemberOnly(t *testing.T) {
	d, n := newDesk(t)
	member := feed.MemberURL(7)
	source, _, err := n.AddSource(t.Context(), feed.Source{URL: member})
	if err != nil {
		t.Fatal(err)
	}
	post := feed.Entry{FeedURL: member, GUID: "1", Title: "One", Timestamp: n.Clock.Now()}
	if err := n.SaveEntry(t.Context(), &post); err != nil {
		t.Fatal(err)
	}
	theirs := "/api/v1/sources/" + source.ID + "/entries"
	for _, r := range []struct{ method, path, body string }{
		{"POST", theirs, `{"title": "Two"}`}, {"PUT", theirs + "/1", `{"title": "Two"}`}, {"POST", theirs + "/bulk", `{"entries": [{"title": "Two"}]}`},
	} {
		if text := call(t, d, r.method, r.path, r.body, http.StatusConflict).Body.String(); !strings.Contains(text, "only the member") {
			t.Error(text)
		}
	}
	b, path := d.As(t, "ann", feed.RoleEditor), "/entries/"+post.Number()
	b.Get("/sources/"+source.ID+"/entries/add", http.StatusConflict)
	b.Get(path+"/edit", http.StatusConflict)
	for _, form := range []string{"/sources/" + source.ID + "/entries", path + "/edit"} {
		if rec := b.Send(http.MethodPost, form, url.Values{"title": {"Two"}}); rec.Code != http.StatusConflict || !strings.Contains(rec.Body.String(), "nly the member") {
			t.Errorf("%s: %d %s", form, rec.Code, rec.Body)
		}
	}
	if page := b.Get(path, http.StatusOK); strings.Contains(page, path+"/edit") || !strings.Contains(page, "Take down") {
		t.Error(page)
	}
	if got, err := n.Entries(t.Context(), member, 10); err != nil || len(got) != 1 || got[0].Title != "One" {
		t.Errorf("the posts are %+v, %v", got, err)
	}
	if rec := b.Send(http.MethodPost, path+"/remove", nil); rec.Code != http.StatusSeeOther {
		t.Errorf("the takedown got %d", rec.Code)
	}
}
