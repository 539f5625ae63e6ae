package people_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"
	"time"

	"github.com/feedwire/feedwire/publish/people"
	"github.com/feedwire/feedwire/publish/web/webtest"
	"github.com/feedwire/feedwire/store/feed"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

const password = "four words are fine"

// fakeStore contains one account, "ann", its sessions and some tokens.
type fakeStore struct {
	people.Store
	ann      feed.Account
	sessions map[string]feed.Session
	touched  int
	tokens   map[string]feed.Token
}

func newFakeStore() *fakeStore {
	return &fakeStore{ann: feed.Account{ID: 1, Name: "ann", Role: feed.RoleEditor, Password: webtest.PasswordHash(password)}, sessions: map[string]feed.Session{}, tokens: map[string]feed.Token{}}
}

func (f *fakeStore) Account(_ context.Context, name string) (feed.Account, error) {
	if name != f.ann.Name {
		return feed.Account{}, feed.ErrNotFound
	}
	return f.ann, nil
}

func (f *fakeStore) ChangeAccount(_ context.Context, _ string, c feed.AccountChange) error {
	if c.EndSessions {
		f.ann.Generation++
	}
	return nil
}

func (f *fakeStore) CountAttempt(context.Context, string, string) (time.Duration, error) {
	return 0, nil
}
func (f *fakeStore) ForgiveAttempt(context.Context, string, string) error { return nil }

func (f *fakeStore) AddSession(_ context.Context, s feed.Session) error {
	f.sessions[s.Sum] = s
	return nil
}

func (f *fakeStore) Session(_ context.Context, sum string, _ int64) (feed.Session, feed.Account, error) {
	s, ok := f.sessions[sum]
	if !ok {
		return s, f.ann, feed.ErrNotFound
	}
	return s, f.ann, nil
}

func (f *fakeStore) TouchSession(context.Context, string) error { f.touched++; return nil }

func (f *fakeStore) TokenAccount(ctx context.Context, id string) (feed.Token, feed.Account, error) {
	t, ok := f.tokens[id]
	if !ok {
		return t, feed.Account{}, feed.ErrNotFound
	}
	a, _ := f.Account(ctx, t.Creator) // or there is none
	return t, a, nil
}

func (f *fakeStore) UsedToken(context.Context, string) error { return nil }

// signIn returns the cookie of a new session of ann.
func signIn(t *testing.T, p *people.People) *http.Cookie {
	t.Helper()
	rec := httptest.NewRecorder()
	if _, err := p.SignIn(rec, httptest.NewRequest(http.MethodPost, "/login", nil), new(feed.Session), "ann", password); err != nil {
		t.Fatal(err)
	}
	return rec.Result().Cookies()[0]
}

func TestTrustedTokensHaveTheScopeSignals(t *testing.T) {
	store := newFakeStore()
	for _, scope := range feed.Scopes() {
		store.tokens[string(scope)] = feed.Token{ID: string(scope), Scopes: []feed.Scope{scope}, Creator: feed.DaemonToken, Sum: feed.HashSecret("secret")}
	}
	p := people.New(store, people.Options{Access: people.Access{Token: "of the daemon"}})
	for text, want := range map[string]bool{
		"of the daemon": true, feed.TokenText("signals", "secret"): true, feed.TokenText("admin", "secret"): true,
		feed.TokenText("read", "secret"): false, feed.TokenText("signals", "other"): false, "": false,
	} {
		bearer, basic := httptest.NewRequest("POST", "/hub", nil), httptest.NewRequest("POST", "/hub", nil)
		bearer.Header.Set("Authorization", "Bearer "+text)
		basic.SetBasicAuth("any", text)
		if got := []bool{p.Trusts(bearer), p.Trusts(basic)}; got[0] != want || got[1] != want {
			t.Errorf("%q is trusted: %v, want %v", text, got, want)
		}
	}
	if p.Trusts(httptest.NewRequest("POST", "/hub", nil)) {
		t.Error("a request without a token is trusted")
	}
}

