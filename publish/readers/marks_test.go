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

// unread returns the number of unread entries as the page shows it.
func unread(n int) string { return fmt.Sprintf("Unread <span data-unread>%d</span>", n) }

func TestEntriesAreMarkedOnThePage(t *testing.T) {
	d := newDesk(t)
	d.send(201, "PUT", quiet, `{"folder": "Sea"}`)
	one, two := d.write(feed.Entry{Title: "One", Content: "<p>1</p>"}), d.write(feed.Entry{Title: "Two", Content: "<p>2</p>"})
	b := d.browser()
	webtest.Contains(t, b.Get("/read", 200), unread(2), `<h3><a href="/read?folder=Sea" dir="auto">Sea</a> <span class="unread"><span data-unread>2<`, `action="`+one+`/read"`)

	page := b.Follow(one+"/read", url.Values{"back": {"/read?unread=1"}})
	if webtest.Contains(t, page, "The entry is read.", unread(1), ">Two</a>"); strings.Contains(page, ">One</a>") {
		t.Error("a read entry is listed as unread")
	}
	webtest.Contains(t, b.Follow(webtest.UndoPath(t, page), nil), "The entry is unread.", unread(2))

	webtest.Contains(t, b.Get(two, 200), `action="`+two+`/unread"`) // who opens an entry has read it
	webtest.InOrder(t, b.Get("/read", 200), `" class="read">`, "Two", `<li data-row="`+feed.SourceID(storetest.Paused)+`">`, "One")
	b.Follow(two+"/unread", nil)
	if b.Send(http.MethodHead, two, nil); !strings.Contains(b.Get("/read", 200), unread(2)) {
		t.Error("a HEAD request marks the entry as read")
	}
	for _, path := range []string{"/read/entries/x/read", "/read/all"} {
		if rec := b.Send(http.MethodPost, path, nil); rec.Code >= 500 {
			t.Errorf("%s: got %d", path, rec.Code)
		}
	}
}

func TestAllEntriesOfAViewAreMarked(t *testing.T) {
	d := newDesk(t)
	d.send(201, "PUT", quiet, `{"folder": "Sea"}`)
	d.write(feed.Entry{Title: "One"})
	b := d.browser()
	made := fmt.Sprint(d.Clock.Time.Unix())
	later := feed.Entry{FeedURL: storetest.Paused, GUID: "later", Title: "Later", Timestamp: d.Clock.Time.Add(time.Minute)}
	if err := d.SaveEntry(t.Context(), &later); err != nil {
		t.Fatal(err)
	}
	for _, view := range []url.Values{{"folder": {"Land"}}, {"folder": {"Sea"}, "before": {made}}, {"source": {feed.SourceID(storetest.Site)}, "before": {made}}} {
		if view.Get("before") == "" {
			view.Set("before", made)
		}
		b.Send(http.MethodPost, "/read/all", view)
	}
	page := b.Get("/read?unread=1&folder=Sea", 200)
	if webtest.Contains(t, page, "<h1 dir=\"auto\">Sea</h1>", unread(1), ">Later</a>"); strings.Contains(page, ">One</a>") {
		t.Error(page)
	}
	webtest.Contains(t, b.Follow("/read/all", url.Values{"before": {fmt.Sprint(later.Timestamp.Unix())}}), "The entries are read.")
	webtest.Contains(t, b.Get("/read?unread=1", 200), "Everything is read.")
	webtest.Contains(t, b.Get("/read?source="+feed.SourceID(storetest.Paused), 200), ">One</a>", ">Later</a>")
}

func TestEntriesAreSavedOnThePage(t *testing.T) {
	d := newDesk(t)
	d.send(201, "PUT", quiet, `{"title": "Tides"}`)
	path := d.write(feed.Entry{Title: "One", Content: "<p>1</p>"})
	d.write(feed.Entry{Title: "Two"})
	b := d.browser()
	webtest.Contains(t, b.Get("/read/saved", 200), "You have saved no entries.")
	page := b.Follow(path+"/save", nil)
	if webtest.Contains(t, page, "The entry is saved.", "Tides", ">One</a>", `action="`+path+`/unsave"`); strings.Contains(page, ">Two</a>") {
		t.Error(page)
	}
	webtest.Contains(t, b.Follow(webtest.UndoPath(t, page), nil), "The entry is no longer saved.", "You have saved no entries.")

	b.Follow(path+"/save", nil)
	d.send(204, "DELETE", quiet, "")
	d.Visitor.Scopes = []feed.Scope{feed.ScopeFollows} // of a member, who follows the source no longer
	webtest.Contains(t, b.Get("/read/saved", 200), `<b dir="auto">Quiet`, ">One</a>")
	webtest.Contains(t, b.Get(path, 200), "<p>1</p>", "Unsave")
	if rec := b.Send(http.MethodPost, "/read/entries/999/save", nil); rec.Code != 404 {
		t.Errorf("an unknown entry got %d", rec.Code)
	}
}

func TestMarkAllIsUndone(t *testing.T) {
	d := newDesk(t)
	d.send(201, "PUT", quiet, `{}`)
	d.write(feed.Entry{Title: "Read before"})
	for n := range 20 {
		d.write(feed.Entry{Title: fmt.Sprint("Unread ", n)})
	}
	b := d.browser()
	read := webtest.Get[feed.Page[feed.ReaderEntry]](t, d.Desk, "/api/v1/me/feed").Items[20].Number()
	b.Send(http.MethodPost, "/read/entries/"+read+"/read", nil)
	made := fmt.Sprint(d.Clock.Time.Unix())
	undo := "/read/all/" + made + "/undo"
	if to := b.Send(http.MethodPost, "/read/all", url.Values{"before": {made}}).Header().Get("Location"); to != "/read?did=marked_all&to="+made {
		t.Fatalf("leads to %s", to)
	}
	cookie := b.Cookie
	if cookie.Path != "/read/all/"+made || !cookie.HttpOnly {
		t.Errorf("cookie %+v", cookie)
	}
	page := b.Get("/read?did=marked_all&to="+made, 200)
	webtest.Contains(t, page, "The entries are read.", ` hidden>0</span>`)
	if path := webtest.UndoPath(t, page); path != undo {
		t.Errorf("undo by %s", path)
	}
	b.Cookie = cookie
	webtest.Contains(t, b.Follow(undo, nil), "The entries are unread again.", unread(20))

	for _, value := range []string{"", "gA", "!", strings.Repeat("A", 4000)} { // damaged: it marks nothing, or what it names
		b.Cookie = &http.Cookie{Name: cookie.Name, Value: value}
		if rec := b.Send(http.MethodPost, undo, nil); rec.Code != http.StatusSeeOther {
			t.Errorf("%.10q got %d", value, rec.Code)
		}
	}
}

func TestMarkAllOfTooManyEntriesHasNoUndo(t *testing.T) {
	d := newDesk(t)
	d.send(201, "PUT", quiet, `{}`)
	var titles []string
	for n := range feed.MaxKeptUnread + 1 {
		titles = append(titles, fmt.Sprint(n))
	}
	d.save(d.Clock.Time.Add(-time.Hour), titles...)
	b := d.browser()
	page := b.Follow("/read/all", url.Values{"before": {fmt.Sprint(d.Clock.Time.Unix())}})
	if webtest.Contains(t, page, "The entries are read."); strings.Contains(page, "Undo") {
		t.Error("too many entries can be undone")
	}
}
