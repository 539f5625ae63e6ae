package desk_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/publish/desk/users"
	"github.com/feedwire/feedwire/publish/web/webtest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestRequestWithAKeyIsCarriedOutOnce(t *testing.T) {
	n := storetest.EmptyNewsroom(t)
	d := newDesk(n)
	const body = `{"url":"https://new.example/feed"}`
	first := d.call(http.MethodPost, "/api/v1/sources", body, "Idempotency-Key", "k")
	if err := n.RemoveSource(t.Context(), feed.SourceID("https://new.example/feed"), 0); err != nil {
		t.Fatal(err)
	}
	again := d.call(http.MethodPost, "/api/v1/sources", body, "Idempotency-Key", "k")
	if first.Code != 201 || again.Code != 201 || again.Body.String() != first.Body.String() ||
		again.Header().Get("Location") != first.Header().Get("Location") || again.Header().Get("Idempotency-Replayed") != "true" {
		t.Errorf("first %d %v, again %d %v %s", first.Code, first.Header(), again.Code, again.Header(), again.Body)
	}
	if all, err := n.Sources(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("the repetition was carried out: %v, %v", all, err)
	}
	for _, other := range []struct{ path, body string }{
		{"/api/v1/sources", `{"url":"https://other.example/feed"}`}, {"/api/v1/discover", body}, {"/api/v1/opml?publish=auto", body},
	} {
		rec := d.call(http.MethodPost, other.path, other.body, "Idempotency-Key", "k")
		if p := webtest.Read[feed.Problem](t, rec); rec.Code != 422 || webtest.ProblemKind(p) != "key-reused" {
			t.Errorf("%s %s with the key of another request: %d %+v", other.path, other.body, rec.Code, p)
		}
	}
	if rec := d.call(http.MethodPost, "/api/v1/sources", body, "Idempotency-Key", strings.Repeat("k", 129)); rec.Code != 400 {
		t.Errorf("a long key: %d", rec.Code)
	}
}

func TestRefusedRequestIsTriedAgain(t *testing.T) {
	n := storetest.NewNewsroom(t)
	d := newDesk(n)
	path := "/api/v1/sources/" + feed.SourceID(storetest.Paused) + "/poll"
	if rec := d.call(http.MethodPost, path, "", "Idempotency-Key", "k"); rec.Code != 409 {
		t.Fatalf("a paused source: %d", rec.Code)
	}
	if err := n.SetPaused(t.Context(), feed.SourceID(storetest.Paused), false, 0); err != nil {
		t.Fatal(err)
	}
	if rec := d.call(http.MethodPost, path, "", "Idempotency-Key", "k"); rec.Code != 202 {
		t.Errorf("with the same key: %d %s", rec.Code, rec.Body)
	}
}

func TestRequestUnderWayIsNotBegunAgain(t *testing.T) {
	begun, goOn := make(chan struct{}), make(chan struct{})
	d := newDesk(storetest.NewNewsroom(t), func(opts *options) {
		opts.sources.Trace = func(context.Context, string, bool) (feed.Trace, error) {
			close(begun) // a second one would panic
			<-goOn
			return feed.Trace{Source: storetest.Site}, nil
		}
	})
	path := "/api/v1/sources/" + feed.SourceID(storetest.Site) + "/poll?trace=1"
	done := make(chan int)
	go func() { done <- d.call(http.MethodPost, path, "", "Idempotency-Key", "k").Code }()
	<-begun
	rec := d.call(http.MethodPost, path, "", "Idempotency-Key", "k")
	if p := webtest.Read[feed.Problem](t, rec); rec.Code != 409 || webtest.ProblemKind(p) != "request-under-way" {
		t.Errorf("meanwhile: %d %+v", rec.Code, p)
	}
	close(goOn)
	if code := <-done; code != 200 {
		t.Errorf("the first one: %d", code)
	}
}

// recorder is a store that records the responses it stores.
type recorder struct {
	*storetest.Newsroom
	responses []feed.StoredResponse
}

func (r *recorder) StoreResponse(ctx context.Context, id, token string, a *feed.StoredResponse) error {
	r.responses = append(r.responses, *a)
	return r.Newsroom.StoreResponse(ctx, id, token, a)
}

