// Package desk serves the pages and the API that people use.
package desk

import (
	"context"
	"net/http"
	"sync/atomic"

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
	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// Desk serves the pages and the API. Create it with New and mount Handler.
type Desk struct {
	store   Store
	signs   SignStore // of opts
	opts    Options
	web     *web.Kit
	people  *people.People
	imports *imports.Imports      // runs jobs, so Reload keeps it
	latest  *atomic.Pointer[Desk] // what Reload made of this one; a request is served by one of them to its end
	routes  []web.Route
	handler http.Handler
}

// New returns a desk over store.
func New(store Store, opts Options) *Desk {
	opts.setDefaults()
	d := &Desk{
		store: store, signs: opts.SignIn.Store, opts: opts, latest: new(atomic.Pointer[Desk]),
		people: people.New(opts.SignIn.Store, people.Options{
			Logger: opts.Logger, Registerer: opts.Registerer, Now: opts.Now, PublicURL: opts.PublicURL, Cost: opts.SignIn.Cost, Open: opts.OpenPages,
			OnFailure: opts.OnAuthFailure, Access: accessOf(&opts),
		}),
	}
	kit := web.Options{
		Logger: opts.Logger, Registerer: opts.Registerer, Now: opts.Now, PublicURL: opts.PublicURL, Version: opts.Version, StoreKind: opts.StoreKind,
		FromAPI: d.people.FromAPI, FromPages: d.people.FromPages, Address: d.people.Address,
		Nav: []web.Link{{Path: "/articles", Text: "articles"}, {Path: "/sources", Text: "sources"}, {Path: "/feeds", Text: "feeds"}, {Path: "/signals", Text: "signals"}},
	}
	if opts.Hub != nil {
		kit.Nav = append(kit.Nav, web.Link{Path: "/subscriptions", Text: "subscriptions"})
	}
	if d.signs != nil {
		kit.Audit, kit.Account = d.signs, "/account"
		kit.AdminNav = []web.Link{
			{Path: "/users", Text: "users"}, {Path: "/tokens", Text: "tokens"}, {Path: "/audit", Text: "audit log"}, {Path: "/settings", Text: "settings"},
		}
	}
	d.web = web.New(store, kit)
	d.imports = imports.New(store, d.web, imports.Options{ReadOPML: opts.ReadOPML, WriteOPML: opts.WriteOPML, OnPanic: opts.OnPanic})
	d.compose()
	return d
}

func accessOf(opts *Options) people.Access {
	sign := &opts.SignIn
	return people.Access{Token: opts.Token, ProxyHeader: sign.ProxyHeader, ProxyNetworks: sign.ProxyNetworks, ProxyRole: sign.ProxyRole}
}

// Reload replaces Feeds, Token, Settings and the proxies of SignIn. Requests that begin afterwards use them.
func (d *Desk) Reload(opts Options) {
	next := *d.latest.Load()
	next.opts.Feeds, next.opts.Settings = opts.Feeds, opts.Settings
	d.people.Reload(accessOf(&opts))
	next.compose()
}

// compose builds the routes of all nouns for the feeds and settings in force.
func (d *Desk) compose() {
	site := web.Site{Actions: articles.OldActions()}
	site.Routes = []web.Route{
		{Pattern: "GET /api/v1/openapi.yaml", Scope: web.Public, Serve: openAPI},
	}
	add := func(routes []web.Route, missing ...web.Missing) {
		site.Routes, site.Missing = append(site.Routes, routes...), append(site.Missing, missing...)
	}
	add(overview.New(d.store, d.web, overview.Options{
		Feeds: d.opts.Feeds, Hub: d.opts.Hub != nil, Blocked: d.opts.Blocked, Candidates: d.opts.Held,
	}).Routes())
	add(articles.New(d.store, d.web, articles.Options{
		Feeds: d.opts.Feeds, Blocked: d.opts.Blocked, Preview: d.opts.Preview, OnTransition: d.opts.OnTransition,
	}).Routes(), articles.Missing)
	add(sources.New(d.store, d.web, sources.Options{
		Feeds: d.opts.Feeds, Republished: d.opts.Republished, Pace: d.opts.Pace, Discover: d.opts.Discover, Peek: d.opts.Peek, Trace: d.opts.Trace,
	}).Routes(), sources.Missing)
	d.imports.SetFeeds(d.opts.Feeds)
	add(d.imports.Routes(), imports.Missing)
	add(feeds.New(d.store, d.web, feeds.Options{Feeds: d.opts.Feeds, Blocked: d.opts.Blocked, Document: d.opts.Document}).Routes(), feeds.Missing)
	add(signals.New(d.store, d.web, signals.Options{Events: d.opts.Events}).Routes(), signals.Missing)
	add(settings.New(d.web, settings.Options{Settings: d.opts.Settings, LastReload: d.opts.LastReload}).Routes())
	if d.opts.Hub != nil {
		add(hub.New(d.opts.Hub, d.web, hub.Options{TestWebhook: d.opts.TestWebhook}).Routes(), hub.Missing...)
	}
	if d.signs != nil {
		accounts := users.New(d.signs, d.people, d.web)
		site.SignIn, site.Actions = accounts.SignInAgain, append(site.Actions, users.Actions()...)
		add(accounts.Routes(), users.Missing()...)
	}
	d.routes, d.handler = site.Routes, d.web.Serve(site)
	d.latest.Store(d)
}

// Run runs imports until ctx ends, and then ends all event streams.
func (d *Desk) Run(ctx context.Context) error {
	defer d.web.Close()
	return d.imports.Run(ctx)
}

// Handler serves the pages, "/assets/" and "/api/v1/". Its paths are absolute. Handlers with longer patterns can be mounted beside it,
// such as the event stream: put them behind Guard.
func (d *Desk) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { d.latest.Load().handler.ServeHTTP(w, r) })
}

// Routes returns every route of the desk.
func (d *Desk) Routes() []web.Route { return d.latest.Load().routes }

// Guard admits requests of visitors who have a scope. Others get 401 or 403.
func (d *Desk) Guard(scope feed.Scope, next http.Handler) http.Handler {
	return d.web.Guard(scope, next)
}

// Trusts reports whether a request has a token with the scope signals, as a bearer token or as the password of HTTP Basic.
func (d *Desk) Trusts(r *http.Request) bool { return d.people.Trusts(r) }

// FirstLink returns a one-time link to create the first admin, or "" if there are accounts.
func (d *Desk) FirstLink(ctx context.Context) (string, error) { return d.people.FirstLink(ctx) }
