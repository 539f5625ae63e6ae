package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/feedwire/feedwire/store/feed"
)

// answerProblem answers a request of the API that failed.
func (k *Kit) answerProblem(w http.ResponseWriter, r *http.Request, err error) {
	p := k.problem(r, err)
	setQuota(w, err)
	switch {
	case p.Status >= http.StatusInternalServerError && r.Context().Err() != nil:
		return // the client is gone
	case p.Status == http.StatusServiceUnavailable:
		w.Header().Set("Retry-After", "5")
	}
	WriteProblem(w, p)
}

// setQuota sets when a request may be repeated that exceeded a quota.
func setQuota(w http.ResponseWriter, err error) {
	if quota, ok := errors.AsType[*feed.QuotaError](err); ok {
		w.Header().Set("Retry-After", strconv.Itoa(int(quota.Wait.Seconds())))
	}
}

// kindOf returns the kind of problem of a request that cannot succeed, and false for errors of the daemon.
func kindOf(err error) (feed.ProblemKind, bool) {
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return feed.ProblemTooLarge, true
	}
	if _, ok := errors.AsType[*feed.QuotaError](err); ok {
		return feed.ProblemQuota, true
	}
	for _, known := range []struct {
		err  error
		kind feed.ProblemKind
	}{
		{feed.ErrInvalid, feed.ProblemInvalid}, {feed.ErrNotFound, feed.ProblemNotFound},
		{feed.ErrGone, feed.ProblemGone}, {feed.ErrForbidden, feed.ProblemForbidden}, {feed.ErrUnusable, feed.ProblemUnusable}, {feed.ErrTooLarge, feed.ProblemTooLarge},
		{feed.ErrVotingClosed, feed.ProblemVotingClosed}, {feed.ErrChanged, feed.ProblemChanged}, {feed.ErrConflict, feed.ProblemConflict}, {feed.ErrExists, feed.ProblemConflict},
		{feed.ErrKeyReused, feed.ProblemKeyReused}, {feed.ErrUnderWay, feed.ProblemUnderWay},
		{errSecretNotKept, feed.ProblemAnsweredOnce}, {errLargeNotKept, feed.ProblemAnsweredOnce},
	} {
		if errors.Is(err, known.err) {
			return known.kind, true
		}
	}
	return feed.ProblemKind{}, false
}

// closedText returns why users cannot vote on an entry.
func closedText(closed *feed.VotingClosedError) string {
	return "voting on this entry has closed: its votes are final " + Length(closed.Window) + " after its time"
}

// damage is a feed.ErrDamaged that names the key, for the people who can repair it. Others say what only the log may say.
type damage interface {
	error
	DamagedKey() string
}

// problem returns the problem document for an error. Details of internal errors go to the log only.
func (k *Kit) problem(r *http.Request, err error) feed.Problem {
	if tooLarge, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return feed.ProblemTooLarge.Problem(r, fmt.Sprintf("the body is larger than %d MiB", tooLarge.Limit>>20))
	}
	if quota, ok := errors.AsType[*feed.QuotaError](err); ok {
		return feed.ProblemQuota.Problem(r, quota.Reason)
	}
	if closed, ok := errors.AsType[*feed.VotingClosedError](err); ok {
		return feed.ProblemVotingClosed.Problem(r, closedText(closed))
	}
	if kind, ok := kindOf(err); ok {
		fields, _ := errors.AsType[feed.FieldErrors](err)
		return kind.Problem(r, err.Error(), fields...)
	}
	k.logError(r, err)
	if errors.Is(err, feed.ErrFull) {
		return feed.ProblemUnavailable.Problem(r, "the store has reached the limit of its memory and refuses changes; nothing was changed; "+
			"repeat the request later, or raise store.max_memory or the maxmemory of your Redis")
	}
	if errors.Is(err, feed.ErrEmptied) {
		return feed.ProblemUnavailable.Problem(r, "the data of this installation is gone from the store, and nothing was changed; restore a backup, or restart "+
			"the daemon to begin with an empty store")
	}
	if errors.Is(err, feed.ErrUnavailable) {
		return feed.ProblemUnavailable.Problem(r, "the store did not answer, and the request may or may not have been carried out; "+
			"repeat it with the same Idempotency-Key")
	}
	if d, ok := errors.AsType[damage](err); ok {
		return feed.ProblemInternal.Problem(r, d.Error())
	}
	return feed.ProblemInternal.Problem(r, "internal error; see the log of the daemon")
}

// WriteProblem answers with a problem document.
func WriteProblem(w http.ResponseWriter, p feed.Problem) {
	w.Header().Set("Content-Type", feed.ProblemType)
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(p.Status)
	_ = json.NewEncoder(w).Encode(p) // the client may be gone
}
