package web

import (
	"errors"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/feedwire/feedwire/store/feed"
)

// Outcomes of an action, the values of the result label.
const (
	ResultOK          = "ok"
	ResultRefused     = "refused"     // 4xx
	ResultUnavailable = "unavailable" // the store cannot answer
	ResultError       = "error"
)

// ResultOf returns the result of an action that ended with err.
func ResultOf(err error) string {
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

func newStale(reg prometheus.Registerer) prometheus.Counter {
	return promauto.With(reg).NewCounter(prometheus.CounterOpts{
		Name: "feedwire_site_stale_total",
		Help: "Responses of pages and API that were the last good copy because the store was unavailable.",
	})
}

func newActions(reg prometheus.Registerer) *prometheus.CounterVec {
	return promauto.With(reg).NewCounterVec(prometheus.CounterOpts{
		Name: "feedwire_desk_actions_total",
		Help: "Actions of people and programs in pages and API, by action and result.",
	}, []string{"action", "result"})
}
