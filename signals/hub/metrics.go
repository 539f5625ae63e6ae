package hub

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/feedwire/feedwire/store/feed"
)

// The values of the result label of feedwire_signals_total.
const (
	resultDelivered = "delivered"
	resultGaveUp    = "gave_up"
)

type metrics struct {
	signals       *prometheus.CounterVec
	attempts      *prometheus.CounterVec
	duration      *prometheus.HistogramVec
	distributions prometheus.Counter
	expired       prometheus.Counter

	queue         *prometheus.GaugeVec
	oldest        prometheus.Gauge
	subscriptions *prometheus.GaugeVec
	topics        prometheus.Gauge
	dead          prometheus.Gauge
}

func newMetrics(reg prometheus.Registerer) *metrics {
	auto := promauto.With(reg)
	gauge := func(name, help string) prometheus.Gauge {
		return auto.NewGauge(prometheus.GaugeOpts{Name: name, Help: help})
	}
	gauges := func(name, help, label string, values ...string) *prometheus.GaugeVec {
		g := auto.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, []string{label})
		for _, v := range values {
			g.WithLabelValues(v)
		}
		return g
	}
	m := &metrics{
		signals: auto.NewCounterVec(prometheus.CounterOpts{
			Name: "feedwire_signals_total",
			Help: "Deliveries that came to an end, by kind and result.",
		}, []string{"kind", "result"}),
		attempts: auto.NewCounterVec(prometheus.CounterOpts{
			Name: "feedwire_signal_attempts_total",
			Help: "POSTs to subscribers by kind and class of the answer.",
		}, []string{"kind", "code_class"}),
		duration: auto.NewHistogramVec(prometheus.HistogramOpts{
			Name:                            "feedwire_signal_delivery_duration_seconds",
			Help:                            "Time from a distribution to its delivery to one subscriber.",
			Buckets:                         []float64{.05, .1, .25, .5, 1, 2.5, 5, 15, 60, 300, 1800},
			NativeHistogramBucketFactor:     1.1,
			NativeHistogramMaxBucketNumber:  100,
			NativeHistogramMinResetDuration: time.Hour,
		}, []string{"kind"}),
		distributions: auto.NewCounter(prometheus.CounterOpts{
			Name: "feedwire_hub_distributions_total",
			Help: "Versions of topics that were distributed.",
		}),
		queue: gauges("feedwire_signal_queue_depth",
			"Deliveries that wait, by state: ready, or later: under way or to be tried again; planning: topics not queued yet.",
			"state", "ready", "later", "planning"),
		oldest: gauge("feedwire_signal_queue_oldest_timestamp_seconds", "When the oldest signal that is not distributed yet was made; 0: there is none."),
		subscriptions: gauges("feedwire_hub_subscriptions",
			"Subscriptions by state; failing: the last delivery was not taken.", "state", "healthy", "failing"),
		topics: gauge("feedwire_hub_topics", "Topics with subscriptions."),
		dead:   gauge("feedwire_hub_dead_letters", "Dead letters that are kept."),
	}
	for _, way := range feed.Ways() {
		for _, result := range []string{resultDelivered, resultGaveUp, string(removeGone), string(removeExpired)} {
			m.signals.WithLabelValues(string(way), result)
		}
		for _, class := range classes() {
			m.attempts.WithLabelValues(string(way), class)
		}
		m.duration.WithLabelValues(string(way))
	}
	m.expired = m.signals.WithLabelValues(string(feed.WayWebSub), string(removeExpired))
	return m
}

func (m *metrics) tried(way feed.Way, class string) {
	m.attempts.WithLabelValues(string(way), class).Inc()
}

// delivered records a delivery that was taken; id makes the exemplar that leads from a late one to its log lines.
func (m *metrics) delivered(way feed.Way, id string, after time.Duration) {
	m.signals.WithLabelValues(string(way), resultDelivered).Inc()
	seconds := max(0, after.Seconds())
	duration := m.duration.WithLabelValues(string(way))
	if observer, ok := duration.(prometheus.ExemplarObserver); ok {
		observer.ObserveWithExemplar(seconds, prometheus.Labels{"delivery_id": id})
		return
	}
	duration.Observe(seconds)
}

func (m *metrics) gaveUp(way feed.Way) { m.signals.WithLabelValues(string(way), resultGaveUp).Inc() }

func (m *metrics) ended(way feed.Way, why removal) {
	m.signals.WithLabelValues(string(way), string(why)).Inc()
}

// show sets the gauges to what the store said just now.
func (m *metrics) show(s feed.HubState, now time.Time) {
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
	m.dead.Set(float64(s.DeadLetters))
}
