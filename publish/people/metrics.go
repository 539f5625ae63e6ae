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

type metrics struct {
	signIns map[signInResult]prometheus.Counter
}

func newMetrics(reg prometheus.Registerer) *metrics {
	signIns := promauto.With(reg).NewCounterVec(prometheus.CounterOpts{
		Name: "feedwire_sign_ins_total",
		Help: "Sign-ins with name and password, by result.",
	}, []string{"result"})
	m := &metrics{signIns: make(map[signInResult]prometheus.Counter)}
	for _, r := range []signInResult{signInOK, signInRefused, signInThrottled, signInUnavailable} {
		m.signIns[r] = signIns.WithLabelValues(string(r))
	}
	return m
}

func (m *metrics) countSignIn(err error) {
	result := signInUnavailable
	var throttled ThrottledError
	switch {
	case err == nil:
		result = signInOK
	case errors.Is(err, ErrNotProven):
		result = signInRefused
	case errors.As(err, &throttled):
		result = signInThrottled
	}
	m.signIns[result].Inc()
}
