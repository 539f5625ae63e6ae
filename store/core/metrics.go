package core

import (
	"cmp"
	"time"

	"github.com/gomodule/redigo/redis"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/feedwire/feedwire/store/route"
)

// metrics count calls by groups of operations, which are the values of the label command. A series for each operation and
// result would be too many in an outage.
type metrics struct {
	commands *prometheus.CounterVec
	duration *prometheus.HistogramVec
	groups   map[string]*commandMetrics // by operation; complete when the nouns are made
	others   *commandMetrics            // of operations without a group
	up       prometheus.Gauge
	emptied  prometheus.Gauge
	clock    prometheus.Gauge
	damaged  *prometheus.CounterVec
}

// commandMetrics are the series of one group.
type commandMetrics struct {
	results  map[Class]prometheus.Counter
	duration prometheus.Observer
}

// otherCommands is the group of operations without a group.
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
	m := &metrics{
		commands: commands, duration: durations, groups: make(map[string]*commandMetrics),
		up: f.NewGauge(prometheus.GaugeOpts{
			Name: "feedwire_redis_up",
			Help: "1 if the last test write to Redis succeeded.",
		}),
		emptied: f.NewGauge(prometheus.GaugeOpts{
			Name: "feedwire_redis_emptied",
			Help: "1 while Redis does not hold the data that this daemon found at its start.",
		}),
		clock: f.NewGauge(prometheus.GaugeOpts{
			Name: "feedwire_clock_difference_seconds",
			Help: "How far the clock of Redis is ahead of that of this machine.",
		}),
		damaged: f.NewCounterVec(prometheus.CounterOpts{
			Name: "feedwire_damaged_keys_total",
			Help: "Polls that did not take place or were not stored because a key holds a value of another type, by key.",
		}, []string{"key"}),
	}
	m.others = m.group(otherCommands)
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

// group makes the series of a group.
func (m *metrics) group(name string) *commandMetrics {
	c := &commandMetrics{results: make(map[Class]prometheus.Counter), duration: m.duration.WithLabelValues(name)}
	for _, class := range classes() {
		c.results[class] = m.commands.WithLabelValues(name, string(class))
	}
	return c
}

// GroupMetrics counts operations under a value of the label command: those of that name, and the others. The operation of a
// script is its name. Nouns call it when they are made.
func (db *DB) GroupMetrics(name string, others ...string) {
	group := db.metrics.group(name)
	for _, op := range append(others, name) {
		db.metrics.groups[op] = group
	}
}

func (m *metrics) observe(op string, class Class, d time.Duration) {
	of := cmp.Or(m.groups[op], m.others)
	of.results[class].Inc()
	of.duration.Observe(d.Seconds())
}

func (m *metrics) setUp(up bool)           { m.up.Set(float64(Bit(up))) }
func (m *metrics) setEmptied(emptied bool) { m.emptied.Set(float64(Bit(emptied))) }
