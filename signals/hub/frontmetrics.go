package hub

import (
	"slices"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/feedwire/feedwire/signals/websub"
)

// The values of the result label of a request.
const (
	requestAccepted    = "accepted"
	requestInvalid     = "invalid"     // it cannot be understood
	requestDenied      = "denied"      // the topic is unknown, or the callback not wanted
	requestLimited     = "limited"     // too many
	requestUnavailable = "unavailable" // the store is away, or the hub full
)

// The values of the result label of a verification.
const (
	verifyConfirmed = "confirmed"
	verifyRefused   = "refused"  // by a status that is neither 2xx nor 5xx
	verifyMismatch  = "mismatch" // by 2xx, without the challenge
	verifyFailed    = "failed"   // 5xx, or no answer
	verifyBlocked   = "blocked"  // the address is not to be dialled
	verifyDenied    = "denied"   // the subscriber was told that it is denied
)

// otherMode is the mode label of requests whose mode is none of the hub's.
const otherMode = "other"

type frontMetrics struct {
	requests      *prometheus.CounterVec
	verifications map[string]prometheus.Counter
	checks        prometheus.Counter
}

func newFrontMetrics(reg prometheus.Registerer) *frontMetrics {
	auto := promauto.With(reg)
	m := &frontMetrics{
		requests: auto.NewCounterVec(prometheus.CounterOpts{
			Name: "feedwire_hub_requests_total",
			Help: "Requests to the hub by mode and result.",
		}, []string{"mode", "result"}),
		verifications: make(map[string]prometheus.Counter),
		checks: auto.NewCounter(prometheus.CounterOpts{
			Name: "feedwire_hub_publish_checks_total",
			Help: "Looks at topics because somebody published; publishes of one topic in short order share one.",
		}),
	}
	for _, mode := range append(knownModes(), otherMode) {
		for _, result := range []string{requestAccepted, requestInvalid, requestDenied, requestLimited, requestUnavailable} {
			m.requests.WithLabelValues(string(mode), result)
		}
	}
	verifications := auto.NewCounterVec(prometheus.CounterOpts{
		Name: "feedwire_hub_verifications_total",
		Help: "GETs at callbacks that ask whether a request is meant, or tell that it is denied, by result.",
	}, []string{"result"})
	for _, result := range []string{verifyConfirmed, verifyRefused, verifyMismatch, verifyFailed, verifyBlocked, verifyDenied} {
		m.verifications[result] = verifications.WithLabelValues(result)
	}
	return m
}

func knownModes() []websub.Mode {
	return []websub.Mode{websub.Subscribe, websub.Unsubscribe, websub.Publish, websub.Retrieve, websub.Replay}
}

func (m *frontMetrics) requested(mode websub.Mode, result string) {
	if !slices.Contains(knownModes(), mode) {
		mode = otherMode
	}
	m.requests.WithLabelValues(string(mode), result).Inc()
}
