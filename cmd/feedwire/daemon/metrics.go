package daemon

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/feedwire/feedwire/cmd/feedwire/setup"
	"github.com/feedwire/feedwire/signals/retry"
	"github.com/feedwire/feedwire/store/feed"
)

// metrics holds the metrics that belong to no room or to several.
type metrics struct {
	sources      *prometheus.GaugeVec
	overdue      prometheus.Gauge
	push         *prometheus.GaugeVec
	articles     *prometheus.GaugeVec
	reports      queueGauges
	held         queueGauges
	redisUsed    prometheus.Gauge
	redisLimit   prometheus.Gauge
	transitions  *prometheus.CounterVec
	cronRuns     *prometheus.CounterVec
	cronSuccess  *prometheus.GaugeVec
	requests     *prometheus.CounterVec
	durations    map[string]prometheus.Observer // by area
	inFlight     prometheus.Gauge
	authFailures *prometheus.CounterVec
	panics       *prometheus.CounterVec
	reloadOK     prometheus.Gauge
	reloadTime   prometheus.Gauge

	feedsServed, feedsHeld prometheus.Counter // series of requests: GET of feeds with 200 and 304
}

// areas are the areas of the URL map by prefixes of their routes; the first match counts. A histogram for each route would have
// more series than all other metrics together.
var areas = []struct{ name, start string }{
	{"feeds", feedRoute}, {"pages", "/feeds"}, {"republished", "/sources/{id}/feed."}, {"republished", "/lists/{list}."}, {"push", "/push/"}, {"hub", "/hub"}, {"events", "/api/v1/events"}, {"events", "/api/v1/votes/events"},
	{"api", "/api/"}, {"api", "/feed"}, {"api", "/users/feed"}, {"api", "/posts"}, {"assets", "/assets/"}, {"operations", "/metrics"}, {"operations", "/healthz"}, {"operations", "/readyz"},
	{"operations", "/-/"}, {"pages", "/"}, {otherRoute, ""},
}

// areaOf returns the area of a route.
func areaOf(route string) string {
	return areas[slices.IndexFunc(areas, func(a struct{ name, start string }) bool { return strings.HasPrefix(route, a.start) })].name
}

