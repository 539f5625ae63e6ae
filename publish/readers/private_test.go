package readers_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/publish/web/webtest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

const paid = "https://paid.example/feed"

// newPaid returns an app of a member, the path of a source that is fetched with a password, and the number of an entry of it.
func newPaid(t *testing.T) (a *app, path, entry string) {
	t.Helper()
	a = newApp(t)
	source, _, err := a.AddSource(t.Context(), feed.Source{URL: paid, Request: feed.Request{Username: "wire", Password: "secret"}})
	if err != nil {
		t.Fatal(err)
	}
	e := feed.Entry{FeedURL: paid, GUID: "1", Title: "Quay", Content: "<p>Low</p>", Timestamp: webtest.Noon()}
	if err := a.SaveEntry(t.Context(), &e); err != nil {
		t.Fatal(err)
	}
	a.Visitor.Scopes = feed.RoleMember.Scopes()
	return a, "/follows/" + source.ID, e.Number()
}

func TestMembersCannotFollowPrivateSources(t *testing.T) {
	a, path, _ := newPaid(t)
	for method, body := range map[string]string{"PUT": "{}", "POST": `{"url": "` + paid + `"}`} {
		at := map[string]string{"PUT": path, "POST": "/follows"}[method]
		if text := a.send(422, method, at, body); !strings.Contains(text, "fetched with credentials") {
			t.Error(text)
		}
	}
	done := a.imports(`<outline text="Paid" xmlUrl="` + paid + `"/>`)
	if done.Done != 0 || done.Items[0].Status != 422 {
		t.Errorf("the import did %+v", done)
	}
	a.call(422, "/reader/api/0/subscription/quickadd", url.Values{"quickadd": {paid}})
	a.call(422, "/reader/api/0/subscription/edit", url.Values{"ac": {"subscribe"}, "s": {"feed/" + paid}})
	b := a.browser()
	for _, form := range []struct {
		path   string
		values url.Values
	}{{"/read/follows", url.Values{"url": {paid}}}, {"/read" + path, nil}} {
		if rec := b.Send(http.MethodPost, form.path, form.values); rec.Code != 422 {
			t.Errorf("%s got %d", form.path, rec.Code)
		}
	}
	if all := a.follows(); len(all) != 0 {
		t.Fatalf("a member follows %+v", all)
	}
	if err := a.AddDefaultFollow(t.Context(), paid); err != nil {
		t.Fatal(err)
	}
	a.send(201, "PUT", path, "{}")
	if err := a.RemoveDefaultFollow(t.Context(), paid); err != nil {
		t.Fatal(err)
	}
	a.send(200, "PUT", path, `{"folder": "Sea"}`)
}

func TestKeysOfMembersLeadToTheirPages(t *testing.T) {
	d := newDesk(t)
	webtest.Contains(t, d.browser().Get("/read", 200), "overview, inbox, articles", "<kbd>/</kbd>")
	d.Visitor.Scopes = feed.RoleMember.Scopes()
	page := d.browser().Get("/read", 200)
	webtest.Contains(t, page, "<kbd>g</kbd> then <kbd>r</kbd>", "<kbd>m</kbd>")
	if strings.Contains(page, "overview, inbox, articles") || strings.Contains(page, "<kbd>/</kbd>") { // there is no index to search
		t.Error(page)
	}
}

func TestMembersCannotSaveEntriesOfOtherSources(t *testing.T) {
	a, path, n := newPaid(t)
	a.send(404, "PUT", "/saved/"+n, "")
	a.edit([]string{n}, longForm, "starred", "")
	if rec := a.browser().Send(http.MethodPost, "/read/entries/"+n+"/save", nil); rec.Code != 404 {
		t.Errorf("the form got %d", rec.Code)
	}
	a.browser().Get("/read/entries/"+n, 404)
	if all := webtest.Get[feed.Page[feed.ReaderEntry]](t, a.Desk, "/api/v1/me/saved").Items; len(all) != 0 {
		t.Errorf("a member has saved %+v", all)
	}
	if all := a.contents([]string{n}, 1, longForm); len(all) != 0 {
		t.Errorf("an app reads %v", all)
	}
	a.Visitor.Scopes = feed.RoleViewer.Scopes()
	a.send(201, "PUT", path, "{}")
	a.Visitor.Scopes = feed.RoleMember.Scopes()
	a.send(204, "PUT", "/saved/"+n, "")
}

func TestExpiredEntryIsForThoseWhoSavedIt(t *testing.T) {
	a := newApp(t)
	a.Visitor.Scopes = feed.RoleMember.Scopes()
	entry := a.write(feed.Entry{Title: "Old", Content: "<p>Low"})
	n := strings.TrimPrefix(entry, "/read/entries/")
	a.write(feed.Entry{Title: "New", Timestamp: webtest.Noon().Add(time.Second)})
	for _, name := range []string{"bob", "ann"} {
		a.as(name)
		a.send(201, "PUT", quiet, "{}")
	}
	a.Visitor.ByToken = true
	a.send(204, "PUT", "/saved/"+n, "")
	if _, err := a.ExpireEntries(t.Context(), storetest.Paused, 1); err != nil {
		t.Fatal(err)
	}
	reads := func(status, count int) {
		t.Helper()
		a.Visitor.ByToken = true
		a.send(map[int]int{200: 204, 404: 404}[status], "PUT", "/saved/"+n, "")
		a.edit([]string{n}, longForm, "starred", "")
		if all := a.contents([]string{n}, 1, longForm); len(all) != count {
			t.Errorf("%s reads %v in an app", a.Visitor.Name, all)
		}
		if all := a.feverItems("with_ids=" + n); len(all) != count {
			t.Errorf("%s reads %v in a Fever app", a.Visitor.Name, all)
		}
		if all := webtest.Get[feed.Page[feed.ReaderEntry]](t, a.Desk, "/api/v1/me/saved").Items; len(all) != count {
			t.Errorf("%s has saved %v", a.Visitor.Name, all)
		}
		a.Visitor.ByToken = false
		a.browser().Get(entry, status)
	}
	reads(200, 1)
	a.as("bob") // follows the source, too
	reads(404, 0)
}
