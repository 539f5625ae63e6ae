package desk_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

func TestFeedPageShowsArticlesAndVisits(t *testing.T) {
	store := wire()
	for i := range 6 {
		store.visits = append(store.visits, feed.Visit{
			Time: noon.Add(-time.Duration(i) * time.Hour), Client: "facebook", Status: []int{200, 304, 200, 503, 200, 200}[i], Counted: i%3 != 0,
		})
	}
	o := newOffice(t, func(opts *deskOptions) {
		opts.Feeds[0].Username, opts.Feeds[0].Password = "meta", "s3cret"
		opts.Blocked = func(a *feed.Article, typ string) string {
			if a.GUID == "post-2" && typ == "production" {
				return "it has no text"
			}
			return ""
		}
		opts.Document = func(context.Context, string) ([]byte, string, error) {
			return []byte("<rss/>"), "application/rss+xml", nil
		}
	})
	o.desk = newDesk(store, o.opts)
	b := o.in("rea", feed.RoleViewer)
	html := b.gets("/feeds/production", 200)
	inOrder(t, html, "Example production", "1 article is blocked.", `value="http://wire.example/feed/production"`, `data-copy="address"`,
		"meta", "••••", "Blocked", "Why the old lighthouse", "it has no text", "Articles", "Ferry line to the islands", "2 of 4",
		"last 24 hours: 4 visits by the consumer, 1 by others, 1 refused or failed", "facebook", "304 not modified", "503 service unavailable")
	if strings.Contains(html, "s3cret") {
		t.Error("the page shows the password")
	}
	inOrder(t, b.gets("/feeds", 200), "/feeds/production", "with a password", "last fetched", "/feeds/development", "open")
	rec := b.send(http.MethodGet, "/feeds/production/document", nil)
	if rec.Code != 200 || rec.Body.String() != "<rss/>" || rec.Header().Get("Content-Type") != "text/plain; charset=utf-8" {
		t.Errorf("the document: %d %s %s", rec.Code, rec.Header(), rec.Body)
	}
	b.gets("/feeds/nothing", 404)
	inOrder(t, b.gets("/feeds/development", 200), "Last fetched") // the fake has one list of visits
}

func TestVisitChartHasAColumnForEachHour(t *testing.T) {
	store := wire()
	for hour := range 30 { // those before the last 24 hours are left out
		store.visits = append(store.visits, feed.Visit{Time: noon.Add(-time.Duration(hour) * time.Hour), Status: 200, Counted: true})
	}
	html := page(t, store, "/feeds/production")
	if n := strings.Count(html, `<rect class="counted"`); n != 24 {
		t.Errorf("%d columns", n)
	}
	if !strings.Contains(html, "last 24 hours: 24 visits by the consumer, 0 by others, 0 refused or failed") {
		t.Error("the chart has no description")
	}
}

func TestSignalsAreSearchedAndStreamed(t *testing.T) {
	store := wire()
	o := newOffice(t, func(opts *deskOptions) {
		opts.Events = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = fmt.Fprint(w, "asked ", r.URL.RawQuery) })
	})
	o.desk = newDesk(store, o.opts)
	b := o.in("rea", feed.RoleViewer)
	newest := store.signals[len(store.signals)-1].ID
	inOrder(t, b.gets("/signals", 200), `data-live="/signals/live?after=`+newest+`&amp;content=0"`, "Fish market returns", siteURL, "content, title", "/assets/wire.js")
	html := b.gets("/signals?kind=post_modified&q=site", 200)
	inOrder(t, html, `value="site"`, `value="post_modified" checked`, "kind=post_modified", "What the new tide tables say")
	if strings.Contains(html, "Ferry line") {
		t.Error("another kind is shown")
	}
	b.gets("/signals?q=nobody", 200)
	if got := b.gets("/signals/live?after=5", 200); got != "asked after=5" {
		t.Errorf("the stream got %q", got)
	}
	b.gets("/signals?cursor=x", 422)

	changed := store.signals[5]
	changed.Changed["link"] = feed.Change{To: "https://site.example/new"}
	html = b.gets("/signals/"+changed.ID, 200)
	inOrder(t, html, "What the new tide tables say", "post modified", "content", "<del dir=\"auto\">c</del>", "<ins dir=\"auto\">d</ins>", "link", "nothing",
		"Details", "post_modified", siteURL, "post-6", "Entry:6", "Current post", "&lt;p&gt;What the new")
	b.gets("/signals/5-5", 404)
	b.gets("/signals/nonsense", 404)
}

