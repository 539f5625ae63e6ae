package readers_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/feedwire/feedwire/ingest/opml"
	"github.com/feedwire/feedwire/publish/lists"
	"github.com/feedwire/feedwire/publish/readers"
	"github.com/feedwire/feedwire/publish/web/webtest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const found = "https://found.example/feed"

// desk serves readers over a newsroom to ann, who has an account.
type desk struct {
	*webtest.Desk
	*storetest.Newsroom
	t       testing.TB
	fetched []string // addresses that were looked at
}

func newDesk(t testing.TB) *desk {
	t.Helper()
	n := storetest.NewNewsroom(t)
	return newDeskOver(t, n, n)
}

// newDeskOver is newDesk with a store that replaces methods of the newsroom.
func newDeskOver(t testing.TB, n *storetest.Newsroom, store readers.Store) *desk {
	t.Helper()
	d := &desk{webtest.Over(n, n.Clock.Now), n, t, nil}
	d.Mount(lists.New(n, d.Kit, lists.Options{}), readers.New(store, d.Kit, readers.Options{ImageURL: func(url string) string { return "/image?" + url }, ReadOPML: opml.Read, WriteOPML: func(w io.Writer, account string, follows []feed.NamedFollow) error {
		return opml.WriteFollows(w, account, follows, func(string) []string { return nil }, n.Clock.Time)
	}, Discover: func(_ context.Context, url string) ([]feed.Candidate, error) {
		d.fetched = append(d.fetched, url)
		switch {
		case strings.Contains(url, "private"):
			return nil, errors.New("the address 10.0.0.1 is private; allow its network in fetch.allow_networks")
		case strings.Contains(url, "none"):
			return nil, nil
		case strings.Contains(url, "page"):
			return []feed.Candidate{{URL: found, Found: feed.FoundPage}, {URL: found + "/comments", Found: feed.FoundPage}}, nil
		case strings.Contains(url, "intranet"):
			return []feed.Candidate{{URL: "https://private.example/feed", Found: feed.FoundHeader}}, nil
		}
		return []feed.Candidate{{URL: url, Found: feed.FoundItself}}, nil
	}, Peek: func(_ context.Context, url string) (feed.Document, error) {
		if strings.Contains(url, "private") {
			return feed.Document{}, errors.New("the address 10.0.0.1 is private")
		}
		return feed.Document{}, nil
	}}))
	for _, name := range []string{"ann", "bob"} {
		if err := n.AddAccount(t.Context(), feed.Account{Name: name, Role: feed.RoleViewer}); err != nil {
			t.Fatal(err)
		}
	}
	d.as("ann")
	return d
}

// as makes a person with an account send the following requests.
func (d *desk) as(name string) {
	d.t.Helper()
	a, err := d.Account(d.t.Context(), name)
	if err != nil {
		d.t.Fatal(err)
	}
	d.Visitor = feed.Visitor{Name: name, Scopes: a.Role.Scopes(), Account: a}
}

// send sends a request to /api/v1/me and fails the test if it gets another status.
func (d *desk) send(status int, method, path, body string) string {
	d.t.Helper()
	rec := d.Call(method, "/api/v1/me"+path, body)
	if rec.Code != status {
		d.t.Fatalf("%s %s %s: got %d, want %d: %s", method, path, body, rec.Code, status, rec.Body)
	}
	return rec.Body.String()
}

func (d *desk) follows() []feed.NamedFollow {
	d.t.Helper()
	return webtest.Get[feed.Page[feed.NamedFollow]](d.t, d.Desk, "/api/v1/me/follows").Items
}

// read returns the numbers of the entries of the timeline, in pages.
func (d *desk) read(limit int) (all []string) {
	d.t.Helper()
	for cursor := ""; ; {
		page := webtest.Get[feed.Page[feed.Entry]](d.t, d.Desk, fmt.Sprintf("/api/v1/me/feed?limit=%d&cursor=%s", limit, cursor))
		for i := range page.Items {
			all = append(all, page.Items[i].Number())
		}
		if cursor = page.Next; cursor == "" {
			return all
		}
	}
}

// unread returns the number of unread entries, and that of the folder Sea.
func (d *desk) unread() string {
	d.t.Helper()
	counts := webtest.Get[readers.Unread](d.t, d.Desk, "/api/v1/me/read")
	listed := webtest.Get[feed.Page[feed.ReaderEntry]](d.t, d.Desk, "/api/v1/me/feed?unread=1").Items
	for _, e := range listed {
		if e.Read {
			d.t.Errorf("%s is read and in the list of unread entries", e.ID)
		}
	}
	if len(listed) != counts.Unread {
		d.t.Errorf("%d unread entries are counted, %d are listed", counts.Unread, len(listed))
	}
	return fmt.Sprint(counts.Unread, " ", counts.Folders)
}

