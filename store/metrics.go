package store

import (
	"time"

	"github.com/gomodule/redigo/redis"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/feedwire/feedwire/store/route"
)

type metrics struct {
	commands *prometheus.CounterVec
	duration *prometheus.HistogramVec
	up       prometheus.Gauge
}

// operations are the values of the command label: scripts, pipelines and single commands by name.
func operations() []string {
	ops := []string{
		"check", "get", "hget", "source", "sources", "entry", "entries", "article", "articles", "construct",
		"counts", "signals", "last_signals", "xread", "xreadgroup", "xack", "trim_signals", "due", "tombstones",
		"hub", "hub_body", "migrate",
	}
	for name := range loadScripts(false) {
		ops = append(ops, name)
	}
	return ops
}

func newMetrics(reg prometheus.Registerer, pool route.Pool) *metrics {
	f := promauto.With(reg)
	m := &metrics{
		commands: f.NewCounterVec(prometheus.CounterOpts{
			Name: "feedwire_redis_commands_total",
			Help: "Calls to Redis by command, script or pipeline, and result.",
		}, []string{"command", "result"}),
		duration: f.NewHistogramVec(prometheus.HistogramOpts{
			Name:                            "feedwire_redis_command_duration_seconds",
			Help:                            "Duration of calls to Redis, waiting for a connection included.",
			Buckets:                         []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5},
			NativeHistogramBucketFactor:     1.1,
			NativeHistogramMaxBucketNumber:  100,
			NativeHistogramMinResetDuration: time.Hour,
		}, []string{"command"}),
		up: f.NewGauge(prometheus.GaugeOpts{
			Name: "feedwire_redis_up",
			Help: "1 when the last test write to Redis succeeded.",
		}),
	}
	for _, op := range operations() {
		m.commands.WithLabelValues(op, string(ClassOK))
		m.duration.WithLabelValues(op)
	}
	for _, c := range classes() {
		m.commands.WithLabelValues("check", string(c))
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
	m.commands.WithLabelValues(op, string(class)).Inc()
	m.duration.WithLabelValues(op).Observe(d.Seconds())
}

func (m *metrics) setUp(up bool) {
	m.up.Set(0)
	if up {
		m.up.Set(1)
	}
}
