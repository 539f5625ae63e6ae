package delivery

import (
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/feedwire/feedwire/store/feed"
)

// Values of the result label of feedwire_hub_deliveries_total.
const (
	resultDelivered = "delivered"
	resultFailed    = "failed"
	resultGone      = "gone"     // the subscriber responded 410, or is a hub that is no longer configured
	resultExpired   = "expired"  // the lease is over
	resultFiltered  = "filtered" // nothing in the version was for the subscriber
)

type metrics struct {
	deliveries    *prometheus.CounterVec
	attempts      *prometheus.CounterVec
	duration      *prometheus.HistogramVec
	distributions prometheus.Counter
	expired       prometheus.Counter

	exemplarAfter atomic.Int64 // Unix nanoseconds: when a quick delivery gets the next exemplar

	queue         *prometheus.GaugeVec
	oldest        prometheus.Gauge
	subscriptions *prometheus.GaugeVec
	topics        prometheus.Gauge
	deadLetters   prometheus.Gauge
}

func newMetrics(reg prometheus.Registerer) *metrics {
	auto := promauto.With(reg)
	counters := func(name, help string, labels ...string) *prometheus.CounterVec {
		return auto.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	gauges := func(name, help string, labels ...string) *prometheus.GaugeVec {
		return auto.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, labels)
	}
	gauge := func(name, help string) prometheus.Gauge { return gauges(name, help).WithLabelValues() }
	m := &metrics{
		deliveries: counters("feedwire_hub_deliveries_total", "Deliveries that ended, by kind of subscription and result.", "kind", "result"),
		attempts: counters("feedwire_hub_delivery_attempts_total",
			"Requests to subscribers, by kind of subscription and class of the response.", "kind", "code_class"),
		duration: auto.NewHistogramVec(prometheus.HistogramOpts{
			Name:                            "feedwire_hub_delivery_duration_seconds",
			Help:                            "Time from the creation of a version until a subscriber accepted it.",
			Buckets:                         []float64{.05, .1, .25, .5, 1, 2.5, 5, 15, 60, 300, 1800},
			NativeHistogramBucketFactor:     1.1,
			NativeHistogramMaxBucketNumber:  100,
			NativeHistogramMinResetDuration: time.Hour,
		}, []string{"kind"}),
		distributions: counters("feedwire_hub_distributions_total", "Topic versions created for subscribers.").WithLabelValues(),
		queue: gauges("feedwire_hub_queue_depth",
			"Queued deliveries by state: ready, or later (in progress or waiting for a retry); planning counts topics that are not queued yet.", "state"),
		oldest: gauge("feedwire_hub_oldest_signal_timestamp_seconds", "Time of the oldest signal that is not yet distributed; 0 if there is none."),
		subscriptions: gauges("feedwire_hub_subscriptions",
			"Subscriptions by state; failing means that the last delivery failed.", "state"),
		topics:      gauge("feedwire_hub_topics", "Topics with subscriptions."),
		deadLetters: gauge("feedwire_hub_dead_letters", "Stored dead letters."),
	}
	for _, kind := range feed.SubscriptionKinds() {
		for _, result := range []string{resultDelivered, resultFailed, resultGone, resultExpired, resultFiltered} {
			m.deliveries.WithLabelValues(string(kind), result)
		}
		for _, class := range classes() {
			m.attempts.WithLabelValues(string(kind), class)
		}
		m.duration.WithLabelValues(string(kind))
	}
	m.setState(feed.HubState{}, time.Time{})
	m.expired = m.deliveries.WithLabelValues(string(feed.KindWebSub), resultExpired)
	return m
}

// An exemplar leads from a slow delivery to its log lines. It costs more than counting the delivery, so that of the quick ones only some
// get one.
const (
	quick         = time.Second
	exemplarEvery = 100 * time.Millisecond
)

// delivered counts a delivery that was accepted at a time, so long after its version was created.
func (m *metrics) delivered(kind feed.SubscriptionKind, id string, at time.Time, after time.Duration) {
	m.ended(kind, resultDelivered)
	duration, seconds := m.duration.WithLabelValues(string(kind)), max(0, after.Seconds())
	if now := at.UnixNano(); after >= quick || now >= m.exemplarAfter.Load() {
		m.exemplarAfter.Store(now + int64(exemplarEvery))
		duration.(prometheus.ExemplarObserver).ObserveWithExemplar(seconds, prometheus.Labels{"delivery_id": id}) // all histograms are
		return
	}
	duration.Observe(seconds)
}

func (m *metrics) ended(kind feed.SubscriptionKind, result string) {
	m.deliveries.WithLabelValues(string(kind), result).Inc()
}

// setState sets the gauges.
func (m *metrics) setState(s feed.HubState, now time.Time) {
	m.queue.WithLabelValues("ready").Set(float64(s.Ready))
	m.queue.WithLabelValues("later").Set(float64(s.Later))
	m.queue.WithLabelValues("planning").Set(float64(s.Planning))
	oldest := 0.0
	if s.Lag > 0 {
		oldest = float64(now.Add(-s.Lag).UnixMilli()) / 1000
	}
	m.oldest.Set(oldest)
	m.subscriptions.WithLabelValues("healthy").Set(float64(s.Subscriptions - s.Failing))
	m.subscriptions.WithLabelValues("failing").Set(float64(s.Failing))
	m.topics.Set(float64(s.Topics))
	m.deadLetters.Set(float64(s.DeadLetters))
}
