package desk

import (
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/feedwire/feedwire/store/feed"
)

// action is what people do over the API: a value of the action label.
type action string

const (
	sourceAdd        action = "source_add"
	sourceDiscover   action = "source_discover"
	sourceImport     action = "source_import"
	sourceRemove     action = "source_remove"
	sourcePoll       action = "source_poll"
	sourcePause      action = "source_pause"
	sourceResume     action = "source_resume"
	sourceRestore    action = "source_restore"
	articlePublish   action = "article_publish"
	articleUnpublish action = "article_unpublish"
	articleUndo      action = "article_undo"
	hubDeny          action = "hub_deny"
	hubResend        action = "hub_resend"
	hubPause         action = "hub_pause"
	hubResume        action = "hub_resume"
	hubReplay        action = "hub_replay"
	webhookAdd       action = "webhook_add"
	webhookRemove    action = "webhook_remove"
	webhookTest      action = "webhook_test"
	userAdd          action = "user_add"
	userRole         action = "user_role"
	userDisable      action = "user_disable"
	userEnable       action = "user_enable"
	userReset        action = "user_reset"
	tokenCreate      action = "token_create"
	tokenRevoke      action = "token_revoke"
	passwordChange   action = "password_change"
	sessionEnd       action = "session_end"
	sessionsEnd      action = "sessions_end"
)

// Sign-ins and one-time links are in the audit log, too, but are counted by their own metric.
const (
	signIn   action = "sign_in"
	linkUsed action = "link_used"
)

// result is what became of an action: a value of the result label.
type result string

const (
	resultOK          result = "ok"
	resultRefused     result = "refused"     // 4xx
	resultUnavailable result = "unavailable" // the store is away
	resultError       result = "error"
)

// resultOf sorts an error of an action.
func resultOf(err error) result {
	refusals := []error{feed.ErrInvalid, feed.ErrNotFound, feed.ErrConflict, feed.ErrChanged, feed.ErrExists}
	switch {
	case err == nil:
		return resultOK
	case errors.Is(err, feed.ErrUnavailable):
		return resultUnavailable
	}
	for _, refusal := range refusals {
		if errors.Is(err, refusal) {
			return resultRefused
		}
	}
	return resultError
}

// signInResult is what became of a sign-in: a value of the result label.
type signInResult string

const (
	signInOK          signInResult = "ok"
	signInRefused     signInResult = "refused"     // wrong name or password, or disabled
	signInThrottled   signInResult = "throttled"   // too many have failed before
	signInUnavailable signInResult = "unavailable" // the store is away, or too many are under way
)

type metrics struct {
	actions map[action]map[result]prometheus.Counter
	signIns map[signInResult]prometheus.Counter
}

func newMetrics(reg prometheus.Registerer) *metrics {
	actions := promauto.With(reg).NewCounterVec(prometheus.CounterOpts{
		Name: "feedwire_desk_actions_total",
		Help: "What people did over the API, by action and result.",
	}, []string{"action", "result"})
	signIns := promauto.With(reg).NewCounterVec(prometheus.CounterOpts{
		Name: "feedwire_sign_ins_total",
		Help: "Sign-ins with name and password, by result.",
	}, []string{"result"})
	m := &metrics{
		actions: make(map[action]map[result]prometheus.Counter), signIns: make(map[signInResult]prometheus.Counter),
	}
	for _, r := range []signInResult{signInOK, signInRefused, signInThrottled, signInUnavailable} {
		m.signIns[r] = signIns.WithLabelValues(string(r))
	}
	for _, a := range []action{
		sourceAdd, sourceDiscover, sourceImport, sourceRemove, sourcePoll, sourcePause, sourceResume, sourceRestore,
		articlePublish, articleUnpublish, articleUndo, hubDeny, hubResend, hubPause, hubResume, hubReplay, webhookAdd, webhookRemove, webhookTest,
		userAdd, userRole, userDisable, userEnable, userReset, tokenCreate, tokenRevoke, passwordChange, sessionEnd, sessionsEnd,
	} {
		m.actions[a] = make(map[result]prometheus.Counter)
		for _, r := range []result{resultOK, resultRefused, resultUnavailable, resultError} {
			m.actions[a][r] = actions.WithLabelValues(string(a), string(r))
		}
	}
	return m
}

// outcome is what became of a signal at the intake: a value of the outcome label.
type outcome string

const (
	outcomeArticle  outcome = "article"  // an article was made or refreshed
	outcomeIgnored  outcome = "ignored"  // nothing to do: a feed signal, no feed takes the source or selects the entry, the entry is gone
	outcomeRejected outcome = "rejected" // it cannot be made an article; given up
	outcomeLeft     outcome = "left"     // failed; it is delivered again
)

type intakeMetrics struct {
	signals map[outcome]prometheus.Counter
	lag     prometheus.Histogram
}

func newIntakeMetrics(reg prometheus.Registerer) *intakeMetrics {
	f := promauto.With(reg)
	signals := f.NewCounterVec(prometheus.CounterOpts{
		Name: "feedwire_intake_signals_total",
		Help: "Signals that the intake has read, by what became of them.",
	}, []string{"outcome"})
	m := &intakeMetrics{
		signals: make(map[outcome]prometheus.Counter),
		lag: f.NewHistogram(prometheus.HistogramOpts{
			Name:                            "feedwire_intake_lag_seconds",
			Help:                            "Time from a signal to its article being made.",
			Buckets:                         []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30},
			NativeHistogramBucketFactor:     1.1,
			NativeHistogramMaxBucketNumber:  100,
			NativeHistogramMinResetDuration: time.Hour,
		}),
	}
	for _, o := range []outcome{outcomeArticle, outcomeIgnored, outcomeRejected, outcomeLeft} {
		m.signals[o] = signals.WithLabelValues(string(o))
	}
	return m
}
