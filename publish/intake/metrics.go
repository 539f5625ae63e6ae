package intake

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// outcome is a value of the outcome label.
type outcome string

const (
	outcomeArticle  outcome = "article"  // an article was created or refreshed
	outcomeIgnored  outcome = "ignored"  // no work: a feed signal, no feed selects the entry, or the entry no longer exists
	outcomeRemoved  outcome = "removed"  // the article of an entry that was taken down was removed
	outcomeRejected outcome = "rejected" // the entry cannot become an article; not retried
	outcomeLeft     outcome = "left"     // failed; the group delivers the signal again
)

type metrics struct {
	signals map[outcome]prometheus.Counter
	lag     prometheus.Histogram
}

func newMetrics(reg prometheus.Registerer) *metrics {
	f := promauto.With(reg)
	signals := f.NewCounterVec(prometheus.CounterOpts{
		Name: "feedwire_intake_signals_total",
		Help: "Signals that the intake has read, by outcome.",
	}, []string{"outcome"})
	m := &metrics{
		signals: make(map[outcome]prometheus.Counter),
		lag: f.NewHistogram(prometheus.HistogramOpts{
			Name:                            "feedwire_intake_lag_seconds",
			Help:                            "Time from a signal to its article.",
			Buckets:                         []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30},
			NativeHistogramBucketFactor:     1.1,
			NativeHistogramMaxBucketNumber:  100,
			NativeHistogramMinResetDuration: time.Hour,
		}),
	}
	for _, o := range []outcome{outcomeArticle, outcomeIgnored, outcomeRemoved, outcomeRejected, outcomeLeft} {
		m.signals[o] = signals.WithLabelValues(string(o))
	}
	return m
}
