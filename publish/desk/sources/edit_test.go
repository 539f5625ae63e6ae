package sources_test

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/publish/web/webtest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// editing is a form with all settings of a source, and the browser of an editor.
type editing struct {
	*webtest.Browser
	desk     *webtest.Desk
	n        *storetest.Newsroom
	path     string
	revision string // of the source
}

func newEditing(t *testing.T) *editing {
	t.Helper()
	d, n := newDesk(t)
	s := stored(t, n, storetest.Site)
	s.Interval, s.Categories = 90*time.Minute, []string{"News/Local", "Sea"}
	s.Filters = feed.Filters{Keep: []feed.Filter{{Field: "title", Match: "(?i)ferry"}}, Block: []feed.Filter{{Field: "any", Match: "a=b"}}}
	s.Request = feed.Request{
		Timeout: 45 * time.Second, Headers: map[string]string{"X-Key": "s3cret"}, Username: "wire", Password: "pa55", Proxy: "http://u:hush@proxy.example:3128",
	}
	s.Keep = feed.Keep{Entries: 500, For: feed.Duration(720 * time.Hour)}
	s = n.SetSource(t, s)
	return &editing{d.As(t, "ann", feed.RoleEditor), d, n, "/sources/" + s.ID + "/edit", strconv.Itoa(s.Revision)}
}

// asShown returns the form of the page as a browser sends it without a change.
func (e *editing) asShown() url.Values {
	return url.Values{
		"revision": {e.revision}, "feed": {"production", "development"}, "publish": {"auto"}, "interval": {"1h30m"}, "categories": {"News/Local, Sea"},
		"keep": {"title=(?i)ferry\r\n"}, "block": {"any=a=b\r\n"}, "timeout": {"45s"}, "username": {"wire"}, "headers": {"X-Key:\r\n"},
		"proxy": {"http://u:xxxxx@proxy.example:3128"}, "keep_entries": {"500"}, "keep_for": {"720h"},
	}
}

func TestSettingsAreShownWithoutSecretsAndSavedAsTheyAre(t *testing.T) {
	e := newEditing(t)
	html := e.Get(e.path, 200)
	webtest.InOrder(t, html, `name="revision" value="`+e.revision+`"`, `value="production" checked`, `value="auto" checked`, `value="1h30m" selected`,
		`value="News/Local, Sea"`, "title=(?i)ferry", "any=a=b", `value="500"`, `value="720h"`, `value="wire"`, "A password is set.", "X-Key:", `value="45s"`, "http://u:xxxxx@proxy")
	for _, secret := range []string{"s3cret", "pa55", "hush"} {
		if strings.Contains(html, secret) {
			t.Errorf("the page shows %s", secret)
		}
	}
	before := stored(t, e.n, storetest.Site)
	if rec := e.Send(http.MethodPost, e.path, e.asShown()); rec.Code != http.StatusSeeOther || !strings.Contains(rec.Header().Get("Location"), "did=saved") {
		t.Fatalf("got %d %s", rec.Code, rec.Body)
	}
	after := stored(t, e.n, storetest.Site)
	after.Revision = before.Revision
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("saving what was shown changed it (-before +after):\n%s", diff)
	}
}

func TestSettingsAreChanged(t *testing.T) {
	e := newEditing(t)
	form := e.asShown()
	for name, value := range map[string]string{
		"feed": "development", "publish": "manual", "interval": "", "keep": "", "headers": "X-Other: new\n", "username": "", "timeout": "", "proxy": "direct",
		"ignore_updates": "1", "timestamp": "updated", "min_interval": "2h", "keep_entries": "30", "keep_for": "",
	} {
		form.Set(name, value)
	}
	if rec := e.Send(http.MethodPost, e.path, form); rec.Code != http.StatusSeeOther {
		t.Fatalf("got %d %s", rec.Code, rec.Body)
	}
	s := stored(t, e.n, storetest.Site)
	want := feed.Request{MinInterval: 2 * time.Hour, Headers: map[string]string{"X-Other": "new"}, Proxy: "direct"}
	if diff := cmp.Diff(want, s.Request); diff != "" {
		t.Errorf("it is asked otherwise (-want +got):\n%s", diff)
	}
	if s.Timestamp != feed.TimestampUpdated {
		t.Errorf("its entries are ordered by %q", s.Timestamp)
	}
	if s.Keep != (feed.Keep{Entries: 30}) || !s.IgnoreUpdates || s.Publish != feed.PublishManual || s.Interval != 0 || len(s.Feeds) != 1 || len(s.Filters.Keep) != 0 || len(s.Filters.Block) != 1 {
		t.Errorf("it is %+v", s)
	}
	log, err := e.n.Audit(t.Context(), "", 1)
	if err != nil || len(log) != 1 {
		t.Fatal(log, err)
	}
	if audit := log[0]; audit.Object.Name != storetest.Site || !strings.Contains(audit.After, "publish manual") {
		t.Errorf("the audit log has %+v", audit)
	}
}

