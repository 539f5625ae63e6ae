package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/errgroup"

	"github.com/feedwire/feedwire/config"
	"github.com/feedwire/feedwire/ingest"
	"github.com/feedwire/feedwire/publish"
	"github.com/feedwire/feedwire/publish/desk"
	"github.com/feedwire/feedwire/signals"
	"github.com/feedwire/feedwire/signals/hub"
	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/embedded"
	"github.com/feedwire/feedwire/store/feed"
)

// Each room asks for a few methods; the store has them all.
var (
	_ ingest.Store     = (*store.Store)(nil)
	_ ingest.PushStore = (*store.Store)(nil)
	_ publish.Store    = (*store.Store)(nil)
	_ signals.Store    = (*store.Store)(nil)
	_ desk.Store       = (*store.Store)(nil)
	_ desk.IntakeStore = (*store.Store)(nil)
	_ desk.HubStore    = (*store.Store)(nil)
	_ desk.SignStore   = (*store.Store)(nil)
)

// app is the daemon: the rooms and what connects them.
type app struct {
	config   atomic.Pointer[config.Config]  // in force
	given    config.Config                  // as it was read last, where it can hold
	load     func() (*config.Config, error) // reads it again; nil: that cannot be
	setLog   func(config.Log)               // nil: the log stays as it is
	reloads  *reloads
	backups  sync.Mutex // held while one is taken
	log      *slog.Logger
	registry *prometheus.Registry
	metrics  *metrics
	systemd  *supervisor
	token    string

	server    *embedded.Server // nil: the store is elsewhere
	store     *store.Store
	ingester  *ingest.Ingester
	pushed    *ingest.Subscriber
	publisher *publish.Publisher
	republish *publish.Republisher
	receipts  *publish.Receipts
	intake    *desk.Intake
	engine    *hub.Engine
	front     *hub.Front
	topics    *hubTopics
	events    *signals.Events
	desk      *desk.Desk

	lock     *os.File // of data_dir
	listener net.Listener
	admin    net.Listener // nil: its paths are on the main listener
	debug    net.Listener // nil: there are no profiles
	draining atomic.Bool
	demo     bool      // the pages are open to browsers on this machine
	terminal io.Writer // of the person who starts it; nil: there is none
}

// newApp builds a daemon and opens its listeners, so that a bad address or a wrong store URL fails before anything
// runs. Run or close must follow.
func newApp(ctx context.Context, cfg *config.Config, log *slog.Logger) (*app, error) {
	a := &app{given: *cfg, reloads: newReloads(), log: log, registry: prometheus.NewRegistry(), systemd: newSupervisor(log)}
	a.config.Store(cfg)
	var err error
	if a.lock, err = embedded.Lock(cfg.DataDir); err != nil {
		return nil, fmt.Errorf("data_dir: %w", err)
	}
	if a.token, err = apiToken(cfg, true); err != nil {
		return nil, errors.Join(err, a.close())
	}
	if a.listener, err = listen(ctx, cfg.Listen); err != nil {
		return nil, errors.Join(fmt.Errorf("listen on %s: %w; set listen to another address", cfg.Listen, err), a.close())
	}
	if base, ok := strings.CutSuffix(cfg.PublicURL, ":0"); ok { // any free port: the one that it is
		cfg.PublicURL = fmt.Sprintf("%s:%d", base, a.listener.Addr().(*net.TCPAddr).Port)
	}
	if cfg.Admin.Listen != "" {
		if a.admin, err = listen(ctx, cfg.Admin.Listen); err != nil {
			return nil, errors.Join(fmt.Errorf("listen on %s: %w; set admin.listen to another address", cfg.Admin.Listen, err), a.close())
		}
	}
	if cfg.Debug.Listen != "" {
		if a.debug, err = listen(ctx, cfg.Debug.Listen); err != nil {
			return nil, errors.Join(fmt.Errorf("listen on %s: %w; set debug.listen to another address", cfg.Debug.Listen, err), a.close())
		}
	}
	a.metrics = newMetrics(a.registry, a.jobs())
	if err := a.build(); err != nil {
		return nil, errors.Join(err, a.close())
	}
	return a, nil
}

func listen(ctx context.Context, address string) (net.Listener, error) {
	return (&net.ListenConfig{}).Listen(ctx, "tcp", address)
}

