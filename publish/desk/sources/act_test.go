package sources_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/publish/web/webtest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestWhatIsDoneToASourceCanBeUndone(t *testing.T) {
	d, n := newDesk(t)
	b := d.As(t, "ed", feed.RoleEditor)
	id := feed.SourceID(storetest.Site)
	do := func(path, back, want string) string {
		t.Helper()
		rec := b.Send(http.MethodPost, path, url.Values{"back": {back}})
		if got := rec.Header().Get("Location"); rec.Code != http.StatusSeeOther || got != want {
			t.Fatalf("POST %s: %d to %s, want %s", path, rec.Code, got, want)
		}
		return b.Get(want, http.StatusOK)
	}
	html := do("/sources/"+id+"/pause", "/sources?q=harbour", "/sources?did=paused&q=harbour&to="+id)
	if !stored(t, n, storetest.Site).Paused {
		t.Error("it is not paused")
	}
	do(webtest.UndoPath(t, html), "/sources", "/sources?did=resumed&to="+id)
	if stored(t, n, storetest.Site).Paused {
		t.Error("the pause is not undone")
	}
	html = do("/sources/"+id+"/remove", "", "/sources?did=removed&to="+id)
	if stored(t, n, storetest.Site).ID != "" {
		t.Error("it is not removed")
	}
	do(webtest.UndoPath(t, html), "", "/sources/"+id+"?did=restored&to="+id)
	if stored(t, n, storetest.Site).ID == "" {
		t.Error("the removal is not undone")
	}
	do("/sources/"+id+"/poll", "", "/sources/"+id+"?did=due&to="+id)
	do("/sources/poll", "/sources", "/sources?did=alldue")
	do("/sources/"+id+"/pause", "https://evil.example/", "/sources/"+id+"?did=paused&to="+id)
	do("/sources/"+id+"/pause", "//evil.example/", "/sources/"+id+"?did=paused&to="+id)
	if html := b.Get("/sources?did=paused&to=%22%3E%3Cscript%3E", 200); strings.Contains(html, "Undo") {
		t.Error("a way to undo is taken from nonsense")
	}
	entries, err := n.Audit(t.Context(), "", 50)
	if err != nil {
		t.Fatal(err)
	}
	var did []string
	for _, e := range entries {
		did = append(did, e.Action)
	}
	for _, want := range []string{"source_pause", "source_resume", "source_remove", "source_restore"} {
		if !slices.Contains(did, want) {
			t.Errorf("%s is not in the audit log: %v", want, did)
		}
	}
	if rec := b.Send(http.MethodPost, "/sources/"+feed.SourceID(storetest.Paused)+"/poll", nil); rec.Code != http.StatusConflict {
		t.Errorf("a paused source is polled: %d", rec.Code)
	}
}

func TestSourceIsPolledPausedResumedRemoved(t *testing.T) {
	d, n := newDesk(t)
	path := "/api/v1/sources/" + feed.SourceID(storetest.Site)
	for _, step := range []struct {
		method, path string
		status       int
		paused       bool
	}{
		{http.MethodPost, path + "/poll", 202, false},
		{http.MethodPost, path + "/pause", 200, true},
		{http.MethodPost, path + "/poll", 409, true},
		{http.MethodPost, path + "/resume", 200, false},
		{http.MethodDelete, path, 204, false},
		{http.MethodDelete, path, 404, false},
		{http.MethodGet, path, 404, false},
	} {
		rec := d.Call(step.method, step.path, "")
		if rec.Code != step.status {
			t.Fatalf("%s %s: got %d, want %d: %s", step.method, step.path, rec.Code, step.status, rec.Body)
		}
		if step.status < 204 && webtest.Read[feed.Source](t, rec).Paused != step.paused {
			t.Errorf("%s %s: paused is not %v", step.method, step.path, step.paused)
		}
		if reason := stored(t, n, storetest.Site).Poll.NextReason; step.status == 202 && reason != "requested" {
			t.Errorf("after %s the next poll is because of %q", step.path, reason)
		}
	}
}

func TestAllSourcesArePolled(t *testing.T) {
	d, n := newDesk(t)
	rec := d.Call(http.MethodPost, "/api/v1/sources/poll", "")
	if due := webtest.Read[map[string]int](t, rec)["due"]; rec.Code != http.StatusAccepted || due != 2 {
		t.Errorf("got %d and %s, want 2 due", rec.Code, rec.Body)
	}
	for url, due := range map[string]bool{storetest.Site: true, storetest.Slow: true, storetest.Gone: false, storetest.Paused: false} {
		if reason := stored(t, n, url).Poll.NextReason; (reason == "requested") != due {
			t.Errorf("the next poll of %s is because of %q", url, reason)
		}
	}
}

func TestManySourcesAreChangedAtOnce(t *testing.T) {
	d, n := newDesk(t)
	body, err := json.Marshal(map[string][]string{"sources": {feed.SourceID(storetest.Site), storetest.Slow, storetest.Paused, "nothing"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		action string
		want   []int
	}{
		{"poll", []int{202, 202, 409, 404}}, {"pause", []int{200, 200, 200, 404}}, {"resume", []int{200, 200, 200, 404}},
		{"remove", []int{204, 204, 204, 404}}, {"remove", []int{404, 404, 404, 404}},
	} {
		rec := d.Call(http.MethodPost, "/api/v1/sources/"+step.action, string(body))
		if all := webtest.Read[web.Bulk](t, rec); rec.Code != http.StatusMultiStatus || !slices.Equal(statuses(all), step.want) {
			t.Errorf("%s: %d %+v", step.action, rec.Code, all)
		}
	}
	if left, err := n.Sources(t.Context()); err != nil || len(left) != 1 {
		t.Errorf("%d sources are left, %v", len(left), err)
	}
}

func statuses(all web.Bulk) (codes []int) {
	for _, item := range all.Items {
		codes = append(codes, item.Status)
	}
	return codes
}

func TestPostsOfAMemberAreNotRemovedWithTheirSource(t *testing.T) {
	d, n := newDesk(t)
	source, _, err := n.AddSource(t.Context(), feed.Source{URL: feed.MemberURL(7)})
	if err != nil {
		t.Fatal(err)
	}
	b, path := d.As(t, "ed", feed.RoleEditor), "/sources/"+source.ID
	if rec := d.Call(http.MethodDelete, "/api/v1"+path, ""); rec.Code != http.StatusConflict || !strings.Contains(rec.Body.String(), "posts of an account") {
		t.Errorf("the API: %d %s", rec.Code, rec.Body)
	}
	done := webtest.Read[web.Bulk](t, d.Call(http.MethodPost, "/api/v1/sources/remove", `{"sources": ["`+source.ID+`"]}`))
	if done.Done != 0 || done.Items[0].Status != http.StatusConflict {
		t.Errorf("in bulk: %+v", done)
	}
	if rec := b.Send(http.MethodPost, path+"/remove", nil); rec.Code != http.StatusConflict || !strings.Contains(rec.Body.String(), "posts of an account") {
		t.Errorf("the page: %d %s", rec.Code, rec.Body)
	}
	if stored(t, n, source.URL).ID == "" {
		t.Error("the source is removed")
	}
	if page := b.Get(path, http.StatusOK); strings.Contains(page, path+"/remove") || strings.Contains(page, "/entries/add") {
		t.Error(page)
	}
}
