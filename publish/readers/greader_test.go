package readers_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/publish/readers"
	"github.com/feedwire/feedwire/publish/web/webtest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// app sends the calls of a reader app with the password of ann.
type app struct {
	*desk
	mount string // before /reader/api/0/
}

func newApp(t testing.TB) *app {
	t.Helper()
	a := &app{desk: newDesk(t)}
	a.Visitor.ByToken = true
	return a
}

// numbered returns the URL of the source with a number.
func numbered(source int) string { return fmt.Sprintf("https://s%d.example/feed.xml", source) }

// followNumber makes the account follow the source with a number, in one of seven folders.
func (a *app) followNumber(source int) {
	a.t.Helper()
	f := feed.Follow{FeedURL: numbered(source), Folder: fmt.Sprint("Folder ", source%7)}
	if _, err := a.Newsroom.Follow(a.t.Context(), a.Visitor.Account.ID, f); err != nil {
		a.t.Fatal(err)
	}
}

// publish saves an entry of the source with a number.
func (a *app) publish(source, entry int) {
	a.t.Helper()
	e := feed.Entry{
		FeedURL: numbered(source), GUID: strconv.Itoa(entry), Title: fmt.Sprint("Entry ", entry), Timestamp: a.Clock.Time.Add(-1), Content: "<p>Text",
	}
	if err := a.SaveEntry(a.t.Context(), &e); err != nil {
		a.t.Fatal(err)
	}
}

