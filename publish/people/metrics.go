package people

import (
	"errors"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// Outcomes of a sign-in, the values of the result label.
const (
	signInOK          = "ok"
	signInRefused     = "refused"     // wrong name or password, or disabled
	signInThrottled   = "throttled"   // too many failures before
	signInUnavailable = "unavailable" // the store cannot answer, or too many sign-ins are running
)

// newSignIns returns the counter of sign-ins by result.
func newSignIns(reg prometheus.Registerer) *prometheus.CounterVec {
	signIns := promauto.With(reg).NewCounterVec(prometheus.CounterOpts{
		Name: "feedwire_sign_ins_total",
		Help: "Sign-ins with name and password, by result.",
	}, []string{"result"})
	for _, r := range []string{signInOK, signInRefused, signInThrottled, signInUnavailable} {
		signIns.WithLabelValues(r) // creates the series
	}
	return signIns
}

// resultOf returns the result of a sign-in.
func resultOf(err error) string {
	_, throttled := errors.AsType[ThrottledError](err)
	switch {
	case err == nil:
		return signInOK
	case errors.Is(err, ErrNotProven):
		return signInRefused
	case throttled:
		return signInThrottled
	}
	return signInUnavailable
}