func TestEntriesAreMarkedAsReadAndUnread(t *testing.T) {
	d := newDesk(t)
	d.send(201, "PUT", site, `{"folder": "Sea"}`)
	d.send(201, "PUT", quiet, `{"muted": true}`)
	entries := d.read(10)
	all := fmt.Sprintf("%d [{Sea %[1]d}]", len(entries))
	if got := d.unread(); got != all {
		t.Fatalf("at first: %s, want %s", got, all)
	}
	d.send(204, "POST", "/read", fmt.Sprintf(`{"entries": [%s, "Entry:%s", "x"]}`, entries[0], entries[1]))
	if got, want := d.unread(), fmt.Sprintf("%d [{Sea %[1]d}]", len(entries)-2); got != want {
		t.Errorf("after two were read: %s, want %s", got, want)
	}
	d.send(204, "POST", "/read", fmt.Sprintf(`{"entries": ["%s"], "state": "unread"}`, entries[0]))
	first := webtest.Get[feed.Page[feed.ReaderEntry]](t, d.Desk, "/api/v1/me/feed?limit=2&folder=Sea").Items
	if first[0].Read || !first[1].Read || first[0].Title == "" {
		t.Errorf("the first two entries are %+v", first)
	}
	for _, body := range []string{
		`{"all": true}`, `{"folder": "Sea"}`, `{"source": "` + feed.SourceID(storetest.Site) + `"}`, `{"source": "` + storetest.Site + `"}`,
	} {
		d.send(204, "POST", "/read", body)
		if got := d.unread(); got != "0 [{Sea 0}]" {
			t.Errorf("after %s: %s", body, got)
		}
		d.send(204, "POST", "/read", fmt.Sprintf(`{"entries": ["%s"], "state": "unread"}`, strings.Join(entries, `","`)))
		if got := d.unread(); got != all {
			t.Errorf("after all were marked as unread: %s", got)
		}
	}
	d.send(204, "POST", "/read", `{"all": true, "before": "2001-01-01T00:00:00Z"}`)
	if got := d.unread(); got != all {
		t.Errorf("up to 2001: %s", got)
	}
	for _, before := range []string{"0001-01-01T00:00:00Z", "1969-12-31T23:59:59Z", "1970-01-01T00:00:00Z", "9999-12-31T23:59:59Z"} {
		webtest.Contains(t, d.send(400, "POST", "/read", `{"all": true, "before": "`+before+`"}`), `"field":"before"`)
		if got := d.unread(); got != all {
			t.Errorf("up to %s: %s", before, got)
		}
	}
	d.send(204, "POST", "/read", `{"all": true, "before": "`+d.Clock.Time.Add(time.Hour).Format(time.RFC3339)+`"}`)
	if got := d.unread(); got != "0 [{Sea 0}]" {
		t.Errorf("by a clock that is an hour ahead: %s", got)
	}
	d.as("bob")
	if got := d.unread(); got != "0 []" {
		t.Errorf("another account: %s", got)
	}
	for _, body := range []string{
		`{}`, `{"all": true, "folder": ""}`, `{"all": true, "state": "unread"}`, `{"entries": ["1"], "state": "new"}`,
		`{"source": "` + feed.SourceID(storetest.Site) + `"}`, `{"entries": [` + strings.Repeat(`"1",`, 1000) + `"1"]}`,
	} {
		d.send(400, "POST", "/read", body)
	}
	webtest.Contains(t, d.send(400, "POST", "/read?unread=1", `{"all": true}`), `"field":"unread"`, "use user")
	for body, want := range map[string]string{
		`{"entries": [true]}`: "got a JSON bool, want a string", `{"entries": [-1]}`: "got a JSON number, want a string",
		`{"all": true, "before": "2026-11-24"}`:              "use a time in the format RFC 3339, such as 2026-11-24T03:40:00Z",
		`{"all": true, "before": 5}`:                         "got a JSON number, want a string",
		`{"entries": [1], "before": "2026-11-24T03:40:00Z"}`: "leave it out",
	} {
		webtest.Contains(t, d.send(400, "POST", "/read", body), want)
	}
	d.send(400, "GET", "/feed?usr=bob", "")
	d.send(404, "POST", "/read", `{"source": "x"}`)
	d.send(400, "GET", "/feed?unread=2", "")
}

