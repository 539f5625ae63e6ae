package hub

import (
	"slices"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/feedwire/feedwire/signals/websub"
	"github.com/feedwire/feedwire/store/feed"
)

// The values of the result label of a request.
const (
	requestAccepted    = "accepted"
	requestInvalid     = "invalid"     // malformed
	requestDenied      = "denied"      // unknown topic or refused callback
	requestLimited     = "limited"     // exceeds a limit
	requestUnavailable = "unavailable" // the store is unavailable or the hub is full
)

// The values of the result label of a verification.
const (
	verifyConfirmed = "confirmed"
	verifyRefused   = "refused"  // neither 2xx nor 5xx
	verifyMismatch  = "mismatch" // 2xx without the challenge
	verifyFailed    = "failed"   // 5xx or no response
	verifyBlocked   = "blocked"  // the address must not be dialled
	verifyDenied    = "denied"   // the subscriber was informed of a denial
)

// otherMode is the mode label of requests with an unknown mode.
const otherMode = "other"

type frontMetrics struct {
	requests, verifications *prometheus.CounterVec
	checks                  prometheus.Counter
}

func newFrontMetrics(reg prometheus.Registerer) *frontMetrics {
	auto := promauto.With(reg)
	counters := func(name, help string, labels ...string) *prometheus.CounterVec {
		return auto.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	m := &frontMetrics{
		requests:      counters("feedwire_hub_requests_total", "Requests to the hub, by mode and result.", "mode", "result"),
		verifications: counters("feedwire_hub_verifications_total", "Verification requests to callbacks, and notifications of denials, by result.", "result"),
		checks: counters("feedwire_hub_publish_checks_total",
			"Topics in accepted publish requests. Requests for a topic within a few seconds share one check.").WithLabelValues(),
	}
	for _, mode := range append(knownModes(), otherMode) {
		for _, result := range []string{requestAccepted, requestInvalid, requestDenied, requestLimited, requestUnavailable} {
			m.requests.WithLabelValues(string(mode), result)
		}
	}
	for _, result := range []string{verifyConfirmed, verifyRefused, verifyMismatch, verifyFailed, verifyBlocked, verifyDenied} {
		m.verifications.WithLabelValues(result)
	}
	return m
}

func knownModes() []feed.HubMode {
	return []feed.HubMode{feed.HubSubscribe, feed.HubUnsubscribe, websub.Publish, websub.Retrieve, websub.List, websub.Replay, websub.Test, websub.Badge}
}

func (m *frontMetrics) requested(mode feed.HubMode, result string) {
	if !slices.Contains(knownModes(), mode) {
		mode = otherMode
	}
	m.requests.WithLabelValues(string(mode), result).Inc()
}