// call sends a form to a path and returns the answer. A method and a space may be before the path.
func (a *app) call(status int, path string, form url.Values) string {
	a.t.Helper()
	method, rest, ok := strings.Cut(path, " ")
	if !ok {
		method, rest = http.MethodPost, path
	}
	r := httptest.NewRequest(method, a.mount+rest, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Authorization", "GoogleLogin auth=secret")
	rec := httptest.NewRecorder()
	readers.Apps(a.Desk).ServeHTTP(rec, r)
	if rec.Code != status {
		a.t.Fatalf("%s %.300v: got %d, want %d: %.500s", path, form, rec.Code, status, rec.Body)
	}
	return rec.Body.String()
}

// stream is what an app reads of an answer with ids or items.
type stream struct {
	ItemRefs []struct{ ID, TimestampUsec string }
	Items    []struct {
		ID, Title, CrawlTimeMsec, TimestampUsec string
		Published                               int64
		Summary                                 struct{ Content string }
		Alternate                               []struct{ Href string }
		Origin                                  struct{ StreamID, Title string }
		Categories                              []string
	}
	Continuation string
}

// get sends a GET and decodes the answer.
func get[T any](a *app, path string) (v T) {
	a.t.Helper()
	if err := json.Unmarshal([]byte(a.call(http.StatusOK, "GET "+path, nil)), &v); err != nil {
		a.t.Fatalf("%s: %v", path, err)
	}
	return v
}

// ids returns all ids of a stream, page by page.
func (a *app) ids(query string) (ids []string) {
	a.t.Helper()
	for next := ""; ; {
		page := get[stream](a, "/reader/api/0/stream/items/ids?output=json&"+query+next)
		for _, ref := range page.ItemRefs {
			ids = append(ids, ref.ID)
		}
		if page.Continuation == "" {
			return ids
		}
		if strings.Trim(page.Continuation, "0123456789") != "" {
			a.t.Fatalf("the continuation is %q", page.Continuation)
		}
		next = "&c=" + page.Continuation
	}
}

// contents returns the titles of items by id, in calls of some size with ids in a form.
func (a *app) contents(ids []string, size int, form string) (titles map[string]string) {
	a.t.Helper()
	titles = make(map[string]string)
	for some := range slices.Chunk(ids, size) {
		values := url.Values{"output": {"json"}}
		for _, id := range some {
			var n int64
			_, _ = fmt.Sscan(id, &n)
			values.Add("i", fmt.Sprintf(form, n))
		}
		var page stream
		if err := json.Unmarshal([]byte(a.call(http.StatusOK, "/reader/api/0/stream/items/contents", values)), &page); err != nil {
			a.t.Fatal(err)
		}
		for _, item := range page.Items {
			titles[item.ID] = item.Title
		}
	}
	return titles
}

// The forms of ids that apps send.
const (
	longForm    = "tag:google.com,2005:reader/item/%016x"
	shortForm   = "tag:google.com,2005:reader/item/%x" // NetNewsWire
	hexForm     = "%016x"                              // Reeder
	decimalForm = "%d"                                 // Liferea
)

const (
	state    = "user/-/state/com.google/"
	allItems = "s=" + state + "reading-list"
	unreadOf = allItems + "&xt=" + state + "read"
)

// edit adds and removes tags of entries.
func (a *app) edit(ids []string, form, add, remove string) {
	a.t.Helper()
	values := url.Values{"T": {"x"}}
	if add != "" {
		values.Set("a", state+add)
	}
	if remove != "" {
		values.Set("r", state+remove)
	}
	for _, id := range ids {
		var n int64
		_, _ = fmt.Sscan(id, &n)
		values.Add("i", fmt.Sprintf(form, n))
	}
	if got := a.call(http.StatusOK, "/reader/api/0/edit-tag", values); got != "OK" {
		a.t.Errorf("edit-tag answers %q", got)
	}
}

func TestAppSignsIn(t *testing.T) {
	a := newApp(t)
	for _, a.mount = range []string{"", "/api/greader.php"} {
		form := url.Values{"Email": {"Ann"}, "Passwd": {"fw_id_secret"}}
		if got := a.call(200, "/accounts/ClientLogin", form); got != "SID=fw_id_secret\nLSID=fw_id_secret\nAuth=fw_id_secret\n" {
			t.Errorf("the answer is %q", got)
		}
		if got := a.call(200, "GET /accounts/ClientLogin?output=json&"+form.Encode(), nil); !strings.Contains(got, `"Auth":"fw_id_secret"`) {
			t.Errorf("the answer is %q", got)
		}
		a.call(401, "/accounts/ClientLogin", url.Values{"Email": {"bob"}, "Passwd": {"fw_id_secret"}})
		if got := a.call(200, "GET /reader/api/0/token", nil); len(got) != 57 {
			t.Errorf("the token is %q", got)
		}
		info := get[struct{ UserID, UserName string }](a, "/reader/api/0/user-info?output=json")
		if info.UserID == "" || info.UserName != "ann" {
			t.Errorf("the user is %+v", info)
		}
	}
	for _, path := range []string{"GET /reader/api/0/nothing", "GET /reader/api/0/stream/items/ids?s=user/-/state/com.google/broadcast", "GET /reader/api/0/stream/contents/feed/7"} {
		a.call(404, path, nil)
	}
	a.Visitor.ByToken = false // a browser with a session, which a link on another site may lead here
	a.call(401, "GET /reader/api/0/subscription/quickadd?quickadd="+found, nil)
	a.Visitor = feed.Visitor{}
	a.call(401, "GET /reader/api/0/tag/list", nil)
	a.call(401, "/accounts/ClientLogin", url.Values{"Email": {"ann"}, "Passwd": {"wrong"}})
}

// subscriptions are the answer to subscription/list.
type subscriptions struct {
	Subscriptions []struct {
		ID, Title, URL string
		Categories     []struct{ ID, Label string }
	}
}

func TestAppManagesSubscriptions(t *testing.T) {
	a := newApp(t)
	list := func() (all []string) {
		t.Helper()
		for _, s := range get[subscriptions](a, "/reader/api/0/subscription/list?output=json").Subscriptions {
			all = append(all, s.Title+" in "+s.Categories[0].Label)
			if strings.Trim(strings.TrimPrefix(s.ID, "feed/"), "0123456789") != "" || s.URL == "" || s.Categories[0].ID != "user/-/label/"+s.Categories[0].Label {
				t.Errorf("the subscription is %+v", s)
			}
		}
		slices.Sort(all)
		return all
	}
	check := func(want ...string) {
		t.Helper()
		if got := list(); !slices.Equal(got, want) {
			t.Errorf("the subscriptions are %q, want %q", got, want)
		}
	}
	const edit = "/reader/api/0/subscription/edit"
	added := get[struct {
		NumResults int
		StreamID   string
	}](a, "/reader/api/0/subscription/quickadd?output=json&quickadd="+url.QueryEscape(found))
	all := get[subscriptions](a, "/reader/api/0/subscription/list").Subscriptions
	if added.NumResults != 1 || len(all) != 1 || all[0].ID != added.StreamID {
		t.Fatalf("added %+v, which is %+v", added, all)
	}
	a.call(200, edit, url.Values{"ac": {"subscribe"}, "s": {"feed/" + storetest.Site}, "t": {"Site"}, "a": {"user/1/label/Sea"}})
	check("Site in Sea", found+" in Uncategorized")
	a.call(200, edit, url.Values{"ac": {"edit"}, "s": {added.StreamID}, "t": {"Found"}, "a": {"user/-/label/Sea"}})
	check("Found in Sea", "Site in Sea")
	if tags := a.call(200, "GET /reader/api/0/tag/list?output=json", nil); !strings.Contains(tags, `"user/-/label/Sea"`) || !strings.Contains(tags, state+"starred") {
		t.Errorf("the tags are %s", tags)
	}
	a.call(200, "/reader/api/0/rename-tag", url.Values{"s": {"user/-/label/Sea"}, "dest": {"user/-/label/Land"}})
	check("Found in Land", "Site in Land")
	a.call(200, edit, url.Values{"ac": {"edit"}, "s": {"feed/" + storetest.Site}, "r": {"user/-/label/Land"}})
	check("Found in Land", "Site in Uncategorized")
	a.call(200, "/reader/api/0/disable-tag", url.Values{"s": {"user/-/label/Land"}})
	check("Found in Uncategorized", "Site in Uncategorized")
	a.call(200, edit, url.Values{"ac": {"unsubscribe"}, "s": {added.StreamID, "feed/404"}})
	check("Site in Uncategorized")
	a.call(400, edit, url.Values{"ac": {"edit"}, "s": {added.StreamID}})
	// The body of an import is a document, whatever its type is.
	r := httptest.NewRequest(http.MethodPost, "/reader/api/0/subscription/import", strings.NewReader(
		`<opml version="2.0"><body><outline text="Quay"><outline xmlUrl="`+storetest.Paused+`"/></outline></body></opml>`))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	rec := httptest.NewRecorder()
	readers.Apps(a.Desk).ServeHTTP(rec, r)
	if rec.Code != http.StatusOK || rec.Body.String() != "OK: 1" || len(list()) != 2 {
		t.Errorf("the import answers %d %s; the subscriptions are %q", rec.Code, rec.Body, list())
	}
	if opml := a.call(200, "GET /reader/api/0/subscription/export", nil); !strings.Contains(opml, storetest.Site) {
		t.Errorf("exported %s", opml)
	}
}

// Apps send ids in four forms, tokens that are empty or "x", and the ids of users in tags.
func TestAppReadsAndMarksEntries(t *testing.T) {
	a := newApp(t)
	a.send(201, "PUT", site, `{"folder": "Sea"}`)
	a.send(201, "PUT", quiet, `{}`)
	entries := a.read(10)
	if got := a.ids(allItems + "&n=1"); !slices.Equal(got, entries) {
		t.Fatalf("the ids are %v, want %v", got, entries)
	}
	reversed := slices.Clone(entries)
	slices.Reverse(reversed)
	if got := a.ids(allItems + "&n=1&r=o"); !slices.Equal(got, reversed) {
		t.Errorf("oldest first: %v, want %v", got, reversed)
	}
	for _, form := range []string{longForm, shortForm, hexForm, decimalForm} {
		if got := a.contents(entries, 2, form); len(got) != len(entries) {
			t.Errorf("contents by %q: %v", form, got)
		}
		a.edit(entries[:1], form, "read", "")
		if got := a.ids(unreadOf); !slices.Equal(got, entries[1:]) {
			t.Errorf("unread after %q: %v", form, got)
		}
		a.edit(entries[:1], form, "kept-unread", "read")
		a.edit(entries[1:2], form, "starred", "")
		if got := a.ids("s=user/1/state/com.google/starred"); !slices.Equal(got, entries[1:2]) || len(a.ids(unreadOf)) != len(entries) {
			t.Errorf("starred after %q: %v", form, got)
		}
		a.edit(entries[1:2], form, "", "starred")
	}
	a.edit(entries[:1], longForm, "broadcast", "like")
	a.edit([]string{"999999"}, longForm, "starred", "")

	number := get[subscriptions](a, "/reader/api/0/subscription/list").Subscriptions
	i := slices.IndexFunc(number, func(s struct {
		ID, Title, URL string
		Categories     []struct{ ID, Label string }
	}) bool {
		return s.URL == storetest.Site
	})
	for _, name := range []string{number[i].ID, "feed/" + storetest.Site, "user/-/label/Sea", state + "reading-list"} {
		page := get[stream](a, "/reader/api/0/stream/contents/"+name+"?n=1000&output=json")
		if len(page.Items) != len(entries) || page.Items[0].Origin.StreamID != number[i].ID || page.Items[0].Alternate[0].Href == "" {
			t.Errorf("%s: %+v", name, page)
		}
		if counts := a.call(200, "GET /reader/api/0/unread-count?output=json", nil); !strings.Contains(counts, fmt.Sprintf(`"max":%d`, len(entries))) {
			t.Errorf("counts %s", counts)
		}
		for _, early := range []string{"0", "1"} {
			a.call(200, "/reader/api/0/mark-all-as-read", url.Values{"s": {name}, "ts": {early}, "T": {""}})
			if got := a.ids(unreadOf); !slices.Equal(got, entries) {
				t.Errorf("unread after all of %s up to %s were read: %v", name, early, got)
			}
		}
		a.call(200, "/reader/api/0/mark-all-as-read", url.Values{"s": {name}, "ts": {fmt.Sprint(a.Clock.Time.Add(time.Hour).UnixMicro())}})
		if got := a.ids(unreadOf); len(got) != 0 {
			t.Errorf("after all of %s were read: %v", name, got)
		}
		if got := a.ids("s=" + state + "read"); !slices.Equal(got, entries) {
			t.Errorf("read: %v", got)
		}
		a.edit(entries, longForm, "", "read")
	}
	for query, want := range map[string]int{"&nt=1": 0, "&ot=99999999999": 0, "&ot=1": len(entries)} {
		if got := a.ids(allItems + query); len(got) != want {
			t.Errorf("%s: %v", query, got)
		}
	}
	for _, query := range []string{"&c=x", "&n=x", "&c=1"} {
		a.call(400, "GET /reader/api/0/stream/items/ids?"+allItems+query, nil)
	}
}

// An app must not read the entries of sources that its user does not follow.
func TestAppReadsOnlyWhatItsUserFollowsOrSaved(t *testing.T) {
	a := newApp(t)
	a.send(201, "PUT", site, `{}`)
	entries := a.read(10)
	a.edit(entries[:1], longForm, "starred", "")
	a.send(204, "DELETE", site, "")
	if got := a.contents(entries, 100, longForm); len(got) != 1 {
		t.Errorf("an app reads %v", got)
	}
	if webtest.Get[feed.Page[feed.ReaderEntry]](t, a.Desk, "/api/v1/me/saved").Items[0].Number() != entries[0] {
		t.Error("the entry is not saved")
	}
}