func TestAddressIsTheLastOneThatIsNoProxy(t *testing.T) {
	p := people.New(newFakeStore(), people.Options{Access: people.Access{ProxyNetworks: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}})
	for _, tt := range []struct{ remote, forwarded, want string }{
		{"192.0.2.1:1", "", "192.0.2.1"},
		{"192.0.2.1:1", "198.51.100.1", "192.0.2.1"},
		{"10.0.0.1:1", "198.51.100.1", "198.51.100.1"},
		{"10.0.0.1:1", "203.0.113.5, 198.51.100.1, 10.0.0.7", "198.51.100.1"},
		{"10.0.0.1:1", "forged, 198.51.100.1", "198.51.100.1"},
		{"10.0.0.1:1", "198.51.100.1, nonsense", "10.0.0.1"},
		{"[2001:db8::1]:1", "", "2001:db8::1"},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RemoteAddr = tt.remote
		r.Header.Set("X-Forwarded-For", tt.forwarded)
		if got := p.Address(r); got != tt.want {
			t.Errorf("%+v: got %s", tt, got)
		}
	}
}

func TestCookieIsBoundToTheHostUnderTLS(t *testing.T) {
	for url, name := range map[string]string{"https://wire.example": "__Host-feedwire", "http://wire.example": "feedwire"} {
		c := signIn(t, people.New(newFakeStore(), people.Options{PublicURL: url, Rounds: webtest.Rounds}))
		if c.Name != name || c.Secure != (url[4] == 's') || !c.HttpOnly || c.Path != "/" || c.Domain != "" || c.SameSite != http.SameSiteLaxMode {
			t.Errorf("%s: got %+v", url, c)
		}
	}
}

func TestSessionIdentifiesItsAccountUntilItEnds(t *testing.T) {
	store, now := newFakeStore(), noon
	p := people.New(store, people.Options{Now: func() time.Time { return now }, Rounds: webtest.Rounds})
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.AddCookie(signIn(t, p))
	known := func() bool {
		v, err := p.FromPages(r)
		if err != nil {
			t.Fatal(err)
		}
		return v.Name == "ann" && v.May(feed.ScopePublish) && !v.May(feed.ScopeAdmin)
	}
	if !known() || store.touched != 0 {
		t.Errorf("the visitor of a new session is unknown, or the session was touched %d times", store.touched)
	}
	if now = noon.Add(time.Hour); !known() || store.touched != 1 {
		t.Errorf("after an hour the session was touched %d times, want once", store.touched)
	}
	if now = noon.Add(-time.Hour); !known() || store.touched != 2 {
		t.Errorf("after the clock was set back the session was touched %d times, want twice", store.touched)
	}
	if now = noon.Add(feed.SessionLife + time.Second); known() {
		t.Error("the session outlives SessionLife")
	}
	now = noon
	store.ann.Generation++
	if known() {
		t.Error("the session is valid after all sessions of its account have ended")
	}
}

// A failed sign-in compares a password in every case: it takes sixteen times as long with sixteen times the rounds. A busy
// machine does not hide that, as it would hide the difference to an existing account.
func TestUnknownAccountsCostAsMuch(t *testing.T) {
	const few, many = 4000, 64_000
	fastest := map[int]time.Duration{few: time.Hour, many: time.Hour}
	for range 4 {
		for rounds := range fastest {
			p, start := people.New(newFakeStore(), people.Options{Rounds: rounds}), time.Now()
			_, err := p.SignIn(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/login", nil), new(feed.Session), "nobody", password)
			if !errors.Is(err, people.ErrNotProven) {
				t.Fatal(err)
			}
			fastest[rounds] = min(fastest[rounds], time.Since(start))
		}
	}
	if low, high := fastest[few], fastest[many]; high < 3*low {
		t.Errorf("a sign-in of an unknown account takes %v with few rounds, and %v with many", low, high)
	}
}
