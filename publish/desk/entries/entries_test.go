package entries_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/feedwire/feedwire/publish/desk/entries"
	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/publish/web/webtest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	notes = feed.LocalURL("notes")
	all   = "/api/v1/sources/" + feed.SourceID(notes) + "/entries"
)

// newDesk returns a desk with the local source notes.
func newDesk(t *testing.T) (*webtest.Desk, *storetest.Newsroom) {
	t.Helper()
	n := storetest.EmptyNewsroom(t)
	if _, _, err := n.AddSource(t.Context(), feed.Source{URL: notes}); err != nil {
		t.Fatal(err)
	}
	d := webtest.Over(n, n.Clock.Now)
	d.Mount(entries.New(n, d.Kit, entries.Options{Takedown: func(take func() error) error { return take() }}))
	return d, n
}

// call sends a request that must have a status.
func call(t *testing.T, d *webtest.Desk, method, path, body string, status int, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	rec := d.Call(method, path, body, header...)
	if rec.Code != status {
		t.Fatalf("%s %s: got %d, want %d: %s", method, path, rec.Code, status, rec.Body)
	}
	return rec
}

// titles returns the titles of the entries of notes, newest first.
func titles(t *testing.T, n *storetest.Newsroom) (got []string) {
	t.Helper()
	stored, err := n.Entries(t.Context(), notes, 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range stored {
		got = append(got, e.Title)
	}
	return got
}

func TestEntryIsCreatedAndRead(t *testing.T) {
	d, n := newDesk(t)
	rec := call(t, d, http.MethodPost, all, `{"title": "High water", "link": "https://a.example/1", "content": "<p>Now</p>", "authors": ["Ann"],
		"categories": [{"term": "Ships"}], "extra": {"colour": "red"}}`, http.StatusCreated)
	made := webtest.Read[feed.Entry](t, rec)
	if made.ID == "" || made.GUID == "" || made.FeedURL != notes || !made.Timestamp.Equal(n.Clock.Now()) || made.Extra["colour"] != "red" {
		t.Errorf("created %+v", made)
	}
	if got := rec.Header().Get("Location"); got != "/api/v1/entries/"+made.Number() {
		t.Errorf("Location is %q", got)
	}
	for _, path := range []string{rec.Header().Get("Location"), all + "/" + url.PathEscape(made.GUID)} {
		if diff := cmp.Diff(made, webtest.Get[feed.Entry](t, d, path)); diff != "" {
			t.Errorf("GET %s (-created +got):\n%s", path, diff)
		}
	}
	page := webtest.Get[feed.Page[feed.Entry]](t, d, all+"?limit=1")
	if len(page.Items) != 1 || page.Items[0].Content != "" {
		t.Errorf("the list is %+v", page)
	}
	signals, err := n.Signals(t.Context(), "", 10, 0)
	if last := len(signals) - 1; err != nil || signals[last].Kind != feed.PostCreated || signals[last].Entry != made.ID {
		t.Errorf("signals are %+v, %v", signals, err)
	}
}

func TestEntryIsReplacedByItsGUID(t *testing.T) {
	d, n := newDesk(t)
	path := all + "/" + url.PathEscape("https://a.example/1?x=/")
	call(t, d, http.MethodPut, path, `{"title": "First", "content": "<p>One</p>"}`, http.StatusCreated)
	n.Clock.Time = n.Clock.Time.Add(time.Hour)
	rec := call(t, d, http.MethodGet, path, "", http.StatusOK)
	shown, tag := webtest.Read[feed.Entry](t, rec), rec.Header().Get("ETag")
	if rec = call(t, d, http.MethodPut, path, rec.Body.String(), http.StatusOK); !cmp.Equal(shown, webtest.Read[feed.Entry](t, rec)) {
		t.Errorf("what a GET returns changed the entry to %s", rec.Body)
	}
	rec = call(t, d, http.MethodPut, path, `{"title": "Second"}`, http.StatusOK, "If-Match", tag)
	if e := webtest.Read[feed.Entry](t, rec); e.Content != "" || !e.Updated.Equal(n.Clock.Now()) || !e.Published.Equal(shown.Published) {
		t.Errorf("replaced: %+v", e)
	}
	call(t, d, http.MethodPut, path, `{"title": "Third"}`, http.StatusPreconditionFailed, "If-Match", tag)
	call(t, d, http.MethodPut, path, `{"title": "Third"}`, http.StatusPreconditionFailed, "If-None-Match", "*")
	call(t, d, http.MethodPut, all+"/absent", `{"title": "Third"}`, http.StatusPreconditionFailed, "If-Match", "*")
	call(t, d, http.MethodPost, all, `{"guid": "https://a.example/1?x=/", "title": "Another"}`, http.StatusConflict)
	if got := titles(t, n); !cmp.Equal(got, []string{"Second"}) {
		t.Errorf("entries are %v", got)
	}
}

func TestEveryUnconditionalWriteOfAGUIDSucceeds(t *testing.T) {
	d, _ := newDesk(t)
	var clients sync.WaitGroup
	for i := range 20 {
		clients.Go(func() {
			rec := d.Call(http.MethodPut, all+"/1", fmt.Sprintf(`{"title": "Of client %d"}`, i))
			if rec.Code != http.StatusOK && rec.Code != http.StatusCreated {
				t.Errorf("client %d got %d: %s", i, rec.Code, rec.Body)
			}
		})
	}
	clients.Wait()
}

func TestEntriesAreWrittenInBulk(t *testing.T) {
	d, n := newDesk(t)
	call(t, d, http.MethodPut, all+"/1", `{"title": "One"}`, http.StatusCreated)
	n.Clock.Time = n.Clock.Time.Add(time.Hour)
	rec := call(t, d, http.MethodPost, all+"/bulk", `{"entries": [{"guid": "1", "title": "One again"}, {"guid": "2", "title": "Two"}, {"title": "Three"},
		{"guid": "4", "tilte": "Four"}, {"guid": 5, "title": "Five"}, "six", [7], null]}`, http.StatusMultiStatus)
	done := webtest.Read[web.Bulk](t, rec)
	var statuses []int
	for _, item := range done.Items {
		statuses = append(statuses, item.Status)
	}
	if !cmp.Equal(statuses, []int{200, 201, 201, 400, 400, 400, 400, 400}) || done.Done != 3 || done.Failed != 5 || done.Items[0].Entry == "" {
		t.Errorf("got %s", rec.Body)
	}
	if got := titles(t, n); len(got) != 3 {
		t.Errorf("entries are %v", got)
	}
	call(t, d, http.MethodPost, all+"/bulk", `{"entries": [`+strings.Repeat(`{},`, 200)+`{}]}`, http.StatusBadRequest)
}

func TestInvalidEntryNamesAllItsFields(t *testing.T) {
	d, _ := newDesk(t)
	for body, want := range map[string]string{
		`{"link": "/x", "date_updated": "yesterday", "tilte": "x"}`:          "date_updated link tilte title",
		`{"link": "/x", "guid": "a\u0000"}`:                                  "guid link title",
		`{"title": "T", "id": "Entry:99", "feed_url": "https://a.example/"}`: "feed_url id",
		`{"title": 5, "categories": "a"}`:                                    "categories title",
		`{"title": "T", "extra": {"digest": "x"}}`:                           "extra.digest",
		`{"title": "T", "extra": {"title": "x", "duration": "5"}}`:           "extra.duration extra.title",
		`{"title": "T", "date_published": "0001-01-01T00:00:00Z"}`:           "date_published",
		`{"title": "T", "date_updated": "0001-01-01T01:00:00+01:00"}`:        "date_updated",
	} {
		problem := webtest.Read[feed.Problem](t, call(t, d, http.MethodPost, all, body, http.StatusBadRequest))
		var names []string
		for _, e := range problem.Errors {
			names = append(names, e.Field)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s: errors of %q, want %q", body, got, want)
		}
	}
	call(t, d, http.MethodPost, all, `[]`, http.StatusBadRequest)
	call(t, d, http.MethodPost, all, `{"title": "`+strings.Repeat("x", 6<<20)+`"}`, http.StatusRequestEntityTooLarge)
}

func TestOnlyLocalSourcesAcceptEntries(t *testing.T) {
	d, n := newDesk(t)
	if _, _, err := n.AddSource(t.Context(), feed.Source{URL: storetest.Site}); err != nil {
		t.Fatal(err)
	}
	path := "/api/v1/sources/" + feed.SourceID(storetest.Site) + "/entries"
	for method, path := range map[string]string{http.MethodPost: path, http.MethodPut: path + "/1"} {
		if rec := call(t, d, method, path, `{"title": "T"}`, http.StatusConflict); !strings.Contains(rec.Body.String(), notes) {
			t.Errorf("%s: the problem names no way out: %s", method, rec.Body)
		}
	}
	call(t, d, http.MethodPost, "/api/v1/sources/feedwire:local%2Fnothing/entries", `{"title": "T"}`, http.StatusNotFound)
	call(t, d, http.MethodPost, "/api/v1/sources/"+url.PathEscape(notes)+"/entries", `{"title": "T"}`, http.StatusCreated)
}

func TestEntriesExpireBeyondALimit(t *testing.T) {
	d, n := newDesk(t)
	for i := range 5 {
		call(t, d, http.MethodPost, all, fmt.Sprintf(`{"title": "%d"}`, i), http.StatusCreated)
		n.Clock.Time = n.Clock.Time.Add(time.Hour)
	}
	rec := call(t, d, http.MethodPost, all+"/expire", `{"keep": 2}`, http.StatusOK)
	if got := webtest.Read[entries.Expired](t, rec); got.Expired != 3 {
		t.Errorf("expired %d", got.Expired)
	}
	if got := titles(t, n); !cmp.Equal(got, []string{"4", "3"}) {
		t.Errorf("entries are %v", got)
	}
	if rec = call(t, d, http.MethodPost, all+"/expire", `{}`, http.StatusOK); webtest.Read[entries.Expired](t, rec).Expired != 0 {
		t.Errorf("the default expired %s", rec.Body)
	}
	call(t, d, http.MethodPost, all+"/expire", `{"keep": 0}`, http.StatusBadRequest)
}

func TestViewerCannotWrite(t *testing.T) {
	d, _ := newDesk(t)
	d.Visitor.Scopes = feed.RoleViewer.Scopes()
	for path, method := range map[string]string{all: http.MethodPost, all + "/bulk": http.MethodPost, all + "/expire": http.MethodPost, all + "/1": http.MethodPut} {
		call(t, d, method, path, `{"title": "T"}`, http.StatusForbidden)
	}
	d.Visitor.Scopes = feed.RoleEditor.Scopes()
	call(t, d, http.MethodPost, all, `{"title": "T"}`, http.StatusCreated)
}

func TestScopeOfEntriesAllowsWritingThemOnly(t *testing.T) {
	d, _ := newDesk(t)
	d.Visitor.Scopes = []feed.Scope{feed.ScopeEntries}
	rec := call(t, d, http.MethodPost, all, `{"title": "T"}`, http.StatusCreated)
	e := webtest.Read[feed.Entry](t, rec)
	call(t, d, http.MethodPut, all+"/1", `{"title": "T"}`, http.StatusCreated)
	call(t, d, http.MethodPost, all+"/bulk", `{"entries": [{"title": "T"}]}`, http.StatusMultiStatus)
	for path, method := range map[string]string{
		all: http.MethodGet, all + "/expire": http.MethodPost, "/api/v1/entries/" + e.Number(): http.MethodDelete, "/api/v1/entries/remove": http.MethodPost,
	} {
		call(t, d, method, path, "", http.StatusForbidden)
	}
}

func TestTakenDownEntryIsGoneWithItsArticle(t *testing.T) {
	n := storetest.NewNewsroom(t)
	d, told := webtest.Over(n, n.Clock.Now), 0
	d.Mount(entries.New(n, d.Kit, entries.Options{Takedown: func(take func() error) error {
		told++
		return take()
	}}))
	e, err := n.EntryByGUID(t.Context(), storetest.Site, "post-1")
	if err != nil {
		t.Fatal(err)
	}
	path := "/api/v1/entries/" + e.Number()
	call(t, d, http.MethodDelete, path, "", http.StatusPreconditionFailed, "If-Match", `"x"`)
	call(t, d, http.MethodDelete, path, "", http.StatusNoContent)
	call(t, d, http.MethodDelete, path, "", http.StatusNotFound)
	call(t, d, http.MethodGet, path, "", http.StatusNotFound)
	if _, err := n.Article(t.Context(), storetest.Post(1), nil); !errors.Is(err, feed.ErrNotFound) || told != 1 {
		t.Errorf("its article gave %v; told of %d takedowns", err, told)
	}
	audit, err := n.Audit(t.Context(), "", 1)
	if err != nil || audit[0].Action != "entry_remove" || audit[0].Object.ID != e.Number() {
		t.Errorf("the audit log has %+v, %v", audit, err)
	}
	other, err := n.EntryByGUID(t.Context(), storetest.Site, "post-2")
	if err != nil {
		t.Fatal(err)
	}
	rec := call(t, d, http.MethodPost, "/api/v1/entries/remove", `{"entries": ["`+other.Number()+`", "`+e.Number()+`", "x"]}`, http.StatusMultiStatus)
	if done := webtest.Read[web.Bulk](t, rec); done.Done != 1 || done.Failed != 2 || done.Items[0].Status != http.StatusNoContent {
		t.Errorf("got %s", rec.Body)
	}
	d.Visitor.Scopes = feed.RoleViewer.Scopes()
	call(t, d, http.MethodDelete, path, "", http.StatusForbidden)
}
