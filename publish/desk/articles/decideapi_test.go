package articles_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/publish/desk/articles"
	"github.com/feedwire/feedwire/publish/instant/validate"
	"github.com/feedwire/feedwire/publish/placement"
	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/publish/web/webtest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestArticleIsPublishedAndWithdrawn(t *testing.T) {
	var transitions []string
	d, _ := newDesk(t, func(opts *articles.Options) {
		opts.OnTransition = func(typ string, from, to feed.State) {
			transitions = append(transitions, fmt.Sprintf("%s: %s to %s", typ, from, to))
		}
	})
	path := "/api/v1/articles/" + storetest.Post(4)
	body := `{"feed":"production"}`
	post := func(action, key string, status int) feed.Transition {
		t.Helper()
		rec := d.Call(http.MethodPost, path+action, body, "Idempotency-Key", key)
		if rec.Code != status {
			t.Fatalf("%s: got %d, want %d: %s", action, rec.Code, status, rec.Body)
		}
		return webtest.Read[feed.Transition](t, rec)
	}
	post("/withdraw", "", 409)
	if got := post("/publish", "k", 200); !got.Changed || got.Revision != 1 {
		t.Errorf("publish did %+v", got)
	}
	if got := post("/publish", "k", 200); !got.Changed || got.Revision != 1 {
		t.Errorf("the repetition is answered with %+v", got)
	}
	post("/withdraw", "k", 422) // the key of another request
	if got := post("/withdraw", "l", 200); !got.Changed || got.To != feed.StateWithdrawn {
		t.Errorf("withdraw did %+v", got)
	}
	if got := post("/publish", "", 200); got.Revision != 2 {
		t.Errorf("publish did %+v", got)
	}
	if got := post("/publish", "", 200); got.Revision != 3 {
		t.Errorf("publish without a key was taken for a repetition: %+v", got)
	}
	want := []string{
		"production: unpublished to published", "production: published to withdrawn", "production: withdrawn to published",
		"production: published to published",
	}
	if diff := cmp.Diff(want, transitions); diff != "" {
		t.Errorf("other transitions (-want +got):\n%s", diff)
	}
}

func TestArticleIsMovedOnlyAsSeen(t *testing.T) {
	d, _ := newDesk(t)
	path := "/api/v1/articles/" + storetest.Post(4)
	tag := d.Call(http.MethodGet, path, "").Header().Get("ETag")
	body := `{"feed":"production"}`
	if rec := d.Call(http.MethodPost, path+"/publish", body, "If-Match", `"other", `+tag); rec.Code != 200 {
		t.Fatalf("as it was seen: %d %s", rec.Code, rec.Body)
	}
	for _, action := range []string{"/publish", "/withdraw"} {
		if rec := d.Call(http.MethodPost, path+action, body, "If-Match", tag); rec.Code != http.StatusPreconditionFailed {
			t.Errorf("%s of what another one has published: %d", action, rec.Code)
		}
	}
	tag = d.Call(http.MethodGet, path, "").Header().Get("ETag")
	if rec := d.Call(http.MethodPost, path+"/withdraw", body, "If-Match", tag); rec.Code != 200 {
		t.Errorf("as it is: %d %s", rec.Code, rec.Body)
	}
}

func TestDecisionIsUndoneByWhatItsAnswerSays(t *testing.T) {
	d, n := newDesk(t)
	uuid, before := storetest.Post(6), placed(t, n, 6).State
	rec := d.Call(http.MethodPost, "/api/v1/articles/"+uuid+"/publish", `{"feed":"production"}`)
	done := webtest.Read[feed.Transition](t, rec)
	if rec.Code != http.StatusOK || done.Undo == "" || done.To == before {
		t.Fatalf("got %d %s", rec.Code, rec.Body)
	}
	undone := webtest.Read[web.Bulk](t, d.Call(http.MethodPost, "/api/v1/undo/"+done.Undo, ""))
	if now := placed(t, n, 6).State; now != before || undone.Done != 1 || undone.Items[0].ID != uuid {
		t.Errorf("it is %s, was %s: %+v", now, before, undone)
	}
	if rec := d.Call(http.MethodPost, "/api/v1/undo/0123", ""); rec.Code != http.StatusNotFound {
		t.Errorf("what was never decided: %d", rec.Code)
	}
}