func TestNameAndAddressAreChanged(t *testing.T) {
	const address = "https://elsewhere.example/new.xml"
	e := newEditing(t)
	form := e.asShown()
	form.Set("name", " The  Quay ")
	form.Set("address", address)
	form.Set("headers", "")
	form.Set("password", "new pa55")
	if rec := e.Send(http.MethodPost, e.path, form); rec.Code != http.StatusSeeOther {
		t.Fatalf("got %d %s", rec.Code, rec.Body)
	}
	s := stored(t, e.n, storetest.Site)
	if s.Name() != "The Quay" || s.Address() != address || s.Request.Password != "new pa55" || s.SecretsOrigin() != "https://elsewhere.example" || s.Request.Headers["X-Key"] != "" {
		t.Errorf("it is %+v", s)
	}
	path := "/api/v1/sources/" + s.ID
	if got := webtest.Read[feed.Source](t, e.desk.Call(http.MethodPatch, path, `{"address":""}`)); got.Address() != storetest.Site || got.Label != "The Quay" || got.Request.Password != "" || !strings.Contains(got.Request.Cleared, "the address was changed") {
		t.Errorf("back at its URL: %+v", got)
	}
	log, err := e.n.Audit(t.Context(), "", 1)
	if err != nil || !strings.Contains(log[0].Before, "name The Quay, polled at "+address) || strings.Contains(log[0].After, "polled at") {
		t.Errorf("the audit log has %+v, %v", log, err)
	}
	for body, want := range map[string]int{
		`{"url":"https://x.example/"}`: 400, `{"address":"ftp://x.example/"}`: 400, `{"name":"` + strings.Repeat("x", 201) + `"}`: 400,
		`{"address":"` + storetest.Gone + `"}`: 409, `{"name":""}`: 200,
	} {
		if rec := e.desk.Call(http.MethodPatch, path, body); rec.Code != want {
			t.Errorf("%s: got %d %s, want %d", body, rec.Code, rec.Body, want)
		}
	}
	if rec := e.desk.Call(http.MethodPatch, "/api/v1/sources/"+feed.SourceID("https://none.example/"), `{}`); rec.Code != 404 {
		t.Errorf("a source that does not exist: %d", rec.Code)
	}
}

// What cannot be saved stays in the page, with the field that is to blame.
func TestSettingsThatAreWrongStayInThePage(t *testing.T) {
	e := newEditing(t)
	for field, c := range map[string]struct{ value, why string }{
		"timeout":      {"soon", "Timeout: use a duration"},
		"keep":         {"title=((", "Filters: "},
		"block":        {"ferry", "write field=expression"},
		"headers":      {"X-New:", "has no value yet"},
		"proxy":        {"gopher://x", "Proxy: "},
		"interval":     {"1ns", "Poll interval: use a duration"},
		"revision":     {"x", "The form cannot be read"},
		"keep_entries": {"many", "Entries kept: "},
		"keep_for":     {"-1h", "Entries kept for: "},
	} {
		form := e.asShown()
		form.Set(field, c.value)
		form.Set("categories", "Written by hand")
		rec := e.Send(http.MethodPost, e.path, form)
		if html := rec.Body.String(); rec.Code != http.StatusUnprocessableEntity || !strings.Contains(html, c.why) || !strings.Contains(html, "Written by hand") {
			t.Errorf("%s %q: %d, want %q in\n%s", field, c.value, rec.Code, c.why, html)
		}
	}
	if s := stored(t, e.n, storetest.Site); strconv.Itoa(s.Revision) != e.revision {
		t.Errorf("it was saved: %+v", s)
	}
}

