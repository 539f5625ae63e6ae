package timeline

import "github.com/prometheus/client_golang/prometheus"

// newRebuilt returns the counter of cold starts. A nil registerer disables it.
func newRebuilt(r prometheus.Registerer) prometheus.Counter {
	c := prometheus.NewCounter(prometheus.CounterOpts{
		Name: "feedwire_timeline_cold_starts_total", Help: "Timelines that were built from the entries of their sources.",
	})
	if r != nil {
		r.MustRegister(c)
	}
	return c
}