func TestSignalsArePaged(t *testing.T) {
	store := wire()
	for i := range 120 {
		store.signals = append(store.signals, feed.Signal{ID: fmt.Sprintf("1900000000%03d-0", i), Kind: feed.FeedCreated, FeedURL: "https://many.example/"})
	}
	seen, path := 0, "/signals?q=many"
	for path != "" {
		html := page(t, store, path)
		seen += strings.Count(html, `scope="row"`)
		_, rest, more := strings.Cut(html, `<a href="/signals?cursor=`)
		if path = ""; more {
			before, _, _ := strings.Cut(rest, `"`)
			path = "/signals?cursor=" + strings.ReplaceAll(before, "&amp;", "&")
		}
	}
	if seen != 120 {
		t.Errorf("the pages show %d signals", seen)
	}
}

func TestOnlyAdminsSeeCallbacks(t *testing.T) {
	h := hubOf(t)
	o := newOffice(t, func(opts *deskOptions) {
		opts.Hub = h
		opts.OpenPages = func(r *http.Request) bool { return r.Header.Get("Open") != "" }
	})
	one := "/subscriptions/" + h.of("https://a.example/"+private).ID
	admin, reader, editor := o.in("adm", feed.RoleAdmin), o.in("rea", feed.RoleViewer), o.in("ed", feed.RoleEditor)
	for _, path := range []string{"/subscriptions", one, "/dead-letters"} {
		open := o.browser().send(http.MethodGet, path, nil, "Open", "1")
		for who, html := range map[string]string{"reader": reader.gets(path, 200), "editor": editor.gets(path, 200), "everyone": open.Body.String()} {
			if strings.Contains(html, private) || strings.Contains(html, "s3cret") {
				t.Errorf("%s shows %s the callback", path, who)
			}
		}
	}
	inOrder(t, admin.gets(one, 200), "a.example/…", "All versions were delivered.", "Resend", "yes, with the subscriber", "https://a.example/"+private, "Deny")
	if html := admin.gets(one, 200); strings.Contains(html, "s3cret") {
		t.Error("the page shows the secret")
	}
	if html := admin.gets("/subscriptions", 200); strings.Contains(html, private) {
		t.Error("the list shows callbacks")
	}
}