func TestEntriesAreSaved(t *testing.T) {
	d := newDesk(t)
	d.send(201, "PUT", site, `{}`)
	entries := d.read(10)
	saved := func(query string) feed.Page[feed.ReaderEntry] {
		t.Helper()
		return webtest.Get[feed.Page[feed.ReaderEntry]](t, d.Desk, "/api/v1/me/saved"+query)
	}
	for _, n := range []string{entries[1], entries[2], entries[1]} {
		d.send(204, "PUT", "/saved/"+n, "")
	}
	d.send(404, "PUT", "/saved/999999", "")
	d.send(204, "POST", "/read", fmt.Sprintf(`{"entries": ["%s"]}`, entries[1]))
	first := saved("?limit=1")
	second := saved("?limit=1&cursor=" + first.Next)
	for _, e := range append(first.Items, second.Items...) {
		if !e.Saved || e.Title == "" || e.Read != (e.Number() == entries[1]) {
			t.Errorf("the saved entry is %+v", e)
		}
	}
	if len(first.Items) != 1 || len(second.Items) != 1 || second.Next != "" {
		t.Errorf("pages %+v and %+v", first, second)
	}
	for range 2 {
		d.send(204, "DELETE", "/saved/"+entries[1], "")
	}
	if all := saved(""); len(all.Items) != 1 || all.Items[0].Number() != entries[2] {
		t.Errorf("one is saved: %+v", all)
	}
	d.as("bob")
	if all := saved(""); len(all.Items) != 0 {
		t.Errorf("another account has saved %+v", all)
	}
}

var (
	site  = "/follows/" + feed.SourceID(storetest.Site)
	quiet = "/follows/" + feed.SourceID(storetest.Paused)
)

func TestFollowFillsTheTimelineAndUnfollowEmptiesIt(t *testing.T) {
	d := newDesk(t)
	if all := d.read(10); all != nil || len(d.follows()) != 0 {
		t.Errorf("a new account reads %v", all)
	}
	d.send(201, "PUT", site, `{"folder": " Sea "}`)
	d.send(200, "PUT", site, `{"title": "Mine"}`)
	d.send(201, "PUT", quiet, `{}`)
	all := d.follows()
	if len(all) != 2 || all[0].ID != feed.SourceID(storetest.Paused) || all[1].Folder != "Sea" || all[1].Name != "Mine" || all[1].Since.IsZero() {
		t.Fatalf("follows %+v", all)
	}
	entries := d.read(3)
	if len(entries) < 4 || !slices.Equal(entries, d.read(100)) {
		t.Errorf("in pages of three: %v, at once: %v", entries, d.read(100))
	}
	d.send(200, "PUT", site, `{"muted": true}`)
	if d.read(10) != nil {
		t.Error("a muted source is in the timeline")
	}
	d.send(200, "PUT", site, `{"muted": false, "title": ""}`)
	if all := d.follows(); all[1].Title != "" || all[1].Name == "Mine" || len(d.read(10)) == 0 {
		t.Errorf("follows %+v", all)
	}
	d.as("bob")
	if d.read(10) != nil || len(d.follows()) != 0 {
		t.Error("bob has the follows of ann")
	}
	d.as("ann")
	d.send(204, "DELETE", site, "")
	d.send(204, "DELETE", site, "")
	if d.read(10) != nil || len(d.follows()) != 1 {
		t.Error("the timeline has a source that is no longer followed")
	}
}

// E1: entries of one second are on one page each.
func TestE1PagesLoseNoEntryOfTheSameSecond(t *testing.T) {
	d := newDesk(t)
	source, err := d.Source(t.Context(), feed.SourceID(storetest.Paused))
	if err != nil {
		t.Fatal(err)
	}
	doc := feed.Document{}
	for i := range 23 {
		doc.Entries = append(doc.Entries, feed.Entry{
			FeedURL: source.URL, GUID: fmt.Sprint(i), Title: "T", Timestamp: webtest.Noon().Add(-time.Hour * time.Duration(i/20)),
		})
	}
	if _, err := d.SaveEntries(t.Context(), feed.Claim{Source: source}, doc); err != nil {
		t.Fatal(err)
	}
	d.send(201, "PUT", quiet, `{}`)
	all := d.read(3)
	if slices.Sort(all); len(all) != 23 || len(slices.Compact(all)) != 23 {
		t.Errorf("the pages have %v", all)
	}
}

