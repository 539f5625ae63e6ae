package feed

import (
	"strconv"
	"time"
)

// Delivery is the lease to deliver the next version to one subscription. It ends at the fence.
type Delivery struct {
	Subscription Subscription
	Version      int64     // to deliver
	Replayed     int64     // versions up to this one are sent again on request; 0: none
	Test         bool      // a test message, which is no version
	Fence        time.Time // in milliseconds; also identifies the lease
}

// ID returns the id of the delivery, from topic and version: "3f2a…-1795206000". It is the same for each attempt.
func (d *Delivery) ID() string {
	return TopicID(d.Subscription.Topic) + "-" + strconv.FormatInt(d.Version, 10)
}

// DeliveryClaim selects the deliveries to claim.
type DeliveryClaim struct {
	Limit   int            // maximum number
	PerHost int            // maximum for one host
	Free    map[string]int // maximum for these hosts instead, by HostID
	After   string         // subscription id: start after it, so that all are served in turn
	Lease   time.Duration  // time until the fence
	Daemon  string         // that claims
}

// Outcome is the outcome of a delivery.
type Outcome string

// Outcomes of deliveries.
const (
	Delivered Outcome = "delivered" // accepted; the next version follows
	Failed    Outcome = "failed"    // retry at Next; zero: skip to the next version
	Deferred  Outcome = "deferred"  // not attempted: due again at Next
)

// DeliveryResult ends the lease of a delivery.
type DeliveryResult struct {
	Delivery    Delivery
	Outcome     Outcome
	Health      Health // for Failed
	Next        time.Time
	Readers     int     // that the subscriber reports, for Delivered; 0: none
	Attempt     Attempt // that was made; without a reason: none was
	MaxAttempts int     // of the subscription to store, with this one; 0: they stay as they are
}

// Attempt is one request to a subscriber.
type Attempt struct {
	Time     time.Time `json:"time"` // of its start
	Version  int64     `json:"version"`
	Duration Duration  `json:"duration"`
	Status   int       `json:"status,omitempty"`  // HTTP; 0: no response
	Reason   string    `json:"reason"`            // as in Health; "2xx" if the subscriber accepted the version
	Next     time.Time `json:"next_try,omitzero"` // zero: with the next version
}

// DeadLetter records versions that a subscriber did not accept before the horizon. The subscription continues.
type DeadLetter struct {
	ID           string    `json:"id"`                                // "1795206000000-0", rising
	Subscription string    `json:"subscription" redis:"subscription"` // id
	Topic        string    `json:"topic" redis:"topic"`               // URL
	First        int64     `json:"first_version" redis:"first"`       // not delivered
	Last         int64     `json:"last_version" redis:"last"`
	Failures     int       `json:"failures" redis:"failures"`       // consecutive attempts
	Since        time.Time `json:"since" redis:"since"`             // first of them
	Time         time.Time `json:"time" redis:"time"`               // last of them
	Status       int       `json:"status,omitempty" redis:"status"` // HTTP status of the last attempt; 0: no response
	Reason       string    `json:"reason" redis:"reason"`           // class of the last attempt
}

// HubProgress is how far the hub has distributed the outbox.
type HubProgress struct {
	Cursor string            // every signal up to this id is distributed; "": none
	Ahead  map[string]string // by feed URL: the last distributed signal of a source that is ahead of the cursor
}

// HubStep is a step of the progress: of the cursor, of a source that is ahead of it, or of both.
type HubStep struct {
	From, To           string // the cursor
	FeedURL            string // the source
	AheadFrom, AheadTo string // its last distributed signal; "": it is not ahead
}

// HubState contains the numbers that the metrics of the hub show.
type HubState struct {
	Subscriptions int           `json:"subscriptions"`
	Topics        int           `json:"topics"`
	Failing       int           `json:"failing"`  // subscriptions whose last delivery failed
	Ready         int           `json:"ready"`    // deliveries that are due
	Later         int           `json:"later"`    // deliveries in progress or waiting for a retry
	Planning      int           `json:"planning"` // topics with subscribers that are not queued yet
	DeadLetters   int           `json:"dead_letters"`
	Lag           time.Duration `json:"-"` // age of the oldest signal that is not distributed; 0: none
}
