package lists_test

import (
	"context"
	"html"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/publish/web/webtest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

const frontPage = "/lists/front/arrange"

var (
	hiddenField = regexp.MustCompile(`<input type="hidden" name="(\w+)" value="([^"]*)">`)
	anyForm     = regexp.MustCompile(`(?s)<form[^>]* action="([^"]*)".*?</form>`)
	rowOf       = regexp.MustCompile(`data-row="(\d+)"`)
)

// formOf returns the action and the hidden fields of the first form of a page with a text.
func formOf(t *testing.T, page, text string) (action string, fields url.Values) {
	t.Helper()
	for _, form := range anyForm.FindAllStringSubmatch(page, -1) {
		if !strings.Contains(form[0], text) {
			continue
		}
		fields = make(url.Values)
		for _, field := range hiddenField.FindAllStringSubmatch(form[0], -1) {
			fields.Set(field[1], html.UnescapeString(field[2]))
		}
		return form[1], fields
	}
	t.Fatalf("no form has %s:\n%s", text, page)
	return "", nil
}

// arranged makes a list of entries by the forms of the pages, as an editor without JavaScript.
func arranged(s *site, titles string) (b *webtest.Browser, entries map[string]*feed.Entry) {
	s.t.Helper()
	b, entries = s.As(s.t, "ann", feed.RoleEditor), make(map[string]*feed.Entry)
	page := b.Follow("/lists", url.Values{"title": {"A draft!"}, "name": {""}})
	webtest.Contains(s.t, page, "The list was created.", "/lists/a-draft/arrange/live")
	action, fields := formOf(s.t, page, ">Undo<")
	webtest.Contains(s.t, b.Follow(action, fields), "The list was deleted.")
	webtest.Contains(s.t, b.Follow("/lists", url.Values{"title": {"Front"}, "description": {"First"}}), "<h1 dir=\"auto\">Front</h1>", `value="First"`)
	for _, title := range strings.Fields(titles) {
		e := s.save(storetest.Harbour, title, s.Clock.Time)
		entries[title] = e
		at := "/entries/" + e.Number() + "/lists"
		action, fields := formOf(s.t, b.Get(at, 200), "Add to: Front")
		webtest.Contains(s.t, b.Follow(action, fields), "in this list", "The entry was added to the list.")
	}
	return b, entries
}

// shows fails the test unless a page has entries in an order.
func shows(t *testing.T, what, page, titles string, entries map[string]*feed.Entry) {
	t.Helper()
	var got, want []string
	for _, row := range rowOf.FindAllStringSubmatch(page, -1) {
		got = append(got, row[1])
	}
	for _, title := range strings.Fields(titles) {
		want = append(want, entries[title].Number())
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("%s: the page has the entries %v, want %v", what, got, want)
	}
}

func TestEditorsArrangeListsWithoutScripts(t *testing.T) {
	s := newSite(t)
	b, entries := arranged(s, "c b a")
	expired := &feed.Entry{ID: "Entry:99", FeedURL: storetest.Harbour, Timestamp: s.Clock.Time}
	_, err := s.PlaceInList(t.Context(), "front", expired, feed.ListTarget{Position: 2}, "")
	s.ok(err)
	page := b.Get(frontPage, 200)
	shows(t, "added, with one that expired in between", page, "a b c", entries)
	press := func(what, title, button, want, undone string) {
		t.Helper()
		action, fields := formOf(t, page, `name="entry" value="`+entries[title].Number()+`"`)
		if button == "remove" {
			action = strings.Replace(action, "/place", "/remove", 1)
		} else {
			row := page[strings.Index(page, `data-row="`+entries[title].Number()+`"`):]
			to := regexp.MustCompile(`name="(\w+)" value="(\d+)" data-do="` + button + `"`).FindStringSubmatch(row)
			fields.Set(to[1], to[2])
		}
		page = b.Follow(action, fields)
		shows(t, what, page, want, entries)
		action, fields = formOf(t, page, ">Undo<")
		page = b.Follow(action, fields)
		shows(t, what+", undone", page, undone, entries)
	}
	press("up", "b", "up", "b a c", "a b c")
	press("down", "a", "down", "b a c", "a b c")
	press("top", "c", "top", "c a b", "a b c")
	press("removed", "b", "remove", "a c", "a b c")
	press("the last one removed", "c", "remove", "a b", "a b c")

	action, seen := formOf(t, page, "Save")
	seen.Set("title", "Later")
	seen.Set("description", "What matters")
	page = b.Follow(action, seen)
	webtest.Contains(t, page, `<h1 dir="auto">Later</h1>`, `value="What matters"`)
	if again := b.Send("POST", action, seen); again.Code != 409 || !strings.Contains(again.Body.String(), "Someone else changed this.") {
		t.Errorf("a change of a title that was replaced: %d", again.Code)
	}
	action, undo := formOf(t, page, ">Undo<")
	webtest.Contains(t, b.Follow(action, undo), `<h1 dir="auto">Front</h1>`)

	action, fields := formOf(t, b.Get("/lists/front/delete", 200), "Delete")
	s.send(204, "PUT", "/api/v1/lists/front/entries/"+entries["c"].Number(), `{"position": 1}`)
	again := b.Send("POST", action, fields)
	if again.Code != 409 {
		t.Errorf("a list that changed was deleted: %d", again.Code)
	}
	action, fields = formOf(t, again.Body.String(), "Delete")
	page = b.Follow(action, fields)
	webtest.Contains(t, page, "The list was deleted.")
	b.Get(frontPage, 404)
	action, undo = formOf(t, page, ">Undo<")
	_, err = s.TakeDownEntry(t.Context(), entries["a"].ID)
	s.ok(err)
	for range 2 { // the first attempt may have been cut short
		webtest.Contains(t, b.Follow(action, undo), "The list was restored.")
		page = b.Get(frontPage, 200)
		shows(t, "restored, without an entry that was taken down", page, "c b", entries)
		webtest.Contains(t, page, `<h1 dir="auto">Front</h1>`, `value="First"`)
	}
	s.send(200, "PUT", "/api/v1/lists/front", `{"title": "Another"}`)
	if rec := b.Send("POST", action, undo); rec.Code != 409 || !strings.Contains(rec.Body.String(), "There is another list with the name front by now.") {
		t.Errorf("a list was restored in place of another one: %d", rec.Code)
	}
}

func TestChangeOfAListThatSomeoneElseChangedIsRefused(t *testing.T) {
	s := newSite(t)
	b, entries := arranged(s, "c b a")
	page := b.Get(frontPage, 200)
	s.send(204, "PUT", "/api/v1/lists/front/entries/"+entries["c"].Number(), `{"position": 1}`)
	for _, verb := range []string{"place", "remove"} {
		action, fields := formOf(t, page, `name="entry" value="`+entries["a"].Number()+`"`)
		fields.Set("position", "3")
		refused := b.Send("POST", strings.Replace(action, "place", verb, 1), fields)
		if refused.Code != 409 || !strings.Contains(refused.Body.String(), "Someone else changed this.") {
			t.Fatalf("%s: got %d", verb, refused.Code)
		}
		shows(t, verb, refused.Body.String(), map[string]string{"place": "c a b", "remove": "c b a"}[verb], entries)
		action, fields = formOf(t, refused.Body.String(), "“a” ")
		shows(t, verb+" nevertheless", b.Follow(action, fields), map[string]string{"place": "c b a", "remove": "c b"}[verb], entries)
	}
}

func TestOnlyEditorsArrangeLists(t *testing.T) {
	s := newSite(t)
	editor, entries := arranged(s, "a")
	form := url.Values{"title": {"Mine"}, "entry": {entries["a"].Number()}}
	for _, role := range []feed.Role{feed.RoleMember, feed.RoleViewer} {
		b := s.As(t, "bob", role)
		for _, path := range []string{frontPage, frontPage + "/live", "/lists/front/delete", "/entries/" + entries["a"].Number() + "/lists"} {
			b.Get(path, 403)
		}
		for _, path := range []string{"/lists", "/lists/front/place", "/lists/front/remove", "/lists/front/change", "/lists/front/delete", "/lists/front/restore"} {
			if rec := b.Send("POST", path, form); rec.Code != 403 {
				t.Errorf("%s posts to %s: got %d", role, path, rec.Code)
			}
		}
		for _, path := range []string{"/lists", "/lists/front"} {
			if page := b.Get(path, 200); strings.Contains(page, "Arrange") || strings.Contains(page, "New list") {
				t.Errorf("%s shows %s how to arrange lists", path, role)
			}
		}
	}
	webtest.Contains(t, editor.Get("/lists", 200), `aria-label="Arrange: Front"`, "New list")
	webtest.Contains(t, editor.Get("/lists/front", 200), frontPage)
	for _, path := range []string{"/lists", "/lists/front/place", "/lists/front/remove", "/lists/front/change", "/lists/front/delete", "/lists/front/restore"} {
		if rec := editor.Send("POST", path, form, "Sec-Fetch-Site", "cross-site"); rec.Code != 403 {
			t.Errorf("the form of another site posts to %s: got %d", path, rec.Code)
		}
	}
	shows(t, "at last", editor.Get(frontPage, 200), "a", entries)
}

func TestFormsOfListsSayWhatIsWrong(t *testing.T) {
	s := newSite(t)
	b, entries := arranged(s, "a")
	private := s.save(yard, "p", s.Clock.Time)
	s.ok(s.AddToGroup(t.Context(), "sport", entries["a"]))
	_, _, err := s.AddSource(t.Context(), feed.Source{URL: yard, Request: feed.Request{Username: "ann", Password: "secret"}})
	s.ok(err)
	webtest.Contains(t, b.Follow("/lists/front/place", url.Values{"entry": {private.ID}}), "not on the public page: its source is private")
	for _, list := range []string{"sport", "score", "none"} { // no editor arranges them
		b.Get("/lists/"+list+"/arrange", 404)
	}
	for _, step := range []struct {
		path   string
		form   url.Values
		status int
		text   string
	}{
		{"/lists", url.Values{"title": {"Front"}}, 409, "There is a list with the name front"},
		{"/lists", url.Values{"title": {"Sport"}}, 409, "List sport: a group has this name"},
		{"/lists", url.Values{"title": {"港"}}, 422, "Enter a name"},
		{"/lists", url.Values{"title": {" "}}, 422, "Use one line"},
		{"/lists/front/place", url.Values{"entry": {"99999"}}, 404, ""},
		{"/lists/front/place", url.Values{"entry": {entries["a"].Number()}, "position": {"first"}}, 422, "Use a number"},
		{"/lists/sport/place", url.Values{"entry": {entries["a"].Number()}}, 404, "This list does not exist"},
		{"/lists/none/delete", url.Values{}, 404, "This list does not exist"},
		{"/lists/front/change", url.Values{"title": {""}}, 409, "Someone else"},
	} {
		rec := b.Send("POST", step.path, step.form)
		if rec.Code != step.status || !strings.Contains(rec.Body.String(), step.text) {
			t.Errorf("%s %v: got %d, want %d %s", step.path, step.form, rec.Code, step.status, step.text)
		}
	}
}

func TestEditorsSaveSearches(t *testing.T) {
	each(t, func(s *site) {
		e := s.save(storetest.Harbour, "a", s.Clock.Time)
		_, _, err := s.AddSource(t.Context(), feed.Source{URL: storetest.Harbour})
		s.ok(err)
		s.SearchBy(func(context.Context, *feed.Search, func(*feed.Entry) bool, feed.Cursor, int) (feed.SearchPage, error) {
			return feed.SearchPage{Hits: []feed.SearchHit{{Entry: *e}}}, nil
		})
		b := s.As(t, "ann", feed.RoleEditor)
		page := b.Follow("/lists", url.Values{"title": {"storm -calm"}, "query": {"storm -calm"}})
		webtest.Contains(t, page, "The list was created.", "Change storm -calm", `name="query" value="storm -calm"`, "See what it finds")
		if strings.Contains(page, "Add an entry by its number") {
			t.Error("the page of a saved search has the form of an arranged list")
		}
		webtest.Contains(t, b.Get("/lists", 200), `aria-label="Change: storm -calm"`)
		webtest.Contains(t, b.Get("/lists/storm-calm", 200), ">Change</a>", `data-row`, ">a</")
		_, fields := formOf(t, page, "See what it finds")
		for name, value := range map[string]string{"title": "Storms", "query": "storm"} {
			fields.Set(name, value)
		}
		page = b.Follow("/lists/storm-calm/change", fields)
		webtest.Contains(t, page, "The list was saved.", `name="query" value="storm"`)
		action, undo := formOf(t, page, ">Undo<")
		webtest.Contains(t, b.Follow(action, undo), `name="query" value="storm -calm"`)
		deleted := b.Follow("/lists/storm-calm/delete", nil)
		action, undo = formOf(t, deleted, ">Undo<")
		webtest.Contains(t, b.Follow(action, undo), "The list was restored.")
		webtest.Contains(t, b.Get("/lists/storm-calm/arrange", 200), `name="query" value="storm -calm"`)
		s.as(feed.RoleEditor)
		webtest.Contains(t, s.send(200, "PUT", "/api/v1/lists/tides", `{"query": " tide "}`), `"kind":"search"`, `"query":"tide"`)
		if got := s.titles("tides"); got != "a 0 none" {
			t.Errorf("the list has %s", got)
		}
		webtest.Contains(t, s.send(400, "PUT", "/api/v1/lists/tides", `{"query": "after:today"}`), `"field":"query"`)
		s.send(409, "PUT", "/api/v1/lists/tides", `{}`)
		s.send(409, "PUT", "/api/v1/lists/tides/entries/"+e.Number(), `{}`)
	})
}
