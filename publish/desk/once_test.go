package desk_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/publish/desk/users"
	"github.com/feedwire/feedwire/store/feed"
)

// kindOf is the kind of a problem.
func kindOf(p feed.Problem) string {
	_, kind, _ := strings.Cut(p.Type, "#")
	return kind
}

func TestRequestWithAKeyIsCarriedOutOnce(t *testing.T) {
	store, opts := newFakeStore(), options()
	const body = `{"url":"https://new.example/feed"}`
	first := call(store, opts, http.MethodPost, "/api/v1/sources", body, "Idempotency-Key", "k")
	if err := store.RemoveSource(context.Background(), feed.SourceID("https://new.example/feed"), 0); err != nil {
		t.Fatal(err)
	}
	again := call(store, opts, http.MethodPost, "/api/v1/sources", body, "Idempotency-Key", "k")
	if first.Code != 201 || again.Code != 201 || again.Body.String() != first.Body.String() ||
		again.Header().Get("Location") != first.Header().Get("Location") || again.Header().Get("Idempotency-Replayed") != "true" {
		t.Errorf("first %d %v, again %d %v %s", first.Code, first.Header(), again.Code, again.Header(), again.Body)
	}
	if len(store.sources) != 0 {
		t.Error("the repetition was carried out")
	}
	for _, other := range []struct{ path, body string }{
		{"/api/v1/sources", `{"url":"https://other.example/feed"}`}, {"/api/v1/discover", body}, {"/api/v1/sources?x=1", body},
	} {
		rec := call(store, opts, http.MethodPost, other.path, other.body, "Idempotency-Key", "k")
		if p := read[feed.Problem](t, rec); rec.Code != 422 || kindOf(p) != "key-reused" {
			t.Errorf("%s %s with the key of another request: %d %+v", other.path, other.body, rec.Code, p)
		}
	}
	if rec := call(store, opts, http.MethodPost, "/api/v1/sources", body, "Idempotency-Key", strings.Repeat("k", 129)); rec.Code != 400 {
		t.Errorf("a long key: %d", rec.Code)
	}
}

func TestRefusedRequestIsTriedAgain(t *testing.T) {
	store, opts := wire(), options()
	path := "/api/v1/sources/" + feed.SourceID(pauseURL) + "/poll"
	if rec := call(store, opts, http.MethodPost, path, "", "Idempotency-Key", "k"); rec.Code != 409 {
		t.Fatalf("a paused source: %d", rec.Code)
	}
	if err := store.SetPaused(context.Background(), feed.SourceID(pauseURL), false, 0); err != nil {
		t.Fatal(err)
	}
	if rec := call(store, opts, http.MethodPost, path, "", "Idempotency-Key", "k"); rec.Code != 202 {
		t.Errorf("with the same key: %d %s", rec.Code, rec.Body)
	}
}

func TestRequestUnderWayIsNotBegunAgain(t *testing.T) {
	store, opts := wire(), options()
	begun, goOn := make(chan struct{}), make(chan struct{})
	opts.Trace = func(context.Context, string, bool) (feed.Trace, error) {
		close(begun) // a second one would panic
		<-goOn
		return feed.Trace{Source: siteURL}, nil
	}
	path := "/api/v1/sources/" + feed.SourceID(siteURL) + "/poll?trace=1"
	done := make(chan int)
	go func() { done <- call(store, opts, http.MethodPost, path, "", "Idempotency-Key", "k").Code }()
	<-begun
	rec := call(store, opts, http.MethodPost, path, "", "Idempotency-Key", "k")
	if p := read[feed.Problem](t, rec); rec.Code != 409 || kindOf(p) != "request-under-way" {
		t.Errorf("meanwhile: %d %+v", rec.Code, p)
	}
	close(goOn)
	if code := <-done; code != 200 {
		t.Errorf("the first one: %d", code)
	}
}

func TestSecretsAreNotKeptWithAnswers(t *testing.T) {
	store, opts := newFakeStore(), options()
	opts.SignIn = signInOptions{Store: newFakeSign(), Cost: 4}
	for path, body := range map[string]string{
		"/api/v1/tokens": `{"name":"nightly","scopes":["read"]}`,
		"/api/v1/users":  `{"name":"bob","role":"viewer"}`,
	} {
		first := call(store, opts, http.MethodPost, path, body, "Idempotency-Key", path)
		again := call(store, opts, http.MethodPost, path, body, "Idempotency-Key", path)
		if p := read[feed.Problem](t, again); first.Code != 201 || again.Code != 409 || kindOf(p) != "answered-once" {
			t.Errorf("%s: %d, again %d %+v", path, first.Code, again.Code, p)
		}
	}
	for id, kept := range store.answers {
		if len(kept.answer.Body) > 0 || !kept.answer.BodyOmitted {
			t.Errorf("%s is kept: %s", id, kept.answer.Body)
		}
	}
}

func TestKeysOfOthersAreOthers(t *testing.T) {
	store, opts, signs := newFakeStore(), options(), newFakeSign()
	opts.SignIn = signInOptions{Store: signs, Cost: 4}
	made := read[users.NewToken](t, call(store, opts, http.MethodPost, "/api/v1/tokens", `{"name":"other","scopes":["sources"]}`))
	body := `{"url":"https://new.example/feed"}`
	if rec := call(store, opts, http.MethodPost, "/api/v1/sources", body, "Idempotency-Key", "k"); rec.Code != 201 {
		t.Fatalf("got %d", rec.Code)
	}
	rec := call(store, opts, http.MethodPost, "/api/v1/sources", body, "Idempotency-Key", "k", "Authorization", "Bearer "+made.Text)
	if rec.Code != 200 || rec.Header().Get("Idempotency-Replayed") != "" {
		t.Errorf("another token with the same key: %d, replayed %q", rec.Code, rec.Header().Get("Idempotency-Replayed"))
	}
}

func TestBodyThatIsTooLargeForAKey(t *testing.T) {
	rec := call(newFakeStore(), options(), http.MethodPost, "/api/v1/sources", strings.Repeat(" ", 1<<20+1), "Idempotency-Key", "k")
	if rec.Code != 413 || !strings.Contains(rec.Body.String(), "1 MiB") {
		t.Errorf("got %d %s", rec.Code, rec.Body)
	}
}

func TestStoreThatIsAwayKeepsKeys(t *testing.T) {
	store := newFakeStore()
	store.err = errors.Join(feed.ErrUnavailable)
	rec := call(store, options(), http.MethodPost, "/api/v1/sources/poll", "", "Idempotency-Key", "k")
	if p := read[feed.Problem](t, rec); rec.Code != 503 || kindOf(p) != "unavailable" || rec.Header().Get("Retry-After") == "" {
		t.Errorf("got %d %+v", rec.Code, p)
	}
	store.err = nil
	if rec := call(store, options(), http.MethodPost, "/api/v1/sources/poll", "", "Idempotency-Key", "k"); rec.Code != 202 {
		t.Errorf("when it is back: %d", rec.Code)
	}
}
