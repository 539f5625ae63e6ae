package feed

import (
	"fmt"
	"time"
)

// Limited is what members do in the community, which new accounts do only so often.
type Limited string

// What is limited.
const (
	LimitedSubmissions Limited = "submit"
	LimitedComments    Limited = "comment"
	LimitedVotes       Limited = "vote"
)

// NewAccountLimits bound what members do in the community while their accounts are new. The zero value bounds nothing.
type NewAccountLimits struct {
	Age         time.Duration // at which an account is no longer new
	Submissions int           // in a day; 0: no limit
	Comments    int           // in an hour; 0: no limit
	Votes       int           // in an hour; 0: no limit
}

// Review is whose submissions wait until a moderator approves them. Those of moderators never do.
type Review string

// Values of Review.
const (
	ReviewNone Review = "none"
	ReviewNew  Review = "new" // of new accounts
	ReviewAll  Review = "all"
)

// Holds reports whether submissions of an account wait at a time.
func (r Review) Holds(a *Account, l *NewAccountLimits, now time.Time) bool {
	return !a.Role.Moderates() && (r == ReviewAll || r == ReviewNew && l.remain(a, now) > 0)
}

// remain returns how long an account is still new at a time.
func (l *NewAccountLimits) remain(a *Account, now time.Time) time.Duration {
	return l.Age - now.Sub(a.Created)
}

// Quota is how often an account does something in a time.
type Quota struct {
	Most   int
	Within time.Duration
	Ends   time.Duration // until the quota no longer applies
	Reason string        // for the QuotaError of an account that exceeds it
}

// QuotaOf returns the quota of an account at a time. False: there is none, because the account is not new or moderates, or nothing is set.
func (l *NewAccountLimits) QuotaOf(a *Account, what Limited, now time.Time) (q Quota, ok bool) {
	q.Ends = l.remain(a, now)
	if q.Ends <= 0 || a.Role.Moderates() {
		return q, false
	}
	span := "an hour"
	q.Within = time.Hour
	switch what {
	case LimitedSubmissions:
		q.Most, q.Within, span = l.Submissions, 24*time.Hour, "a day"
	case LimitedComments:
		q.Most = l.Comments
	case LimitedVotes:
		q.Most = l.Votes
	}
	times := "once"
	if q.Most != 1 {
		times = fmt.Sprint(q.Most, " times")
	}
	q.Reason = fmt.Sprintf("an account that is younger than %s can %s %s in %s", spell(l.Age), what, times, span)
	return q, q.Most > 0
}

// spell returns an age in hours, or in days from two days on. A part of an hour counts as one.
func spell(age time.Duration) string {
	switch hours := int((age + time.Hour - 1) / time.Hour); {
	case hours == 1:
		return "an hour"
	case hours >= 48 && hours%24 == 0:
		return fmt.Sprint(hours/24, " days")
	default:
		return fmt.Sprint(hours, " hours")
	}
}
