package desk_test

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/store/feed"
)

// edited is a source with all that can be set, and the office in which that is done.
func edited(t *testing.T) (o *office, b *browser, path string) {
	t.Helper()
	o = newOffice(t)
	s := o.store.sources[feed.SourceID(siteURL)]
	s.Revision, s.Interval, s.Categories = 7, 90*time.Minute, []string{"News/Local", "Sea"}
	s.Filters = feed.Filters{Keep: []feed.Filter{{Field: "title", Match: "(?i)ferry"}}, Block: []feed.Filter{{Field: "any", Match: "a=b"}}}
	s.Request = feed.Request{
		Timeout: 45 * time.Second, Headers: map[string]string{"X-Key": "s3cret"}, Username: "wire", Password: "pa55", Proxy: "http://u:hush@proxy.example:3128",
	}
	s.Keep = feed.Keep{Entries: 500, For: feed.Duration(720 * time.Hour)}
	o.store.sources[s.ID] = s
	return o, o.in("ann", feed.RoleEditor), "/sources/" + s.ID + "/edit"
}

// asShown is the form of the page as a browser sends it that changes nothing.
func asShown() url.Values {
	return url.Values{
		"revision": {"7"}, "feed": {"production", "development"}, "publish": {"auto"}, "interval": {"1h30m"}, "categories": {"News/Local, Sea"},
		"keep": {"title=(?i)ferry\r\n"}, "block": {"any=a=b\r\n"}, "timeout": {"45s"}, "username": {"wire"}, "headers": {"X-Key:\r\n"},
		"proxy": {"http://u:xxxxx@proxy.example:3128"}, "keep_entries": {"500"}, "keep_for": {"720h"},
	}
}

func TestSettingsAreShownWithoutSecretsAndSavedAsTheyAre(t *testing.T) {
	o, b, path := edited(t)
	html := b.gets(path, 200)
	inOrder(t, html, `name="revision" value="7"`, `value="production" checked`, `value="auto" checked`, `value="1h30m" selected`,
		`value="News/Local, Sea"`, "title=(?i)ferry", "any=a=b", `value="500"`, `value="720h"`, `value="wire"`, "A password is set.", "X-Key:", `value="45s"`, "http://u:xxxxx@proxy")
	for _, secret := range []string{"s3cret", "pa55", "hush"} {
		if strings.Contains(html, secret) {
			t.Errorf("the page shows %s", secret)
		}
	}
	before := o.store.sources[feed.SourceID(siteURL)]
	if rec := b.send(http.MethodPost, path, asShown()); rec.Code != http.StatusSeeOther || !strings.Contains(rec.Header().Get("Location"), "did=saved") {
		t.Fatalf("got %d %s", rec.Code, rec.Body)
	}
	after := o.store.sources[feed.SourceID(siteURL)]
	after.Revision = before.Revision
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("saving what was shown changed it (-before +after):\n%s", diff)
	}
}

func TestSettingsAreChanged(t *testing.T) {
	o, b, path := edited(t)
	form := asShown()
	for name, value := range map[string]string{
		"feed": "development", "publish": "manual", "interval": "", "keep": "", "headers": "X-Other: new\n", "username": "", "timeout": "", "proxy": "direct",
		"ignore_updates": "1", "min_interval": "2h", "keep_entries": "30", "keep_for": "",
	} {
		form.Set(name, value)
	}
	if rec := b.send(http.MethodPost, path, form); rec.Code != http.StatusSeeOther {
		t.Fatalf("got %d %s", rec.Code, rec.Body)
	}
	s := o.store.sources[feed.SourceID(siteURL)]
	want := feed.Request{MinInterval: 2 * time.Hour, Headers: map[string]string{"X-Other": "new"}, Proxy: "direct"}
	if diff := cmp.Diff(want, s.Request); diff != "" {
		t.Errorf("it is asked otherwise (-want +got):\n%s", diff)
	}
	if s.Keep != (feed.Keep{Entries: 30}) || !s.IgnoreUpdates || s.Publish != feed.PublishManual || s.Interval != 0 || len(s.Feeds) != 1 || len(s.Filters.Keep) != 0 || len(s.Filters.Block) != 1 {
		t.Errorf("it is %+v", s)
	}
	if audit := o.signs.log[len(o.signs.log)-1]; audit.Object.Name != siteURL || !strings.Contains(audit.After, "publish manual") {
		t.Errorf("the audit log has %+v", audit)
	}
}

// What cannot be saved stays in the page, with the field that is to blame.
func TestSettingsThatAreWrongStayInThePage(t *testing.T) {
	o, b, path := edited(t)
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
		form := asShown()
		form.Set(field, c.value)
		form.Set("categories", "Written by hand")
		rec := b.send(http.MethodPost, path, form)
		if html := rec.Body.String(); rec.Code != http.StatusUnprocessableEntity || !strings.Contains(html, c.why) || !strings.Contains(html, "Written by hand") {
			t.Errorf("%s %q: %d, want %q in\n%s", field, c.value, rec.Code, c.why, html)
		}
	}
	if s := o.store.sources[feed.SourceID(siteURL)]; s.Revision != 7 {
		t.Errorf("it was saved: %+v", s)
	}
}

// Of two who edit one source, the second is told what the first has set, keeps what they wrote, and decides.
func TestSettingsOfAnotherAreNotOverwrittenUnseen(t *testing.T) {
	o, b, path := edited(t)
	theirs := asShown()
	theirs.Set("interval", "6h")
	if rec := b.send(http.MethodPost, path, theirs); rec.Code != http.StatusSeeOther {
		t.Fatal(rec.Body)
	}
	mine := asShown()
	mine.Set("categories", "Mine")
	rec := b.send(http.MethodPost, path, mine)
	if rec.Code != http.StatusConflict {
		t.Fatalf("got %d %s", rec.Code, rec.Body)
	}
	now := o.store.sources[feed.SourceID(siteURL)]
	inOrder(t, rec.Body.String(), "Someone else changed this source to", "every 6h", `name="revision" value="`+strconv.Itoa(now.Revision)+`"`, `value="Mine"`)
	if now.Interval != 6*time.Hour {
		t.Errorf("it is %+v", now)
	}
	mine.Set("revision", strconv.Itoa(now.Revision))
	if rec := b.send(http.MethodPost, path, mine); rec.Code != http.StatusSeeOther || o.store.sources[feed.SourceID(siteURL)].Interval != 90*time.Minute {
		t.Errorf("all the same: %d", rec.Code)
	}
	o.in("rea", feed.RoleViewer).gets(path, http.StatusForbidden)
}
