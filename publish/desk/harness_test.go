package desk_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"reflect"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/feedwire/feedwire/publish/desk"
	"github.com/feedwire/feedwire/publish/desk/articles"
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
	"github.com/feedwire/feedwire/store/feed"
)

// deskOptions configure a desk with all nouns.
type deskOptions struct {
	Logger      *slog.Logger
	Registerer  prometheus.Registerer
	Now         func() time.Time
	Feeds       []feed.Outgoing
	Token       string
	SignIn      signInOptions
	PublicURL   string
	Version     string
	StoreKind   func() string
	OpenPages   func(*http.Request) bool
	Republished func(id string) []string
	Trace       func(ctx context.Context, id string, full bool) (feed.Trace, error)
	Pace        func(*feed.Source) []feed.PaceRule
	Discover    func(ctx context.Context, url string) ([]feed.Candidate, error)
	Blocked     func(a *feed.Article, typ string) string
	Held        func(typ string) []string
	Preview     func(ctx context.Context, a feed.Article, typ string) (placement.Preview, error)
	Peek        func(ctx context.Context, url string) (feed.Document, error)
	Document    func(ctx context.Context, typ string) (body []byte, contentType string, err error)
	Events      http.Handler
	Settings    []feed.Setting
	LastReload  func() settings.Reload
	Hub         hub.Store
	TestWebhook hub.TestWebhook

	OnTransition  func(typ string, from, to feed.State)
	OnAuthFailure func(method string)
}

type signInOptions struct {
	Store         *fakeSign
	Cost          int
	ProxyHeader   string
	ProxyNetworks []netip.Prefix
	ProxyRole     feed.Role
}

// deskStore is the sum of the stores of all nouns.
type deskStore interface {
	articles.Store
	feeds.Store
	overview.Store
	signals.Store
	sources.Store
	imports.Store
	ClaimResponse(ctx context.Context, id, sum, token string) (a feed.StoredResponse, known bool, err error)
	StoreResponse(ctx context.Context, id, token string, a *feed.StoredResponse) error
	DropResponse(ctx context.Context, id, token string) error
}

// testDesk is a desk with all nouns.
type testDesk struct {
	*web.Kit
	*people.People
	imports *imports.Imports
}

func (d *testDesk) Handler() http.Handler { return d.Kit }

func (d *testDesk) Run(ctx context.Context) error {
	return errors.Join(d.imports.Run(ctx), d.Kit.Run(ctx))
}

func newDesk(store deskStore, opts deskOptions) *testDesk {
	setDefault(&opts.OnTransition, func(string, feed.State, feed.State) {})
	setDefault(&opts.Blocked, func(*feed.Article, string) string { return "" })
	setDefault(&opts.Held, func(string) []string { return nil })
	setDefault(&opts.Peek, func(context.Context, string) (feed.Document, error) {
		return feed.Document{}, errors.New("it cannot be fetched now")
	})
	setDefault(&opts.Republished, func(string) []string { return nil })
	setDefault(&opts.Pace, func(*feed.Source) []feed.PaceRule { return nil })
	setDefault(&opts.Discover, func(context.Context, string) ([]feed.Candidate, error) { return nil, nil })
	setDefault(&opts.LastReload, func() settings.Reload { return settings.Reload{} })
	setDefault(&opts.Preview, func(_ context.Context, _ feed.Article, typ string) (placement.Preview, error) {
		return placement.Preview{Feed: typ}, nil
	})
	setDefault(&opts.Document, func(context.Context, string) ([]byte, string, error) { return nil, "", feed.ErrUnavailable })
	setDefault(&opts.Trace, func(context.Context, string, bool) (feed.Trace, error) { return feed.Trace{}, feed.ErrConflict })
	if opts.Events == nil {
		opts.Events = http.NotFoundHandler()
	}
	if opts.Hub == nil {
		opts.Hub = &fakeHub{}
	}
	sign := &opts.SignIn
	if sign.Store == nil {
		sign.Store = newFakeSign()
	}
	visitors := people.New(sign.Store, people.Options{
		Logger: opts.Logger, Registerer: opts.Registerer, Now: opts.Now, PublicURL: opts.PublicURL, Cost: sign.Cost, Open: opts.OpenPages,
		OnFailure: opts.OnAuthFailure,
		Access:    people.Access{Token: opts.Token, ProxyHeader: sign.ProxyHeader, ProxyNetworks: sign.ProxyNetworks, ProxyRole: sign.ProxyRole},
	})
	kit := web.New(struct {
		answers
		*fakeSign
	}{store, sign.Store}, visitors, web.Options{
		Logger: opts.Logger, Registerer: opts.Registerer, Now: opts.Now, PublicURL: opts.PublicURL, Version: opts.Version, StoreKind: opts.StoreKind,
	})
	lists := imports.New(store, kit, imports.Options{
		ReadOPML:  func([]byte, string) ([]feed.ListedSource, error) { return nil, feed.ErrInvalid },
		WriteOPML: func(io.Writer, []feed.Source) error { return nil },
	})
	lists.SetFeeds(opts.Feeds)
	kit.Mount(
		desk.Desk{},
		overview.New(store, kit, overview.Options{Feeds: opts.Feeds, Blocked: opts.Blocked, Candidates: opts.Held}),
		articles.New(store, kit, articles.Options{Feeds: opts.Feeds, Blocked: opts.Blocked, Preview: opts.Preview, OnTransition: opts.OnTransition}),
		sources.New(store, kit, sources.Options{
			Feeds: opts.Feeds, Republished: opts.Republished, Pace: opts.Pace, Discover: opts.Discover, Peek: opts.Peek, Trace: opts.Trace,
		}),
		lists,
		feeds.New(store, kit, feeds.Options{Feeds: opts.Feeds, Blocked: opts.Blocked, Document: opts.Document}),
		signals.New(store, kit, opts.Events),
		hub.New(opts.Hub, kit, opts.TestWebhook),
		users.New(sign.Store, visitors, kit),
		settings.New(kit, opts.Settings, opts.LastReload),
	)
	return &testDesk{kit, visitors, lists}
}

type answers interface {
	ClaimResponse(ctx context.Context, id, sum, token string) (a feed.StoredResponse, known bool, err error)
	StoreResponse(ctx context.Context, id, token string, a *feed.StoredResponse) error
	DropResponse(ctx context.Context, id, token string) error
}

// setDefault sets *f to fallback if *f is nil.
func setDefault[T any](f *T, fallback T) {
	if reflect.ValueOf(*f).IsNil() {
		*f = fallback
	}
}
