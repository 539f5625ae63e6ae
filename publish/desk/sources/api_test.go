package sources_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/publish/web/webtest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestSourceIsAddedOnce(t *testing.T) {
	d, _ := emptyDesk(t)
	added := d.Call(http.MethodPost, "/api/v1/sources", `{"url":"HTTPS://new.example:443/feed"}`)
	want := feed.Source{
		ID: feed.SourceID("https://new.example/feed"), URL: "https://new.example/feed", Feeds: []string{"production"},
		Publish: feed.PublishManual, Added: webtest.Noon(), Poll: feed.PollState{NextPoll: webtest.Noon(), NextReason: "new"},
	}
	if added.Code != http.StatusCreated || added.Header().Get("Location") != "/api/v1/sources/"+want.ID {
		t.Errorf("got %d, Location %q", added.Code, added.Header().Get("Location"))
	}
	if diff := cmp.Diff(want, webtest.Read[feed.Source](t, added)); diff != "" {
		t.Errorf("another source (-want +got):\n%s", diff)
	}

	again := d.Call(http.MethodPost, "/api/v1/sources",
		`{"url":"https://new.example/feed","publish":"auto","interval":"90s"}`)
	want.Publish, want.Interval = feed.PublishAuto, 90*time.Second // and what was left out stays
	if again.Code != http.StatusOK {
		t.Errorf("the second time got %d, want 200", again.Code)
	}
	if diff := cmp.Diff(want, webtest.Read[feed.Source](t, again)); diff != "" {
		t.Errorf("another source (-want +got):\n%s", diff)
	}

	none := d.Call(http.MethodPost, "/api/v1/sources", `{"url":"https://new.example/feed","feeds":[],"interval":""}`)
	if got := webtest.Read[feed.Source](t, none); len(got.Feeds) != 0 || got.Interval != 0 {
		t.Errorf("feeds and interval were not taken away: %+v", got)
	}
}

func TestIntervalIsResetOnlyOnRequest(t *testing.T) {
	for _, tt := range []struct {
		interval string // of the body
		want     time.Duration
	}{
		{``, 90 * time.Second},
		{`,"interval":"0s"`, 0},
		{`,"interval":""`, 0},
		{`,"interval":"2h"`, 2 * time.Hour},
	} {
		d, _ := emptyDesk(t)
		d.Call(http.MethodPost, "/api/v1/sources", `{"url":"https://new.example/","interval":"90s"}`)
		rec := d.Call(http.MethodPost, "/api/v1/sources", `{"url":"https://new.example/"`+tt.interval+`}`)
		if got := webtest.Read[feed.Source](t, rec); rec.Code != 200 || got.Interval != tt.want {
			t.Errorf("%s: got %d and %v, want %v", tt.interval, rec.Code, got.Interval, tt.want)
		}
	}
}

func TestFeedsOfASourceAreEachStoredOnce(t *testing.T) {
	d, _ := emptyDesk(t)
	rec := d.Call(http.MethodPost, "/api/v1/sources",
		`{"url":"https://new.example/","feeds":["production","development","production","production"]}`)
	if diff := cmp.Diff([]string{"production", "development"}, webtest.Read[feed.Source](t, rec).Feeds); diff != "" {
		t.Errorf("other feeds (-want +got):\n%s", diff)
	}
}

func TestSourceIsNamedByIDOrByURL(t *testing.T) {
	d, _ := newDesk(t)
	for _, name := range []string{feed.SourceID(storetest.Site), url.QueryEscape(storetest.Site), url.PathEscape("HTTPS://SITE.example/feed.xml")} {
		if got := webtest.Get[feed.Source](t, d, "/api/v1/sources/"+name); got.URL != storetest.Site {
			t.Errorf("%s is %q", name, got.URL)
		}
	}
}

func TestFiltersAndCategoriesOverTheAPI(t *testing.T) {
	d, _ := newDesk(t)
	add := func(body string) *httptest.ResponseRecorder {
		return d.Call(http.MethodPost, "/api/v1/sources", `{"url":"`+storetest.Site+`",`+body+`}`)
	}
	if rec := add(`"filters":{"keep":[{"field":"title","match":"("}]}`); rec.Code != http.StatusBadRequest ||
		!strings.Contains(rec.Body.String(), `"field":"filters"`) {
		t.Errorf("a bad expression: %d %s", rec.Code, rec.Body)
	}
	if rec := add(`"timestamp":"never"`); rec.Code != http.StatusBadRequest || !strings.Contains(rec.Body.String(), `"field":"timestamp"`) {
		t.Errorf("an unknown order of entries: %d %s", rec.Code, rec.Body)
	}
	rec := add(`"filters":{"block":[{"field":"any","match":"storm"}]},"categories":["News / Sea",""]`)
	if rec.Code != http.StatusOK || !strings.Contains(rec.Body.String(), `"filters":{"block":[{"field":"any","match":"storm"}]},"categories":["News/Sea"]`) {
		t.Errorf("got %d %s", rec.Code, rec.Body)
	}
	if rec := add(`"publish":"manual"`); !strings.Contains(rec.Body.String(), `"match":"storm"`) {
		t.Errorf("what was left out did not stay: %s", rec.Body)
	}
	if rec := add(`"filters":{},"categories":[]`); strings.Contains(rec.Body.String(), "storm") || strings.Contains(rec.Body.String(), "Sea") {
		t.Errorf("they are not gone: %s", rec.Body)
	}
}

func TestRequestOfASourceIsSetAndHidden(t *testing.T) {
	d, n := emptyDesk(t)
	rec := d.Call(http.MethodPost, "/api/v1/sources", `{"url":"https://a.example/","request":{"timeout":"45s",
		"min_interval":"2h","headers":{"X-Key":"s3cret"},"username":"u","password":"s3cret","proxy":"http://u:s3cret@p.example/"}}`)
	if rec.Code != http.StatusCreated || strings.Contains(rec.Body.String(), "s3cret") {
		t.Errorf("got %d %s", rec.Code, rec.Body)
	}
	stored := stored(t, n, "https://a.example/").Request
	if stored.Timeout.String() != "45s" || stored.MinInterval.String() != "2h0m0s" || stored.Headers["X-Key"] != "s3cret" || stored.Password != "s3cret" {
		t.Errorf("stored %+v", stored)
	}
	rec = d.Call(http.MethodPost, "/api/v1/sources", `{"url":"https://a.example/","request":{"timeout":"1ms",
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