func TestManyArticlesAreMovedAtOnce(t *testing.T) {
	moved := 0
	d, n := newDesk(t, func(opts *articles.Options) { opts.OnTransition = func(string, feed.State, feed.State) { moved++ } })
	known, out := storetest.Post(4), storetest.Post(1)
	body := fmt.Sprintf(`{"feed":"production","articles":[%q,"nothing",%q,%q]}`, known, feed.ArticleUUID("x", "y"), strings.ToUpper(out))
	post := func(action string) web.Bulk {
		t.Helper()
		rec := d.Call(http.MethodPost, "/api/v1/articles/"+action, body, "Idempotency-Key", action)
		if rec.Code != http.StatusMultiStatus {
			t.Fatalf("got %d %s", rec.Code, rec.Body)
		}
		return webtest.Read[web.Bulk](t, rec)
	}
	for _, all := range []web.Bulk{post("publish"), post("publish")} { // the second one is the first one's answer
		if all.Done != 2 || all.Failed != 2 || !slices.Equal(statuses(all), []int{200, 404, 404, 200}) {
			t.Fatalf("got %+v", all)
		}
		if first := all.Items[0]; first.ID != known || first.Transition.To != feed.StatePublished || first.Problem != nil {
			t.Errorf("the first is %+v", first)
		}
		if second := all.Items[1]; second.Transition != nil || webtest.ProblemKind(*second.Problem) != "not-found" {
			t.Errorf("the second is %+v", second)
		}
	}
	if all := post("withdraw"); !slices.Equal(statuses(all), []int{200, 404, 404, 200}) {
		t.Errorf("withdrawn: %+v", all)
	}
	if moved != 4 {
		t.Errorf("%d transitions are told", moved)
	}
	entries, err := n.Audit(t.Context(), "", 10)
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

// fading is a store that becomes unavailable after some decisions.
type fading struct {
	articles.Store
	left, tried int
}

func (f *fading) Decide(ctx context.Context, id string, decisions []feed.Decision) ([]feed.DecisionResult, error) {
	f.tried++
	if f.tried > f.left {
		return nil, feed.ErrUnavailable
	}
	return f.Store.Decide(ctx, id, decisions)
}

func TestBulkStopsIfTheStoreBecomesUnavailable(t *testing.T) {
	n := storetest.NewNewsroom(t)
	d, store := webtest.Over(n, n.Clock.Now), &fading{Store: n, left: 1}
	mount(d, store)
	uuids := make([]string, 5)
	for i := range uuids {
		uuids[i] = storetest.Post(i + 1)
	}
	body, err := json.Marshal(map[string]any{"feed": "production", "articles": uuids})
	if err != nil {
		t.Fatal(err)
	}
	all := webtest.Read[web.Bulk](t, d.Call(http.MethodPost, "/api/v1/articles/publish", string(body)))
	if !slices.Equal(statuses(all), []int{200, 503, 503, 503, 503}) || store.tried != 2 {
		t.Errorf("after %d tries: %+v", store.tried, all)
	}
}

// Whoever publishes an article that the feed leaves out learns it at once, and before that in the list.
func TestPublishingABlockedArticleSaysWhy(t *testing.T) {
	const why = "an image has no address"
	d, _ := newDesk(t, func(opts *articles.Options) {
		opts.Verdict = func(a *feed.Article, _ string, read func() (feed.Article, error)) (string, error) {
			whole, err := read()
			if err != nil || whole.UUID != storetest.Post(4) {
				return "", err
			}
			return why, nil
		}
	})
	b := d.As(t, "ann", feed.RoleEditor)
	webtest.Contains(t, b.Get("/articles", 200), "would be blocked: "+why)
	webtest.Contains(t, b.Get("/articles/"+storetest.Post(4), 200), "If it is published, it will be blocked: "+why)
	for _, a := range webtest.Read[feed.Page[feed.Article]](t, d.Call(http.MethodGet, "/api/v1/articles?feed=production", "")).Items {
		if got := a.Feeds["production"].Blocked; (got == why) != (a.UUID == storetest.Post(4)) {
			t.Errorf("the list says of %s %q", a.Title, got)
		}
	}
	for uuid, want := range map[string]string{storetest.Post(4): why, storetest.Post(5): ""} {
		body := fmt.Sprintf(`{"feed":"production","articles":[%q]}`, uuid)
		one := webtest.Read[feed.Transition](t, d.Call(http.MethodPost, "/api/v1/articles/"+uuid+"/publish", `{"feed":"production"}`))
		many := webtest.Read[web.Bulk](t, d.Call(http.MethodPost, "/api/v1/articles/publish", body))
		if one.Blocked != want || many.Items[0].Transition.Blocked != want {
			t.Errorf("publishing %s says %q, in bulk %q", uuid, one.Blocked, many.Items[0].Transition.Blocked)
		}
	}
	for uuid, want := range map[string]string{storetest.Post(4): "Published, but blocked", storetest.Post(5): "Published."} {
		seen := seenOn(t, b.Get("/articles", 200), uuid, "production")
		webtest.Contains(t, b.Follow("/articles/publish", url.Values{"one": {seen}, "once": {uuid}}), want)
	}
}

func TestArticleIsNotPublishedIfItWouldBeBlocked(t *testing.T) {
	const why = "an image has no address"
	d, n := newDesk(t, func(opts *articles.Options) {
		opts.Verdict = func(a *feed.Article, _ string, _ func() (feed.Article, error)) (string, error) {
			if a.UUID != storetest.Post(4) {
				return "", nil
			}
			return why, nil
		}
		opts.Preview = func(context.Context, feed.Article, string) (placement.Preview, error) {
			return placement.Preview{Findings: []validate.Finding{
				{Rule: "media-address", Severity: validate.Error, Message: "the image has no address", Place: "img", Remedy: "Add one."},
				{Rule: "link", Severity: validate.Warning, Message: "m", Place: "p", Remedy: "r"},
			}}, nil
		}
	})
	one := d.Call(http.MethodPost, "/api/v1/articles/"+storetest.Post(4)+"/publish", `{"feed":"production","unless_blocked":true}`)
	problem := webtest.Read[feed.Problem](t, one)
	want := []feed.FieldError{{Field: "media-address", Reason: "the image has no address, at img. Add one."}}
	if diff := cmp.Diff(want, problem.Errors); diff != "" || one.Code != http.StatusConflict || !strings.Contains(problem.Detail, why) {
		t.Errorf("got %d %q %s", one.Code, problem.Detail, diff)
	}
	body := fmt.Sprintf(`{"feed":"production","unless_blocked":true,"articles":[%q,%q]}`, storetest.Post(4), storetest.Post(5))
	many := webtest.Read[web.Bulk](t, d.Call(http.MethodPost, "/api/v1/articles/publish", body))
	if !slices.Equal(statuses(many), []int{409, 200}) || many.Items[0].Problem.Errors == nil {
		t.Errorf("in bulk: %+v", many)
	}
	if four, five := placed(t, n, 4).State, placed(t, n, 5).State; four != feed.StateUnpublished || five != feed.StatePublished {
		t.Errorf("the blocked article is %s, the other %s", four, five)
	}
	withdraw := "/api/v1/articles/" + storetest.Post(5) + "/withdraw"
	if rec := d.Call(http.MethodPost, withdraw, `{"feed":"production","unless_blocked":true}`); rec.Code != http.StatusBadRequest {
		t.Errorf("withdrawing takes unless_blocked: %d", rec.Code)
	}
	if rec := d.Call(http.MethodPost, "/api/v1/articles/"+storetest.Post(4)+"/publish", `{"feed":"production"}`); rec.Code != http.StatusOK {
		t.Errorf("without unless_blocked: %d", rec.Code)
	}
}
