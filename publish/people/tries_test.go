package people_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/feedwire/feedwire/publish/people"
	"github.com/feedwire/feedwire/store/feed"
)

// countless is a store that cannot count attempts.
type countless struct{ *fakeStore }

func (countless) CountAttempt(context.Context, string, string) (time.Duration, error) {
	return 0, feed.ErrUnavailable
}

func TestWrongTokensWaitWhileTheStoreIsAway(t *testing.T) {
	now := noon
	p := people.New(countless{newFakeStore()}, people.Options{
		Access: people.Access{Token: "the right one"}, Now: func() time.Time { return now },
	})
	served := p.Throttle(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if v, err := p.FromAPI(r); err != nil || !v.Known() {
			w.WriteHeader(http.StatusUnauthorized)
		}
	}), func(w http.ResponseWriter, _ *http.Request, _ people.ThrottledError) {
		w.WriteHeader(http.StatusTooManyRequests)
	})
	send := func(from, token string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodGet, "/api/v1/sources", nil)
		r.RemoteAddr = from + ":1234"
		r.Header.Set("Authorization", "Bearer "+token)
		w := httptest.NewRecorder()
		served.ServeHTTP(w, r)
		return w
	}
	if got := send("192.0.2.1", "the right one").Code; got != http.StatusOK {
		t.Fatalf("the right token got %d", got)
	}
	for i := range 11 {
		if got := send("192.0.2.1", "wrong").Code; got != http.StatusUnauthorized {
			t.Fatalf("wrong token %d got %d", i+1, got)
		}
	}
	if got := send("192.0.2.1", "wrong"); got.Code != http.StatusTooManyRequests || got.Header().Get("Retry-After") == "" {
		t.Errorf("one too many got %d, Retry-After %q", got.Code, got.Header().Get("Retry-After"))
	}
	for from, want := range map[string]int{"192.0.2.1": http.StatusOK, "192.0.2.2": http.StatusOK} {
		if got := send(from, "the right one").Code; got != want {
			t.Errorf("the right token from %s got %d", from, got)
		}
	}
	now = now.Add(2 * time.Minute)
	if got := send("192.0.2.1", "wrong").Code; got != http.StatusUnauthorized {
		t.Errorf("after the wait a wrong token got %d", got)
	}
}
