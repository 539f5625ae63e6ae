package people

import (
	"errors"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// signInResult is a value of the result label.
type signInResult string

const (
	signInOK          signInResult = "ok"
	signInRefused     signInResult = "refused"     // wrong name or password, or disabled
	signInThrottled   signInResult = "throttled"   // too many failures before
	signInUnavailable signInResult = "unavailable" // the store cannot answer, or too many sign-ins are running
)

// newSignIns returns the counter of sign-ins by result.
func newSignIns(reg prometheus.Registerer) *prometheus.CounterVec {
	signIns := promauto.With(reg).NewCounterVec(prometheus.CounterOpts{
		Name: "feedwire_sign_ins_total",
		Help: "Sign-ins with name and password, by result.",
	}, []string{"result"})
	for _, r := range []signInResult{signInOK, signInRefused, signInThrottled, signInUnavailable} {
		signIns.WithLabelValues(string(r)) // creates the series
	}
	return signIns
}

// resultOf returns the result of a sign-in.
func resultOf(err error) signInResult {
	var throttled ThrottledError
	switch {
	case err == nil:
		return signInOK
	case errors.Is(err, ErrNotProven):
		return signInRefused
	case errors.As(err, &throttled):
		return signInThrottled
	}
	return signInUnavailable
}
