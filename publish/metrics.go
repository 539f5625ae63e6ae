package publish

import (
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// metrics cover all feeds. The values of the label feed are names from the configuration.
type metrics struct {
	requests       *prometheus.CounterVec
	items          *prometheus.GaugeVec
	lastChange     *prometheus.GaugeVec
	renderings     *prometheus.CounterVec
	renderFailures *prometheus.CounterVec
	blocked        *prometheus.GaugeVec
	impressions    *prometheus.CounterVec
	stale          *prometheus.CounterVec
	journalFetches *prometheus.GaugeVec
	journalBytes   *prometheus.GaugeVec
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
		renderings: f.NewCounterVec(prometheus.CounterOpts{
			Name: "feedwire_feed_renderings_total",
			Help: "Articles rendered for an outgoing feed.",
		}, []string{"feed"}),
		renderFailures: f.NewCounterVec(prometheus.CounterOpts{
			Name: "feedwire_feed_render_failures_total",
			Help: "Articles and documents that could not be rendered and were left out.",
		}, []string{"feed"}),
		blocked: f.NewGaugeVec(prometheus.GaugeOpts{
			Name: "feedwire_feed_blocked",
			Help: "Published articles that the current document of an outgoing feed leaves out, because they break its format.",
		}, []string{"feed"}),
		impressions: f.NewCounterVec(prometheus.CounterOpts{
			Name: "feedwire_impressions_total",
			Help: "Impressions reported to the store, by what it did with them.",
		}, []string{"feed", "outcome"}),
		stale: f.NewCounterVec(prometheus.CounterOpts{
			Name: "feedwire_feed_stale_total",
			Help: "Requests answered with the last good copy because the store was away.",
		}, []string{"feed"}),
		journalFetches: f.NewGaugeVec(prometheus.GaugeOpts{
			Name: "feedwire_impressions_journal_fetches",
			Help: "Completed fetches that are kept on disk until the store can record them.",
		}, []string{"feed"}),
		journalBytes: f.NewGaugeVec(prometheus.GaugeOpts{
			Name: "feedwire_impressions_journal_bytes",
			Help: "Size of the file with those fetches.",
		}, []string{"feed"}),
	}
}

// feedMetrics is the series of one feed, looked up once because requests are frequent.
type feedMetrics struct {
	requests                    map[requestKind]prometheus.Counter
	items, lastChange           prometheus.Gauge
	renderings, renderFailures  prometheus.Counter
	blocked                     prometheus.Gauge
	counted, duplicate, ignored prometheus.Counter
	stale                       prometheus.Counter
	journalFetches              prometheus.Gauge
	journalBytes                prometheus.Gauge
}

type requestKind struct {
	code   int
	client string
}

// of returns the series of a feed. All of them start at 0, so that a rate sees the first event.
func (m *metrics) of(typ string) *feedMetrics {
	fm := &feedMetrics{
		requests:       make(map[requestKind]prometheus.Counter),
		items:          m.items.WithLabelValues(typ),
		lastChange:     m.lastChange.WithLabelValues(typ),
		renderings:     m.renderings.WithLabelValues(typ),
		renderFailures: m.renderFailures.WithLabelValues(typ),
		blocked:        m.blocked.WithLabelValues(typ),
		counted:        m.impressions.WithLabelValues(typ, "counted"),
		duplicate:      m.impressions.WithLabelValues(typ, "duplicate"),
		ignored:        m.impressions.WithLabelValues(typ, "ignored"),
		stale:          m.stale.WithLabelValues(typ),
		journalFetches: m.journalFetches.WithLabelValues(typ),
		journalBytes:   m.journalBytes.WithLabelValues(typ),
	}
	for _, code := range []int{200, 304, 401, 429, 500, 503} {
		for _, client := range clients() {
			fm.requests[requestKind{code, client}] = m.requests.WithLabelValues(typ, strconv.Itoa(code), client)
		}
	}
	return fm
}

func (fm *feedMetrics) request(code int, client string) { fm.requests[requestKind{code, client}].Inc() }
