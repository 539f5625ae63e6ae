package images

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// Outcomes of a request for an image.
const (
	cached  = "cached"
	fetched = "fetched"
	failed  = "failed"
	refused = "refused" // the signature is wrong
	busy    = "busy"    // the fetch did not begin in time
)

type metrics struct{ requests *prometheus.CounterVec }

func newMetrics(reg prometheus.Registerer, size func() float64) *metrics {
	m := &metrics{promauto.With(reg).NewCounterVec(prometheus.CounterOpts{
		Name: "feedwire_images_total", Help: "Requests of readers for images, by outcome.",
	}, []string{"outcome"})}
	for _, outcome := range []string{cached, fetched, failed, refused, busy} {
		m.requests.WithLabelValues(outcome) // creates the series
	}
	promauto.With(reg).NewGaugeFunc(prometheus.GaugeOpts{
		Name: "feedwire_images_cache_bytes", Help: "Bytes of images on disk.",
	}, size)
	return m
}

func (m *metrics) count(outcome string) { m.requests.WithLabelValues(outcome).Inc() }
