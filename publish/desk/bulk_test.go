package desk_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"testing"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

func TestManySourcesAreChangedAtOnce(t *testing.T) {
	store, opts := wire(), options()
	body, err := json.Marshal(map[string][]string{"sources": {feed.SourceID(siteURL), slowURL, pauseURL, "nothing"}})
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
		rec := call(store, opts, http.MethodPost, "/api/v1/sources/"+step.action, string(body))
		if all := read[web.Bulk](t, rec); rec.Code != http.StatusMultiStatus || !slices.Equal(statuses(all), step.want) {
			t.Errorf("%s: %d %+v", step.action, rec.Code, all)
		}
	}
	if len(store.sources) != 1 {
		t.Errorf("%d sources are left", len(store.sources))
	}
}

func TestBulkRequestsAreBounded(t *testing.T) {
	names := slices.Repeat([]string{siteURL}, 201)
	many, err := json.Marshal(map[string]any{"sources": names})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ path, body, field string }{
		{"/api/v1/sources/pause", string(many), "sources"}, {"/api/v1/sources/pause", `{"sources":[]}`, "sources"},
		{"/api/v1/sources/poll", `{}`, "sources"}, {"/api/v1/sources/remove", `{"all":true}`, "all"},
		{"/api/v1/articles/publish", `{"feed":"production"}`, "articles"}, {"/api/v1/articles/publish", `{"articles":["x"]}`, "feed"},
	} {
		rec := call(wire(), options(), http.MethodPost, c.path, c.body)
		p := read[feed.Problem](t, rec)
		if rec.Code != http.StatusBadRequest || len(p.Errors) != 1 || p.Errors[0].Field != c.field {
			t.Errorf("%s %.40s: %d %+v", c.path, c.body, rec.Code, p)
		}
	}
}

func statuses(all web.Bulk) (codes []int) {
	for _, item := range all.Items {
		codes = append(codes, item.Status)
	}
	return codes
}