func newMetrics(reg prometheus.Registerer, tasks []job) *metrics {
	reg.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	auto := promauto.With(reg)
	counters := func(name, help string, labels ...string) *prometheus.CounterVec {
		return auto.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	gauges := func(name, help string, labels ...string) *prometheus.GaugeVec {
		return auto.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, labels)
	}
	gauge := func(name, help string) prometheus.Gauge { return gauges(name, help).WithLabelValues() }
	program := setup.ThisBuild()
	gauges("feedwire_build_info", "Version of the program; always 1.", "version", "revision", "goversion").WithLabelValues(program.Version, program.Revision, program.Go).Set(1)
	m := &metrics{
		sources:    gauges("feedwire_sources", "Sources by state.", "state"),
		overdue:    gauge("feedwire_sources_overdue", "Sources whose poll is late by more than one interval."),
		push:       gauges("feedwire_push_sources", "Sources by the state of their subscription at a hub.", "state"),
		redisUsed:  gauge("feedwire_redis_memory_used_bytes", "Memory that Redis uses; of one node in a cluster."),
		redisLimit: gauge("feedwire_redis_memory_limit_bytes", "Memory at which Redis refuses writes, its maxmemory; 0: no limit."),
		articles:   gauges("feedwire_articles", "Articles by state, summed over the outgoing feeds.", "state"),
		reports: queueGauges{
			gauge("feedwire_community_reports", "Submissions and comments that members have reported and no moderator has decided about."),
			gauge("feedwire_community_report_age_seconds", "How long the report waits that was made first; 0: none waits."),
		},
		held: queueGauges{
			gauge("feedwire_community_held", "Submissions that wait until a moderator approves them."),
			gauge("feedwire_community_held_age_seconds", "How long the submission waits that was held first; 0: none waits."),
		},
		transitions:  counters("feedwire_article_transitions_total", "Changes of an article's state in an outgoing feed.", "from", "to"),
		cronRuns:     counters("feedwire_cron_runs_total", "Runs of the recurring jobs by result.", "task", "result"),
		cronSuccess:  gauges("feedwire_cron_last_success_timestamp_seconds", "When the job last succeeded; 0: not since the start.", "task"),
		requests:     counters("feedwire_http_requests_total", "HTTP requests by route pattern, method and status.", "route", "method", "code"),
		durations:    make(map[string]prometheus.Observer),
		inFlight:     gauge("feedwire_http_requests_in_flight", "HTTP requests under way, event streams included."),
		authFailures: counters("feedwire_auth_failures_total", "Requests with wrong credentials by method.", "method"),
		panics:       counters("feedwire_panics_recovered_total", "Panics that were recovered; each is a fault of the program.", "component"),
		reloadOK:     gauge("feedwire_config_last_reload_successful", "1 when the configuration was good the last time it was read."),
		reloadTime:   gauge("feedwire_config_last_reload_success_timestamp_seconds", "When a configuration was last taken over; at first, the start."),
	}
	m.reloaded(time.Now(), true) // the start has read it
	m.feedsServed = m.requests.WithLabelValues(feedRoute, http.MethodGet, "200")
	m.feedsHeld = m.requests.WithLabelValues(feedRoute, http.MethodGet, "304")
	durations := auto.NewHistogramVec(prometheus.HistogramOpts{
		Name: "feedwire_http_request_duration_seconds", Help: "Duration of HTTP requests by area of the URL map.",
		Buckets:                     []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30},
		NativeHistogramBucketFactor: 1.1, NativeHistogramMaxBucketNumber: 100, NativeHistogramMinResetDuration: time.Hour,
	}, []string{"area"})
	for _, area := range areas {
		m.durations[area.name] = durations.WithLabelValues(area.name)
	}
	m.stored(nil, nil, nil)
	for _, from := range feed.States() {
		m.transitions.WithLabelValues(string(from), string(feed.StatePublished))
	}
	for _, to := range []feed.State{feed.StateImported, feed.StateExpired, feed.StateWithdrawn} {
		m.transitions.WithLabelValues(string(feed.StatePublished), string(to))
	}
	for _, method := range []string{"basic", "token", "password", "proxy"} {
		m.authFailures.WithLabelValues(method)
	}
	for _, component := range []string{"http", "poll", "signal", "cron", "feed", "intake", "import", "fanout"} {
		m.panics.WithLabelValues(component)
	}
	for _, task := range tasks {
		m.cronSuccess.WithLabelValues(task.name)
		for _, result := range []string{"ok", "error", "skipped_running", "panic"} {
			m.cronRuns.WithLabelValues(task.name, result)
		}
	}
	return m
}

// request counts and times one request.
func (m *metrics) request(route, method string, status int, took time.Duration) {
	feeds := route == feedRoute && method == http.MethodGet
	switch {
	case feeds && status == http.StatusOK:
		m.feedsServed.Inc()
	case feeds && status == http.StatusNotModified:
		m.feedsHeld.Inc()
	default:
		m.requests.WithLabelValues(route, method, strconv.Itoa(status)).Inc()
	}
	m.durations[areaOf(route)].Observe(took.Seconds())
}

func (m *metrics) panicked(component string) { m.panics.WithLabelValues(component).Inc() }
func (m *metrics) authFailed(method string)  { m.authFailures.WithLabelValues(method).Inc() }

// reloaded records a reload.
func (m *metrics) reloaded(at time.Time, ok bool) {
	if !ok {
		m.reloadOK.Set(0)
		return
	}
	m.reloadOK.Set(1)
	m.reloadTime.Set(float64(at.Unix()))
}

func (m *metrics) moved(_ string, from, to feed.State) {
	m.transitions.WithLabelValues(string(from), string(to)).Inc()
}

func (m *metrics) promoted(typ string, uuids []string) {
	for range uuids {
		m.moved(typ, feed.StatePublished, feed.StateImported)
	}
}

