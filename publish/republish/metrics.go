package republish

import (
	"net/http"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/feedwire/feedwire/publish/feedxml"
)

// metrics cover all sources and lists. No label names one.
type metrics struct {
	requests map[string]map[int]prometheus.Counter // by format and status code
	renders  prometheus.Counter
	entries  prometheus.Counter
	bytes    prometheus.Gauge
}

func newMetrics(reg prometheus.Registerer) *metrics {
	f := promauto.With(reg)
	requests := f.NewCounterVec(prometheus.CounterOpts{
		Name: "feedwire_republish_requests_total",
		Help: "Requests for feeds of sources and lists, by format and status code.",
	}, []string{"format", "code"})
	m := &metrics{
		requests: make(map[string]map[int]prometheus.Counter),
		renders: f.NewCounter(prometheus.CounterOpts{
			Name: "feedwire_republish_renders_total",
			Help: "Renderings of feeds of sources and lists.",
		}),
		entries: f.NewCounter(prometheus.CounterOpts{
			Name: "feedwire_republish_entries_total",
			Help: "Entries cleaned and encoded for feeds of sources and lists.",
		}),
		bytes: f.NewGauge(prometheus.GaugeOpts{
			Name: "feedwire_republish_stored_bytes",
			Help: "Size of the cached feeds of sources and lists.",
		}),
	}
	for _, format := range feedxml.Formats() {
		m.requests[format] = make(map[int]prometheus.Counter)
		for _, code := range []int{
			http.StatusOK, http.StatusNotModified, http.StatusBadRequest, http.StatusUnauthorized, http.StatusNotFound,
			http.StatusMethodNotAllowed, http.StatusServiceUnavailable,
		} {
			m.requests[format][code] = requests.WithLabelValues(format, strconv.Itoa(code))
		}
	}
	return m
}
