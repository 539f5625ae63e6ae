package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/errgroup"

	"github.com/feedwire/feedwire/cmd/feedwire/doctor"
	"github.com/feedwire/feedwire/cmd/feedwire/setup"
	"github.com/feedwire/feedwire/config"
	"github.com/feedwire/feedwire/ingest"
	"github.com/feedwire/feedwire/publish"
	"github.com/feedwire/feedwire/publish/arrival"
	"github.com/feedwire/feedwire/publish/desk/imports"
	"github.com/feedwire/feedwire/publish/images"
	"github.com/feedwire/feedwire/publish/intake"
	"github.com/feedwire/feedwire/publish/limits"
	"github.com/feedwire/feedwire/publish/lists"
	"github.com/feedwire/feedwire/publish/media"
	"github.com/feedwire/feedwire/publish/people"
	"github.com/feedwire/feedwire/publish/republish"
	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/signals"
	"github.com/feedwire/feedwire/signals/delivery"
	"github.com/feedwire/feedwire/signals/fanout"
	"github.com/feedwire/feedwire/signals/hub"
	"github.com/feedwire/feedwire/signals/retry"
	"github.com/feedwire/feedwire/signals/topics"
	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/embedded"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/search"
)

// app is the daemon.
type app struct {
	config   atomic.Pointer[config.Config]  // in force
	given    config.Config                  // as last read, without what needs a restart
	load     func() (*config.Config, error) // reads it again; nil: reloading is impossible
	setLog   func(config.Log)               // nil: log settings are not reloaded
	reloads  *reloads
	backups  sync.Mutex // serialises backups
	log      *slog.Logger
	registry *prometheus.Registry
	metrics  *metrics
	systemd  *supervisor
	token    string

	server    *embedded.Server // nil: the store is external
	store     *store.Store
	ingester  *ingest.Ingester
	pushed    *ingest.Subscriber
	publisher *publish.Publisher
	republish *republish.Server
	receipts  *arrival.Watcher
	limits    *limits.Limits
	memory    setup.MemoryShares
	work      *limits.Work
	intake    *intake.Intake
	fanout    *fanout.Fanout
	engine    *delivery.Engine
	front     *hub.Front
	catalog   *topics.Catalog
	topics    *ingest.TopicFetcher
	full      bool // subscribers of sources receive unchanged documents
	events    *signals.Events
	people    *people.People
	checkMail func(context.Context) error // of the server; nil: people get no mail
	kit       *web.Kit
	images    *images.Images
	lists     *lists.Lists
	refused   *prometheus.CounterVec // what members could not write
	media     *media.Media
	entries   *search.Index // Run keeps it if search.enabled
	imports   *imports.Imports

	lock     *embedded.DirLock // of data_dir
	listener net.Listener
	admin    net.Listener // nil: operations are on the main listener
	debug    net.Listener // nil: profiling is disabled
	draining atomic.Bool

	takenDown chan struct{} // has a token after a takedown by this daemon
	demo      bool          // pages are open to browsers on this machine
	terminal  io.Writer     // of the person who started the daemon; nil: none
}

// newApp builds a daemon and opens its listeners, so that a wrong address or store URL fails before anything runs. The caller
// must call Run or close.
func newApp(ctx context.Context, cfg *config.Config, log *slog.Logger) (*app, error) {
	a := &app{given: *cfg, reloads: newReloads(), log: log, registry: prometheus.NewRegistry(), systemd: newSupervisor(log), takenDown: make(chan struct{}, 1)}
	a.config.Store(cfg)
	var err error
	setup.PrivateFiles()
	if a.lock, err = embedded.Lock(cfg.DataDir); err != nil {
		return nil, fmt.Errorf("data_dir: %w", err)
	}
	if err = a.checkFiles(cfg); err != nil {
		return nil, errors.Join(err, a.close())
	}
	if a.token, err = setup.Token(cfg, true); err != nil {
		return nil, errors.Join(err, a.close())
	}
	for _, l := range []struct {
		listener        *net.Listener
		option, address string
	}{{&a.listener, "listen", cfg.Listen}, {&a.admin, "admin.listen", cfg.Admin.Listen}, {&a.debug, "debug.listen", cfg.Debug.Listen}} {
		if l.address == "" {
			continue
		}
		if *l.listener, err = (&net.ListenConfig{}).Listen(ctx, "tcp", l.address); err != nil {
			return nil, errors.Join(fmt.Errorf("listen on %s: %w; set %s to another address", l.address, err, l.option), a.close())
		}
	}
	if base, ok := strings.CutSuffix(cfg.PublicURL, ":0"); ok { // port 0 became a free port
		cfg.PublicURL = fmt.Sprintf("%s:%d", base, a.listener.Addr().(*net.TCPAddr).Port)
	}
	a.metrics = newMetrics(a.registry, a.jobs())
	if err := a.build(); err != nil {
		return nil, errors.Join(err, a.close())
	}
	return a, nil
}

