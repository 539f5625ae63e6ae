package hub

import (
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

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
	Format   string                `json:"format,omitempty"`  // "json"; left out: that of the topic
	Filter   []string              `json:"filter,omitempty"`  // rules of entries; left out: all
	Readers  int                   `json:"readers,omitempty"` // as the subscriber reports; left out: not reported
	Health   feed.Health           `json:"health,omitzero"`   // left out: the last delivery succeeded
}

// Counts is the response of GET /api/v1/hub.
type Counts struct {
	feed.HubState
	Lag string `json:"lag"` // age of the oldest signal that is not distributed
}

// viewOf returns a subscription without its secret and its callback.
func viewOf(s *feed.Subscription) Subscription {
	return Subscription{
		ID: s.ID, Topic: s.Topic, Callback: s.Hint(), Kind: s.Kind, State: s.State(), Signed: s.Secret != "",
		Since: s.Since, Until: s.Until, Next: s.Next, Format: s.Form.Format(), Filter: s.Form.Rules(), Readers: s.Readers, Health: s.Health,
	}
}