func TestPagesGoOnBefore1970(t *testing.T) {
	d := newDesk(t)
	source, err := d.Source(t.Context(), feed.SourceID(storetest.Paused))
	if err != nil {
		t.Fatal(err)
	}
	doc := feed.Document{}
	for i, at := range []string{"1970-01-01", "1969-12-31", "1950-01-01", "1950-01-01", "1605-01-01"} {
		day, _ := time.Parse(time.DateOnly, at)
		doc.Entries = append(doc.Entries, feed.Entry{FeedURL: source.URL, GUID: fmt.Sprint(i), Title: at, Timestamp: day})
	}
	if _, err := d.SaveEntries(t.Context(), feed.Claim{Source: source}, doc); err != nil {
		t.Fatal(err)
	}
	d.send(201, "PUT", quiet, `{}`)
	if all := d.read(1); len(all) != 5 || !slices.Equal(all, d.read(100)) {
		t.Errorf("in pages of one: %v, at once: %v", all, d.read(100))
	}
}

// C6: an unfollow that follows a removal. E13: the timeline has no entry whose source is removed.
func TestRemovedSourceStaysFollowedAndCanBeUnfollowed(t *testing.T) {
	d := newDesk(t)
	d.send(201, "PUT", site, `{}`)
	if err := d.RemoveSource(t.Context(), feed.SourceID(storetest.Site), 0); err != nil {
		t.Fatal(err)
	}
	if all := d.follows(); len(all) != 1 || all[0].Name != storetest.Site || d.read(10) != nil {
		t.Errorf("follows %+v", all)
	}
	d.send(404, "PUT", site, `{}`)
	d.send(204, "DELETE", site, "")
	if len(d.follows()) != 0 {
		t.Error("it is still followed")
	}
}

func TestFollowedAddressBecomesASourceInNoFeed(t *testing.T) {
	d := newDesk(t)
	body := d.send(201, "POST", "/follows", `{"url": "https://page.example/", "folder": "New"}`)
	source, err := d.Source(t.Context(), feed.SourceID(found))
	if err != nil || len(source.Feeds) != 0 || source.Publish != feed.PublishManual || !strings.Contains(body, `"folder":"New"`) {
		t.Errorf("the source is %+v, %v: %s", source, err, body)
	}
	d.send(200, "POST", "/follows", `{"url": "`+found+`"}`)
	d.send(201, "POST", "/follows", `{"url": " `+strings.TrimPrefix(storetest.Site, "https://")+`"}`)
	if !slices.Equal(d.fetched, []string{"https://page.example/"}) {
		t.Errorf("fetched were %v: sources are known", d.fetched)
	}
	before, err := d.Source(t.Context(), feed.SourceID(storetest.Site))
	if err != nil || len(before.Feeds) == 0 {
		t.Errorf("the follow has changed a source: %+v, %v", before, err)
	}
	log, err := d.Audit(t.Context(), "", 10)
	if err != nil || len(log) != 1 || log[0].Action != "follow_url" || log[0].Object.ID != source.ID || log[0].Who != "ann" {
		t.Errorf("the audit log has %+v, %v", log, err)
	}
	for body, reason := range map[string]string{
		`{"url": "https://private.example/"}`:                     "is private",
		`{"url": "https://intranet.example/"}`:                    "the page links to https://private.example/feed: the address 10.0.0.1 is private",
		`{"url": "https://none.example/"}`:                        "no feed found",
		`{"url": "feedwire:local/none"}`:                          "no such source",
		`{"url": "ftp://x.example/"}`:                             "http",
		`{"url": " "}`:                                            "required",
		`{}`:                                                      "required",
		`{"url": "https://x.example/", "folder": "a\u0001"}`:      "control characters",
		`{"url": "https://x.example/", "title": "a\u009b"}`:       "control characters",
		`{"url": "https://x.example/", "source": "4c0adcbee432"}`: "does not exist",
	} {
		if text := d.send(400, "POST", "/follows", body); !strings.Contains(text, reason) {
			t.Errorf("%s: %s", body, text)
		}
	}
	if slices.Contains(d.fetched, "https://x.example/") {
		t.Error("an address is fetched although the request is invalid")
	}
	if _, err := d.Source(t.Context(), feed.SourceID("https://private.example/feed")); !errors.Is(err, feed.ErrNotFound) {
		t.Errorf("a feed at a private address became a source: %v", err)
	}
}