func TestSecretsAreNotStoredWithResponses(t *testing.T) {
	store := &recorder{Newsroom: storetest.EmptyNewsroom(t)}
	d := newDesk(store)
	for path, body := range map[string]string{
		"/api/v1/tokens": `{"name":"nightly","scopes":["read"]}`,
		"/api/v1/users":  `{"name":"bob","role":"viewer"}`,
	} {
		first := d.call(http.MethodPost, path, body, "Idempotency-Key", path)
		again := d.call(http.MethodPost, path, body, "Idempotency-Key", path)
		if p := webtest.Read[feed.Problem](t, again); first.Code != 201 || again.Code != 409 || webtest.ProblemKind(p) != "answered-once" {
			t.Errorf("%s: %d, again %d %+v", path, first.Code, again.Code, p)
		}
	}
	if len(store.responses) != 2 {
		t.Errorf("%d responses are stored", len(store.responses))
	}
	for _, stored := range store.responses {
		if len(stored.Body) > 0 || !stored.BodyOmitted {
			t.Errorf("stored %s", stored.Body)
		}
	}
}

func TestLargeResponsesAreNotStored(t *testing.T) {
	d := newDesk(storetest.NewNewsroom(t), func(opts *options) {
		opts.sources.Trace = func(context.Context, string, bool) (feed.Trace, error) {
			return feed.Trace{Source: strings.Repeat("x", 256<<10)}, nil
		}
	})
	path := "/api/v1/sources/" + feed.SourceID(storetest.Site) + "/poll?trace=1"
	if rec := d.call(http.MethodPost, path, "", "Idempotency-Key", "k"); rec.Code != 200 {
		t.Fatalf("got %d", rec.Code)
	}
	rec := d.call(http.MethodPost, path, "", "Idempotency-Key", "k")
	p := webtest.Read[feed.Problem](t, rec)
	if rec.Code != 409 || webtest.ProblemKind(p) != "answered-once" || !strings.Contains(p.Detail, "its response had more than 256 KiB") {
		t.Errorf("again %d %+v", rec.Code, p)
	}
}

func TestKeysOfOtherTokensAreOthers(t *testing.T) {
	d := newDesk(storetest.EmptyNewsroom(t))
	made := webtest.Read[users.NewToken](t, d.call(http.MethodPost, "/api/v1/tokens", `{"name":"other","scopes":["sources"]}`))
	body := `{"url":"https://new.example/feed"}`
	if rec := d.call(http.MethodPost, "/api/v1/sources", body, "Idempotency-Key", "k"); rec.Code != 201 {
		t.Fatalf("got %d", rec.Code)
	}
	rec := d.call(http.MethodPost, "/api/v1/sources", body, "Idempotency-Key", "k", "Authorization", "Bearer "+made.Text)
	if rec.Code != 200 || rec.Header().Get("Idempotency-Replayed") != "" {
		t.Errorf("another token with the same key: %d, replayed %q", rec.Code, rec.Header().Get("Idempotency-Replayed"))
	}
}

func TestBodyThatIsTooLargeForAKey(t *testing.T) {
	d := newDesk(storetest.EmptyNewsroom(t))
	rec := d.call(http.MethodPost, "/api/v1/sources", strings.Repeat(" ", 1<<20+1), "Idempotency-Key", "k")
	if rec.Code != 413 || !strings.Contains(rec.Body.String(), "1 MiB") {
		t.Errorf("got %d %s", rec.Code, rec.Body)
	}
}

func TestKeyCanBeUsedAgainIfTheStoreWasUnavailable(t *testing.T) {
	n := storetest.EmptyNewsroom(t)
	d := newDesk(n)
	n.SetAway(true)
	rec := d.call(http.MethodPost, "/api/v1/sources/poll", "", "Idempotency-Key", "k")
	if p := webtest.Read[feed.Problem](t, rec); rec.Code != 503 || webtest.ProblemKind(p) != "unavailable" || rec.Header().Get("Retry-After") == "" {
		t.Errorf("got %d %+v", rec.Code, p)
	}
	n.SetAway(false)
	if rec := d.call(http.MethodPost, "/api/v1/sources/poll", "", "Idempotency-Key", "k"); rec.Code != 202 {
		t.Errorf("when it is back: %d", rec.Code)
	}
}