// build wires the rooms; it is one straight list.
func (a *app) build() error {
	cfg := a.cfg()
	due := make(chan struct{}, 1) // from the store to the ingester
	options := a.storeOptions(cfg)
	options.OnDue = func() {
		select {
		case due <- struct{}{}:
		default: // it knows already
		}
	}
	if options.URL == "" {
		a.server = embedded.New(filepath.Join(cfg.DataDir, "redis"), embedded.Options{
			Mode: embedded.Mode(cfg.Store.Embedded), Logger: a.log,
		})
		options.Dial = a.server.Dial
	}
	var err error
	if a.store, err = store.New(options); err != nil {
		return err
	}
	fetching := a.ingestOptions(cfg)
	fetching.Wake = due
	if cfg.Hub.Distribution == "full" {
		fetching.OnDocument = a.store.KeepDocument
	}
	a.ingester = ingest.New(mortal(a.store), fetching)
	a.pushed = ingest.NewSubscriber(a.ingester, a.store, ingest.SubscriberOptions{CallbackURL: callbackURL(cfg)})
	rules, err := readRules(cfg)
	if err != nil {
		return err
	}
	a.warn(rules)
	a.receipts = publish.NewReceipts()
	a.publisher = publish.New(a.store, a.feeds(), a.publishOptions(cfg, rules))
	a.republish = publish.NewRepublisher(a.store, cfg.PublicURL, publish.RepublishOptions{
		HubURL: hubURL(cfg), Trusted: func(r *http.Request) bool { return a.desk.Trusts(r) }, Logger: a.log, Registerer: a.registry,
	})
	a.intake = desk.NewIntake(a.store, desk.IntakeOptions{
		Feeds: a.feeds(), Consumer: daemonID(cfg), OnTransition: a.moved, OnPanic: a.metrics.panicked, Logger: a.log, Registerer: a.registry,
	})
	a.engine = a.newEngine()
	a.events = signals.New(a.store, signals.Options{Logger: a.log, Registerer: a.registry})
	a.desk = desk.New(a.store, a.deskOptions(cfg))
	a.front = a.newFront()
	return nil
}

// preview is an article as a feed would carry it, for the desk.
func (a *app) preview(ctx context.Context, article feed.Article, typ string) (desk.Preview, error) {
	made, err := a.publisher.Preview(ctx, article, typ)
	shown := desk.Preview{Feed: made.Feed, HeldBack: made.HeldBack, Markup: made.Markup, Warnings: []desk.PreviewNote{}, Findings: []desk.Finding{}}
	for _, w := range made.Warnings {
		shown.Warnings = append(shown.Warnings, desk.PreviewNote(w))
	}
	for _, f := range made.Findings {
		shown.Findings = append(shown.Findings, desk.Finding{
			Rule: f.Rule, Severity: string(f.Severity), Message: f.Message, Place: f.Place, Remedy: f.Remedy,
		})
	}
	return shown, err
}

// close undoes newApp for a daemon that is not run.
func (a *app) close() error {
	var errs []error
	for _, l := range []net.Listener{a.listener, a.admin, a.debug} {
		if l != nil {
			if err := l.Close(); !errors.Is(err, net.ErrClosed) { // the HTTP server closes it too
				errs = append(errs, err)
			}
		}
	}
	if a.store != nil {
		errs = append(errs, a.store.Close())
	}
	errs = append(errs, a.lock.Close())
	return errors.Join(errs...)
}

