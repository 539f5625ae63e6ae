package store

import (
	"time"

	"github.com/gomodule/redigo/redis"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/feedwire/feedwire/store/route"
)

type metrics struct {
	commands map[string]*commandMetrics // by operation
	others   *commandMetrics            // of operations that are in no group
	up       prometheus.Gauge
	emptied  prometheus.Gauge
}

// commandMetrics are the series of one group of operations.
type commandMetrics struct {
	results  map[Class]prometheus.Counter
	duration prometheus.Observer
}

// groups are the operations (scripts, pipelines and commands by name) behind each value of the command label. There are
// too many of them for a series each: in an outage that would be one for every operation and result.
func groups() map[string][]string {
	return map[string][]string{
		"check": {"check"},
		"wait":  {"xread", "xreadgroup"},
		"polls": {
			"claim_source", "claim_sources", "due", "finish_poll", "note_state", "poll_sources", "reclaim_sources", "renew_lease", "schedule_source",
		},
		"entries": {
			"delete_entry", "entries", "entry", "expire_entries", "names", "probe_entries", "save_entries", "tombstones",
		},
		"sources": {"add_source", "remove_source", "source_version", "sources"},
		"push":    {"callbacks", "claim_callbacks", "replace_callback"},
		"articles": {
			"article", "articles", "expire_articles", "forget_article", "place_article", "save_article", "undo_placement",
		},
		"feeds":   {"construct", "record_impressions"},
		"signals": {"gather", "last_signals", "signals", "trim_signals", "xack"},
		"hub": {
			"hub", "hub_body", "hub_claim", "hub_distribute", "hub_end", "hub_plan", "hub_reclaim", "hub_request", "hub_requeue",
			"hub_rewind", "hub_settle", "hub_subscribe",
		},
		"people": {
			"account", "accounts", "add_account", "add_session", "audit", "change_account", "claim_answer", "count_attempt",
			"end_session", "forgive_attempt", "keep_answer", "link", "remove_token", "session", "sessions", "token", "tokens",
			"touch_session", "trim_audit", "use_link", "xadd",
		},
		"jobs": {"claim_job", "close_store", "job", "jobs", "migrate", "save_job", "start_job"},
	}
}

// otherCommands is the command label of operations that are in no group.
const otherCommands = "other"

func newMetrics(reg prometheus.Registerer, pool route.Pool) *metrics {
	f := promauto.With(reg)
	commands := f.NewCounterVec(prometheus.CounterOpts{
		Name: "feedwire_redis_commands_total",
		Help: "Calls to Redis by what they are for, and result.",
	}, []string{"command", "result"})
	durations := f.NewHistogramVec(prometheus.HistogramOpts{
		Name:                            "feedwire_redis_command_duration_seconds",
		Help:                            "Duration of calls to Redis, waiting for a connection included.",
		Buckets:                         []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5},
		NativeHistogramBucketFactor:     1.1,
		NativeHistogramMaxBucketNumber:  100,
		NativeHistogramMinResetDuration: time.Hour,
	}, []string{"command"})
	group := func(name string) *commandMetrics {
		c := &commandMetrics{results: make(map[Class]prometheus.Counter), duration: durations.WithLabelValues(name)}
		for _, class := range classes() {
			c.results[class] = commands.WithLabelValues(name, string(class))
		}
		return c
	}
	m := &metrics{
		commands: make(map[string]*commandMetrics), others: group(otherCommands),
		up: f.NewGauge(prometheus.GaugeOpts{
			Name: "feedwire_redis_up",
			Help: "1 when the last test write to Redis succeeded.",
		}),
		emptied: f.NewGauge(prometheus.GaugeOpts{
			Name: "feedwire_redis_emptied",
			Help: "1 while Redis does not hold the data that this daemon found at its start.",
		}),
	}
	for name, ops := range groups() {
		of := group(name)
		for _, op := range ops {
			m.commands[op] = of
		}
	}
	connections := func(state string, value func(redis.PoolStats) int) {
		f.NewGaugeFunc(prometheus.GaugeOpts{
			Name:        "feedwire_redis_pool_connections",
			Help:        "Connections to Redis by state.",
			ConstLabels: prometheus.Labels{"state": state},
		}, func() float64 { return float64(value(pool.Stats())) })
	}
	connections("idle", func(s redis.PoolStats) int { return s.IdleCount })
	connections("in_use", func(s redis.PoolStats) int { return s.ActiveCount - s.IdleCount })
	f.NewCounterFunc(prometheus.CounterOpts{
		Name: "feedwire_redis_pool_wait_seconds_total",
		Help: "Time spent waiting for a free connection to Redis.",
	}, func() float64 { return pool.Stats().WaitDuration.Seconds() })
	return m
}

func (m *metrics) observe(op string, class Class, d time.Duration) {
	of := m.commands[op]
	if of == nil {
		of = m.others
	}
	of.results[class].Inc()
	of.duration.Observe(d.Seconds())
}

func (m *metrics) setUp(up bool)           { setTruth(m.up, up) }
func (m *metrics) setEmptied(emptied bool) { setTruth(m.emptied, emptied) }

func setTruth(g prometheus.Gauge, truth bool) { g.Set(float64(oneIf(truth))) }
