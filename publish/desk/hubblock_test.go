package desk_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/store/feed"
)

func TestOverviewShowsTheHubWithoutCallbacks(t *testing.T) {
	opts := withHub(hubOf(t))
	opts.OpenPages = anyone
	html := call(wire(), opts, http.MethodGet, "/", "", "Authorization", "").Body.String()
	for _, want := range []string{
		"4 subscriptions · 2 topics · 1 failing · 2 given up",
		"b.example/…", "3 failures in a row, the first 1 h ago: its server answers 503", `<span class="badge failing">failing</span>`,
		"all signals of " + siteURL, "websub, ",
		"3 versions of " + siteURL + ", after 15 failures: its server answers 503",
		"feedwire hub replay 1795206000002-0",
	} {
		if !strings.Contains(html, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if strings.Contains(html, private) {
		t.Error("the page shows a callback")
	}
	if strings.Index(html, "b.example/…") > strings.Index(html, "a.example/…") {
		t.Error("the subscriber that fails does not come first")
	}
	for _, tag := range []string{"<table", "<caption"} {
		if n := strings.Count(html, tag); n != 7 {
			t.Errorf("%d times %s, want 7", n, tag)
		}
	}
}

func TestOverviewIsSilentOfAHubThatNobodyUses(t *testing.T) {
	opts := withHub(&fakeHub{})
	opts.OpenPages = anyone
	if html := call(wire(), opts, http.MethodGet, "/", "", "Authorization", "").Body.String(); strings.Contains(html, `id="hub"`) {
		t.Error("the page speaks of subscriptions")
	}
	h := hubOf(t)
	h.err = feed.ErrUnavailable
	opts = withHub(h)
	opts.OpenPages = anyone
	if rec := call(wire(), opts, http.MethodGet, "/", "", "Authorization", ""); rec.Code != http.StatusServiceUnavailable {
		t.Errorf("while the store is away it answers %d", rec.Code)
	}
}
