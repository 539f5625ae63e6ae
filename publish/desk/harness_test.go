package desk_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/feedwire/feedwire/publish/desk"
	"github.com/feedwire/feedwire/publish/desk/articles"
	"github.com/feedwire/feedwire/publish/desk/entries"
	"github.com/feedwire/feedwire/publish/desk/feeds"
	"github.com/feedwire/feedwire/publish/desk/hub"
	"github.com/feedwire/feedwire/publish/desk/imports"
	"github.com/feedwire/feedwire/publish/desk/overview"
	"github.com/feedwire/feedwire/publish/desk/settings"
	"github.com/feedwire/feedwire/publish/desk/signals"
	"github.com/feedwire/feedwire/publish/desk/sources"
	"github.com/feedwire/feedwire/publish/desk/users"
	"github.com/feedwire/feedwire/publish/people"
	"github.com/feedwire/feedwire/publish/placement"
	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/publish/web/webtest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	token    = "open-sesame" // of the daemon
	password = "ferry to the isles"
)

// deskStore is the sum of the stores of all nouns.
type deskStore interface {
	articles.Store
	feeds.Store
	hub.Store
	imports.Store
	overview.Store
	people.Store
	signals.Store
	sources.Store
	entries.Store
	users.Store
	web.Store
}

// options are what tests of a desk with all nouns vary.
type options struct {
	people   people.Options
	web      web.Options
	sources  sources.Options
	blocked  func(a *feed.Article, typ string) string
	settings []feed.Setting
}

// anyone opens the pages to everyone.
func anyone(opts *options) { opts.people.Open = func(*http.Request) bool { return true } }

// testDesk is a desk with all nouns, at noon.
type testDesk struct {
	*web.Kit
	imports *imports.Imports
}

func newDesk(store deskStore, change ...func(*options)) *testDesk {
	const publicURL = "http://wire.example"
	opts := options{
		people: people.Options{Now: webtest.Noon, PublicURL: publicURL, Rounds: webtest.Rounds, Access: people.Access{Token: token}},
		web:    web.Options{Now: webtest.Noon, PublicURL: publicURL, Version: "1.0.0", StoreKind: func() string { return "embedded redis" }},
		sources: sources.Options{
			Feeds:       outgoing(),
			Republished: func(string) []string { return nil },
			Pace:        func(*feed.Source) []feed.PaceRule { return nil },
			Discover:    func(context.Context, string) ([]feed.Candidate, error) { return nil, nil },
			Peek: func(context.Context, string) (feed.Document, error) {
				return feed.Document{}, errors.New("it cannot be fetched now")
			},
			Trace: func(context.Context, string, bool) (feed.Trace, error) { return feed.Trace{}, feed.ErrConflict },
		},
		blocked: func(*feed.Article, string) string { return "" },
	}
	for _, c := range change {
		c(&opts)
	}
	visitors := people.New(store, opts.people)
	kit := web.New(store, visitors, opts.web)
	lists := imports.New(store, kit, imports.Options{
		ReadOPML:  func([]byte, string) ([]feed.ListedSource, error) { return nil, feed.ErrInvalid },
		WriteOPML: func(io.Writer, []feed.Source) error { return nil },
	})
	preview := func(_ context.Context, _ feed.Article, typ string) (placement.Preview, error) {
		return placement.Preview{Feed: typ}, nil
	}
	document := func(context.Context, string) (feed.Distribution, error) {
		return feed.Distribution{}, feed.ErrUnavailable
	}
	kit.Mount(
		desk.Desk{},
		overview.New(store, kit, overview.Options{Feeds: outgoing(), Blocked: opts.blocked, Candidates: func(string) []string { return nil }}),
		articles.New(store, kit, articles.Options{
			Feeds: outgoing(), Preview: preview,
			Verdict: func(a *feed.Article, typ string, _ func() (feed.Article, error)) (string, error) {
				return opts.blocked(a, typ), nil
			},
			OnTransition: func(string, feed.State, feed.State) {},
		}),
		sources.New(store, kit, opts.sources),
		entries.New(store, kit, entries.Options{Takedown: func(take func() error) error { return take() }}),
		lists,
		feeds.New(store, kit, feeds.Options{Feeds: outgoing(), Blocked: opts.blocked, Document: document}),
		signals.New(store, kit, http.NotFoundHandler()),
		hub.New(store, kit, hub.Options{}),
		users.New(store, visitors, kit),
		settings.New(kit, opts.settings, func() settings.Reload { return settings.Reload{} }),
	)
	return &testDesk{kit, lists}
}

// outgoing returns the outgoing feeds of a configuration.
func outgoing() feed.OutgoingFeeds {
	base := feed.Outgoing{Profile: "instant-articles", Window: feed.DefaultWindow, RetireAfter: feed.ImportAfter, MaxItems: feed.DefaultItems}
	production, development := base, base
	production.Type, production.Title = "production", "Example production"
	development.Type, development.Title = "development", "Example development"
	return feed.OutgoingFeeds{production, development}
}

// call sends a request with the token of the daemon.
func (d *testDesk) call(method, path, body string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequestWithContext(context.Background(), method, path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+token)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	rec := httptest.NewRecorder()
	d.ServeHTTP(rec, r)
	return rec
}

// get returns the response of the API to a GET request.
func get[T any](t *testing.T, d *testDesk, path string) T {
	t.Helper()
	rec := d.call(http.MethodGet, path, "")
	if rec.Code != http.StatusOK {
		t.Fatalf("GET %s: %d %s", path, rec.Code, rec.Body)
	}
	return webtest.Read[T](t, rec)
}

// addAccount adds an account with the password of all tests.
func addAccount(t *testing.T, n *storetest.Newsroom, name string, role feed.Role) {
	t.Helper()
	a := feed.Account{Name: name, Role: role, Password: webtest.PasswordHash(password), Created: webtest.Noon()}
	if err := n.AddAccount(t.Context(), a); err != nil {
		t.Fatal(err)
	}
}

// browser returns a browser without a session.
func (d *testDesk) browser(t *testing.T) *webtest.Browser {
	t.Helper()
	b := webtest.NewBrowser(t, d)
	b.From = "192.0.2.9:5000"
	return b
}

// signIn adds an account and returns a browser with its session.
func (d *testDesk) signIn(t *testing.T, n *storetest.Newsroom, name string, role feed.Role) *webtest.Browser {
	t.Helper()
	addAccount(t, n, name, role)
	b := d.browser(t)
	if rec := b.Send(http.MethodPost, "/login", map[string][]string{"name": {name}, "password": {password}}); rec.Code != http.StatusSeeOther {
		t.Fatalf("%s cannot sign in: %d %s", name, rec.Code, rec.Body)
	}
	return b
}
