package feed

import (
	"fmt"
	"time"
)

// PushState is the state of our subscription at the hub of a source (WebSub).
type PushState string

// States of a subscription.
const (
	PushNone    PushState = ""        // no subscription
	PushPending PushState = "pending" // requested; the hub has not confirmed it
	PushActive  PushState = "active"  // confirmed, and polls find nothing that was not pushed
	PushDenied  PushState = "denied"  // denied by the hub
	PushSilent  PushState = "silent"  // confirmed but incomplete; the source is polled as without it
	PushLeaving PushState = "leaving" // unsubscribed; the hub has not confirmed it
)

// PushStates returns the states of sources. A subscription in PushLeaving no longer belongs to its source.
func PushStates() []PushState {
	return []PushState{PushNone, PushPending, PushActive, PushDenied, PushSilent}
}

// Push is the public part of the subscription of a source.
type Push struct {
	State    PushState `json:"state,omitempty" redis:"state"`
	Hub      string    `json:"hub,omitempty" redis:"hub"`            // named by the source; empty: none
	Topic    string    `json:"topic,omitempty" redis:"topic"`        // rel=self of the source
	Since    time.Time `json:"since,omitzero" redis:"since"`         // of the state
	LeaseEnd time.Time `json:"lease_end,omitzero" redis:"lease_end"` // end of the lease; zero: not confirmed
	LastPush time.Time `json:"last_push,omitzero" redis:"last_push"` // last delivery with a valid signature
	LastPing time.Time `json:"last_ping,omitzero" redis:"last_ping"` // last of them without a document
	Pushes   int       `json:"pushes" redis:"pushes"`                // deliveries with a valid signature
	Refused  int       `json:"refused,omitempty" redis:"refused"`    // consecutive deliveries without one
	Missed   int       `json:"missed" redis:"missed"`                // entries that a poll found while push was active
	Limited  int       `json:"limited,omitempty" redis:"limited"`    // minutes in which the hub pushed more than fetch.push_entries
	// LimitedUntil is the end of the last of these minutes. Until then deliveries are refused, and the source is polled instead.
	LimitedUntil time.Time `json:"limited_until,omitzero" redis:"limited_until"`
	Errors       int       `json:"errors,omitempty" redis:"errors"`         // consecutive requests that the hub has not confirmed
	ErrorText    string    `json:"error_text,omitempty" redis:"error_text"` // why the last request failed; empty: it did not
}

// PushSubscription is the subscription of a source with its secrets: the random part of the callback URL and the secret of
// signatures. It is always written as a whole.
type PushSubscription struct {
	FeedURL string `redis:"feed_url"`
	Push
	Token       string    `json:"-" redis:"token"`  // of the callback URL; empty: no subscription
	Secret      string    `json:"-" redis:"secret"` //
	PendingMode HubMode   `redis:"asked"`           // that the hub may confirm; empty: none
	Until       time.Time `redis:"until"`           // end of the time to confirm it
	Due         time.Time `redis:"due"`             // next action; zero: none
	Revision    string    `redis:"revision"`        // changes with each write
}

// PushWindow is the time over which the entries that a hub pushes are counted.
const PushWindow = time.Minute

// PushLimitError reports that a hub pushed more entries of a source than PushWindow allows. Nothing was written.
type PushLimitError struct {
	Entries, Limit int           // of the document; of each window
	Wait           time.Duration // until the end of the window
}

func (e *PushLimitError) Error() string {
	return fmt.Sprintf("%d entries are more than the rest of %d that fetch.push_entries allows in a minute; the source is polled instead",
		e.Entries, e.Limit)
}

// DayLimitError reports that a source has more new and changed entries than fetch.day_entries allows in a day. Nothing was written.
type DayLimitError struct {
	Entries, Limit int           // of the document; of a day
	Wait           time.Duration // until the document may be saved
}

func (e *DayLimitError) Error() string {
	return fmt.Sprintf("%d new and changed entries are more than the rest of %d that fetch.day_entries allows in a day", e.Entries, e.Limit)
}

// LimitLeft returns how long deliveries are refused from now on, or 0. A clock that was set back does not prolong it.
func (p *Push) LimitLeft(now time.Time) time.Duration {
	if left := p.LimitedUntil.Sub(now); left > 0 && left <= PushWindow {
		return left
	}
	return 0
}

// Leave removes the subscription and leaves the hub and the topic of the source.
func (c *PushSubscription) Leave(now time.Time) {
	*c = PushSubscription{
		FeedURL: c.FeedURL, Revision: c.Revision,
		Push: Push{Hub: c.Hub, Topic: c.Topic, Since: now, LastPush: c.LastPush, LastPing: c.LastPing, Pushes: c.Pushes, Missed: c.Missed},
	}
}
