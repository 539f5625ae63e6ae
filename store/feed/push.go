package feed

import "time"

// PushState is how far a subscription at the hub of a source has come (WebSub).
type PushState string

// The states of a subscription.
const (
	PushNone    PushState = ""        // there is none
	PushPending PushState = "pending" // asked for; the hub has not confirmed it
	PushActive  PushState = "active"  // confirmed, and polls find nothing that was not pushed
	PushDenied  PushState = "denied"  // refused by the hub
	PushSilent  PushState = "silent"  // was confirmed, but does not bring everything; polling goes on as without it
	PushLeaving PushState = "leaving" // given up; the hub has not confirmed that yet
)

// PushStates lists the states in which a source can be; a subscription that is given up has left its source.
func PushStates() []PushState {
	return []PushState{PushNone, PushPending, PushActive, PushDenied, PushSilent}
}

// Push is what can be seen of the subscription of a source.
type Push struct {
	State     PushState
	Hub       string    // that the source names; empty: none
	Topic     string    // the name of the source at its hub, its rel=self
	Since     time.Time // of the state
	LeaseEnd  time.Time // until when the hub pushes; zero: nothing is confirmed
	LastPush  time.Time // when the last delivery with a good signature came
	LastPing  time.Time // when the last of them came that said no more than "look"
	Pushes    int       // deliveries with a good signature
	Refused   int       // deliveries without one, in a row
	Missed    int       // entries that a poll found although push was active
	Errors    int       // requests to the hub in a row that it has not confirmed
	ErrorText string    // for a person: how the last request failed; empty: it did not
}

// Callback is a subscription with what keeps it safe: the unguessable part of its callback URL and the secret by which
// deliveries are signed. It is written as a whole.
type Callback struct {
	FeedURL string
	Push
	Token    string    // of the callback URL; empty: there is no subscription
	Secret   string    //
	Asked    string    // the request that the hub may confirm, "subscribe" or "unsubscribe"; empty: none
	Until    time.Time // when it may no longer confirm that
	Due      time.Time // when there is something to do next; zero: never
	Revision string    // another one with each write
}

// Leave gives the subscription up: what the source says of its hub stays.
func (c *Callback) Leave(now time.Time) {
	*c = Callback{
		FeedURL: c.FeedURL, Revision: c.Revision,
		Push: Push{Hub: c.Hub, Topic: c.Topic, Since: now, LastPush: c.LastPush, LastPing: c.LastPing, Pushes: c.Pushes, Missed: c.Missed},
	}
}
