package people

import (
	"errors"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/feedwire/feedwire/store/feed"
)

// Outcomes of a sign-in or sign-up, the values of the result label.
const (
	signInOK          = "ok"
	signInRefused     = "refused"     // wrong name or password, or disabled; a sign-up that is not allowed, or with a name that is taken
	signInThrottled   = "throttled"   // too many failures before
	signInUnavailable = "unavailable" // the store cannot answer, or too many sign-ins are running
)

// newResults returns a counter by result.
func newResults(reg prometheus.Registerer, name, help string) *prometheus.CounterVec {
	results := promauto.With(reg).NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, []string{"result"})
	for _, r := range []string{signInOK, signInRefused, signInThrottled, signInUnavailable} {
		results.WithLabelValues(r) // creates the series
	}
	return results
}

// Outcomes of a mail, the values of the result label.
const (
	mailSent    = "sent"
	mailRefused = "refused" // for good, by the server or because of a limit
	mailFailed  = "failed"  // it is sent again, for an hour
)

// newMailResults returns a counter of mails by kind and result.
func newMailResults(reg prometheus.Registerer) *prometheus.CounterVec {
	results := promauto.With(reg).NewCounterVec(prometheus.CounterOpts{
		Name: "feedwire_mails_total", Help: "Attempts to send a mail to the owner of an account, by kind and result.",
	}, []string{"kind", "result"})
	for _, kind := range []feed.MailKind{feed.MailReset, feed.MailChanged} {
		for _, r := range []string{mailSent, mailRefused, mailFailed} {
			results.WithLabelValues(string(kind), r) // creates the series
		}
	}
	return results
}

// resultOf returns the result of a sign-in or sign-up.
func resultOf(err error) string {
	_, throttled := errors.AsType[ThrottledError](err)
	_, limited := errors.AsType[*feed.QuotaError](err)
	switch {
	case err == nil:
		return signInOK
	case limited, errors.Is(err, ErrNotProven), errors.Is(err, feed.ErrInvalid), errors.Is(err, feed.ErrNotFound), errors.Is(err, feed.ErrExists):
		return signInRefused
	case throttled:
		return signInThrottled
	}
	return signInUnavailable
}
