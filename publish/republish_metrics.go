package publish

import (
	"net/http"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// republishMetrics are what Prometheus learns of the feeds of sources. No label names a source.
type republishMetrics struct {
	requests map[string]map[int]prometheus.Counter // by format and status code
	renders  prometheus.Counter
	entries  prometheus.Counter
	bytes    prometheus.Gauge
}

func newRepublishMetrics(reg prometheus.Registerer) *republishMetrics {
	f := promauto.With(reg)
	requests := f.NewCounterVec(prometheus.CounterOpts{
		Name: "feedwire_republish_requests_total",
		Help: "Requests for feeds of sources, by format and status code.",
	}, []string{"format", "code"})
	m := &republishMetrics{
		requests: make(map[string]map[int]prometheus.Counter),
		renders: f.NewCounter(prometheus.CounterOpts{
			Name: "feedwire_republish_renders_total",
			Help: "Feeds of sources that were rendered, because they had changed or were not kept.",
		}),
		entries: f.NewCounter(prometheus.CounterOpts{
			Name: "feedwire_republish_entries_total",
			Help: "Entries that were cleaned and written for feeds of sources, because they had changed or their feed was not kept.",
		}),
		bytes: f.NewGauge(prometheus.GaugeOpts{
			Name: "feedwire_republish_kept_bytes",
			Help: "Size of the feeds of sources that are kept in memory.",
		}),
	}
	for _, format := range formats() {
		m.requests[format] = make(map[int]prometheus.Counter)
		for _, code := range []int{
			http.StatusOK, http.StatusNotModified, http.StatusUnauthorized, http.StatusNotFound, http.StatusMethodNotAllowed,
			http.StatusServiceUnavailable,
		} {
			m.requests[format][code] = requests.WithLabelValues(format, strconv.Itoa(code))
		}
	}
	return m
}
