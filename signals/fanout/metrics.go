package fanout

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/feedwire/feedwire/store/feed"
)

// outcome is a value of the outcome label.
type outcome string

const (
	outcomeApplied outcome = "applied"
	outcomeLeft    outcome = "left"   // failed; a worker gets it again
	outcomeBuried  outcome = "buried" // failed too often
)

type metrics struct {
	chunks                        map[outcome]prometheus.Counter
	changed                       prometheus.Counter
	lag                           prometheus.Histogram
	waiting, oldest, dead, pulled prometheus.Gauge
	warm                          prometheus.Gauge
}

func newMetrics(reg prometheus.Registerer) *metrics {
	f := promauto.With(reg)
	chunks := f.NewCounterVec(prometheus.CounterOpts{
		Name: "feedwire_fanout_chunks_total", Help: "Chunks of followers whose timelines were changed, by outcome.",
	}, []string{"outcome"})
	gauge := func(name, help string) prometheus.Gauge {
		return f.NewGauge(prometheus.GaugeOpts{Name: name, Help: help})
	}
	m := &metrics{
		chunks:  make(map[outcome]prometheus.Counter),
		changed: f.NewCounter(prometheus.CounterOpts{Name: "feedwire_fanout_timelines_total", Help: "Warm timelines that the fan-out has changed."}),
		lag: f.NewHistogram(prometheus.HistogramOpts{
			Name: "feedwire_fanout_lag_seconds", Help: "Time from a signal to the change of a chunk of timelines.",
			Buckets:                         []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30},
			NativeHistogramBucketFactor:     1.1,
			NativeHistogramMaxBucketNumber:  100,
			NativeHistogramMinResetDuration: time.Hour,
		}),
		waiting: gauge("feedwire_fanout_waiting_chunks", "Chunks that are not finished."),
		oldest:  gauge("feedwire_fanout_oldest_chunk_timestamp_seconds", "Time of the oldest chunk that is not finished; 0: there is none."),
		dead:    gauge("feedwire_fanout_dead_chunks", "Chunks in the dead letters."),
		warm:    gauge("feedwire_timelines_warm", "Timelines that the fan-out changes, because their users have read them within 7 days."),
		pulled:  gauge("feedwire_fanout_pulled_sources", "Sources with so many followers that timelines read their entries from the source."),
	}
	for _, o := range []outcome{outcomeApplied, outcomeLeft, outcomeBuried} {
		m.chunks[o] = chunks.WithLabelValues(string(o))
	}
	return m
}

func (m *metrics) setState(s feed.FanoutState) {
	m.waiting.Set(float64(s.Waiting))
	m.dead.Set(float64(s.Dead))
	m.pulled.Set(float64(s.Pulled))
	m.oldest.Set(0)
	if !s.Oldest.IsZero() {
		m.oldest.Set(float64(s.Oldest.Unix()))
	}
}
