package publish

import (
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// metrics cover all feeds. The values of the label feed are names from the configuration.
type metrics struct {
	requests, impressions             *prometheus.CounterVec
	renderings, renderFailures, stale *prometheus.CounterVec
	items, lastChange, blocked        *prometheus.GaugeVec
	journalFetches, journalBytes      *prometheus.GaugeVec
}

func newMetrics(reg prometheus.Registerer) *metrics {
	auto := promauto.With(reg)
	counters := func(name, help string, labels ...string) *prometheus.CounterVec {
		return auto.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, append([]string{"feed"}, labels...))
	}
	gauges := func(name, help string) *prometheus.GaugeVec {
		return auto.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, []string{"feed"})
	}
	return &metrics{
		requests: counters("feedwire_feed_requests_total",
			"Requests for outgoing feeds, by status code and kind of client.", "code", "client"),
		items: gauges("feedwire_feed_items",
			"Articles in the current document of an outgoing feed."),
		lastChange: gauges("feedwire_feed_last_change_timestamp_seconds",
			"When the document of an outgoing feed last changed."),
		renderings: counters("feedwire_feed_renderings_total",
			"Articles rendered for an outgoing feed."),
		renderFailures: counters("feedwire_feed_render_failures_total",
			"Articles and documents that could not be rendered and were left out."),
		blocked: gauges("feedwire_feed_blocked",
			"Published articles that the current document of an outgoing feed leaves out, because they break its format."),
		impressions: counters("feedwire_impressions_total",
			"Impressions reported to the store, by what it did with them.", "outcome"),
		stale: counters("feedwire_feed_stale_total",
			"Requests answered with the last good copy because the store was away."),
		journalFetches: gauges("feedwire_impressions_journal_fetches",
			"Completed fetches that are kept on disk until the store can record them."),
		journalBytes: gauges("feedwire_impressions_journal_bytes",
			"Size of the file with those fetches."),
	}
}

// feedMetrics is the series of one feed, looked up once because requests are frequent.
type feedMetrics struct {
	requests                          map[requestKind]prometheus.Counter
	renderings, renderFailures, stale prometheus.Counter
	counted, duplicate, ignored       prometheus.Counter
	items, lastChange, blocked        prometheus.Gauge
	journalFetches, journalBytes      prometheus.Gauge
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
