package feed

import "net/http"

// Cause is why a source needs a person: what failing sources have in common. It follows from PollState alone.
type Cause string

// Causes. The empty cause means that the source needs no one: it works, is paused or is local.
const (
	CauseMoved     Cause = "moved"      // it redirects permanently, and its target is not adopted yet
	CauseGone      Cause = "gone"       // 410
	CauseNotFound  Cause = "not_found"  // 404
	CauseForbidden Cause = "forbidden"  // 401, 403
	CauseRefused   Cause = "refused"    // another 4xx
	CauseNotAFeed  Cause = "not_a_feed" // a page, or a document that cannot be repaired
	CauseRedirects Cause = "redirects"  // endless, or to what must not be followed
	CauseTooLarge  Cause = "too_large"  // a limit of the document
	CauseTLS       Cause = "tls"
	CauseDNS       Cause = "dns"
	CauseConnect   Cause = "connect"
	CauseTimeout   Cause = "timeout"
	CauseServer    Cause = "server" // 5xx
	CauseBusy      Cause = "busy"   // 429
	CauseBlocked   Cause = "blocked_address"
	CauseFlood     Cause = "flood"  // more entries than a day allows
	CauseStore     Cause = "store"  // not at fault: the store failed, or a key is damaged
	CauseOutage    Cause = "outage" // not at fault: the network of this machine failed
)

// Causes returns all causes, first those that a person can resolve.
func Causes() []Cause {
	return []Cause{
		CauseMoved, CauseGone, CauseNotFound, CauseForbidden, CauseRefused, CauseNotAFeed, CauseRedirects, CauseTooLarge, CauseTLS, CauseDNS,
		CauseConnect, CauseTimeout, CauseServer, CauseBusy, CauseBlocked, CauseFlood, CauseStore, CauseOutage,
	}
}

// causes are the causes of failures, except those that depend on the status.
var causes = map[FailureClass]Cause{
	FailureDNS: CauseDNS, FailureConnect: CauseConnect, FailureTLS: CauseTLS, FailureTimeout: CauseTimeout, FailureBlockedAddress: CauseBlocked,
	FailureRedirectLimit: CauseRedirects, FailureHTTP429: CauseBusy, FailureHTTP5xx: CauseServer, FailureTooLarge: CauseTooLarge,
	FailureNotAFeed: CauseNotAFeed, FailureParse: CauseNotAFeed, FailureLimits: CauseTooLarge, FailureDayLimit: CauseFlood,
	FailureStore: CauseStore, FailureDamaged: CauseStore, FailureOutage: CauseOutage,
}

// Cause returns why the source needs a person.
func (s *Source) Cause() Cause {
	p := &s.Poll
	switch {
	case s.Paused || s.Local():
		return ""
	case p.Gone:
		return CauseGone
	case p.ErrorClass == "" && p.Move.Adopted.IsZero() && p.Move.Seen > 0:
		return CauseMoved
	case p.ErrorClass != string(FailureHTTP4xx):
		return causes[FailureClass(p.ErrorClass)]
	}
	switch p.Status {
	case http.StatusGone:
		return CauseGone
	case http.StatusNotFound:
		return CauseNotFound
	case http.StatusUnauthorized, http.StatusForbidden:
		return CauseForbidden
	}
	return CauseRefused
}
