package desk_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/store/feed"
)

func TestLastPollsAreDrawnAndTold(t *testing.T) {
	store := newFakeStore()
	source := feed.Source{URL: "https://a.example/", ID: feed.SourceID("https://a.example/"), Polls: []feed.Poll{
		{Time: noon, Status: 304}, {Time: noon, Status: 200, New: 3}, {Time: noon, Class: "dns"},
	}}
	store.sources[source.ID] = source
	html := page(t, store, "/sources/"+source.ID)
	for want, n := range map[string]int{
		"last 3 polls: 1 with changes, 1 failed": 2, `<rect class="bad"`: 2, `<rect class="news"`: 1, `<rect class="quiet" x="147"`: 1,
	} {
		if got := strings.Count(html, want); got != n {
			t.Errorf("%q is there %d times, want %d", want, got, n)
		}
	}
	if got := get[feed.Source](t, store, "/api/v1/sources/"+source.ID); !cmp.Equal(got.Polls, source.Polls) {
		t.Errorf("the API tells of %v", got.Polls)
	}
}

func TestRequestOfASourceIsSetAndHidden(t *testing.T) {
	store := newFakeStore()
	rec := call(store, options(), http.MethodPost, "/api/v1/sources", `{"url":"https://a.example/","request":{"timeout":"45s",
		"min_interval":"2h","headers":{"X-Key":"s3cret"},"username":"u","password":"s3cret","proxy":"http://u:s3cret@p.example/"}}`)
	if rec.Code != http.StatusCreated || strings.Contains(rec.Body.String(), "s3cret") {
		t.Errorf("got %d %s", rec.Code, rec.Body)
	}
	stored := store.sources[feed.SourceID("https://a.example/")].Request
	if stored.Timeout.String() != "45s" || stored.MinInterval.String() != "2h0m0s" || stored.Headers["X-Key"] != "s3cret" || stored.Password != "s3cret" {
		t.Errorf("stored %+v", stored)
	}
	rec = call(store, options(), http.MethodPost, "/api/v1/sources", `{"url":"https://a.example/","request":{"timeout":"1ms",
		"headers":{"Host":"s3cret"},"password":"s3cret","proxy":"s3cret"}}`)
	for _, field := range []string{"request.timeout", "request.headers", "request.username", "request.proxy"} {
		if !strings.Contains(rec.Body.String(), field) {
			t.Errorf("%s is not blamed: %s", field, rec.Body)
		}
	}
	if rec.Code != http.StatusBadRequest || strings.Contains(rec.Body.String(), "s3cret") {
		t.Errorf("got %d %s", rec.Code, rec.Body)
	}
}