// Run runs the daemon until the context ends, and returns when everything it started has ended. What others rest on
// stops last: first the rooms that start work, with the HTTP server; then the recorder of impressions; then the store.
func (a *app) Run(ctx context.Context) (err error) {
	defer func() { err = errors.Join(err, a.close()) }()
	if a.server != nil {
		if err := a.server.Start(ctx); err != nil {
			if ctx.Err() != nil {
				return nil // told to stop while starting
			}
			return err
		}
		stop := runBeyond(ctx, a.server.Run)
		defer func() { err = errors.Join(err, stop()) }()
	}
	switch err := a.store.Check(ctx); {
	case err == nil || ctx.Err() != nil:
	case errors.Is(err, feed.ErrUnavailable):
		a.log.Error("the store does not answer; waiting for it", "err", err)
	default:
		return err
	}
	stop := runBeyond(ctx, a.publisher.Run)
	defer func() { err = errors.Join(err, stop()) }()

	a.log.Info("serving", "address", "http://"+a.listener.Addr().String(), "store", a.storeKind())
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return a.serve(ctx, a.listener, a.routes()) })
	if a.admin != nil {
		g.Go(func() error { return a.serve(ctx, a.admin, a.adminRoutes()) })
	}
	if a.debug != nil {
		g.Go(func() error { return a.serve(ctx, a.debug, pprofRoutes()) })
	}
	g.Go(func() error { return a.configure(ctx) })
	g.Go(func() error { return a.poll(ctx) })
	g.Go(func() error { return a.pushed.Run(ctx) })
	g.Go(func() error { return a.intake.Run(ctx) })
	g.Go(func() error { return a.engine.Run(ctx) })
	g.Go(func() error { return a.front.Run(ctx) })
	g.Go(func() error { return a.desk.Run(ctx) })
	g.Go(func() error { return a.events.Run(ctx) })
	g.Go(func() error { return a.welcome(ctx, a.terminal) })
	g.Go(func() error { return a.runJobs(ctx) })
	g.Go(func() error { return a.watch(ctx) })
	g.Go(func() error { return a.systemd.Run(ctx) })
	return g.Wait()
}

// moved counts that this daemon moved an article, and has the feed show it at once.
func (a *app) moved(typ string, from, to feed.State) {
	a.metrics.moved(typ, from, to)
	a.publisher.Changed(typ)
}

// runBeyond runs f until the returned function stops it, which may be after ctx has ended.
func runBeyond(ctx context.Context, f func(context.Context) error) (stop func() error) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan error, 1)
	go func() { done <- f(ctx) }()
	return func() error {
		cancel()
		return <-done
	}
}

// serve serves HTTP until the context ends, and then lets requests under way end for a few seconds.
func (a *app) serve(ctx context.Context, l net.Listener, h http.Handler) error {
	srv := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       15 * time.Second,
		WriteTimeout:      60 * time.Second,
		IdleTimeout:       60 * time.Second,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(a.log.Handler(), slog.LevelDebug),
		ConnContext:       a.receipts.ConnContext,
	}
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(a.receipts.Listener(l)) }()
	select {
	case err := <-failed:
		return fmt.Errorf("serve %s: %w", l.Addr(), err)
	case <-ctx.Done():
	}
	a.draining.Store(true)
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if err := srv.Shutdown(grace); err != nil {
		a.log.Warn("requests were cut off", "err", err)
		_ = srv.Close()
	}
	if err := <-failed; !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve %s: %w", l.Addr(), err)
	}
	return nil
}

// poll polls the sources, first those whose polls a kill of this daemon has cut off.
func (a *app) poll(ctx context.Context) error {
	if n, err := a.store.ReclaimSources(ctx); err != nil {
		a.log.Warn("polls that were cut off wait for the end of their leases", "err", err)
	} else if n > 0 {
		a.log.Info("polls that were cut off are due again", "count", n)
	}
	return a.ingester.Run(ctx)
}

// configure brings what the configuration names into the store, as soon as that answers, and again after each reload.
func (a *app) configure(ctx context.Context) error {
	for {
		if err := errors.Join(a.configureSources(ctx), a.configureWays(ctx)); err != nil {
			return err
		}
		select {
		case <-a.reloads.sources:
		case <-ctx.Done():
			return nil
		}
	}
}

// configureSources does so with the sources. Those that it names no more stay until they are removed.
func (a *app) configureSources(ctx context.Context) error {
	for _, src := range a.cfg().Sources {
		for wait := 100 * time.Millisecond; ; wait = min(2*wait, 2*time.Second) {
			_, added, err := a.store.AddSource(ctx, src)
			if err == nil && added {
				a.log.Info("source added", "source", src.URL)
			}
			if err == nil {
				break
			}
			if ctx.Err() == nil && !errors.Is(err, feed.ErrUnavailable) {
				a.log.Error("source of the configuration was not added", "source", src.URL, "err", err)
				break
			}
			if !sleep(ctx, wait) {
				return nil
			}
		}
	}
	return nil
}

// sleep waits, and reports false when the context ends first.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}

// storeKind says what the store stands on.
func (a *app) storeKind() string {
	if a.server == nil {
		return "redis"
	}
	return a.server.Kind()
}
