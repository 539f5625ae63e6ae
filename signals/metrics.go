package signals

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// endReason is why a stream ended, a value of the reason label.
type endReason string

const (
	endClient endReason = "client" // it disconnected
	endSlow   endReason = "slow"   // it did not read fast enough
	endStop   endReason = "stop"   // the daemon stops
	endStore  endReason = "store"  // the outbox could not be read
)

type metrics struct {
	streams prometheus.Gauge
	refused prometheus.Counter
	ended   *prometheus.CounterVec
}

func newMetrics(reg prometheus.Registerer) *metrics {
	f := promauto.With(reg)
	m := &metrics{
		streams: f.NewGauge(prometheus.GaugeOpts{Name: "feedwire_event_streams", Help: "Open event streams."}),
		refused: f.NewCounter(prometheus.CounterOpts{
			Name: "feedwire_event_streams_refused_total", Help: "Requests for an event stream while as many were open as may be.",
		}),
		ended: f.NewCounterVec(prometheus.CounterOpts{
			Name: "feedwire_event_streams_ended_total", Help: "Event streams that ended, by reason.",
		}, []string{"reason"}),
	}
	for _, e := range []endReason{endClient, endSlow, endStop, endStore} {
		m.ended.WithLabelValues(string(e)) // creates the series
	}
	return m
}
