package ingest

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/feedwire/feedwire/store/feed"
)

// The values of the result label of a poll.
const (
	resultNew       = "new_entries" // entries or the feed's own data were created or changed
	resultUnchanged = "unchanged"
	resultError     = "error"
)

// The values of the outcome label of an entry.
const (
	outcomeNew       = "new"
	outcomeUpdated   = "updated"
	outcomeDuplicate = "duplicate" // known and unchanged, or expired before
	outcomeRejected  = "rejected"  // without what an entry requires, or kept out by a filter
)

type metrics struct {
	polls       *prometheus.CounterVec
	failures    *prometheus.CounterVec
	duration    *prometheus.HistogramVec
	size        prometheus.Histogram
	lag         prometheus.Histogram
	inFlight    prometheus.Gauge
	lastSuccess prometheus.Gauge
	entries     *prometheus.CounterVec
	age         prometheus.Histogram
}

func newMetrics(reg prometheus.Registerer) *metrics {
	auto := promauto.With(reg)
	m := &metrics{
		polls: auto.NewCounterVec(prometheus.CounterOpts{
			Name: "feedwire_polls_total",
			Help: "Polls of sources by result.",
		}, []string{"result"}),
		failures: auto.NewCounterVec(prometheus.CounterOpts{
			Name: "feedwire_poll_failures_total",
			Help: "Failed polls by reason.",
		}, []string{"reason"}),
		duration: auto.NewHistogramVec(histogram(
			"feedwire_poll_duration_seconds", "Time from the start of a poll until its state is stored.",
			.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30), []string{"result"}),
		size: auto.NewHistogram(histogram(
			"feedwire_poll_response_size_bytes", "Size of fetched documents after decompression.",
			prometheus.ExponentialBuckets(1<<10, 4, 9)...)),
		lag: auto.NewHistogram(histogram(
			"feedwire_poll_lag_seconds", "Time from when a poll was due until it started.",
			.1, .5, 1, 5, 15, 60, 300, 900)),
		inFlight: auto.NewGauge(prometheus.GaugeOpts{
			Name: "feedwire_polls_in_flight",
			Help: "Polls going on now.",
		}),
		lastSuccess: auto.NewGauge(prometheus.GaugeOpts{
			Name: "feedwire_last_successful_poll_timestamp_seconds",
			Help: "When a poll of any source last succeeded.",
		}),
		entries: auto.NewCounterVec(prometheus.CounterOpts{
			Name: "feedwire_entries_ingested_total",
			Help: "Entries of accepted documents by what became of them.",
		}, []string{"outcome"}),
		age: auto.NewHistogram(histogram(
			"feedwire_entry_age_seconds", "Age of new entries when they came in, by their own publication date.",
			60, 300, 900, 3600, 21600, 86400, 604800)),
	}
	for _, result := range []string{resultNew, resultUnchanged, resultError} {
		m.polls.WithLabelValues(result)
		m.duration.WithLabelValues(result)
	}
	for _, class := range feed.FailureClasses() {
		m.failures.WithLabelValues(string(class))
	}
	for _, outcome := range []string{outcomeNew, outcomeUpdated, outcomeDuplicate, outcomeRejected} {
		m.entries.WithLabelValues(outcome)
	}
	return m
}

// histogram has classic buckets for every Prometheus and native ones for those that read them.
func histogram(name, help string, buckets ...float64) prometheus.HistogramOpts {
	return prometheus.HistogramOpts{
		Name: name, Help: help, Buckets: buckets,
		NativeHistogramBucketFactor: 1.1, NativeHistogramMaxBucketNumber: 100, NativeHistogramMinResetDuration: time.Hour,
	}
}

// maxPollID bounds the exemplar of a poll, in bytes; longer ones would make the client library panic.
const maxPollID = 64

// polled records the end of a poll; id makes the exemplar that leads from a slow poll to its log line.
func (m *metrics) polled(result, id string, took time.Duration) {
	m.polls.WithLabelValues(result).Inc()
	duration := m.duration.WithLabelValues(result)
	if observer, ok := duration.(prometheus.ExemplarObserver); ok && id != "" && len(id) <= maxPollID {
		observer.ObserveWithExemplar(took.Seconds(), prometheus.Labels{"poll_id": id})
		return
	}
	duration.Observe(took.Seconds())
}

// accepted records what became of the entries of a document. Which of them are new the store does not tell; new ones
// are nearly always the newest, so the ages are those of the last ones.
func (m *metrics) accepted(doc feed.Document, saved feed.Saved, rejected int, now time.Time) {
	m.entries.WithLabelValues(outcomeNew).Add(float64(saved.Created))
	m.entries.WithLabelValues(outcomeUpdated).Add(float64(saved.Modified))
	m.entries.WithLabelValues(outcomeDuplicate).Add(float64(saved.Unchanged + saved.Dead))
	m.entries.WithLabelValues(outcomeRejected).Add(float64(rejected))
	for _, e := range doc.Entries[max(0, len(doc.Entries)-saved.Created):] {
		if age := now.Sub(e.Published); !e.Published.IsZero() && age >= 0 {
			m.age.Observe(age.Seconds())
		}
	}
}
