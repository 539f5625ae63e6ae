package limits

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

type metrics struct {
	refused, displaced            prometheus.Counter // connections
	headersRefused, bodiesRefused prometheus.Counter
}

func newMetrics(reg prometheus.Registerer, l *Limits) *metrics {
	auto := promauto.With(reg)
	auto.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "feedwire_http_connections", Help: "Open connections of clients.",
	}, func() float64 {
		l.mu.Lock()
		defer l.mu.Unlock()
		return float64(l.open)
	})
	auto.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "feedwire_http_connections_max", Help: "Most connections that may be open, limits.connections.",
	}, func() float64 { return float64(l.opts.Connections) })
	auto.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "feedwire_http_request_bytes", Help: "Memory reserved for headers and bodies of requests.",
	}, func() float64 { return float64(l.memory.use()) })
	auto.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "feedwire_http_request_bytes_max", Help: "Most memory for headers and bodies of requests, limits.request_bytes.",
	}, func() float64 { return float64(l.opts.Bytes) })
	limited := auto.NewCounterVec(prometheus.CounterOpts{
		Name: "feedwire_http_limited_total", Help: "Connections and requests that a limit ended or refused, by what happened.",
	}, []string{"result"})
	return &metrics{
		limited.WithLabelValues("connection_refused"), limited.WithLabelValues("connection_displaced"),
		limited.WithLabelValues("header_refused"), limited.WithLabelValues("body_refused"),
	}
}
