package publish

import (
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// metrics are what Prometheus learns from this package. Feed types are names from the configuration.
type metrics struct {
	requests       *prometheus.CounterVec
	items          *prometheus.GaugeVec
	lastChange     *prometheus.GaugeVec
	renderFailures *prometheus.CounterVec
	impressions    *prometheus.CounterVec
}

func newMetrics(reg prometheus.Registerer) *metrics {
	f := promauto.With(reg)
	return &metrics{
		requests: f.NewCounterVec(prometheus.CounterOpts{
			Name: "feedwire_feed_requests_total",
			Help: "Requests for outgoing feeds, by status code and kind of client.",
		}, []string{"feed", "code", "client"}),
		items: f.NewGaugeVec(prometheus.GaugeOpts{
			Name: "feedwire_feed_items",
			Help: "Articles in the current document of an outgoing feed.",
		}, []string{"feed"}),
		lastChange: f.NewGaugeVec(prometheus.GaugeOpts{
			Name: "feedwire_feed_last_change_timestamp_seconds",
			Help: "When the document of an outgoing feed last changed.",
		}, []string{"feed"}),
		renderFailures: f.NewCounterVec(prometheus.CounterOpts{
			Name: "feedwire_feed_render_failures_total",
			Help: "Articles and documents that could not be rendered and were left out.",
		}, []string{"feed"}),
		impressions: f.NewCounterVec(prometheus.CounterOpts{
			Name: "feedwire_impressions_total",
			Help: "Impressions reported to the store, by what it did with them.",
		}, []string{"feed", "outcome"}),
	}
}

// feedMetrics are the series of one feed, looked up once: a request must not pay for it.
type feedMetrics struct {
	requests                    map[requestKind]prometheus.Counter
	items, lastChange           prometheus.Gauge
	renderFailures              prometheus.Counter
	counted, duplicate, ignored prometheus.Counter
}

type requestKind struct {
	code   int
	client string
}

// of makes the series of a feed, all of them at 0, so that a rate sees the first event.
func (m *metrics) of(typ string) *feedMetrics {
	fm := &feedMetrics{
		requests:       make(map[requestKind]prometheus.Counter),
		items:          m.items.WithLabelValues(typ),
		lastChange:     m.lastChange.WithLabelValues(typ),
		renderFailures: m.renderFailures.WithLabelValues(typ),
		counted:        m.impressions.WithLabelValues(typ, "counted"),
		duplicate:      m.impressions.WithLabelValues(typ, "duplicate"),
		ignored:        m.impressions.WithLabelValues(typ, "ignored"),
	}
	for _, code := range []int{200, 304, 401, 429, 500, 503} {
		for _, client := range clients() {
			fm.requests[requestKind{code, client}] = m.requests.WithLabelValues(typ, strconv.Itoa(code), client)
		}
	}
	return fm
}

func (fm *feedMetrics) request(code int, client string) { fm.requests[requestKind{code, client}].Inc() }
