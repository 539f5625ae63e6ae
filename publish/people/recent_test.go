package people_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/feedwire/feedwire/publish/people"
	"github.com/feedwire/feedwire/publish/web/webtest"
	"github.com/feedwire/feedwire/store/feed"
)

// awayStore is a fakeStore that can become unavailable.
type awayStore struct {
	*fakeStore
	away bool
}

func (s *awayStore) Session(ctx context.Context, sum string, id int64) (feed.Session, feed.Account, error) {
	if s.away {
		return feed.Session{}, feed.Account{}, feed.ErrUnavailable
	}
	return s.fakeStore.Session(ctx, sum, id)
}

func (s *awayStore) TokenAccount(ctx context.Context, id string) (feed.Token, feed.Account, error) {
	if s.away {
		return feed.Token{}, feed.Account{}, feed.ErrUnavailable
	}
	return s.fakeStore.TokenAccount(ctx, id)
}

func (s *awayStore) EndSession(context.Context, string, int64) error { return nil }

func TestVisitorsReadForAMinuteWhileTheStoreIsUnavailable(t *testing.T) {
	store, now := &awayStore{fakeStore: newFakeStore()}, noon
	store.tokens = map[string]feed.Token{"t": {ID: "t", Scopes: []feed.Scope{feed.ScopeRead}, Creator: feed.DaemonToken, Sum: feed.HashSecret("secret")}}
	p := people.New(store, people.Options{Now: func() time.Time { return now }, Rounds: webtest.Rounds})
	cookie := signIn(t, p)
	withCookie := func(r *http.Request) { r.AddCookie(cookie) }
	withToken := func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+feed.TokenText("t", "secret")) }
	// want fails the test if a request is not identified, or if it is not refused because the store is unavailable.
	want := func(known bool, method string, with func(*http.Request)) {
		t.Helper()
		r := httptest.NewRequest(method, "/", nil)
		with(r)
		v, err := p.FromAPI(r)
		if known && (err != nil || !v.Known()) || !known && !errors.Is(err, feed.ErrUnavailable) {
			t.Errorf("%s: %q, %v; want known %t", method, v.Name, err, known)
		}
	}
	for _, with := range []func(*http.Request){withCookie, withToken} {
		store.away = false
		want(true, http.MethodGet, with)
		store.away = true
		now = now.Add(time.Minute)
		want(true, http.MethodGet, with)
		want(true, http.MethodHead, with)
		want(false, http.MethodPost, with)
		want(false, http.MethodGet, func(r *http.Request) {
			r.Header.Set("Authorization", "Bearer "+feed.TokenText("t", "other"))
		})
		now = now.Add(time.Second)
		want(false, http.MethodGet, with)
	}

	for _, with := range []func(*http.Request){withCookie, withToken} {
		store.away = false
		want(true, http.MethodGet, with)
		v := feed.Visitor{Session: feed.Session{Account: "ann"}}
		if err := p.SignOut(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/", nil), &v); err != nil {
			t.Fatal(err)
		}
		store.away = true
		want(false, http.MethodGet, with)
	}
}
