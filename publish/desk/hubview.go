package desk

import (
	"context"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// HubStore is what people see and do of the hub. All methods may be called concurrently. Each returns feed.ErrUnavailable
// when the store cannot answer now, and feed.ErrNotFound for an id that names nothing.
type HubStore interface {
	// HubState counts the work that waits.
	HubState(ctx context.Context) (feed.HubState, error)
	// HubView returns what HubState does, all topics in no order, and a page of subscriptions as Subscriptions does, without
	// their Next.
	HubView(ctx context.Context, topicID, after string, limit int) (feed.HubView, error)
	// Topics are all topics that somebody subscribes to, in no order.
	Topics(ctx context.Context) ([]feed.Topic, error)
	// Subscriptions lists up to limit subscriptions of a topic, or of all where topicID is empty, behind the one with the
	// id after ("" for the first), in the order of their ids.
	Subscriptions(ctx context.Context, topicID, after string, limit int) ([]feed.Subscription, error)
	// Subscription is the one with this id.
	Subscription(ctx context.Context, id string) (feed.Subscription, error)
	// DeadLetters lists up to limit dead letters before the one with the id before ("" for the newest), newest first.
	DeadLetters(ctx context.Context, before string, limit int) ([]feed.DeadLetter, error)
	// ResendSubscription makes a subscription get the newest version of its topic again. feed.ErrConflict: nothing was
	// distributed yet.
	ResendSubscription(ctx context.Context, id string) error
	// ReplayDeadLetter makes a subscription get its topic again from the first version that it missed, and forgets the
	// dead letter.
	ReplayDeadLetter(ctx context.Context, id string) error
	// PauseSubscription stops deliveries to a subscription until ResumeSubscription; what comes meanwhile waits.
	PauseSubscription(ctx context.Context, id string) error
	// ResumeSubscription ends a pause, or does nothing where there is none.
	ResumeSubscription(ctx context.Context, id string) error
	// AddHubRequest writes a request down, due at once. feed.ErrConflict: most requests of the subscription wait already.
	AddHubRequest(ctx context.Context, r feed.HubRequest, most int) error
	// Subscribe makes or renews a subscription that nobody has to confirm. It sets sub.ID and sub.Since.
	Subscribe(ctx context.Context, sub *feed.Subscription) error
	// Unsubscribe ends a subscription without asking or telling anybody.
	Unsubscribe(ctx context.Context, id string) error
}

// HubTopic is one item of GET /api/v1/hub/topics.
type HubTopic struct {
	ID          string    `json:"id"`
	URL         string    `json:"url"`
	Version     int64     `json:"version"`          // of the newest distribution
	Changed     time.Time `json:"changed,omitzero"` // left out: nothing was distributed yet
	Subscribers int       `json:"subscribers"`
	Waiting     int       `json:"waiting"` // of them, with a distribution on its way
}

// HubSubscription is one item of GET /api/v1/hub/subscriptions. The callback is only hinted at, because who knows it can
// take the subscription over.
type HubSubscription struct {
	ID       string    `json:"id"`
	Topic    string    `json:"topic"`
	Callback string    `json:"callback"` // "reader.example/…x7qk"
	URL      string    `json:"callback_url,omitempty"`
	Way      feed.Way  `json:"way"`
	State    string    `json:"state"` // active, waiting, failing or paused
	Signed   bool      `json:"signed"`
	Since    time.Time `json:"since"`
	Until    time.Time `json:"until,omitzero"` // end of the lease; left out: none
	Next     int64     `json:"next_version"`
	Readers  int       `json:"readers,omitempty"` // that it says it has; left out: it does not say
	Health   HubHealth `json:"health,omitzero"`   // left out: the last delivery was taken
}

// HubHealth is how deliveries to a callback fail.
type HubHealth struct {
	Failures int       `json:"failures"` // in a row
	Since    time.Time `json:"since"`    // of the first of them
	Last     time.Time `json:"last"`
	Status   int       `json:"status,omitempty"` // HTTP; left out: no answer
	Reason   string    `json:"reason"`
	Next     time.Time `json:"next_try,omitzero"` // left out: with the next version
}

// HubDeadLetter is one item of GET /api/v1/hub/dead.
type HubDeadLetter struct {
	ID           string    `json:"id"`
	Subscription string    `json:"subscription"`
	Topic        string    `json:"topic"`
	First        int64     `json:"first_version"` // that was not delivered
	Last         int64     `json:"last_version"`
	Failures     int       `json:"failures"`
	Since        time.Time `json:"since"`
	Time         time.Time `json:"time"` // when it was given up
	Status       int       `json:"status,omitempty"`
	Reason       string    `json:"reason"`
}

// HubCounts is the answer of GET /api/v1/hub.
type HubCounts struct {
	Subscriptions int    `json:"subscriptions"`
	Topics        int    `json:"topics"`
	Failing       int    `json:"failing"`
	Ready         int    `json:"ready"`    // deliveries that may start
	Later         int    `json:"later"`    // deliveries under way, or to be tried again
	Planning      int    `json:"planning"` // topics with subscribers that do not know yet of their news
	DeadLetters   int    `json:"dead_letters"`
	Lag           string `json:"lag"` // since the oldest signal that was not distributed
}

// hubSubscription is a subscription as people may see it.
func hubSubscription(s *feed.Subscription) HubSubscription {
	seen := HubSubscription{
		ID: s.ID, Topic: s.Topic, Callback: s.Hint(), Way: s.Way, State: "active", Signed: s.Secret != "",
		Since: s.Since, Until: s.Until, Next: s.Next, Readers: s.Readers, Health: HubHealth(s.Health),
	}
	switch {
	case s.Paused:
		seen.State = "paused"
	case s.Health.Failures > 0:
		seen.State = "failing"
	case s.Waiting:
		seen.State = "waiting"
	}
	return seen
}
