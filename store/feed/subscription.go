package feed

import (
	"crypto/sha256"
	"encoding/base32"
	"net/url"
	"strings"
	"time"
)

// SubscriptionKind is the protocol by which news reaches a subscriber.
type SubscriptionKind string

// Kinds of subscriptions.
const (
	KindWebSub  SubscriptionKind = "websub"  // the document, with links and a signature (WebSub section 7)
	KindWebhook SubscriptionKind = "webhook" // signals as JSON, signed as in Standard Webhooks
	KindPing    SubscriptionKind = "ping"    // hub.mode=publish to another hub
)

// SubscriptionKinds returns all kinds.
func SubscriptionKinds() []SubscriptionKind {
	return []SubscriptionKind{KindWebSub, KindWebhook, KindPing}
}

// Subscription is the subscription of a callback to a topic. A pair of topic and callback has at most one. Never log or
// show the callback and the secret: whoever knows them can take over the subscription. Show Hint instead.
type Subscription struct {
	ID       string           // SubscriptionID(Topic, Callback)
	Topic    string           // URL
	Callback string           // as the subscriber wrote it
	Kind     SubscriptionKind //
	Secret   string           // of signatures, any bytes; empty: none
	Method   string           // of signatures: "sha256" …; empty: the default of the hub
	Form     Form             // of the news
	Lease    time.Duration    // as granted; 0: no end
	Since    time.Time        // last confirmation
	Until    time.Time        // end of the lease; zero: no end
	Next     int64            // version of the topic to deliver next
	Waiting  bool             // that version exists
	Paused   bool             // by a person
	Readers  int              // that the subscriber reports (PubSubHubbub 0.3 section 7.4), not verified; 0: none
	Health   Health           // zero: the last delivery succeeded
}

// Health describes failing deliveries to a callback. The zero value means that the last delivery succeeded.
type Health struct {
	Failures int       `json:"failures"`          // consecutive
	Since    time.Time `json:"since"`             // first of them
	Last     time.Time `json:"last"`              // last of them
	Status   int       `json:"status,omitempty"`  // HTTP status of the last; 0: no response
	Reason   string    `json:"reason"`            // class of the last: a value of the code_class label of feedwire_hub_delivery_attempts_total
	Next     time.Time `json:"next_try,omitzero"` // zero: with the next version
}

// State returns "paused", "failing", "waiting" or "active".
func (s *Subscription) State() string {
	switch {
	case s.Paused:
		return "paused"
	case s.Health.Failures > 0:
		return "failing"
	case s.Waiting:
		return "waiting"
	}
	return "active"
}

// hostLetters is the length of the part of a subscription id that identifies the host.
const hostLetters = 6

var letters = base32.StdEncoding.WithPadding(base32.NoPadding)

// SubscriptionID returns the id of a subscription: 16 letters and digits. The first six are the HostID of the callback, so
// that sorted ids are grouped by host.
func SubscriptionID(topic, callback string) string {
	sum := sha256.Sum256([]byte(topic + "\x00" + callback))
	return HostID(callback) + strings.ToLower(letters.EncodeToString(sum[:])[:16-hostLetters])
}

// HostID identifies the Host of a callback. Two hosts rarely have the same id; if they do, they share their limits.
func HostID(callback string) string {
	sum := sha256.Sum256([]byte(Host(callback)))
	return strings.ToLower(letters.EncodeToString(sum[:])[:hostLetters])
}

// HostID returns the HostID of the callback.
func (s *Subscription) HostID() string { return s.ID[:min(hostLetters, len(s.ID))] }

// Hint returns the host of the callback and the last letters of the id, which identify the callback without revealing it.
func (s *Subscription) Hint() string {
	u, err := url.Parse(s.Callback)
	if err != nil {
		return s.ID
	}
	return u.Host + "/…" + s.ID[len(s.ID)-min(4, len(s.ID)):]
}

// HubMode is the kind of a request to the hub.
type HubMode string

// Modes of requests that require a verification or a notification (WebSub sections 5.2 and 5.3).
const (
	HubSubscribe   HubMode = "subscribe"
	HubUnsubscribe HubMode = "unsubscribe"
	HubDenied      HubMode = "denied" // by the hub: notifies the subscriber and ends its subscription
)

// HubRequest is a request that the callback has not confirmed yet, or a denial that was not sent yet. The subscription does
// not change until then.
type HubRequest struct {
	ID             string        // set by the store
	Mode           HubMode       //
	Topic          string        // URL
	RequestedTopic string        // Topic as the subscriber spells it, for messages to it; empty: as Topic
	Callback       string        //
	Secret         string        //
	Method         string        // of signatures; empty: the default of the hub
	Form           Form          // of the news
	Lease          time.Duration // whole seconds
	VerifyToken    string        // PubSubHubbub 0.3: to echo; empty: none
	Reason         string        // of a denial, for the subscriber
	Client         string        // network of the client that sent it; empty: the hub itself
	Lane           HubLane       // which requests it competes with
	Created        time.Time     // set by the store
	Tries          int           // failed verifications
}

// HubLane is a group of requests whose callbacks do not delay those of the other groups.
type HubLane int

// The lanes of requests.
const (
	LaneNewHost   HubLane = iota // the host of the callback has no subscriptions
	LaneKnownHost                // it has some
	LaneRenewal                  // the subscription exists
	LaneDenial                   // the hub notifies a subscriber
	HubLanes                     // the number of lanes
)

// Subscription returns the id of the subscription.
func (r *HubRequest) Subscription() string { return SubscriptionID(r.Topic, r.Callback) }

// HubCounts contains the numbers that the limits of the hub apply to.
type HubCounts struct {
	Total    int  // subscriptions
	OfTopic  int  // subscribers of one topic, as in Topic
	OfHost   int  // subscriptions with callbacks on one host
	OfClient int  // subscriptions of one client to open topics
	Open     bool // the topic is an open one
	Requests int  // stored requests
}
