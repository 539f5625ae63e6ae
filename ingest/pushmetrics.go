package ingest

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/feedwire/feedwire/signals/websub"
)

// The values of the result label of a request to a hub.
const (
	requestTaken   = "accepted"
	requestRefused = "refused" // by a 4xx
	requestBlocked = "blocked" // its address is not to be dialled
	requestFailed  = "failed"
)

// The values of the result label of a verification.
const (
	verificationConfirmed = "confirmed"
	verificationDenied    = "denied"  // the hub refuses
	verificationRefused   = "refused" // nobody had asked for it
)

// The values of the result label of a delivery.
const (
	deliveryNew      = "new_entries"
	deliveryKnown    = "unchanged"
	deliveryPing     = "ping" // nothing to take in: the source is polled
	deliveryUnsigned = "unsigned"
	deliveryForged   = "bad_signature"
	deliveryTooLarge = "too_large"
	deliveryBroken   = "broken" // it cannot be read
	deliveryGone     = "gone"   // there is no such subscription
	deliveryFailed   = "error"  // not stored; the hub is asked to repeat it
)

type pushMetrics struct {
	requests      *prometheus.CounterVec
	verifications map[string]prometheus.Counter
	deliveries    map[string]prometheus.Counter
	missed        prometheus.Counter
}

func newPushMetrics(reg prometheus.Registerer) *pushMetrics {
	auto := promauto.With(reg)
	m := &pushMetrics{
		requests: auto.NewCounterVec(prometheus.CounterOpts{
			Name: "feedwire_push_requests_total",
			Help: "Requests to the hubs of sources by mode and result.",
		}, []string{"mode", "result"}),
		missed: auto.NewCounter(prometheus.CounterOpts{
			Name: "feedwire_push_missed_entries_total",
			Help: "Entries that a poll found although their hub should have pushed them.",
		}),
	}
	for _, mode := range []websub.Mode{websub.Subscribe, websub.Unsubscribe} {
		for _, result := range []string{requestTaken, requestRefused, requestBlocked, requestFailed} {
			m.requests.WithLabelValues(string(mode), result)
		}
	}
	m.verifications = each(auto.NewCounterVec(prometheus.CounterOpts{
		Name: "feedwire_push_verifications_total",
		Help: "Hubs that asked whether a subscription is meant, by result.",
	}, []string{"result"}), verificationConfirmed, verificationDenied, verificationRefused)
	m.deliveries = each(auto.NewCounterVec(prometheus.CounterOpts{
		Name: "feedwire_push_deliveries_total",
		Help: "Deliveries from hubs by result.",
	}, []string{"result"}), deliveryNew, deliveryKnown, deliveryPing, deliveryUnsigned, deliveryForged, deliveryTooLarge,
		deliveryBroken, deliveryGone, deliveryFailed)
	return m
}

// each is the counters of a vector with one label, all of them from the start.
func each(vec *prometheus.CounterVec, values ...string) map[string]prometheus.Counter {
	all := make(map[string]prometheus.Counter, len(values))
	for _, v := range values {
		all[v] = vec.WithLabelValues(v)
	}
	return all
}

// requested counts a request by its outcome; nil: the hub took it.
func (m *pushMetrics) requested(mode websub.Mode, failure *hubError) {
	result := requestTaken
	if failure != nil {
		result = failure.result
	}
	m.requests.WithLabelValues(string(mode), result).Inc()
}
