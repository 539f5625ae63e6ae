package feed

import (
	"strconv"
	"time"
)

// Delivery is the right to bring one subscriber its next version, until the fence. Nobody else has it as long.
type Delivery struct {
	Subscription Subscription
	Version      int64     // to be delivered
	Fence        time.Time // to the millisecond; it names the claim too
}

// ID names what is delivered, the same with each repetition: "3f2a…-1795206000" of topic and version.
func (d *Delivery) ID() string {
	return TopicID(d.Subscription.Topic) + "-" + strconv.FormatInt(d.Version, 10)
}

// Wanted says which deliveries may be claimed.
type Wanted struct {
	Limit   int            // deliveries at most
	PerHost int            // of one host at most
	Free    map[string]int // of these hosts at most so many, by HostID; 0: none
	After   string         // subscription id: those behind it come first, so that each gets its turn
	Lease   time.Duration  // until the fence
}

// Outcome is what became of a delivery.
type Outcome string

// The outcomes of a delivery.
const (
	Delivered Outcome = "delivered" // taken; the next version follows, if there is one
	Failed    Outcome = "failed"    // not taken: again at Next, or after the last version where that is zero
	Deferred  Outcome = "deferred"  // not tried: again at Next
)

// Settlement ends a claim.
type Settlement struct {
	Delivery Delivery
	Outcome  Outcome
	Health   Health // after it, for Failed
	Next     time.Time
	Readers  int // that the subscriber says it has, for Delivered; 0: it does not say
}

// DeadLetter is what a subscriber did not get although it was tried as long as may be. The subscription goes on.
type DeadLetter struct {
	ID           string    // "1795206000000-0", rising
	Subscription string    // its id
	Topic        string    // URL
	First, Last  int64     // versions that were not delivered
	Failures     int       // tries in a row
	Since        time.Time // of the first of them
	Time         time.Time // when it was given up
	Status       int       // HTTP status of the last try; 0: no answer
	Reason       string    // class of the last failure
}

// HubState is how much work the hub has.
type HubState struct {
	Subscriptions int
	Topics        int
	Failing       int // subscriptions whose last delivery failed
	Ready         int // deliveries that may start
	Later         int // deliveries under way, or to be tried again
	Planning      int // topics with subscribers that do not know yet
	DeadLetters   int
	Lag           time.Duration // since the oldest signal that was not distributed; 0: there is none
}
