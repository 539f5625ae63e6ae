package web

import (
	"errors"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/feedwire/feedwire/store/feed"
)

// Result is the outcome of an action, and a value of the result label.
type Result string

// Results.
const (
	ResultOK          Result = "ok"
	ResultRefused     Result = "refused"     // 4xx
	ResultUnavailable Result = "unavailable" // the store cannot answer
	ResultError       Result = "error"
)

// ResultOf returns the result of an action that ended with err.
func ResultOf(err error) Result {
	switch {
	case err == nil:
		return ResultOK
	case errors.Is(err, feed.ErrUnavailable):
		return ResultUnavailable
	}
	if _, refused := kindOf(err); refused {
		return ResultRefused
	}
	return ResultError
}

func newActions(reg prometheus.Registerer) *prometheus.CounterVec {
	return promauto.With(reg).NewCounterVec(prometheus.CounterOpts{
		Name: "feedwire_desk_actions_total",
		Help: "Actions of people and programs in pages and API, by action and result.",
	}, []string{"action", "result"})
}