// checkFiles fails if other users can change the data or take over the daemon, and logs smaller problems.
func (a *app) checkFiles(cfg *config.Config) error {
	for _, f := range doctor.Files(cfg) {
		switch f.Level {
		case doctor.LevelBad:
			return fmt.Errorf("%s: %s; %s", f.What, f.Why, f.Remedy)
		case doctor.LevelWarn:
			a.log.Warn("files are not private", "what", f.What, "why", f.Why, "remedy", f.Remedy)
		}
	}
	return nil
}

// build creates the rooms and connects them. It is one straight list.
func (a *app) build() error {
	cfg := a.cfg()
	due := make(chan struct{}, 1) // the store has made a source due
	options := a.storeOptions(cfg)
	options.OnDue = func() { retry.Wake(due) }
	a.memory = shareMemory(cfg)
	if options.URL == "" {
		a.server = embedded.New(filepath.Join(cfg.DataDir, "redis"), embedded.Options{
			Mode: embedded.Mode(cfg.Store.Embedded), MaxMemory: a.memory.Redis, Logger: a.log,
		})
		options.Dial = a.server.Dial
	}
	var err error
	if a.store, err = store.New(options); err != nil {
		return err
	}
	fetching := a.ingestOptions(cfg)
	fetching.Wake = due
	fetching.OnDocument = a.storeDocument
	fetching.OnReread = func(ctx context.Context, feedURL string) error { return a.intake.Reread(ctx, feedURL) } // intake is built later
	a.full = cfg.Hub.Distribution == "full"
	a.topics = ingest.NewTopicFetcher(topicFetchOptions(cfg), a.store.CommonTime)
	a.ingester = ingest.New(crashing(a.store.Nouns()), fetching)
	a.pushed = ingest.NewSubscriber(a.ingester, a.store.Sources, setup.CallbackURL(cfg))
	rules, err := setup.ReadRules(cfg)
	if err != nil {
		return err
	}
	a.warn(rules)
	a.receipts = arrival.NewWatcher(0)
	a.publisher = publish.New(a.store.Articles, a.feeds(), a.publishOptions(cfg, rules))
	a.republish = republish.New(a.store.Nouns(), cfg.PublicURL, republish.Options{
		Now: a.store.CommonTime, HubURL: hubURL(cfg),
		Trusted: func(r *http.Request) bool { return a.people.Trusts(r) }, OpenLists: a.openLists, ThreadURL: threadURL(cfg), Logger: a.log, Registerer: a.registry,
	})
	a.intake = intake.New(crashing(a.store.Nouns()), intake.Options{
		Feeds: a.feeds(), Consumer: setup.DaemonID(cfg), OnTransition: a.moved, OnPanic: a.metrics.panicked, Logger: a.log, Registerer: a.registry,
	})
	a.fanout = fanout.New(crashing(a.store.Nouns()), fanout.Options{
		Worker: setup.DaemonID(cfg), Now: a.store.CommonTime, OnPanic: a.metrics.panicked, Logger: a.log, Registerer: a.registry,
	})
	a.catalog = a.newCatalog()
	a.engine = a.newEngine()
	a.events = signals.New(a.store.Signals, signals.Options{Logger: a.log, Registerer: a.registry})
	a.work = limits.NewWork(a.registry)
	if err := a.buildDesk(cfg); err != nil {
		return err
	}
	a.limits = a.newLimits(cfg)
	a.front = a.newFront()
	return nil
}

