package signals

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// ending says why a stream ended: a value of the reason label.
type ending string

const (
	endClient ending = "client" // it went away
	endSlow   ending = "slow"   // it read too slowly
	endStop   ending = "stop"   // the daemon stops
	endStore  ending = "store"  // the replay could not be read
)

type metrics struct {
	streams prometheus.Gauge
	ended   map[ending]prometheus.Counter
}

func newMetrics(reg prometheus.Registerer) *metrics {
	f := promauto.With(reg)
	ended := f.NewCounterVec(prometheus.CounterOpts{
		Name: "feedwire_event_streams_ended_total",
		Help: "Event streams that ended, by reason.",
	}, []string{"reason"})
	m := &metrics{
		streams: f.NewGauge(prometheus.GaugeOpts{
			Name: "feedwire_event_streams",
			Help: "Event streams open now.",
		}),
		ended: make(map[ending]prometheus.Counter),
	}
	for _, e := range []ending{endClient, endSlow, endStop, endStore} {
		m.ended[e] = ended.WithLabelValues(string(e))
	}
	return m
}
