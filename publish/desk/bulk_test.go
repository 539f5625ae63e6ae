package desk_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

func TestManyArticlesAreMovedAtOnce(t *testing.T) {
	store, opts, signs := wire(), options(), newFakeSign()
	opts.SignIn = signInOptions{Store: signs, Cost: 4}
	moved := 0
	opts.OnTransition = func(string, feed.State, feed.State) { moved++ }
	known, out := feed.ArticleUUID(siteURL, "post-4"), feed.ArticleUUID(siteURL, "post-1")
	body := fmt.Sprintf(`{"feed":"production","articles":[%q,"nothing",%q,%q]}`, known, feed.ArticleUUID("x", "y"), strings.ToUpper(out))
	post := func(action string) web.Bulk {
		t.Helper()
		rec := call(store, opts, http.MethodPost, "/api/v1/articles/"+action, body, "Idempotency-Key", action)
		if rec.Code != http.StatusMultiStatus {
			t.Fatalf("got %d %s", rec.Code, rec.Body)
		}
		return read[web.Bulk](t, rec)
	}
	for _, all := range []web.Bulk{post("publish"), post("publish")} { // the second one is the first one's answer
		if all.Done != 2 || all.Failed != 2 || !slices.Equal(statuses(all), []int{200, 404, 404, 200}) {
			t.Fatalf("got %+v", all)
		}
		if first := all.Items[0]; first.ID != known || first.Transition.To != feed.StatePublished || first.Problem != nil {
			t.Errorf("the first is %+v", first)
		}
		if second := all.Items[1]; second.Transition != nil || kindOf(*second.Problem) != "not-found" {
			t.Errorf("the second is %+v", second)
		}
	}
	if all := post("withdraw"); !slices.Equal(statuses(all), []int{200, 404, 404, 200}) {
		t.Errorf("withdrawn: %+v", all)
	}
	if moved != 4 {
		t.Errorf("%d transitions are told", moved)
	}
	entries, err := signs.Audit(context.Background(), "", 10)
	if err != nil || len(entries) != 4 || entries[3].Action != "article_publish" || entries[3].Object != feed.ArticleObject(known, "production") {
		t.Errorf("the audit log has %+v, %v", entries, err)
	}
}

func statuses(all web.Bulk) (codes []int) {
	for _, item := range all.Items {
		codes = append(codes, item.Status)
	}
	return codes
}

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

// fading is a store that goes away after some articles.
type fading struct {
	*fakeStore
	left, tried int
}

func (f *fading) Decide(ctx context.Context, id string, decisions []feed.Decision) ([]feed.DecisionResult, error) {
	f.tried++
	if f.tried > f.left {
		return nil, feed.ErrUnavailable
	}
	return f.fakeStore.Decide(ctx, id, decisions)
}

func TestBulkStopsWhereTheStoreGoesAway(t *testing.T) {
	store := &fading{fakeStore: wire(), left: 1}
	uuids := make([]string, 5)
	for i := range uuids {
		uuids[i] = feed.ArticleUUID(siteURL, fmt.Sprint("post-", i+1))
	}
	body, err := json.Marshal(map[string]any{"feed": "production", "articles": uuids})
	if err != nil {
		t.Fatal(err)
	}
	all := read[web.Bulk](t, call(store, options(), http.MethodPost, "/api/v1/articles/publish", string(body)))
	if !slices.Equal(statuses(all), []int{200, 503, 503, 503, 503}) || store.tried != 2 {
		t.Errorf("after %d tries: %+v", store.tried, all)
	}
}