// close releases what newApp opened.
func (a *app) close() error {
	var errs []error
	for _, l := range []net.Listener{a.listener, a.admin, a.debug} {
		if l != nil {
			if err := l.Close(); !errors.Is(err, net.ErrClosed) { // the HTTP server may have closed it
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

// Run runs the daemon until ctx ends and returns when everything that it started has ended: first the rooms and the HTTP servers,
// then the recorder of impressions, then the store.
func (a *app) Run(ctx context.Context) (err error) {
	defer func() { err = errors.Join(err, a.close()) }()
	if a.server != nil {
		if err := a.server.Start(ctx); err != nil {
			if ctx.Err() != nil {
				return nil // stopped during the start
			}
			return err
		}
		stop := runUntilStopped(ctx, a.server.Run)
		defer func() { err = errors.Join(err, stop()) }()
	}
	switch err := a.store.Check(ctx); {
	case err == nil && a.server != nil:
		if err := a.server.Remember(ctx); err != nil {
			a.log.Warn("a loss of data would not be noticed", "err", err)
		}
	case err == nil || ctx.Err() != nil:
	case errors.Is(err, feed.ErrUnavailable):
		a.log.Error("store unavailable, waiting", "err", err)
	default:
		return err
	}
	_ = a.store.ReadClock(ctx) // followClock repeats it
	stop := runUntilStopped(ctx, a.publisher.Run)
	defer func() { err = errors.Join(err, stop()) }()

	a.log.Info("serving", "address", "http://"+a.listener.Addr().String(), "store", a.storeKind())
	parts, ctx := errgroup.WithContext(ctx)
	run := func(name string, part func(context.Context) error) {
		parts.Go(func() error {
			if err := part(ctx); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			return nil
		})
	}
	run("http", a.serving(a.listener, a.routes()))
	if a.admin != nil {
		run("admin", a.serving(a.admin, a.adminRoutes()))
	}
	if a.debug != nil {
		run("debug", a.serving(a.debug, pprofRoutes()))
	}
	run("clock", a.followClock)
	run("configuration", a.configure)
	run("poll", a.poll)
	run("push", a.pushed.Run)
	run("intake", a.intake.Run)
	run("fan-out", a.fanout.Run)
	run("hub engine", a.engine.Run)
	run("hub front", a.front.Run)
	run("open topics", a.catalog.Run)
	run("takedowns", a.followTakedowns)
	run("other daemons", a.followDaemons)
	run("lists", a.lists.Run)
	if a.cfg().Search.Enabled {
		run("search", a.entries.Run)
	}
	run("desk", a.kit.Run)
	run("imports", a.imports.Run)
	run("events", a.events.Run)
	run("first account", a.welcome)
	run("mail", a.people.RunMails)
	run("jobs", a.runJobs)
	run("gauges", a.watch)
	run("systemd", a.systemd.Run)
	return parts.Wait()
}

// moved counts the transition of an article and refreshes its feed.
func (a *app) moved(typ string, from, to feed.State) {
	a.metrics.moved(typ, from, to)
	a.publisher.Changed(typ)
}

// runUntilStopped runs f until the caller calls stop, even if ctx has ended before.
func runUntilStopped(ctx context.Context, f func(context.Context) error) (stop func() error) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan error, 1)
	go func() { done <- f(ctx) }()
	return func() error {
		cancel()
		return <-done
	}
}

// serving returns a part of Run that serves HTTP on a listener until ctx ends, and then waits up to 5 s for active requests.
func (a *app) serving(l net.Listener, h http.Handler) func(context.Context) error {
	return func(ctx context.Context) error {
		srv := &http.Server{
			Handler:           h,
			ReadHeaderTimeout: 5 * time.Second,
			ReadTimeout:       15 * time.Second,
			WriteTimeout:      60 * time.Second,
			IdleTimeout:       60 * time.Second,
			MaxHeaderBytes:    32 << 10,
			ErrorLog:          slog.NewLogLogger(a.log.Handler(), slog.LevelDebug),
			ConnContext:       a.connContext,
		}
		failed := make(chan error, 1)
		go func() { failed <- srv.Serve(a.limited(l)) }()
		select {
		case err := <-failed:
			return fmt.Errorf("serve %s: %w", l.Addr(), err)
		case <-ctx.Done():
		}
		a.draining.Store(true)
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		if err := srv.Shutdown(grace); err != nil {
			a.log.Warn("active requests aborted", "err", err)
			_ = srv.Close()
		}
		if err := <-failed; !errors.Is(err, http.ErrServerClosed) {
			return fmt.Errorf("serve %s: %w", l.Addr(), err)
		}
		return nil
	}
}

// poll polls the sources, first those whose polls ended with an earlier process of this daemon.
func (a *app) poll(ctx context.Context) error {
	if n, err := a.store.Sources.ReclaimSources(ctx); err != nil {
		a.log.Warn("interrupted polls wait for the end of their leases", "err", err)
	} else if n > 0 {
		a.log.Info("interrupted polls are due again", "count", n)
	}
	return a.ingester.Run(ctx)
}

// clockEvery is how soon the daemon follows a jump of the clock of Redis.
const clockEvery = time.Second

// followClock reads the clock of Redis again and again, by which all daemons agree.
func (a *app) followClock(ctx context.Context) error {
	for {
		_ = a.store.ReadClock(ctx) // without Redis there is nothing to agree on
		if !retry.Await(ctx, nil, clockEvery) {
			return nil
		}
	}
}

// storeKind names the kind of the store.
func (a *app) storeKind() string {
	if a.server == nil {
		return "redis"
	}
	return a.server.Kind()
}

// warn logs the rules that cannot be used.
func (a *app) warn(rules *setup.Rules) {
	for _, w := range rules.Warnings {
		a.log.Warn("rule cannot be used", "err", w)
	}
}