// watch updates the gauges of the contents of the store, and checks the store.
func (a *app) watch(ctx context.Context) error {
	const often, seldom = 2 * time.Second, 15 * time.Second
	indexed := false
	var freed time.Time
	for well := true; ; {
		pause := seldom
		if redis, err := a.store.Ops.RedisState(ctx); err == nil {
			a.metrics.redisUsed.Set(float64(redis.MemoryUsed))
			a.metrics.redisLimit.Set(float64(redis.MemoryLimit))
		}
		if err := a.store.Check(ctx); err == nil {
			well = true
			indexed = indexed || a.indexStates(ctx)
			a.count(ctx)
			a.systemd.status("serving %s, store: %s", a.listener.Addr(), a.storeKind())
		} else if ctx.Err() == nil {
			if well {
				a.log.Warn("store check failed", "err", err)
			}
			well, pause = false, often
			if errors.Is(err, feed.ErrFull) && time.Since(freed) > freeEvery {
				a.freeMemory(ctx)
				freed = time.Now()
			}
			a.systemd.status("serving %s from cached copies: the store does not accept writes", a.listener.Addr())
		}
		if !retry.Await(ctx, nil, pause) {
			return nil
		}
	}
}

// freeEvery is how often a full store is relieved of old data.
const freeEvery = time.Minute

// freeMemory does now what housekeeping does later, so that a full store accepts writes again. Redis refuses no deletion.
func (a *app) freeMemory(ctx context.Context) {
	for _, expire := range []func(context.Context) error{a.trimSignals, a.expireEntries, a.trimAudit} {
		if err := expire(ctx); err != nil {
			a.log.Warn("old data not removed from the full store", "err", err)
		}
	}
}

// indexStates indexes the sources that are not active for the overview, and reports whether it succeeded.
func (a *app) indexStates(ctx context.Context) bool {
	n, err := a.store.Sources.RepairStates(ctx)
	if n > 0 {
		a.log.Info("inactive sources indexed", "count", n)
	}
	return err == nil
}

func (a *app) count(ctx context.Context) {
	overdue := 0
	states, push := make(map[feed.SourceState]int), make(map[feed.PushState]int)
	err := a.store.Sources.EachSource(ctx, func(s *feed.Source) {
		state := s.State()
		states[state]++
		push[s.Push.State]++
		interval := min(s.Poll.NextPoll.Sub(s.Poll.LastPoll), 24*time.Hour) // the planned interval
		if state != feed.SourcePaused && state != feed.SourceGone && time.Since(s.Poll.NextPoll) > interval {
			overdue++
		}
	})
	articles, failed := a.store.Articles.ArticleCounts(ctx, a.feeds().Types())
	waiting, uncounted := a.store.Community.Waiting(ctx)
	if errors.Join(err, failed, uncounted) != nil {
		return // retried by the next call
	}
	a.metrics.reports.set(waiting.Reports, a.store.CommonTime())
	a.metrics.held.set(waiting.Held, a.store.CommonTime())
	a.metrics.overdue.Set(float64(overdue))
	a.metrics.stored(states, push, articles)
}

// queueGauges measure what waits for a moderator.
type queueGauges struct{ length, age prometheus.Gauge }

func (g queueGauges) set(q feed.Queue, now time.Time) {
	g.length.Set(float64(q.Length))
	g.age.Set(0)
	if !q.Since.IsZero() {
		g.age.Set(now.Sub(q.Since).Seconds())
	}
}

// stored sets the gauges of sources and articles by state. articles has the counts of each outgoing feed.
func (m *metrics) stored(sources map[feed.SourceState]int, push map[feed.PushState]int, articles map[string]map[feed.State]int) {
	for _, state := range []feed.SourceState{feed.SourceActive, feed.SourceFailing, feed.SourcePaused, feed.SourceGone} {
		m.sources.WithLabelValues(string(state)).Set(float64(sources[state]))
	}
	for _, state := range feed.PushStates() {
		m.push.WithLabelValues(cmp.Or(string(state), "none")).Set(float64(push[state]))
	}
	for _, state := range feed.States() {
		n := 0
		for _, counts := range articles {
			n += counts[state]
		}
		m.articles.WithLabelValues(string(state)).Set(float64(n))
	}
}