func TestChangeOfAFollowDoesNotFollow(t *testing.T) {
	d := newDesk(t)
	change := func() *httptest.ResponseRecorder {
		return d.Call("PUT", "/api/v1/me"+quiet, `{"muted": true}`, "If-Match", "*")
	}
	if rec := change(); rec.Code != http.StatusPreconditionFailed || len(d.follows()) != 0 {
		t.Errorf("got %d: %s, follows %+v", rec.Code, rec.Body, d.follows())
	}
	if rec := d.browser().Send(http.MethodPost, "/read"+quiet, url.Values{"muted": {"true"}}); rec.Code != http.StatusConflict || len(d.follows()) != 0 {
		t.Errorf("the form got %d, follows %+v", rec.Code, d.follows())
	}
	d.send(201, "PUT", quiet, `{}`)
	if rec := change(); rec.Code != http.StatusOK || !d.follows()[0].Muted {
		t.Errorf("got %d: %s", rec.Code, rec.Body)
	}
}

func TestNewAddressesOfAnAccountAreLimited(t *testing.T) {
	d := newDesk(t)
	for i := range feed.MaxFetches {
		d.send(400, "POST", "/follows", fmt.Sprintf(`{"url": "https://none%d.example/"}`, i))
	}
	rec := d.Call(http.MethodPost, "/api/v1/me/follows", `{"url": "https://one.example/"}`)
	problem := webtest.Read[feed.Problem](t, rec)
	if rec.Code != 429 || webtest.ProblemKind(problem) != "quota" || rec.Header().Get("Retry-After") != "3600" || len(d.fetched) != feed.MaxFetches {
		t.Errorf("got %d %+v, Retry-After %s, after %d", rec.Code, problem, rec.Header().Get("Retry-After"), len(d.fetched))
	}
	d.send(201, "POST", "/follows", `{"url": "`+storetest.Site+`"}`) // a source is not fetched
	d.as("bob")
	d.send(201, "POST", "/follows", `{"url": "https://one.example/"}`)
}

func TestAccountThatFollowsTheMostAddsNoSource(t *testing.T) {
	d := newDesk(t)
	follows := []any{fmt.Sprintf("user.follows:%d", d.Visitor.Account.ID)}
	for i := range feed.MaxFollows {
		follows = append(follows, fmt.Sprintf("https://site%d.example/feed", i), "{}")
	}
	d.Raw.Do("HSET", follows...)
	d.send(409, "POST", "/follows", `{"url": "`+found+`"}`)
	d.send(207, "POST", "/opml", `<opml><body><outline xmlUrl="`+found+`"/></body></opml>`)
	if _, err := d.Source(t.Context(), feed.SourceID(found)); !errors.Is(err, feed.ErrNotFound) {
		t.Errorf("the source is added: %v", err)
	}
}

func TestMembersOfTheWrongTypeAreNamed(t *testing.T) {
	d := newDesk(t)
	for method, path := range map[string]string{"POST": "/follows", "PUT": site} {
		text := d.send(400, method, path, `{"muted": "yes"}`)
		if !strings.Contains(text, `"field":"muted"`) {
			t.Errorf("%s: %s", method, text)
		}
	}
}

func TestOnlyAdminsNameAnotherAccount(t *testing.T) {
	d := newDesk(t)
	d.send(201, "PUT", site, `{}`)
	d.as("bob")
	for _, path := range []string{"/follows?user=ann", "/feed?user=ann"} {
		if text := d.send(403, "GET", path, ""); !strings.Contains(text, "only admins") {
			t.Error(text)
		}
	}
	d.send(403, "DELETE", site+"?user=ann", "")
	if rec := d.browser().Send(http.MethodPost, "/read"+site+"/unfollow?user=ann", nil); rec.Code != 403 {
		t.Errorf("the form got %d", rec.Code)
	}
	d.send(200, "GET", "/follows?user=bob", "")
	d.Visitor = feed.Visitor{Name: feed.DaemonToken, Scopes: feed.RoleAdmin.Scopes()}
	for path, reason := range map[string]string{"/feed": "has no account", "/follows?user=eve": "no such account"} {
		if text := d.send(400, "GET", path, ""); !strings.Contains(text, reason) {
			t.Error(text)
		}
	}
	d.send(204, "DELETE", site+"?user=ann", "")
	if d.as("ann"); len(d.follows()) != 0 {
		t.Error("the admin has not changed the follows of ann")
	}
}

func TestCursorThatDoesNotMatchIsRefused(t *testing.T) {
	d := newDesk(t)
	for _, cursor := range []string{"1", "1:", ":1", "1:1:1", "x:1", "-1:1", "1:1.5", "99999999999999999999:1", "1:999999999999", "Entry:1"} {
		if text := d.send(400, "GET", "/feed?cursor="+cursor, ""); !strings.Contains(text, "previous response") {
			t.Error(text)
		}
	}
	d.send(200, "GET", "/feed?cursor=9999999999999999999:0", "")
}