func TestSubscriptionsAreResentPausedAndDenied(t *testing.T) {
	h := hubOf(t)
	o := newOffice(t, func(opts *deskOptions) { opts.Hub = h })
	b := o.in("adm", feed.RoleAdmin)
	failing, webhook := h.of("https://b.example/"+private), h.of("https://c.example/"+private)
	inOrder(t, b.gets("/subscriptions", 200), "4 subscriptions", "2 deliveries failed permanently.", "/dead-letters", siteURL, "3 failures in a row", "failing")
	inOrder(t, b.gets("/subscriptions?topic="+feed.TopicID(siteURL), 200), "Subscribers", "to <span", siteURL, "a.example")
	do := func(path, want string, form url.Values) string {
		t.Helper()
		rec := b.send(http.MethodPost, path, form)
		if got := rec.Header().Get("Location"); rec.Code != http.StatusSeeOther || got != want {
			t.Fatalf("POST %s: %d to %s, want %s", path, rec.Code, got, want)
		}
		return b.gets(want, 200)
	}
	at := "/subscriptions/" + failing.ID
	do(at+"/resend", at+"?did=resent&to="+failing.ID, nil)
	html := do(at+"/pause", "/subscriptions?did=paused&to="+failing.ID, url.Values{"back": {"/subscriptions"}})
	if s, _ := h.find(failing.ID); !s.Paused {
		t.Error("it is not paused")
	}
	do(undo(t, html), "/subscriptions?did=resumed&to="+failing.ID, url.Values{"back": {"/subscriptions"}})
	if s, _ := h.find(failing.ID); s.Paused {
		t.Error("the pause is not undone")
	}
	do(at+"/deny", at+"?did=denied&to="+failing.ID, url.Values{"reason": {" too slow "}})
	if len(h.requests) != 1 || h.requests[0].Mode != feed.HubDenied || h.requests[0].Reason != "too slow" {
		t.Errorf("requests are %+v", h.requests)
	}
	if rec := b.send(http.MethodPost, "/subscriptions/"+webhook.ID+"/deny", nil); rec.Code != http.StatusConflict {
		t.Errorf("a webhook is denied: %d", rec.Code)
	}
	b.gets("/subscriptions/none", 404)
}

func TestDeadLettersAreReplayed(t *testing.T) {
	h := hubOf(t)
	o := newOffice(t, func(opts *deskOptions) { opts.Hub = h })
	b := o.in("adm", feed.RoleAdmin)
	inOrder(t, b.gets("/dead-letters", 200), "Resend all", "3 versions of "+siteURL, "/dead-letters/1795206000002-0/replay", "one version of")
	rec := b.send(http.MethodPost, "/dead-letters/1795206000002-0/replay", nil)
	if rec.Header().Get("Location") != "/dead-letters?did=replayed" {
		t.Errorf("got %d to %s", rec.Code, rec.Header().Get("Location"))
	}
	if rec = b.send(http.MethodPost, "/dead-letters/replay", nil); rec.Code != http.StatusSeeOther {
		t.Fatalf("got %d %s", rec.Code, rec.Body)
	}
	var replayed []string
	for _, did := range h.did {
		if strings.HasPrefix(did, "replay") {
			replayed = append(replayed, did)
		}
	}
	if len(replayed) < 3 || !slices.ContainsFunc(replayed, func(s string) bool { return strings.Contains(s, "1795206000001-0") }) {
		t.Errorf("replayed %v", replayed)
	}
}

func TestSettingsAreForAdmins(t *testing.T) {
	o := newOffice(t, func(opts *deskOptions) {
		opts.Settings = []feed.Setting{
			{Key: "listen", Value: ":80", Origin: "env FEEDWIRE_LISTEN"}, {Key: "api.token", Value: "********", Origin: "feedwire.yaml:3"},
			{Key: "data_dir", Origin: "default"},
		}
	})
	inOrder(t, o.in("adm", feed.RoleAdmin).gets("/settings", 200), "Settings that differ from their defaults", "listen", ":80", "env FEEDWIRE_LISTEN", "api.token", "Defaults", "data_dir", "empty")
	o.in("ed", feed.RoleEditor).gets("/settings", 403)
}

func TestPagesOfTheWireSayThatTheStoreIsAway(t *testing.T) {
	o := newOffice(t)
	b := o.in("adm", feed.RoleAdmin)
	o.store.err = fmt.Errorf("dial redis.internal: %w", feed.ErrUnavailable)
	o.opts.Hub.(*fakeHub).err = o.store.err
	for _, path := range []string{"/sources", "/sources/" + feed.SourceID(siteURL), "/feeds", "/feeds/production", "/signals", "/signals/1-1", "/subscriptions", "/dead-letters", "/imports/a"} {
		if html := b.gets(path, 503); strings.Contains(html, "redis.internal") {
			t.Errorf("%s: inner text left the house", path)
		}
	}
}
