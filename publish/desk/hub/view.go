package hub

import (
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// Topic is one item of GET /api/v1/hub/topics.
type Topic struct {
	ID          string    `json:"id"`
	URL         string    `json:"url"`
	Version     int64     `json:"version"`          // of the newest distribution
	Changed     time.Time `json:"changed,omitzero"` // left out: nothing was distributed yet
	Subscribers int       `json:"subscribers"`
	Waiting     int       `json:"waiting"` // subscribers with a pending delivery
}

// Subscription is one item of GET /api/v1/hub/subscriptions. It hides most of the callback, because whoever knows a callback can take the
// subscription over.
type Subscription struct {
	ID       string                `json:"id"`
	Topic    string                `json:"topic"`
	Callback string                `json:"callback"`               // "reader.example/…x7qk"
	URL      string                `json:"callback_url,omitempty"` // only in the response about one subscription
	Kind     feed.SubscriptionKind `json:"kind"`
	State    string                `json:"state"` // active, waiting, failing or paused
	Signed   bool                  `json:"signed"`
	Since    time.Time             `json:"since"`
	Until    time.Time             `json:"until,omitzero"` // end of the lease; left out: none
	Next     int64                 `json:"next_version"`
	Readers  int                   `json:"readers,omitempty"` // as the subscriber reports; left out: not reported
	Health   Health                `json:"health,omitzero"`   // left out: the last delivery succeeded
}

// Health describes failed deliveries to a callback.
type Health struct {
	Failures int       `json:"failures"` // in a row
	Since    time.Time `json:"since"`    // of the first of them
	Last     time.Time `json:"last"`
	Status   int       `json:"status,omitempty"` // HTTP; left out: no response
	Reason   string    `json:"reason"`
	Next     time.Time `json:"next_try,omitzero"` // left out: with the next version
}

// DeadLetter is one item of GET /api/v1/hub/dead.
type DeadLetter struct {
	ID           string    `json:"id"`
	Subscription string    `json:"subscription"`
	Topic        string    `json:"topic"`
	First        int64     `json:"first_version"` // not delivered
	Last         int64     `json:"last_version"`
	Failures     int       `json:"failures"`
	Since        time.Time `json:"since"`
	Time         time.Time `json:"time"` // of the last try
	Status       int       `json:"status,omitempty"`
	Reason       string    `json:"reason"`
}

// Counts is the response of GET /api/v1/hub.
type Counts struct {
	Subscriptions int    `json:"subscriptions"`
	Topics        int    `json:"topics"`
	Failing       int    `json:"failing"`
	Ready         int    `json:"ready"`    // deliveries that may start
	Later         int    `json:"later"`    // deliveries in progress or waiting for a retry
	Planning      int    `json:"planning"` // topics with a new version that is not scheduled for every subscriber yet
	DeadLetters   int    `json:"dead_letters"`
	Lag           string `json:"lag"` // age of the oldest signal that is not distributed
}

// viewOf returns a subscription without its secret and its callback.
func viewOf(s *feed.Subscription) Subscription {
	view := Subscription{
		ID: s.ID, Topic: s.Topic, Callback: s.Hint(), Kind: s.Kind, State: "active", Signed: s.Secret != "",
		Since: s.Since, Until: s.Until, Next: s.Next, Readers: s.Readers, Health: Health(s.Health),
	}
	switch {
	case s.Paused:
		view.State = "paused"
	case s.Health.Failures > 0:
		view.State = "failing"
	case s.Waiting:
		view.State = "waiting"
	}
	return view
}
