package publish

import (
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// metrics are those of one feed. The values of their label feed are names from the configuration.
type metrics struct {
	requests                          map[requestKind]prometheus.Counter // looked up once, because requests are frequent
	renderings, renderFailures, stale prometheus.Counter
	counted, duplicate, ignored       prometheus.Counter
	items, lastChange, blocked        prometheus.Gauge
	journalFetches, journalBytes      prometheus.Gauge
}

type requestKind struct {
	code   int
	client string
}

// newMetrics returns the metrics of a feed. All of them start at 0, so that a rate sees the first event.
func newMetrics(reg prometheus.Registerer, typ string) *metrics {
	auto := promauto.With(prometheus.WrapRegistererWith(prometheus.Labels{"feed": typ}, reg))
	counter := func(name, help string) prometheus.Counter {
		return auto.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
	}
	gauge := func(name, help string) prometheus.Gauge {
		return auto.NewGauge(prometheus.GaugeOpts{Name: name, Help: help})
	}
	requests := auto.NewCounterVec(prometheus.CounterOpts{
		Name: "feedwire_feed_requests_total", Help: "Requests for outgoing feeds, by status code and kind of client.",
	}, []string{"code", "client"})
	impressions := auto.NewCounterVec(prometheus.CounterOpts{
		Name: "feedwire_impressions_total", Help: "Impressions reported to the store, by what it did with them.",
	}, []string{"outcome"})
	m := &metrics{
		requests: make(map[requestKind]prometheus.Counter),
		items: gauge("feedwire_feed_items",
			"Articles in the current document of an outgoing feed."),
		lastChange: gauge("feedwire_feed_last_change_timestamp_seconds",
			"When the document of an outgoing feed last changed."),
		renderings: counter("feedwire_feed_renderings_total",
			"Articles rendered for an outgoing feed."),
		renderFailures: counter("feedwire_feed_render_failures_total",
			"Articles and documents that could not be rendered and were left out."),
		blocked: gauge("feedwire_feed_blocked",
			"Published articles that the current document of an outgoing feed leaves out, because they break its format."),
		counted:   impressions.WithLabelValues("counted"),
		duplicate: impressions.WithLabelValues("duplicate"),
		ignored:   impressions.WithLabelValues("ignored"),
		stale: counter("feedwire_feed_stale_total",
			"Requests answered with the last good copy because the store was away."),
		journalFetches: gauge("feedwire_impressions_journal_fetches",
			"Completed fetches that are kept on disk until the store can record them."),
		journalBytes: gauge("feedwire_impressions_journal_bytes",
			"Size of the file with those fetches."),
	}
	for _, code := range []int{200, 304, 401, 429, 500, 503} {
		for _, client := range clients {
			m.requests[requestKind{code, client.kind}] = requests.WithLabelValues(strconv.Itoa(code), client.kind)
		}
	}
	return m
}

func (m *metrics) request(code int, client string) { m.requests[requestKind{code, client}].Inc() }
