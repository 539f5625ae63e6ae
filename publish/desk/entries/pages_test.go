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