// The second of two editors of a source sees what the first has set, keeps the own text, and decides.
func TestSettingsOfAnotherAreNotOverwrittenUnseen(t *testing.T) {
	e := newEditing(t)
	theirs := e.asShown()
	theirs.Set("interval", "6h")
	if rec := e.Send(http.MethodPost, e.path, theirs); rec.Code != http.StatusSeeOther {
		t.Fatal(rec.Body)
	}
	mine := e.asShown()
	mine.Set("categories", "Mine")
	rec := e.Send(http.MethodPost, e.path, mine)
	if rec.Code != http.StatusConflict {
		t.Fatalf("got %d %s", rec.Code, rec.Body)
	}
	now := stored(t, e.n, storetest.Site)
	webtest.InOrder(t, rec.Body.String(), "Someone else changed this source to", "every 6h", `name="revision" value="`+strconv.Itoa(now.Revision)+`"`, `value="Mine"`)
	if now.Interval != 6*time.Hour {
		t.Errorf("it is %+v", now)
	}
	mine.Set("revision", strconv.Itoa(now.Revision))
	if rec := e.Send(http.MethodPost, e.path, mine); rec.Code != http.StatusSeeOther || stored(t, e.n, storetest.Site).Interval != 90*time.Minute {
		t.Errorf("all the same: %d", rec.Code)
	}
	e.desk.As(t, "rea", feed.RoleViewer).Get(e.path, http.StatusForbidden)
}

// A secret is for the server and the way for which it was entered: another proxy, or a move, ends that.
func TestAnotherProxyRemovesSecretsUntilTheyAreEnteredAgain(t *testing.T) {
	e := newEditing(t)
	form := e.asShown()
	form.Set("proxy", "http://other.example:3128")
	form.Set("headers", "X-Key:\nAccept-Language: de\n")
	rec := e.Send(http.MethodPost, e.path, form)
	if rec.Code != http.StatusSeeOther || !strings.Contains(rec.Header().Get("Location"), "did=cleared") {
		t.Fatalf("got %d %s %s", rec.Code, rec.Header().Get("Location"), rec.Body)
	}
	s := stored(t, e.n, storetest.Site)
	want := feed.Request{
		Timeout: 45 * time.Second, Headers: map[string]string{"Accept-Language": "de"}, Proxy: "http://other.example:3128", Cleared: "the proxy was changed",
	}
	if diff := cmp.Diff(want, s.Request); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	webtest.InOrder(t, e.Get("/sources/"+s.ID, 200), "removed: the proxy was changed. Enter them again in the settings.")
	webtest.InOrder(t, e.Get(e.path, 200), "The previous one was removed: the proxy was changed.")

	form.Set("revision", strconv.Itoa(s.Revision))
	form.Set("username", "wire")
	form.Set("password", "again")
	form.Set("headers", "X-Key: again\n")
	if rec := e.Send(http.MethodPost, e.path, form); rec.Code != http.StatusSeeOther || !strings.Contains(rec.Header().Get("Location"), "did=saved") {
		t.Fatalf("got %d %s", rec.Code, rec.Body)
	}
	again := stored(t, e.n, storetest.Site).Request
	if again.Password != "again" || again.Headers["X-Key"] != "again" || again.Cleared != "" || again.SecretsFor != "" {
		t.Errorf("got %+v", again)
	}
}

func TestSecretsOfAMovedSourceAreForItsNewAddress(t *testing.T) {
	e := newEditing(t)
	s := stored(t, e.n, storetest.Site)
	s.Poll.Move = feed.Move{To: "https://new.example/feed.xml", Since: s.Added, Seen: 5, Adopted: s.Added, Checked: s.Added}
	s = e.n.SetSource(t, s)
	form := e.asShown()
	form.Set("revision", strconv.Itoa(s.Revision))
	form.Set("password", "new")
	if rec := e.Send(http.MethodPost, e.path, form); rec.Code != http.StatusSeeOther || !strings.Contains(rec.Header().Get("Location"), "did=cleared") {
		t.Fatalf("got %d %s", rec.Code, rec.Body)
	}
	got := stored(t, e.n, storetest.Site)
	if got.SecretsOrigin() != "https://new.example" || got.Request.Password != "new" || len(got.Request.Headers) != 0 ||
		!strings.Contains(got.Request.Cleared, "moved to https://new.example") {
		t.Errorf("got %+v", got.Request)
	}
}
